//===- Mma.cuh - products on the tensor cores -------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma.sync.m16n8k16 with the left operand and the accumulator in registers and
// the right operand in shared memory, read by ldmatrix next to its use. 16-bit
// operands, f32 accumulation. All threads of the CTA call these functions; the
// tile must be complete (barrier) before and unchanged until the next one.
// Nothing here may synchronise.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_MMA_CUH
#define DELTA_DEVICE_MMA_CUH

#include "delta/Device/SharedAccess.cuh"

namespace delta {

namespace detail {

/// d += a b for one m16n8k16 block: a row-major, b column-major.
template <class T>
DELTA_DEVICE void mma_block(float *d, const uint32_t *a, uint32_t b0,
                            uint32_t b1) {
  if constexpr (is_bf16<T>)
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

} // namespace detail

/// acc + a b^T: acc [M, N], a [M, K], b [N, K] a tile whose elements outside
/// part P are zero. Blocks of b that lie wholly outside P are neither read nor
/// multiplied.
template <Part P = Part::Full, int RowSteps = 1, int ColumnSteps = 1, class T,
          int M, int N, int K, int Warps>
DELTA_DEVICE Fragment<float, M, N, Warps>
dot_nt(const Fragment<T, M, K, Warps> &a, const SharedTile<T, N, K> &b,
       Fragment<float, M, N, Warps> acc) {
  static_assert(N % 16 == 0 && K % 16 == 0, "blocks of b are 16 x 16");
  const int lane = lane_index();
#pragma unroll
  for (int k = 0; k < K / 16; ++k)
#pragma unroll
    for (int n = 0; n < N / 16; ++n) {
      if (outside_part<P, RowSteps, ColumnSteps>(16 * n, 16, 16 * k, 16))
        continue;
      uint32_t f[4];
      detail::load_matrices<false>(
          b.piece(16 * n + (lane & 7) + (lane >> 4 << 3),
                  2 * k ^ ((lane >> 3) & 1)),
          f);
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (!outside_part<P, RowSteps, ColumnSteps>(16 * n + 8 * half, 8,
                                                    16 * k, 16))
          detail::mma_block<T>(acc.x + 8 * n + 4 * half, a.x + 4 * k,
                               f[2 * half], f[2 * half + 1]);
    }
  return acc;
}

/// a b^T.
template <Part P = Part::Full, int RowSteps = 1, int ColumnSteps = 1, class T,
          int M, int N, int K, int Warps>
DELTA_DEVICE Fragment<float, M, N, Warps>
dot_nt(const Fragment<T, M, K, Warps> &a, const SharedTile<T, N, K> &b) {
  return dot_nt<P, RowSteps, ColumnSteps>(
      a, b, fill<Fragment<float, M, N, Warps>>(0.0f));
}

/// acc + a b: acc [M, N], a [M, K], b [K, N] a tile whose elements outside part
/// P are zero. Blocks of b that lie wholly outside P are neither read nor
/// multiplied.
template <Part P = Part::Full, int RowSteps = 1, int ColumnSteps = 1, class T,
          int M, int N, int K, int Warps>
DELTA_DEVICE Fragment<float, M, N, Warps>
dot_nn(const Fragment<T, M, K, Warps> &a, const SharedTile<T, K, N> &b,
       Fragment<float, M, N, Warps> acc) {
  static_assert(N % 16 == 0 && K % 16 == 0, "blocks of b are 16 x 16");
  const int lane = lane_index();
#pragma unroll
  for (int k = 0; k < K / 16; ++k)
#pragma unroll
    for (int n = 0; n < N / 16; ++n) {
      if (outside_part<P, RowSteps, ColumnSteps>(16 * k, 16, 16 * n, 16))
        continue;
      uint32_t f[4];
      detail::load_matrices<true>(
          b.piece(16 * k + (lane & 15), 2 * n ^ (lane >> 4)), f);
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (!outside_part<P, RowSteps, ColumnSteps>(16 * k, 16,
                                                    16 * n + 8 * half, 8))
          detail::mma_block<T>(acc.x + 8 * n + 4 * half, a.x + 4 * k,
                               f[2 * half], f[2 * half + 1]);
    }
  return acc;
}

/// a b.
template <Part P = Part::Full, int RowSteps = 1, int ColumnSteps = 1, class T,
          int M, int N, int K, int Warps>
DELTA_DEVICE Fragment<float, M, N, Warps>
dot_nn(const Fragment<T, M, K, Warps> &a, const SharedTile<T, K, N> &b) {
  return dot_nn<P, RowSteps, ColumnSteps>(
      a, b, fill<Fragment<float, M, N, Warps>>(0.0f));
}

} // namespace delta

#endif // DELTA_DEVICE_MMA_CUH
