//===- TilePasses.td - passes on the tile dialect --------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Value form
//===----------------------------------------------------------------------===//

def VerifyTileValue : Pass<"verify-tile-value", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the tile dialect's value form";
  let description = [{
    Rules V2 and V5 of docs/tile-dialect.md (V1, V3 and V4 are the ops' verifiers),
    and that nothing of the final form is there yet: no register layout, no shared
    memory, no op of the final form. The IR is never changed.
  }];
}

#endif // TILE_PASSES_TD
