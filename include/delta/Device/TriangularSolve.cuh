//===- TriangularSolve.cuh - systems of a query block -----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// G = (I + P diag(beta))^-1 P for a strictly lower triangular P of 64 rows, by
// one warpgroup, or of 128, by two. With G, the rows u = v - beta o (a + P u)
// of a query block follow from one product, without a division by beta:
//
//   a + P u = a + G (v - beta o a)
//
// Each warp inverts one 16 x 16 block on the diagonal by substitution in f32
// and applies the inverse N to the strip of its rows, X = N P. The remaining
// system is block nilpotent, with E = -(X outside the blocks) diag(beta):
//
//   G = (I - E)^-1 X = (I + E^2) (I + E) X
//
// No bound on P or beta is needed. N, E and X are rounded to the 16-bit type
// before they are multiplied. With Rests, their residuals are rounded and
// multiplied too, and each product becomes three products: operands are then
// accurate to 2^-16. For sm_90a.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_TRIANGULARSOLVE_CUH
#define DELTA_DEVICE_TRIANGULARSOLVE_CUH

#include "delta/Device/Barrier.cuh"
#include "delta/Device/Mma.cuh"
#include "delta/Device/Roles.cuh"
#include "delta/Device/Wgmma.cuh"

namespace delta {

namespace detail {

/// A matrix as a left operand of products: the rounded matrix, and with Rests
/// its residual.
template <class T, bool Rests> struct SplitSquare {
  using Rounded = Fragment<T, 64, 64, 4>;
  Rounded rounded, rest;
};
template <bool Rests, class T>
DELTA_DEVICE SplitSquare<T, Rests> split(const Fragment<float, 64, 64, 4> &x) {
  SplitSquare<T, Rests> r;
  r.rounded = convert<T>(x);
  if constexpr (Rests)
    r.rest = convert<T>(x - convert<float>(r.rounded));
  return r;
}
template <class T, bool Rests>
DELTA_DEVICE Fragment<float, 64, 64, 4> widen(const SplitSquare<T, Rests> &x) {
  if constexpr (Rests)
    return convert<float>(x.rounded) + convert<float>(x.rest);
  else
    return convert<float>(x.rounded);
}

/// The same in shared memory, one tile after the other.
template <class T, bool Rests> struct SplitTile {
  using Tile = SharedTile<T, 64, 64>;
  static constexpr int bytes = (Rests ? 2 : 1) * Tile::bytes;
  Tile rounded, rest;

  DELTA_DEVICE SplitTile(SharedBase base, uint32_t offset)
      : rounded(base, offset), rest(base, offset + (Rests ? Tile::bytes : 0)) {}
};
template <class T, bool Rests>
DELTA_DEVICE void write(const SplitSquare<T, Rests> &x,
                        const SplitTile<T, Rests> &tile) {
  delta::write(x.rounded, tile.rounded);
  if constexpr (Rests)
    delta::write(x.rest, tile.rest);
}

/// Number of wgmma groups that a product of two such operands issues.
template <bool Rests> constexpr int split_starts = Rests ? 3 : 1;

/// [acc +] a b in flight, with rows of b from K1 on taken as zero; a from
/// registers or from shared memory. Terms with residuals come first, so that
/// they are not rounded away.
template <int K1 = -1, class Left, class T, bool Rests, class... Acc>
DELTA_DEVICE auto split_start(const Left &a, const SplitTile<T, Rests> &b,
                              const Acc &...acc) {
  if constexpr (Rests) {
    const auto first = dot_nn_start<0, K1>(a.rounded, b.rest, acc...);
    const auto second = dot_nn_start<0, K1>(a.rest, b.rounded, first);
    return dot_nn_start<0, K1>(a.rounded, b.rounded, second);
  } else {
    return dot_nn_start<0, K1>(a.rounded, b.rounded, acc...);
  }
}

/// The 16 x 16 block of a warp as a left operand of mma_block.
template <bool Rests> struct SplitBlock {
  uint32_t rounded[4], rest[4];
};

template <class T> DELTA_DEVICE void store_rounded(uint32_t address, float x) {
  asm volatile("st.shared.b16 [%0], %1;" ::"r"(address),
               "h"(static_cast<unsigned short>(Element<T>::pack(x, x) & 0xffff))
               : "memory");
}

/// The inverse of I + A for the strictly lower 16 x 16 A of this warp. `block`
/// holds the elements of A in the fragment's order; 2048 bytes of either
/// scratch belong to the warp.
template <bool Rests, class T>
DELTA_DEVICE SplitBlock<Rests>
invert_block(const float (&block)[8], uint32_t scratch, uint32_t rest_scratch) {
  // Rows of 80 bytes (f32) and of 48 bytes (16-bit): neither the rows of a
  // store nor those of an ldmatrix meet in a bank.
  const uint32_t wide = scratch, narrow = scratch + 16 * 80;
  const int row = fragment_row(), column = fragment_column();
#pragma unroll
  for (int i = 0; i < 4; ++i)
    store_shared(wide + (row + i % 2 * 8) * 80 + (column + i / 2 * 8) * 4,
                 block[2 * i], block[2 * i + 1]);
  __syncwarp();
  const int lane = lane_index(), own = lane & 15;
  float x[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    float even = i == own ? 1.0f : 0.0f, odd = 0.0f;
#pragma unroll
    for (int j = 0; j < i; j += 4) {
      float a[4];
      asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                   : "=f"(a[0]), "=f"(a[1]), "=f"(a[2]), "=f"(a[3])
                   : "r"(wide + i * 80 + j * 4)
                   : "memory");
#pragma unroll
      for (int k = 0; k < 4 && j + k < i; ++k)
        (k % 2 ? odd : even) = fmaf(-a[k], x[j + k], k % 2 ? odd : even);
    }
    x[i] = even + odd;
  }
  // After the loop, because a store would delay the loads of the next row.
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    store_rounded<T>(narrow + i * 48 + own * 2, x[i]);
    if constexpr (Rests)
      store_rounded<T>(rest_scratch + i * 48 + own * 2,
                       x[i] - Element<T>::low(Element<T>::pack(x[i], x[i])));
  }
  __syncwarp();
  SplitBlock<Rests> inverse;
  const uint32_t own_row = (lane & 15) * 48 + (lane >> 4) * 16;
  load_matrices<false>(narrow + own_row, inverse.rounded);
  if constexpr (Rests)
    load_matrices<false>(rest_scratch + own_row, inverse.rest);
  return inverse;
}

