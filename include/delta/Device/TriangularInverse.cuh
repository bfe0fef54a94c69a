//===- TriangularInverse.cuh - inverse of I + A -----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// M = (I + A)^-1 for a strictly lower triangular A, the inverse of the WY form
// of a chunk of Householder steps (DeltaNet, 2406.06484, eq. 10 f.; KDA,
// 2510.26692). With 16 x 16 blocks:
//
//   M_ii = (I + A_ii)^-1                     forward substitution in f32
//   M_ij = -M_ii sum_{j <= k < i} A_ik M_kj  tensor cores, 3xTF32
//
// Every entry of M and of the products M_ii (A M) obeys the bound of M's
// entries (|beta| for unit keys and beta in [0, 2]), so nothing can overflow
// that M does not; repeated squaring of A has no such bound. 3xTF32 splits a
// float into two tf32 numbers, a = big + small, and drops small x small only:
// products are good to about 2^-22, and exact while operands are integers of up
// to 11 bits.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_TRIANGULARINVERSE_CUH
#define DELTA_DEVICE_TRIANGULARINVERSE_CUH

#include "delta/Device/SharedAccess.cuh"

namespace delta {

namespace detail {

/// N floats as sums of two tf32 numbers.
template <int N> struct SplitFloats {
  uint32_t big[N], small[N];
};

template <int N> DELTA_DEVICE SplitFloats<N> split(const float (&x)[N]) {
  SplitFloats<N> r;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    // To 11 bits, half away from zero, in integer arithmetic (the conversion
    // instruction is emulated by twice as many). The difference is exact and
    // has 12 bits at most, of which the last may be cut off. A NaN that the
    // addition destroys comes back through the difference.
    r.big[i] = (__float_as_uint(x[i]) + 0x1000u) & 0xffffe000u;
    r.small[i] =
        __float_as_uint(x[i] - __uint_as_float(r.big[i])) & 0xffffe000u;
  }
  return r;
}

/// d += a b for one m16n8k8 block of tf32 numbers.
DELTA_DEVICE void mma_tf32(float (&d)[4], const uint32_t *a, uint32_t b0,
                           uint32_t b1) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// A 16 x 8 sum of products, the terms big x big apart from the corrections:
/// these do not drown in the sum, and the chains of dependent instructions stay
/// short.
struct ProductSum {
  float main[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  float left[4] = {0.0f, 0.0f, 0.0f, 0.0f};  // small x big
  float right[4] = {0.0f, 0.0f, 0.0f, 0.0f}; // big x small

  DELTA_DEVICE float operator[](int i) const {
    return main[i] + (left[i] + right[i]);
  }
};

// In a product the contraction runs over every eight in the order 0 2 4 6 1 3 5
// 7. A lane then holds two adjacent columns of the left operand and two
// adjacent rows of the right one, which SharedMatrix serves without bank
// conflicts.

/// The 16 x 16 block at (row, column) as a left operand.
template <int C>
DELTA_DEVICE SplitFloats<8> read_left(const SharedMatrix<float, C, C> &scratch,
                                      int row, int column) {
  const int g = fragment_row(), t2 = fragment_column();
  float x[8];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    load_shared(scratch.at(row + g, column + 8 * k + t2), x[4 * k],
                x[4 * k + 2]);
    load_shared(scratch.at(row + g + 8, column + 8 * k + t2), x[4 * k + 1],
                x[4 * k + 3]);
  }
  return split(x);
}

/// The 16 x 8 block at (row, column) as a right operand.
template <int C>
DELTA_DEVICE SplitFloats<4> read_right(const SharedMatrix<float, C, C> &scratch,
                                       int row, int column) {
  const int g = fragment_row(), t2 = fragment_column();
  float x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i)
    x[i] = load_shared(scratch.at(row + i / 2 * 8 + t2 + i % 2, column + g));
  return split(x);
}

/// sum += a b.
DELTA_DEVICE void add_product(ProductSum &sum, const SplitFloats<8> &a,
                              const SplitFloats<4> &b) {
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const uint32_t *big = a.big + 4 * k, *small = a.small + 4 * k;
    mma_tf32(sum.main, big, b.big[2 * k], b.big[2 * k + 1]);
    mma_tf32(sum.left, small, b.big[2 * k], b.big[2 * k + 1]);
    mma_tf32(sum.right, big, b.small[2 * k], b.small[2 * k + 1]);
  }
}

/// Writes a 16 x 8 block given in accumulator layout to (row, column).
template <int C>
DELTA_DEVICE void write_block(const SharedMatrix<float, C, C> &scratch, int row,
                              int column, float x0, float x1, float x2,
                              float x3) {
  const int g = fragment_row(), t2 = fragment_column();
  store_shared(scratch.at(row + g, column + t2), x0, x1);
  store_shared(scratch.at(row + g + 8, column + t2), x2, x3);
}

