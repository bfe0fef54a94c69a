//===- ConversionPasses.td - passes between dialects ------ -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CONVERSION_PASSES_TD
#define CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// delta to tile
//===----------------------------------------------------------------------===//

def ConvertDeltaToTile : Pass<"convert-delta-to-tile", "::mlir::ModuleOp"> {
  let summary = "Loops of named ops to kernels in value form, with their launches";
  let description = [{
    Each outermost `scf.forall` becomes a `tile.kernel`, run by a `tile.launch` in its
    place; the function around it is the host program. Decides nothing: it applies the
    plans (`delta.plans` on the function), each of which becomes that of its kernel, and
    the rounding that `prec` permits, which is an explicit `arith.truncf` from here on.
    Refuses a plan that is for a nest of another kind.

    `delta.nest` says what a loop computes. A scan is computed transposed: a chain owns
    `columns` of the value axis, as its plan says, and keeps S^T, an accumulator and,
    rounded, an A operand.

    Query blocks that read what earlier ones stored (a nest that publishes an array: u of
    DeltaFormer) become the CTAs of one kernel, which draw their block by ticket: blocks in ascending order, all
    heads and batches of a group in turn, one group after the other. The host program
    makes as many groups of equal size as there are `group_bytes` of keys and u. A flag a
    head counts its finished blocks (`tile.signal`); who reads a block expects it. Counter and flags are one workspace
    that the host program clears.

    ```mlir
    %x = delta.read %K, %S {prec = #delta.prec<bf16>} : ...
    %KS = delta.scale %x, %e_in {axis = 0 : i64} : ...
    // becomes
    %S_a = arith.truncf %S : tensor<64x128xf32> to tensor<64x128xbf16>
    %x = tile.dot %S_a, %K {contract = array<i64: 1, 1>} : ...          // S^T K^T
    %e_in_j = tile.spread %e_in {axis = 1 : i64} : tensor<64xf32> -> tensor<64x64xf32>
    %KS = arith.mulf %x, %e_in_j : tensor<64x64xf32>
    ```
  }];
  let dependentDialects = [
    "::delta::tile::TileDialect", "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"
  ];
}

//===----------------------------------------------------------------------===//
// tile to cuda
//===----------------------------------------------------------------------===//

def ConvertTileToCuda : Pass<"convert-tile-to-cuda", "::mlir::ModuleOp"> {
  let summary = "Kernels in final form to kernels of the exit dialect";
  let description = [{
    One op becomes one statement, a call of the device library or an expression; a
    value keeps its name. Decides nothing: a place, a layout, an offset or a wait count
    that is missing is an error.

    Parameters: for each array a pointer to its first element and its dynamic strides
    (`k`, `k_batch_stride`), then the index values, then the grid extents that no launch
    gives as a constant, the last one left out. A CTA takes its indices from
    `blockIdx.x`, the first fastest. Launches are left for `cuda-plan-launcher`.

    ```mlir
    %KS = tile.dot instr(mma_m16n8k16) %S_a, %K {contract = array<i64: 1, 1>} : ...
    // becomes
    %KS = cuda.call "dot_nt"(%S_a, %K_tile, %zero) {name = "KS"} : ...
    ```
  }];
  let dependentDialects = ["::delta::cuda::CudaDialect"];
}

#endif // CONVERSION_PASSES_TD