/// The solution for 64 rows of a warpgroup; the tiles are scratch.
template <int Threads, class T, bool Rests>
DELTA_DEVICE Fragment<float, 64, 64, 4>
solve_rows(const Fragment<float, 64, 64, 4> &p,
           const SharedVector<float, 64> &beta, const SplitTile<T, Rests> &e,
           const SplitTile<T, Rests> &x, int id) {
  using Wide = Fragment<float, 64, 64, 4>;
  // Computed here and not kept from one call to the next, which saves a
  // register.
  const int warp = unhoisted_thread_index() >> 5 & 3;
  const Wide scale = spread_columns<64, 4>(read_column_slice(beta));

  // The warp's block of the diagonal, and its strip as a right operand.
  float block[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    block[i] = p.x[i] * scale.x[i];
#pragma unroll
    for (int w = 1; w < 4; ++w)
      block[i] = warp == w ? p.x[8 * w + i] * scale.x[8 * w + i] : block[i];
  }
  write(split<Rests, T>(p), x);
  const auto inverse = invert_block<Rests, T>(
      block, e.rounded.address + warp * 2048, e.rest.address + warp * 2048);

  Wide strip = fill<Wide>(0.0f), off;
  const auto add_block = [&](int k, const uint32_t *left,
                             const SharedTile<T, 64, 64> &tile) {
    uint32_t right[4];
    load_matrices<true>(block_address(tile, warp, k), right);
    mma_block<T>(strip.x + 8 * k, left, right[0], right[1]);
    mma_block<T>(strip.x + 8 * k + 4, left, right[2], right[3]);
  };
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    if constexpr (Rests) {
      add_block(k, inverse.rounded, x.rest);
      add_block(k, inverse.rest, x.rounded);
    }
    add_block(k, inverse.rounded, x.rounded);
#pragma unroll
    for (int i = 8 * k; i < 8 * k + 8; ++i)
      off.x[i] = k < warp ? -strip.x[i] * scale.x[i] : 0.0f;
  }
  const auto off_a = split<Rests, T>(off);
  __syncwarp();
  write(off_a, e);
  write(split<Rests, T>(strip), x);
  async_proxy_fence();
  role_sync<Threads>(id);

  // Columns 48 and up of E, and 32 and up of its square, are zero. Registers
  // cannot hold E and its residual next to the values of the caller.
  const auto left = [&] {
    if constexpr (Rests)
      return e;
    else
      return off_a;
  }();
  const auto square_0 = split_start<48>(left, e);
  const auto sum_0 = split_start<48>(left, x, strip);
  const auto square = await<split_starts<Rests>>(square_0);
  const auto sum = await<0>(sum_0);
  role_sync<Threads>(id);
  write(split<Rests, T>(sum), x);
  async_proxy_fence();
  role_sync<Threads>(id);
  return await<0>(split_start<32>(split<Rests, T>(square), x, sum));
}

