//===- TriangularSolve.cuh - systems of a row block -------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// G = (I + P diag(beta))^-1 P for a strictly lower triangular P of 64 rows, by
// one warpgroup, or of 128, by two. With G, the rows u = v - beta o (a + P u)
// of a block follow from one product without a division by beta:
//
//   a + P u = a + G (v - beta o a)
//
// The 16 x 16 blocks on the diagonal are inverted by substitution in f32, one a
// warp, and applied to their strips, X = N P; what is left of the system is
// block nilpotent, with E = -(X outside the blocks) diag(beta):
//
//   G = (I - E)^-1 X = (I + E^2) (I + E) X
//
// No bound on P or beta is needed. N, E and X are rounded to the 16-bit type
// before they are multiplied. For sm_90a.
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

/// The inverse of I + A for the strictly lower 16 x 16 A of this warp, rounded
/// to T, as a left operand of mma_block. `block` holds the elements of A in the
/// fragment's order; 2048 bytes of scratch belong to the warp.
template <class T>
DELTA_DEVICE void invert_block(const float (&block)[8], uint32_t scratch,
                               uint32_t (&inverse)[4]) {
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
  // Behind the loop: a store would hold up the loads of the next row.
#pragma unroll
  for (int i = 0; i < 16; ++i)
    asm volatile(
        "st.shared.b16 [%0], %1;" ::"r"(narrow + i * 48 + own * 2),
        "h"(static_cast<unsigned short>(Element<T>::pack(x[i], x[i]) & 0xffff))
        : "memory");
  __syncwarp();
  load_matrices<false>(narrow + (lane & 15) * 48 + (lane >> 4) * 16, inverse);
}

} // namespace detail

/// G = (I + P diag(beta))^-1 P; products of T. Of P only what is below the
/// diagonal may differ from zero. The tiles `e` and `x` are scratch; all four
/// warps call, and barrier `id` is theirs alone, or of the Threads of several
/// warpgroups that call together.
template <int Threads = 128, class T>
DELTA_DEVICE Fragment<float, 64, 64, 4> solve_scaled_columns(
    const Fragment<float, 64, 64, 4> &p, const SharedVector<float, 64> &beta,
    const SharedTile<T, 64, 64> &e, const SharedTile<T, 64, 64> &x, int id) {
  using Wide = Fragment<float, 64, 64, 4>;
  // Computed here and not kept from one call to the next: a register.
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
  write(convert<T>(p), x);
  uint32_t inverse[4];
  detail::invert_block<T>(block, e.address + warp * 2048, inverse);

  Wide strip = fill<Wide>(0.0f), off;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    uint32_t right[4];
    detail::load_matrices<true>(detail::block_address(x, warp, k), right);
    detail::mma_block<T>(strip.x + 8 * k, inverse, right[0], right[1]);
    detail::mma_block<T>(strip.x + 8 * k + 4, inverse, right[2], right[3]);
#pragma unroll
    for (int i = 8 * k; i < 8 * k + 8; ++i)
      off.x[i] = k < warp ? -strip.x[i] * scale.x[i] : 0.0f;
  }
  const auto off_a = convert<T>(off);
  __syncwarp();
  write(off_a, e);
  write(convert<T>(strip), x);
  async_proxy_fence();
  role_sync<Threads>(id);

  // Columns 48 and up of E, and 32 and up of its square, are zero.
  const auto square_0 = dot_nn_start<0, 48>(off_a, e);
  const auto sum_0 = dot_nn_start<0, 48>(off_a, x, strip);
  const auto square = await<1>(square_0);
  const auto sum = await<0>(sum_0);
  role_sync<Threads>(id);
  write(convert<T>(sum), x);
  async_proxy_fence();
  role_sync<Threads>(id);
  return await<0>(dot_nn_start<0, 32>(convert<T>(square), x, sum));
}

/// The same for 128 rows of the CTA's first two warpgroups. Both solve for what
/// is right of column 64 i, i the warpgroup; the second one's rows then read,
/// left of it, what the first one's are:
///
///   X = P_10 - P_10 diag(beta_0) G_00        G_10 = X - G_11 diag(beta_1) X
///
/// The first one does this too, with zeros: a branch would save nothing, since
/// it has to wait. All eight warps call, and barrier `id` is theirs alone.
template <class T>
DELTA_DEVICE Fragment<float, 128, 128, 8>
solve_scaled_columns(const Fragment<float, 128, 128, 8> &p,
                     const SharedVector<float, 128> &beta,
                     const SharedTile<T, 128, 128> &scratch, int id) {
  using Square = Fragment<float, 64, 64, 4>;
  using Tile = SharedTile<T, 64, 64>;
  constexpr int threads = 256, half = Square::size;
  const int group = unhoisted_thread_index() >> 7;
  const SharedBase free = {scratch.address}, factors = {beta.address};
  const SharedVector<float, 64> beta_own(factors, group * 256), beta_0(factors);
  const Tile e(free, group * 2 * Tile::bytes), G_00(free);
  const Tile x(free, group * 2 * Tile::bytes + Tile::bytes);

  Square own, left;
#pragma unroll
  for (int i = 0; i < half; ++i) {
    own.x[i] = group == 0 ? p.x[i] : p.x[half + i];
    left.x[i] = group == 0 ? 0.0f : p.x[i];
  }
  const auto left_a = convert<T>(left);
  const auto G_own = solve_scaled_columns<threads>(own, beta_own, e, x, id);
  const auto G_own_a = convert<T>(G_own);
  write(G_own_a, e);
  async_proxy_fence();
  role_sync<threads>(id);
  const auto left_wide = convert<float>(left_a);
  const auto scaled =
      left_wide * spread_columns<64, 4>(read_column_slice(beta_0));
  const auto X = await<0>(dot_nn_start(convert<T>(-scaled), G_00, left_wide));
  const auto X_beta = X * spread_rows<64>(read_row_slice<64, 4>(beta_own));
  write(convert<T>(-X_beta), x);
  async_proxy_fence();
  role_sync<threads>(id);
  const auto G_left = convert<T>(await<0>(dot_nn_start(G_own_a, x, X)));

  Fragment<T, 128, 128, 8> G;
#pragma unroll
  for (int i = 0; i < half / 2; ++i) {
    G.x[i] = group == 0 ? G_own_a.x[i] : G_left.x[i];
    G.x[half / 2 + i] = group == 0 ? 0u : G_own_a.x[i];
  }
  detail::pin(G.x);
  return convert<float>(G);
}

} // namespace delta

#endif // DELTA_DEVICE_TRIANGULARSOLVE_CUH
