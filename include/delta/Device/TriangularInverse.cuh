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
// 2510.26692). The 8 x 8 blocks on the diagonal are inverted by forward
// substitution in f32. The other blocks, 8 x 8 next to the diagonal and 16 x 16
// elsewhere, are computed on tensor cores:
//
//   M_ij = -M_ii sum_{j <= k < i} A_ik M_kj
//
// Every entry of M and of the products M_ii (A M) obeys the bound of M's
// entries (|beta| for unit keys and beta in [0, 2]), so no product overflows
// unless M does; repeated squaring of A has no such bound.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_TRIANGULARINVERSE_CUH
#define DELTA_DEVICE_TRIANGULARINVERSE_CUH

#include "delta/Device/SharedAccess.cuh"

namespace delta {

/// The precision of the products inside an inverse. Either one is exact if
/// operands are integers of up to 11 bits.
enum class InversePrecision {
  /// About 2^-20. Splits each float into two tf32 numbers, a = big + small, and
  /// drops only small x small (3xTF32).
  F32,
  /// About 2^-12, for a result that is then rounded to fewer bits. The code
  /// that computes an operand rounds it to tf32, to nearest.
  TF32
};

namespace detail {

/// `x` as an operand of products of precision P.
template <InversePrecision P> DELTA_DEVICE float operand(float x) {
  if constexpr (P == InversePrecision::F32) {
    return x;
  } else {
    uint32_t rounded;
#if __CUDA_ARCH__ >= 900
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
#else
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(rounded) : "f"(x));
#endif
    return __uint_as_float(rounded);
  }
}

/// N floats as sums of two tf32 numbers.
template <int N> struct SplitFloats {
  uint32_t big[N], small[N];
};

template <int N> DELTA_DEVICE SplitFloats<N> split(const float *x) {
  SplitFloats<N> r;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    // The first 11 bits of 24. The difference is exact and has the other 13
    // bits, of which the tensor core drops two.
    r.big[i] = __float_as_uint(x[i]) & 0xffffe000u;
    r.small[i] = __float_as_uint(x[i] - __uint_as_float(r.big[i]));
  }
  return r;
}

/// d += a b for one m16n8k8 block of tf32 numbers.
DELTA_DEVICE void mma_tf32(float (&d)[4], const uint32_t *a,
                           const uint32_t *b) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// A 16 x 8 sum of products in accumulator layout.
template <InversePrecision P> struct ProductSum;

/// The terms big x big have their own sum, so that the corrections are not
/// rounded away and the chains of dependent instructions stay short.
template <> struct ProductSum<InversePrecision::F32> {
  float main[4] = {};
  float corrections[4] = {}; // small x big and big x small

  DELTA_DEVICE float at(int i) const { return main[i] + corrections[i]; }

  /// += a b, `a` 16 x 8 and `b` 8 x 8.
  DELTA_DEVICE void add(const float *a, const float *b) {
    const SplitFloats<4> left = split<4>(a);
    const SplitFloats<2> right = split<2>(b);
    mma_tf32(main, left.big, right.big);
    mma_tf32(corrections, left.small, right.big);
    mma_tf32(corrections, left.big, right.small);
  }
};

template <> struct ProductSum<InversePrecision::TF32> {
  float main[4] = {};

  DELTA_DEVICE float at(int i) const { return main[i]; }

  DELTA_DEVICE void add(const float *a, const float *b) {
    const uint32_t left[4] = {__float_as_uint(a[0]), __float_as_uint(a[1]),
                              __float_as_uint(a[2]), __float_as_uint(a[3])};
    const uint32_t right[2] = {__float_as_uint(b[0]), __float_as_uint(b[1])};
    mma_tf32(main, left, right);
  }
};

// A product contracts over every eight in the order 0 2 4 6 1 3 5 7. A lane
// then holds two adjacent columns of the left operand, the same two as of an
// accumulator: a sum is the left operand of the next product without any move.
// The lane also holds two adjacent rows of the right operand, which is a
// transpose: two adjacent floats of a row in memory.

/// A 16 x 16 left operand: x[4 k ..] belongs to columns 8 k + 2 t and + 1, in
/// the order of mma.m16n8k8.
struct LeftBlock {
  float x[8];
};

/// The element of an accumulator that is element i of a left operand.
DELTA_DEVICE constexpr int left_element(int i) { return i % 2 * 2 + i / 2; }

/// Eight columns of `sign` times the sum, as a left operand.
template <InversePrecision P>
DELTA_DEVICE void to_left(const ProductSum<P> &sum, float sign, float *x) {
#pragma unroll
  for (int i = 0; i < 4; ++i)
    x[i] = operand<P>(sign * sum.at(left_element(i)));
}

/// The elements that a lane holds of the transpose of the 8 x 8 block at (row,
/// column), as eight rows of eight columns of a left operand.
template <int C>
DELTA_DEVICE void
load_transposed_block(const SharedMatrix<float, C, C> &scratch, int row,
                      int column, float &x0, float &x1) {
  row += fragment_column();
  column += fragment_row();
  x0 = load_shared(scratch.at(row, column));
  x1 = load_shared(scratch.at(row + 1, column));
}

