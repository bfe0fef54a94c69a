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
    func.func @f(%k: memref<2x64x64xbf16>, %s: memref<2x64x64xf32>) attributes {delta.plans = {chain = [
        #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>]}} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %e_in = arith.constant dense<0.5> : tensor<64xf32>
      scf.forall (%b) in (2) {
        %S_end = scf.for %c = %c0 to %c1 step %c1 iter_args(%S = %zero) -> tensor<64x64xf32> {
          %K = delta.load %k[%b, %c0, %c0] dims [1, 2] : memref<2x64x64xbf16> -> tensor<64x64xf32>
          %x = delta.read %K, %S {prec = #delta.prec<bf16>}
                 : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
          %KS = delta.scale %x, %e_in {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
          %S1 = delta.update %S, %K, %KS {prec = #delta.prec<bf16>}
                  : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
          scf.yield %S1 : tensor<64x64xf32>
        }
        delta.store %S_end, %s[%b, %c0, %c0] dims [1, 2] : tensor<64x64xf32>, memref<2x64x64xf32>
      } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch"], carries = state>}
      return
    }
    // becomes
    tile.kernel @f_chain(%column_tile: index, %b: index, %k: memref<2x64x64xbf16>, %s: memref<2x64x64xf32>)
        attributes {grid = 2 : i64, warps = 4 : i64} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %zero = arith.constant dense<0.0> : tensor<64x64xf32>
      %e_in = arith.constant dense<0.5> : tensor<64xf32>
      %columns = arith.constant 64 : index
      %column = arith.muli %column_tile, %columns : index
      %S_end = scf.for %c = %c0 to %c1 step %c1 iter_args(%S = %zero) -> tensor<64x64xf32> {
        %S_a = arith.truncf %S : tensor<64x64xf32> to tensor<64x64xbf16>
        %K = tile.load %k[%b, %c0, %c0] {dims = array<i64: 1, 2>} : memref<2x64x64xbf16> -> tensor<64x64xbf16>
        %x = tile.dot %S_a, %K {contract = array<i64: 1, 1>}  // S^T K^T
               : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        %e_in_j = tile.spread %e_in {axis = 1 : i64} : tensor<64xf32> -> tensor<64x64xf32>
        %KS = arith.mulf %x, %e_in_j : tensor<64x64xf32>
        %KS_a = arith.truncf %KS : tensor<64x64xf32> to tensor<64x64xbf16>
        %S1 = tile.dot %KS_a, %K acc(%S) {contract = array<i64: 1, 0>}  // S^T + KS^T K
               : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
        scf.yield %S1 : tensor<64x64xf32>
      }
      tile.store %S_end, %s[%b, %c0, %column] {bound_axis = 1 : i64, dims = array<i64: 2, 1>}
        : tensor<64x64xf32>, memref<2x64x64xf32>
      tile.return
    }
    func.func @f(%k: memref<2x64x64xbf16>, %s: memref<2x64x64xf32>) {
      %one = arith.constant 1 : index
      %B = arith.constant 2 : index
      tile.launch @f_chain grid(%one, %B) args(%k, %s : memref<2x64x64xbf16>, memref<2x64x64xf32>)
      return
    }
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
