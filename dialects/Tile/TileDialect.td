//===- TileDialect.td - the tile dialect ------------------ -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TD
#define TILE_DIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::delta::tile";
  let summary = "Programs of one CTA on tiles, in two forms with two contracts";
  let description = [{
    *Value form*: a kernel is the program of one CTA; tiles are builtin tensors,
    rounding is explicit (`arith.truncf`), nothing is placed and nothing is
    synchronised. Elementwise work is arith and math on tensors, control flow is
    scf. The form runs on the CPU, one CTA after another, with the GPU's rounding.
    Contract: V1 to V7, `verify-tile-value`.

    *Final form*: register tiles carry an encoding, shared tiles are memrefs with a
    space attribute, data moves by `copy`, `read` and `write`, products may be in
    flight (a type), warps may have roles, and roles meet in rings (bounded queues).
    Contract: F1 to F11, `verify-tile-final`. One contract for both forms would not
    do: what must be checked at the end does not exist while the form must run.
  }];
  // What the decompositions of the value form's ops are made of.
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // TILE_DIALECT_TD