/// The solution for 128 rows of the CTA's first two warpgroups, with two
/// scratch tiles each.
template <class T, bool Rests>
DELTA_DEVICE Fragment<float, 128, 128, 8>
solve_rows(const Fragment<float, 128, 128, 8> &p,
           const SharedVector<float, 128> &beta, SharedBase scratch, int id) {
  using Square = Fragment<float, 64, 64, 4>;
  using Tile = SplitTile<T, Rests>;
  constexpr int threads = 256, half = Square::size;
  const int group = unhoisted_thread_index() >> 7;
  const SharedBase factors = {beta.address};
  const SharedVector<float, 64> beta_own(factors, group * 256), beta_0(factors);
  const Tile e(scratch, group * 2 * Tile::bytes), G_00(scratch, 0);
  const Tile x(scratch, group * 2 * Tile::bytes + Tile::bytes);

  Square own, left;
#pragma unroll
  for (int i = 0; i < half; ++i) {
    own.x[i] = group == 0 ? p.x[i] : p.x[half + i];
    left.x[i] = group == 0 ? 0.0f : p.x[i];
  }
  const auto left_a = split<Rests, T>(left);
  const auto G_own = solve_rows<threads>(own, beta_own, e, x, id);
  const auto G_own_a = split<Rests, T>(G_own);
  write(G_own_a, e);
  async_proxy_fence();
  role_sync<threads>(id);
  const auto left_wide = widen(left_a);
  const auto scaled =
      left_wide * spread_columns<64, 4>(read_column_slice(beta_0));
  const auto X =
      await<0>(split_start(split<Rests, T>(-scaled), G_00, left_wide));
  const auto X_beta = X * spread_rows<64>(read_row_slice<64, 4>(beta_own));
  write(split<Rests, T>(-X_beta), x);
  async_proxy_fence();
  role_sync<threads>(id);
  const auto G_left = await<0>(split_start(G_own_a, x, X));

  Fragment<float, 128, 128, 8> G;
  if constexpr (Rests) {
    const auto G_right = widen(G_own_a);
#pragma unroll
    for (int i = 0; i < half; ++i) {
      G.x[i] = group == 0 ? G_right.x[i] : G_left.x[i];
      G.x[half + i] = group == 0 ? 0.0f : G_right.x[i];
    }
    return G;
  } else {
    // Rounded here, which halves the registers.
    const auto G_left_a = convert<T>(G_left);
    Fragment<T, 128, 128, 8> rounded;
#pragma unroll
    for (int i = 0; i < half / 2; ++i) {
      rounded.x[i] = group == 0 ? G_own_a.rounded.x[i] : G_left_a.x[i];
      rounded.x[half / 2 + i] = group == 0 ? 0u : G_own_a.rounded.x[i];
    }
    pin(rounded.x);
    return convert<float>(rounded);
  }
}

} // namespace detail

/// G = (I + P diag(beta))^-1 P, with products of operands rounded to T. P is
/// zero on and above the diagonal. The tiles `e` and `x` are scratch. All four
/// warps call, and no other warp uses barrier `id`.
template <class T>
DELTA_DEVICE Fragment<float, 64, 64, 4> solve_scaled_columns(
    const Fragment<float, 64, 64, 4> &p, const SharedVector<float, 64> &beta,
    const SharedTile<T, 64, 64> &e, const SharedTile<T, 64, 64> &x, int id) {
  return detail::solve_rows<128>(
      p, beta, detail::SplitTile<T, false>({e.address}, 0),
      detail::SplitTile<T, false>({x.address}, 0), id);
}

/// The same for 128 rows of the CTA's first two warpgroups. Warpgroup i solves
/// for its 64 rows and the columns from 64 i on. The second warpgroup then
/// computes the columns to the left from the result of the first:
///
///   X = P_10 - P_10 diag(beta_0) G_00        G_10 = X - G_11 diag(beta_1) X
///
/// The first warpgroup does this too, with zeros: a branch would save nothing,
/// since it has to wait. All eight warps call, and no other warp uses barrier
/// `id`.
template <class T>
DELTA_DEVICE Fragment<float, 128, 128, 8>
solve_scaled_columns(const Fragment<float, 128, 128, 8> &p,
                     const SharedVector<float, 128> &beta,
                     const SharedTile<T, 128, 128> &scratch, int id) {
  return detail::solve_rows<T, false>(p, beta, {scratch.address}, id);
}

/// The same with scratch for residuals: each operand is a high part and its
/// residual.
template <class T>
DELTA_DEVICE Fragment<float, 128, 128, 8>
solve_scaled_columns(const Fragment<float, 128, 128, 8> &p,
                     const SharedVector<float, 128> &beta,
                     const SharedTile<T, 256, 128> &scratch, int id) {
  return detail::solve_rows<T, true>(p, beta, {scratch.address}, id);
}

} // namespace delta

#endif // DELTA_DEVICE_TRIANGULARSOLVE_CUH
