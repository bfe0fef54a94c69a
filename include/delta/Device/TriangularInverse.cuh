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
// products are good to about 2^-20, and exact while operands are integers of up
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
    // The first 11 bits of 24. The difference is exact and has the other 13,
    // of which the unit cuts off two.
    r.big[i] = __float_as_uint(x[i]) & 0xffffe000u;
    r.small[i] = __float_as_uint(x[i] - __uint_as_float(r.big[i]));
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

/// A 16 x 16 sum of products in accumulator layout, eight columns after the
/// other. The terms big x big stand apart from the corrections: these do not
/// drown in the sum, and the chains of dependent instructions stay short.
struct ProductSum {
  float main[2][4] = {};
  float corrections[2][4] = {}; // small x big and big x small
};

// A product contracts over every eight in the order 0 2 4 6 1 3 5 7. A lane
// then holds two adjacent columns of the left operand, which are the
// accumulator's: a sum is the next product's left operand as it lies. And it
// holds two adjacent rows of the right operand, which is a transpose: two
// adjacent floats of a row in memory.

/// A 16 x 16 left operand: x[4 k ..] belongs to columns 8 k + 2 t and + 1, in
/// the order that mma.m16n8k8 wants.
struct LeftBlock {
  float x[8];
};

/// The transpose of the 16 x 16 block at (row, column).
template <int C>
DELTA_DEVICE LeftBlock read_transposed_left(
    const SharedMatrix<float, C, C> &scratch, int row, int column) {
  LeftBlock r;
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        r.x[4 * k + 2 * j + i] =
            load_shared(scratch.at(row + fragment_column() + 8 * k + j,
                                   column + fragment_row() + 8 * i));
  return r;
}

/// The block at (row, column) = the transpose of `a`.
template <int C>
DELTA_DEVICE void
write_transposed_left(const LeftBlock &a,
                      const SharedMatrix<float, C, C> &scratch, int row,
                      int column) {
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int j = 0; j < 2; ++j)
#pragma unroll
      for (int i = 0; i < 2; ++i)
        store_shared(scratch.at(row + fragment_column() + 8 * k + j,
                                column + fragment_row() + 8 * i),
                     a.x[4 * k + 2 * j + i]);
}

/// `sign` times the sum, as a left operand.
DELTA_DEVICE LeftBlock as_left(const ProductSum &sum, float sign) {
  LeftBlock r;
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int from = i % 2 * 2 + i / 2;
      r.x[4 * k + i] = sign * (sum.main[k][from] + sum.corrections[k][from]);
    }
  return r;
}

/// sum += a b^T, b the 16 x 16 block at (row, column): the whole block, or a
/// lower triangle, whose upper right quarter is skipped.
template <Part P, int C>
DELTA_DEVICE void add_product(ProductSum &sum, const LeftBlock &a,
                              const SharedMatrix<float, C, C> &scratch, int row,
                              int column) {
  const SplitFloats<8> left = split(a.x);
#pragma unroll
  for (int n = 0; n < 2; ++n)
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      if (outside_part<P, 1, 1>(8 * n, 8, 8 * k, 8))
        continue;
      float b[2];
      load_shared(scratch.at(row + fragment_row() + 8 * n,
                             column + fragment_column() + 8 * k),
                  b[0], b[1]);
      const SplitFloats<2> right = split(b);
      const uint32_t *big = left.big + 4 * k, *small = left.small + 4 * k;
      mma_tf32(sum.main[n], big, right.big[0], right.big[1]);
      mma_tf32(sum.corrections[n], small, right.big[0], right.big[1]);
      mma_tf32(sum.corrections[n], big, right.small[0], right.small[1]);
    }
}

