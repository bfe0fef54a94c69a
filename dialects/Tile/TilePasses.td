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
    Rules V2, V5 and V6 of docs/tile-dialect.md (V1, V3 and V4 are the ops'
    verifiers): loads and stores are bounded, memory is touched by tile ops alone, and
    nothing of the final form is there yet. The IR is never changed.
  }];
}

def KernelsToFunctions : Pass<"tile-kernels-to-functions", "::mlir::ModuleOp"> {
  let summary = "Run kernels on the CPU: each CTA is a call, a grid is a loop nest";
  let description = [{
    A kernel becomes a private function whose first arguments are the grid indices; a
    launch becomes loops over the grid, the first index innermost, around a call. That
    is one of the orders that a launch allows, and the one in which tickets are drawn.

    ```mlir
    tile.launch @chain grid(%H, %B) args(%k : memref<?xf32>)
    // becomes
    scf.for %b = %c0 to %B step %c1 {
      scf.for %h = %c0 to %H step %c1 {
        func.call @chain(%h, %b, %k) : (index, index, memref<?xf32>) -> ()
      }
    }
    ```
    The ops inside are left as they are; `delta-decompose` comes next. Refuses nothing
    that `verify-tile-value` accepts.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// Final form
//===----------------------------------------------------------------------===//

def VerifyTileFinal : Pass<"verify-tile-final", "::mlir::ModuleOp"> {
  let summary = "Check the contract of the tile dialect's final form";
  let description = [{
    Rules F1 to F10 of docs/tile-dialect.md, with V2 and V5, on every kernel: tiles are
    placed, instructions accept what they are given, nothing in flight is lost or read
    too early, rings have two ends, and the CTA fits the target. F11 (registers) is
    `tile-budget-registers`'. One diagnostic a kernel. The IR is never changed.
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"sm_80\"",
                        "GPU whose limits and instructions apply">];
}

#endif // TILE_PASSES_TD
