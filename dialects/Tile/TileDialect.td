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
    *Value form*: a kernel is the program of one CTA. Tiles are builtin tensors without a
    place, rounding is explicit (`arith.truncf`), and there is no synchronisation.
    Elementwise work is arith and math on tensors, control flow is scf. The form runs on
    the CPU, one CTA after another, with the rounding of the GPU. Contract: V1 to V7,
    `verify-tile-value`.

    *Final form*: register tiles carry an encoding, and shared tiles are memrefs with a
    space attribute. Data moves by `copy`, `read` and `write`. A product may be in flight,
    which its type says. Warps may have roles, and roles meet in rings (bounded queues).
    Contract: F1 to F11, `verify-tile-final`. The forms have two contracts because the
    properties that the second one checks (places, layouts, waits) do not exist yet in the
    value form.
  }];
  // The ops of the value form decompose into these dialects.
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
