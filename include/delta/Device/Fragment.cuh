//===- Fragment.cuh - matrices in registers ---------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The register layout of matrices. There is one map from elements to threads.
// It is both the accumulator layout and the A operand layout of mma.m16n8k16,
// so an f32 product becomes the left operand of the next product by rounding,
// without moving data. Fragments are values: functions take them by const
// reference and return new ones. Nothing here may touch memory.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_FRAGMENT_CUH
#define DELTA_DEVICE_FRAGMENT_CUH

#include "delta/Device/Elementwise.cuh"
#include "delta/Device/Part.cuh"

namespace delta {

/// A Rows x Cols matrix of element type T (float, bf16, half_t) distributed
/// over Warps warps. With up to four warps, every warpgroup has its own matrix
/// on its first Warps warps; with more, the CTA has one matrix on its first
/// Warps warps. Further warps mirror the last one (fragment_warp).
///
/// Warp w holds rows 16 w .. 16 w + 15. With g = lane / 4 and t = lane % 4, a
/// lane holds, of every block n of eight columns, the elements (g, 8 n + 2 t),
/// (g, 8 n + 2 t + 1), (g + 8, 8 n + 2 t), (g + 8, 8 n + 2 t + 1), rows counted
/// from 16 w. As f32 they are x[4 n .. 4 n + 3]; as 16-bit pairs x[2 n] and
/// x[2 n + 1], so that x[4 k .. 4 k + 3] is the A operand of the k-th m16k16
/// step.
template <class T, int Rows, int Cols, int Warps> struct Fragment {
  static_assert(sizeof(T) == 2, "elements are float, bf16 or half_t");
  static_assert(Rows == 16 * Warps, "every warp holds 16 rows");
  static_assert(Cols % 8 == 0, "columns come in blocks of 8");
  using element = T;
  static constexpr int rows = Rows, cols = Cols, warps = Warps;
  static constexpr int size = Cols / 4;
  uint32_t x[size];
};

template <int Rows, int Cols, int Warps>
struct Fragment<float, Rows, Cols, Warps> {
  static_assert(Rows == 16 * Warps, "every warp holds 16 rows");
  static_assert(Cols % 8 == 0, "columns come in blocks of 8");
  using element = float;
  using elementwise = void;
  static constexpr int rows = Rows, cols = Cols, warps = Warps;
  static constexpr int size = Cols / 2;
  float x[size];
};

/// The fragment with its elements converted to To: f32 to a 16-bit type rounds
/// to nearest even, a 16-bit type to f32 is exact.
template <class To, class T, int Rows, int Cols, int Warps>
DELTA_DEVICE Fragment<To, Rows, Cols, Warps>
convert(const Fragment<T, Rows, Cols, Warps> &a) {
  static_assert((sizeof(To) == 2) != (sizeof(T) == 2),
                "one of the two types is float");
  Fragment<To, Rows, Cols, Warps> r;
#pragma unroll
  for (int i = 0; i < Cols / 4; ++i) {
    if constexpr (sizeof(To) == 2) {
      r.x[i] = Element<To>::pack(a.x[2 * i], a.x[2 * i + 1]);
    } else {
      r.x[2 * i] = Element<T>::low(a.x[i]);
      r.x[2 * i + 1] = Element<T>::high(a.x[i]);
    }
  }
  return r;
}

/// Element (i, j) inside part P, `other` elsewhere. Elements outside the part
/// are not read, so a NaN there has no effect.
template <Part P, int RowSteps = 1, int ColumnSteps = 1, int Rows, int Cols,
          int Warps>
DELTA_DEVICE Fragment<float, Rows, Cols, Warps>
mask(const Fragment<float, Rows, Cols, Warps> &a, float other = 0.0f) {
  static_assert(P != Part::Full, "the full part masks nothing");
  // i / RowSteps >= j / ColumnSteps  <=>  j < (i / RowSteps + 1) ColumnSteps,
  // and so on for the other parts: one bound per row, no division per column.
  constexpr bool past = P == Part::Lower || P == Part::StrictUpper;
  constexpr bool keeps_left = P == Part::Lower || P == Part::StrictLower;
  const int row = 16 * fragment_warp<Warps>() + fragment_row();
  int bound[2];
#pragma unroll
  for (int half = 0; half < 2; ++half)
    bound[half] =
        ((row + 8 * half) / RowSteps + past) * ColumnSteps - fragment_column();
  Fragment<float, Rows, Cols, Warps> r;
#pragma unroll
  for (int i = 0; i < Cols / 2; ++i) {
    const int column = i / 4 * 8 + i % 2;
    const bool left = column < bound[i / 2 % 2];
    r.x[i] = left == keeps_left ? a.x[i] : other;
  }
  return r;
}

/// Element (i, j) where j < columns, `other` elsewhere, also instead of a NaN.
template <int Rows, int Cols, int Warps>
DELTA_DEVICE Fragment<float, Rows, Cols, Warps>
mask_columns(const Fragment<float, Rows, Cols, Warps> &a, int64_t columns,
             float other = 0.0f) {
  const int64_t bound = columns - fragment_column();
  Fragment<float, Rows, Cols, Warps> r;
#pragma unroll
  for (int i = 0; i < Cols / 2; ++i)
    r.x[i] = i / 4 * 8 + i % 2 < bound ? a.x[i] : other;
  return r;
}

/// Element (i, j) is 1 where j - i = diagonal, 0 elsewhere.
template <int Rows, int Cols, int Warps>
DELTA_DEVICE Fragment<float, Rows, Cols, Warps> identity(int64_t diagonal) {
  const int row = 16 * fragment_warp<Warps>() + fragment_row();
  Fragment<float, Rows, Cols, Warps> r;
#pragma unroll
  for (int i = 0; i < Cols / 2; ++i) {
    const int column = i / 4 * 8 + i % 2 + fragment_column();
    r.x[i] = column - (row + i / 2 % 2 * 8) == diagonal ? 1.0f : 0.0f;
  }
  return r;
}

} // namespace delta

#endif // DELTA_DEVICE_FRAGMENT_CUH