/// Writes the transpose of an 8 x 8 block that lanes hold in this way to the
/// block at (row, column).
template <int C>
DELTA_DEVICE void
store_transposed_block(float x0, float x1,
                       const SharedMatrix<float, C, C> &scratch, int row,
                       int column) {
  row += fragment_column();
  column += fragment_row();
  store_shared(scratch.at(row, column), x0);
  store_shared(scratch.at(row + 1, column), x1);
}

/// `right[0 .. 1]` of the transpose of the 8 x 8 block at (row, column).
template <int C>
DELTA_DEVICE void
read_transposed_right(const SharedMatrix<float, C, C> &scratch, int row,
                      int column, float (&right)[2]) {
  load_shared(scratch.at(row + fragment_row(), column + fragment_column()),
              right[0], right[1]);
}

/// sum += a b^T, b the 16 x 16 block at (row, column): the whole block, or a
/// lower triangle, whose upper right quarter is skipped.
template <Part Shape, InversePrecision P, int C>
DELTA_DEVICE void add_product(ProductSum<P> (&sum)[2], const LeftBlock &a,
                              const SharedMatrix<float, C, C> &scratch, int row,
                              int column) {
#pragma unroll
  for (int k = 0; k < 2; ++k)
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      if (outside_part<Shape, 1, 1>(8 * n, 8, 8 * k, 8))
        continue;
      float right[2];
      read_transposed_right(scratch, row + 8 * n, column + 8 * k, right);
      sum[n].add(a.x + 4 * k, right);
    }
}

/// Two floats from shared memory if `valid`, else zeros, by a predicated
/// instruction instead of a branch.
DELTA_DEVICE void load_shared_if(bool valid, uint32_t address, float &x,
                                 float &y) {
  x = y = 0.0f;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;"
               " @p ld.shared.v2.f32 {%0, %1}, [%3]; }"
               : "+f"(x), "+f"(y)
               : "r"(static_cast<int>(valid)), "r"(address)
               : "memory");
}

/// Replaces the strictly lower 8 x 8 blocks B on the diagonal of the 16 x 16
/// block at (origin, origin) by (I + B)^-1. Each lane of the first half warp
/// computes one column; the second half repeats the same work.
template <InversePrecision P, int C>
DELTA_DEVICE void substitute(const SharedMatrix<float, C, C> &scratch,
                             int origin) {
  const int column = lane_index() & 7;
  origin += lane_index() & 8;
  float x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
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
  for (int i = 0; i < 8; ++i)
    store_shared(scratch.at(origin + i, origin + column), operand<P>(x[i]));
}

/// The transpose of the lower triangle M_ii at (origin, origin), of which
/// columns 0 to 7 are M_00^T over zeros, the others M_10^T over M_11^T.
template <int C>
DELTA_DEVICE LeftBlock read_diagonal(const SharedMatrix<float, C, C> &scratch,
                                     int origin) {
  LeftBlock m = {};
  load_transposed_block(scratch, origin, origin, m.x[0], m.x[2]);
  load_transposed_block(scratch, origin + 8, origin, m.x[4], m.x[6]);
  load_transposed_block(scratch, origin + 8, origin + 8, m.x[5], m.x[7]);
  return m;
}

/// Replaces the strictly lower 16 x 16 block A_ii at (origin, origin) by M_ii =
/// (I + A_ii)^-1; returns its transpose. One warp. With 8 x 8 blocks,
/// M_10^T = -(M_00^T A_10^T) M_11^T.
template <InversePrecision P, int C>
DELTA_DEVICE LeftBlock invert_diagonal(const SharedMatrix<float, C, C> &scratch,
                                       int origin) {
  substitute<P>(scratch, origin);
  __syncwarp();
  LeftBlock m = {};
  load_transposed_block(scratch, origin, origin, m.x[0], m.x[2]);
  load_transposed_block(scratch, origin + 8, origin + 8, m.x[5], m.x[7]);
  float a_10[2], m_11[2];
  read_transposed_right(scratch, origin + 8, origin, a_10);
  read_transposed_right(scratch, origin + 8, origin + 8, m_11);
  ProductSum<P> sum, block;
  float left[4], m_10[4];
  sum.add(m.x, a_10);
  to_left(sum, -1.0f, left);
  block.add(left, m_11);
  to_left(block, 1.0f, m_10);
  m.x[4] = m_10[0];
  m.x[6] = m_10[2];
  __syncwarp();
  store_transposed_block(m.x[4], m.x[6], scratch, origin + 8, origin);
  return m;
}