/// Two floats from shared memory if `valid`, else zeros. A predicated
/// instruction, not a branch.
DELTA_DEVICE void load_shared_if(bool valid, uint32_t address, float &x,
                                 float &y) {
  x = y = 0.0f;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;"
               " @p ld.shared.v2.f32 {%0, %1}, [%3]; }"
               : "+f"(x), "+f"(y)
               : "r"(static_cast<int>(valid)), "r"(address)
               : "memory");
}

/// Writes a 16 x 8 block given in accumulator layout to (row, column).
template <int C>
DELTA_DEVICE void write_block(const SharedMatrix<float, C, C> &scratch, int row,
                              int column, float x0, float x1, float x2,
                              float x3) {
  row += fragment_row();
  column += fragment_column();
  store_shared(scratch.at(row, column), x0, x1);
  store_shared(scratch.at(row + 8, column), x2, x3);
}

/// Replaces the strictly lower diagonal block A_ii at (origin, origin) by
/// (I + A_ii)^-1. Half a warp, a lane a column; each half its own block.
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
#pragma unroll
  for (int i = 0; i < 16; ++i)
    store_shared(scratch.at(origin + i, origin + column), x[i]);
}

/// Computes blocks (column + D, column), .. of M, transposed: (M_ij)^T =
/// -(sum_k (M_kj)^T (A_ik)^T) (M_ii)^T; `m` holds (M_kj)^T of the blocks above.
/// One warp, independent of all other columns; no block of M passes through
/// memory on its way into the next. M_ij is left at block (j, i), above the
/// diagonal, where it harms no A_ik.
template <int D, int C>
DELTA_DEVICE void invert_column(const SharedMatrix<float, C, C> &scratch,
                                int column, LeftBlock (&m)[C / 16]) {
  if (column + D >= C / 16)
    return;
  const int j = 16 * column, i = j + 16 * D;
  ProductSum sum, block;
#pragma unroll
  for (int k = 0; k < D; ++k)
    add_product<Part::Full>(sum, m[k], scratch, i, j + 16 * k);
  add_product<Part::Lower>(block, as_left(sum, -1.0f), scratch, i, i);
  m[D] = as_left(block, 1.0f);
  write_transposed_left(m[D], scratch, j, i);
  if constexpr (D + 1 < C / 16)
    invert_column<D + 1>(scratch, column, m);
}

} // namespace detail

/// (I + A)^-1 of the strictly lower triangular A, C = 16, 32, 64 or 128. What
/// `a` holds on and above the diagonal is not used.
///
/// Barriers: three (two for C = 16), at least C / 16 warps in the CTA.
/// `scratch` must be free when the function is entered; it is free behind the
/// next barrier after it.
///
/// Work: half a warp inverts a diagonal block; block column j costs sum_{i > j}
/// (i - j + 1) block products and is warp j's. Handing the columns to other
/// warps in every other CTA of an SM was measured to gain nothing.
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
  }
  cta_sync();
  if (2 * warp < blocks) {
    // Both halves invert the only block of C = 16, and write the same.
    const int block = blocks == 1 ? 0 : 2 * warp + (lane_index() >> 4);
    detail::invert_diagonal(scratch, 16 * block);
  }
  cta_sync();
  if constexpr (blocks > 1) {
    if (warp < blocks) {
      detail::LeftBlock m[blocks];
      m[0] = detail::read_transposed_left(scratch, 16 * warp, 16 * warp);
      detail::invert_column<1>(scratch, warp, m);
    }
    cta_sync();
  }
  const int row_block = fragment_warp<blocks>();
  Fragment<float, C, C, C / 16> m;
#pragma unroll
  for (int n = 0; n < C / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      detail::load_shared_if(
          n / 2 <= row_block,
          scratch.at(fragment_row() + n / 2 * 16 + 8 * half,
                     fragment_column() + 16 * row_block + n % 2 * 8),
          m.x[4 * n + 2 * half], m.x[4 * n + 2 * half + 1]);
  return m;
}

} // namespace delta

#endif // DELTA_DEVICE_TRIANGULARINVERSE_CUH
