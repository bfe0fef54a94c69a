//===- fill_tile.cuh - a tile's contents, written one by one ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests of functions that read tiles: an independent way to fill a tile,
// without the copies and stores that have their own tests.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_TEST_GPU_DEVICE_FILL_TILE_CUH
#define DELTA_TEST_GPU_DEVICE_FILL_TILE_CUH

#include "delta/Device/Shared.cuh"

namespace test {

/// Copies a row-major matrix of f32, rounded, to a tile. All threads of the CTA
/// call it; the caller synchronises.
template <class T, int Rows, int Cols>
__device__ void fill_tile(const delta::SharedTile<T, Rows, Cols> &tile,
                          const float *src) {
  for (int i = threadIdx.x; i < Rows * Cols; i += blockDim.x)
    *static_cast<T *>(__cvta_shared_to_generic(
        tile.piece(i / Cols, i % Cols / 8) + i % 8 * 2)) =
        delta::Element<T>::from_float(src[i]);
}

} // namespace test

#endif // DELTA_TEST_GPU_DEVICE_FILL_TILE_CUH