/// Replaces the diagonal block at (origin, origin), strictly lower A_ii, by
/// (I + A_ii)^-1. One warp; the lanes of each half warp hold a column each,
/// both halves the same, and each half writes half of the rows.
template <int C>
DELTA_DEVICE void invert_diagonal(const SharedMatrix<float, C, C> &scratch,
                                  int origin) {
  const int column = lane_index() & 15;
  float x[16];
  x[0] = column == 0 ? 1.0f : 0.0f;
#pragma unroll
  for (int i = 1; i < 16; ++i) {
    float sum = column == i ? 1.0f : 0.0f;
#pragma unroll
    for (int k = 0; k < i; k += 4) {
      float a[4];
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3])
                   : "r"(scratch.at(origin + i, origin + k))
                   : "memory");
#pragma unroll
      for (int j = 0; j < 4 && k + j < i; ++j)
        sum = fmaf(-a[j], x[k + j], sum);
    }
    x[i] = sum;
  }
  __syncwarp();
  const int half = lane_index() >> 4;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    store_shared(scratch.at(origin + 8 * half + i, origin + column),
                 half == 0 ? x[i] : x[i + 8]);
}

/// Computes columns [8 half, 8 half + 8) of block column `column` of M below
/// the diagonal. One warp, independent of all other columns. M_kj is left at
/// block (j, k), above the diagonal, where it harms no A_ik.
template <int C>
DELTA_DEVICE void invert_column(const SharedMatrix<float, C, C> &scratch,
                                int column, int half) {
  constexpr int blocks = C / 16;
  const int place = 16 * column;
  SplitFloats<4> m[blocks - 1]; // M_kj, k = column, column + 1, ..
  m[0] = read_right(scratch, place, 16 * column + 8 * half);
#pragma unroll
  for (int d = 1; d < blocks; ++d) {
    const int i = column + d;
    if (i >= blocks)
      break;
    ProductSum sum;
#pragma unroll
    for (int k = 0; k < d; ++k) {
      if (k > 0 && k == d - 1) {
        // The latest block is still on its way through shared memory while the
        // earlier ones are multiplied.
        __syncwarp();
        m[k] = read_right(scratch, place, 16 * (i - 1) + 8 * half);
      }
      add_product(sum, read_left(scratch, 16 * i, 16 * (column + k)), m[k]);
    }
    write_block(scratch, place, 16 * i + 8 * half, sum[0], sum[1], sum[2],
                sum[3]);
    const SplitFloats<8> diagonal = read_left(scratch, 16 * i, 16 * i);
    __syncwarp();
    const SplitFloats<4> right = read_right(scratch, place, 16 * i + 8 * half);
    __syncwarp();
    ProductSum block;
    add_product(block, diagonal, right);
    write_block(scratch, place, 16 * i + 8 * half, -block[0], -block[1],
                -block[2], -block[3]);
  }
}

} // namespace detail

/// (I + A)^-1 of the strictly lower triangular A, C = 16, 32, 64 or 128. What
/// `a` holds on and above the diagonal is not used.
///
/// Barriers: three (two for C = 16), at least C / 16 warps in the CTA.
/// `scratch` must be free when the function is entered and is free when it
/// returns.
///
/// Work: block column j costs sum_{i > j} (i - j + 1) block products. Two warps
/// take the columns p and C/16 - 1 - p, eight columns of each block column a
/// warp, and need no barrier between blocks.
template <int C>
DELTA_DEVICE Fragment<float, C, C, C / 16>
triangular_inverse(const Fragment<float, C, C, C / 16> &a,
                   const SharedMatrix<float, C, C> &scratch) {
  static_assert(C == 16 || C == 32 || C == 64 || C == 128,
                "chunks of 16, 32, 64 or 128 rows");
  constexpr int blocks = C / 16;
  const int warp = warp_index();
  if (warp < blocks) {
#pragma unroll
    for (int n = 0; n < C / 8; ++n)
      if (n / 2 <= warp)
        detail::write_block(scratch, 16 * warp, 8 * n, a.x[4 * n],
                            a.x[4 * n + 1], a.x[4 * n + 2], a.x[4 * n + 3]);
    __syncwarp();
    detail::invert_diagonal(scratch, 16 * warp);
  }
  cta_sync();
  if constexpr (blocks > 1) {
    if (warp < blocks) {
#pragma unroll 1
      for (int pass = 0; pass < 2; ++pass)
        detail::invert_column(
            scratch, pass == 0 ? warp / 2 : blocks - 1 - warp / 2, warp % 2);
    }
    cta_sync();
  }
  const int row_block = fragment_warp<blocks>();
  const int g = fragment_row(), t2 = fragment_column();
  Fragment<float, C, C, C / 16> m;
#pragma unroll
  for (int n = 0; n < C / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float &x = m.x[4 * n + 2 * half], &y = m.x[4 * n + 2 * half + 1];
      x = y = 0.0f;
      if (n / 2 <= row_block)
        detail::load_shared(scratch.at(n / 2 * 16 + 8 * half + g,
                                       16 * row_block + n % 2 * 8 + t2),
                            x, y);
    }
  cta_sync();
  return m;
}

} // namespace delta

#endif // DELTA_DEVICE_TRIANGULARINVERSE_CUH