/// Computes blocks (Column + D, Column), .. of M, transposed: (M_ij)^T =
/// -(sum_k (M_kj)^T (A_ik)^T) (M_ii)^T; m[k - Column] holds (M_kj)^T of the
/// blocks above. Called by one warp, independently of all other columns. No
/// block of M goes through memory before it is used for the next block.
template <InversePrecision P, int Column, int D, int C>
DELTA_DEVICE void invert_below(const SharedMatrix<float, C, C> &scratch,
                               LeftBlock (&m)[C / 16]) {
  if constexpr (Column + D < C / 16) {
    constexpr int j = 16 * Column, i = j + 16 * D;
    ProductSum<P> sum[2], block[2];
#pragma unroll
    for (int k = 0; k < D; ++k)
      add_product<Part::Full>(sum, m[k], scratch, i, j + 16 * k);
    LeftBlock negated;
#pragma unroll
    for (int k = 0; k < 2; ++k)
      to_left(sum[k], -1.0f, negated.x + 4 * k);
    add_product<Part::Lower>(block, negated, scratch, i, i);
#pragma unroll
    for (int k = 0; k < 2; ++k)
      to_left(block[k], 1.0f, m[D].x + 4 * k);
    invert_below<P, Column, D + 1>(scratch, m);
  }
}

/// Block row `warp` of M^T. Each column has its own code, in which every
/// address and register is a constant.
template <InversePrecision P, int Column, int C>
DELTA_DEVICE Fragment<float, C, C, C / 16>
invert_column(const SharedMatrix<float, C, C> &scratch,
              const LeftBlock &diagonal, int warp) {
  constexpr int blocks = C / 16;
  if constexpr (Column + 1 < blocks)
    if (warp > Column)
      return invert_column<P, Column + 1>(scratch, diagonal, warp);
  LeftBlock m[blocks];
  m[0] = diagonal;
  invert_below<P, Column, 1>(scratch, m);
  Fragment<float, C, C, blocks> r;
#pragma unroll
  for (int n = 0; n < C / 8; ++n)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      r.x[4 * n + left_element(i)] =
          n / 2 < Column
              ? 0.0f
              : m[n / 2 < Column ? 0 : n / 2 - Column].x[n % 2 * 4 + i];
  return r;
}

} // namespace detail

/// ((I + A)^-1)^T of the strictly lower triangular A, C = 16, 32, 64 or 128.
/// The elements of `a` on and above the diagonal are not used.
///
/// Barriers: one, at least C / 16 warps in the CTA. `scratch` must be free when
/// the function is entered; it is free again after the first barrier that
/// follows the call.
///
/// Work: warp j inverts diagonal block j and computes block column j, which
/// costs sum_{i > j} (i - j + 1) block products.
template <InversePrecision P, int C>
DELTA_DEVICE Fragment<float, C, C, C / 16>
triangular_inverse_transposed(const Fragment<float, C, C, C / 16> &a,
                              const SharedMatrix<float, C, C> &scratch) {
  static_assert(C == 16 || C == 32 || C == 64 || C == 128,
                "chunks of 16, 32, 64 or 128 rows");
  constexpr int blocks = C / 16;
  const int warp = warp_index();
  detail::LeftBlock diagonal;
  if (warp < blocks) {
    const int row = 16 * warp + fragment_row(), column = fragment_column();
#pragma unroll
    for (int n = 0; n < C / 8; ++n)
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (n / 2 <= warp)
          detail::store_shared(scratch.at(row + 8 * half, 8 * n + column),
                               detail::operand<P>(a.x[4 * n + 2 * half]),
                               detail::operand<P>(a.x[4 * n + 2 * half + 1]));
    __syncwarp();
    diagonal = detail::invert_diagonal<P>(scratch, 16 * warp);
  }
  cta_sync();
  if (warp >= blocks)
    diagonal = detail::read_diagonal(scratch, C - 16);
  return detail::invert_column<P, 0>(scratch, diagonal, warp);
}

/// (I + A)^-1; otherwise as triangular_inverse_transposed. Barriers: two.
template <InversePrecision P, int C>
DELTA_DEVICE Fragment<float, C, C, C / 16>
triangular_inverse(const Fragment<float, C, C, C / 16> &a,
                   const SharedMatrix<float, C, C> &scratch) {
  const auto transposed = triangular_inverse_transposed<P>(a, scratch);
  const int warp = warp_index(), row_block = fragment_warp<C / 16>();
  const int row = fragment_row(), column = fragment_column();
  // M_ij goes to block (j, i), above the diagonal, where it overwrites no A_ik.
#pragma unroll
  for (int n = 0; n < C / 8; ++n)
#pragma unroll
    for (int e = 0; e < 4; ++e)
      if (warp < n / 2)
        detail::store_shared(scratch.at(16 * warp + n % 2 * 8 + column + e % 2,
                                        n / 2 * 16 + row + e / 2 * 8),
                             transposed.x[4 * n + e]);
  cta_sync();
  Fragment<float, C, C, C / 16> m;
#pragma unroll
  for (int n = 0; n < C / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      // The upper right quarter of M_ii is zero and not in memory.
      const bool above = n % 2 > half;
      detail::load_shared_if(n / 2 < row_block + !above,
                             scratch.at(n / 2 * 16 + row + 8 * half,
                                        16 * row_block + n % 2 * 8 + column),
                             m.x[4 * n + 2 * half], m.x[4 * n + 2 * half + 1]);
    }
  return m;
}

} // namespace delta

#endif // DELTA_DEVICE_TRIANGULARINVERSE_CUH
