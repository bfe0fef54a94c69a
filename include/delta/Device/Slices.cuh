//===- Slices.cuh - vectors in registers ------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f32 vectors: slices, with one element for each row or column of a fragment,
// held by the threads that hold the row or column; and flat vectors, with one
// element per thread. Elementwise.cuh has their arithmetic. Nothing here may
// touch memory.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_SLICES_CUH
#define DELTA_DEVICE_SLICES_CUH

#include "delta/Device/Fragment.cuh"

namespace delta {

/// One value for each row of a Fragment<., Rows, ., Warps>: x[0] belongs to row
/// 16 w + g, x[1] to row 16 w + g + 8. The four lanes of a quad hold the same
/// values.
template <int Rows, int Warps> struct RowSlice {
  static_assert(Rows == 16 * Warps, "every warp holds 16 rows");
  using elementwise = void;
  static constexpr int rows = Rows, warps = Warps;
  static constexpr int size = 2;
  float x[size];
};

/// One value for each column of a Fragment<., ., Cols, .>: x[2 n] and x[2 n +
/// 1] belong to columns 8 n + 2 t and 8 n + 2 t + 1. All lanes of equal t hold
/// the same values, in every warp.
template <int Cols> struct ColumnSlice {
  static_assert(Cols % 8 == 0, "columns come in blocks of 8");
  using elementwise = void;
  static constexpr int cols = Cols;
  static constexpr int size = Cols / 4;
  float x[size];
};

/// A vector of N elements, thread i < N of the CTA holding element i. Loads
/// give 0 to the other threads, and the values that elementwise functions
/// compute there are never read.
template <int N> struct Flat {
  using elementwise = void;
  static constexpr int length = N;
  static constexpr int size = 1;
  float x[size];
};

/// The fragment whose row i holds element i of `a` in every column.
template <int Cols, int Rows, int Warps>
DELTA_DEVICE Fragment<float, Rows, Cols, Warps>
spread_rows(const RowSlice<Rows, Warps> &a) {
  Fragment<float, Rows, Cols, Warps> r;
#pragma unroll
  for (int i = 0; i < Cols / 2; ++i)
    r.x[i] = a.x[i / 2 % 2];
  return r;
}

/// The fragment whose column j holds element j of `a` in every row.
template <int Rows, int Warps, int Cols>
DELTA_DEVICE Fragment<float, Rows, Cols, Warps>
spread_columns(const ColumnSlice<Cols> &a) {
  Fragment<float, Rows, Cols, Warps> r;
#pragma unroll
  for (int i = 0; i < Cols / 2; ++i)
    r.x[i] = a.x[i / 4 * 2 + i % 2];
  return r;
}

namespace detail {

/// Reduces every row of a fragment: first the elements of a lane, in order,
/// then the quad as (0 op 1) op (2 op 3), so that the result is the same in
/// every lane and from run to run.
template <class Op, int Rows, int Cols, int Warps>
DELTA_DEVICE RowSlice<Rows, Warps>
reduce_rows(const Fragment<float, Rows, Cols, Warps> &a, Op op) {
  RowSlice<Rows, Warps> r;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float y = op(a.x[2 * half], a.x[2 * half + 1]);
    // One by one, so that a sum of products is a chain of fused operations.
#pragma unroll
    for (int n = 1; n < Cols / 8; ++n)
      y = op(op(y, a.x[4 * n + 2 * half]), a.x[4 * n + 2 * half + 1]);
    y = op(y, __shfl_xor_sync(0xffffffffu, y, 1));
    r.x[half] = op(y, __shfl_xor_sync(0xffffffffu, y, 2));
  }
  return r;
}

} // namespace detail

/// The sum of every row. All lanes of the fragment's warps must call it.
template <int Rows, int Cols, int Warps>
DELTA_DEVICE RowSlice<Rows, Warps>
reduce_add_rows(const Fragment<float, Rows, Cols, Warps> &a) {
  return detail::reduce_rows(a, [](float x, float y) { return x + y; });
}

/// The maximum of every row, NaN if the row holds a NaN. All lanes of the
/// fragment's warps must call it.
template <int Rows, int Cols, int Warps>
DELTA_DEVICE RowSlice<Rows, Warps>
reduce_max_rows(const Fragment<float, Rows, Cols, Warps> &a) {
  return detail::reduce_rows(a, [](float x, float y) { return max(x, y); });
}

/// The elements (i, i) of a square fragment, row by row. All lanes of its warps
/// must call it.
template <int Rows, int Warps>
DELTA_DEVICE RowSlice<Rows, Warps>
diagonal(const Fragment<float, Rows, Rows, Warps> &a) {
  const int warp = fragment_warp<Warps>(), lane = lane_index();
  RowSlice<Rows, Warps> r;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    // Rows g and g + 8 meet the diagonal in the first and the second 8 columns
    // of the warp's 16 x 16 block, where lane g / 2 of the quad holds it.
    float even = a.x[6 * half], odd = a.x[6 * half + 1];
#pragma unroll
    for (int w = 1; w < Rows / 16; ++w) {
      even = warp == w ? a.x[8 * w + 6 * half] : even;
      odd = warp == w ? a.x[8 * w + 6 * half + 1] : odd;
    }
    const int g = fragment_row();
    r.x[half] =
        __shfl_sync(0xffffffffu, g % 2 == 0 ? even : odd, (lane & ~3) + g / 2);
  }
  return r;
}

} // namespace delta

#endif // DELTA_DEVICE_SLICES_CUH
