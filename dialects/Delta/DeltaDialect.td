//===- DeltaDialect.td - the delta dialect -----------------*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TD
#define DELTA_DIALECT_TD

include "mlir/IR/OpBase.td"

def Delta_Dialect : Dialect {
  let name = "delta";
  let cppNamespace = "::delta";
  let summary = "Delta-rule recurrences: what a user writes, and its chunked form";
  let description = [{
    The dialect has two phases with one contract each.

    *Recurrent phase*: a `func.func` on tensors with `delta.l2norm`,
    `delta.sigmoid` and one `delta.recurrence`. No loops: this is the meaning,
    executed token by token by the float64 oracle.

    *Chunked phase*: loops (`scf.forall`, `scf.for`) around a small set of
    named ops on tiles. Arrays of the caller are memrefs and are touched by
    `delta.load` and `delta.store` alone; everything between is a value of type
    `tensor<...xf32>` with a static shape. Each named op keeps a fact that plain
    linalg would lose (which part of a square is zero, that a decay is a
    similarity, that a loop is a triangular inverse, which products may round)
    and has a decomposition to upstream ops, which is how the phase runs on the
    CPU.
  }];
  // Canonical forms multiply factors.
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

class Delta_Op<string mnemonic, list<Trait> traits = []>
    : Op<Delta_Dialect, mnemonic, traits>;

#endif // DELTA_DIALECT_TD
