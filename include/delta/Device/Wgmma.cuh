//===- Wgmma.cuh - products in flight ---------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Asynchronous products of a warpgroup on the tensor cores: a start issues a
// group of wgmma.mma_async and returns a value in flight; await waits for the
// value.
//
//   a   [64 G, K] a fragment of 4 G warps, or a tile; warpgroup i of the G from
//       the CTA's first one on multiplies rows 64 i to 64 i + 63
//   b   a tile, [N, K] for dot_nt (a b^T) and [K, N] for dot_nn (a b)
//
// 16-bit operands, f32 accumulation, N in {16, 32, 64, 128, 256}. A start takes
// k from K0 up to K1 (multiples of 16; all by default), with an accumulator or
// without one, which costs no registers to be zeroed. Groups of a warpgroup
// complete in the order of their starts.
//
// All warps of these warpgroups call, each group in uniform control flow. With
// G = 1 every warpgroup of the CTA has its own products. Tiles must be visible
// to the asynchronous proxy: filled by copies and waited for (ring_peek), or
// written by warps and fenced (async_proxy_fence). They may be written again
// after the await of the product that reads them. For sm_90a.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_WGMMA_CUH
#define DELTA_DEVICE_WGMMA_CUH

#include "delta/Device/Fragment.cuh"
#include "delta/Device/Shared.cuh"
#include "delta/Device/WgmmaInstructions.cuh"

namespace delta {

/// The result F of a product in flight. Only await gives the value; until then
/// its registers belong to the tensor cores.
template <class F> struct InFlight {
  F value;
};

namespace detail {

/// Keeps the compiler from moving writes of these registers after this
/// statement, or reads of them before it.
template <int Size> DELTA_DEVICE void pin(float (&x)[Size]) {
#pragma unroll
  for (int i = 0; i < Size; ++i)
    asm volatile("" : "+f"(x[i])::"memory");
}
template <int Size> DELTA_DEVICE void pin(uint32_t (&x)[Size]) {
#pragma unroll
  for (int i = 0; i < Size; ++i)
    asm volatile("" : "+r"(x[i])::"memory");
}

/// The descriptor as a number of which the compiler knows nothing. The compiler
/// then advances it by one addition per k-step; with known bits it would need
/// three instructions between two wgmma.
DELTA_DEVICE uint64_t opaque(uint64_t descriptor) {
  asm("" : "+l"(descriptor));
  return descriptor;
}

/// Matrix descriptor of the tile as an operand whose contraction axis is
/// contiguous (K-major): 8 rows of a panel after every 8 row_bytes bytes (the
/// stride offset), swizzled over the bytes of a row.
template <class T, int Rows, int Cols>
DELTA_DEVICE uint64_t k_major(const SharedTile<T, Rows, Cols> &tile) {
  constexpr int row = SharedTile<T, Rows, Cols>::row_bytes;
  constexpr uint64_t swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
  constexpr uint64_t fixed =
      swizzle << 62 | uint64_t(8 * row / 16) << 32 | uint64_t(1) << 16;
  return opaque(fixed | (tile.address & 0x3ffff) >> 4);
}

/// The number that advances the descriptor by `k` columns, a multiple of 16.
template <class T, int Rows, int Cols>
__host__ __device__ constexpr uint64_t
k_major_step(const SharedTile<T, Rows, Cols> &, int k) {
  using Tile = SharedTile<T, Rows, Cols>;
  const int panel = k / Tile::panel_cols, column = k % Tile::panel_cols;
  return (panel * Rows * Tile::row_bytes + column * 2) / 16;
}

/// Matrix descriptor of the tile as an operand whose rows are the contraction
/// axis (MN-major): 8 rows of a panel after every 1024 bytes (the stride
/// offset), panels one after the other (the leading offset).
template <class T, int Rows, int Cols>
DELTA_DEVICE uint64_t mn_major(const SharedTile<T, Rows, Cols> &tile) {
  static_assert(Cols % 64 == 0, "columns fill panels of 64");
  constexpr uint64_t fixed = uint64_t(1) << 62 | uint64_t(1024 / 16) << 32 |
                             uint64_t(Rows * 128 / 16) << 16;
  return opaque(fixed | (tile.address & 0x3ffff) >> 4);
}

/// The number that advances the descriptor by `k` rows, a multiple of 16.
__host__ __device__ constexpr uint64_t mn_major_step(int k) {
  return k * 128 / 16;
}

DELTA_DEVICE void group_open() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
DELTA_DEVICE void group_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Checks a range of k; K1 = -1 is the end, K.
template <int K0, int K1, int K> __host__ __device__ constexpr int range_end() {
  constexpr int end = K1 < 0 ? K : K1;
  static_assert(K0 >= 0 && K0 < end && end <= K, "a range of k inside [0, K)");
  static_assert(K0 % 16 == 0 && end % 16 == 0, "k-steps of 16");
  return end;
}

/// Issues the k-steps K0 .. K1 of one product as a group. `right(k)` is the
/// right operand's descriptor at k; the left one is registers or `left(k)`.
template <int K0, int K1, bool Accumulate, bool MnMajor, class T, int Rows,
          int N, int K, int Warps, class Right>
DELTA_DEVICE void issue(Fragment<float, Rows, N, Warps> &d,
                        const Fragment<T, Rows, K, Warps> &left, Right right) {
  static_assert(Warps % 4 == 0, "whole warpgroups");
  Fragment<T, Rows, K, Warps> a = left;
  pin(a.x);
  group_open();
#pragma unroll
  for (int k = K0; k < K1; k += 16)
    if (k == K0)
      Wgmma<N>::template rs<T, Accumulate, MnMajor>(d.x, a.x + k / 4, right(k));
    else
      Wgmma<N>::template rs<T, true, MnMajor>(d.x, a.x + k / 4, right(k));
  group_commit();
}
template <int K0, int K1, bool Accumulate, bool MnMajor, class T, int Rows,
          int N, int K, int Warps, class Right>
DELTA_DEVICE void issue(Fragment<float, Rows, N, Warps> &d,
                        const SharedTile<T, Rows, K> &left, Right right) {
  static_assert(Warps % 4 == 0, "whole warpgroups");
  SharedTile<T, Rows, K> rows = left;
  // Computed here and not kept from one product to the next, which saves a
  // register.
  if constexpr (Warps > 4)
    rows.address += (unhoisted_thread_index() >> 7) * (64 * left.row_bytes);
  const uint64_t a = k_major(rows);
  group_open();
#pragma unroll
  for (int k = K0; k < K1; k += 16)
    if (k == K0)
      Wgmma<N>::template ss<T, Accumulate, MnMajor>(
          d.x, a + k_major_step(left, k), right(k));
    else
      Wgmma<N>::template ss<T, true, MnMajor>(d.x, a + k_major_step(left, k),
                                              right(k));
  group_commit();
}

/// The accumulator of a new product: a value, which must be in its registers
/// before the group opens, or a value in flight, which stays as it is.
template <class F> DELTA_DEVICE F settled(const F &acc) {
  F r = acc;
  pin(r.x);
  return r;
}
template <class F> DELTA_DEVICE const F &settled(const InFlight<F> &acc) {
  return acc.value;
}

/// The result of a product with the left operand Left and N columns.
template <class Left, int N>
using Product = Fragment<float, Left::rows, N, Left::rows / 16>;

} // namespace detail

/// a b^T, in flight.
template <int K0 = 0, int K1 = -1, class Left, class T, int N, int K>
DELTA_DEVICE InFlight<detail::Product<Left, N>>
dot_nt_start(const Left &a, const SharedTile<T, N, K> &b) {
  InFlight<detail::Product<Left, N>> r;
  const uint64_t base = detail::k_major(b);
  detail::issue<K0, detail::range_end<K0, K1, K>(), false, false>(
      r.value, a, [&](int k) { return base + detail::k_major_step(b, k); });
  return r;
}

/// acc + a b^T, in flight. acc is a fragment or itself in flight.
template <int K0 = 0, int K1 = -1, class Left, class T, int N, int K, class Acc>
DELTA_DEVICE InFlight<detail::Product<Left, N>>
dot_nt_start(const Left &a, const SharedTile<T, N, K> &b, const Acc &acc) {
  InFlight<detail::Product<Left, N>> r = {detail::settled(acc)};
  const uint64_t base = detail::k_major(b);
  detail::issue<K0, detail::range_end<K0, K1, K>(), true, false>(
      r.value, a, [&](int k) { return base + detail::k_major_step(b, k); });
  return r;
}

/// a b, in flight.
template <int K0 = 0, int K1 = -1, class Left, class T, int N, int K>
DELTA_DEVICE InFlight<detail::Product<Left, N>>
dot_nn_start(const Left &a, const SharedTile<T, K, N> &b) {
  InFlight<detail::Product<Left, N>> r;
  const uint64_t base = detail::mn_major(b);
  detail::issue<K0, detail::range_end<K0, K1, K>(), false, true>(
      r.value, a, [&](int k) { return base + detail::mn_major_step(k); });
  return r;
}

/// acc + a b, in flight. acc is a fragment or itself in flight.
template <int K0 = 0, int K1 = -1, class Left, class T, int N, int K, class Acc>
DELTA_DEVICE InFlight<detail::Product<Left, N>>
dot_nn_start(const Left &a, const SharedTile<T, K, N> &b, const Acc &acc) {
  InFlight<detail::Product<Left, N>> r = {detail::settled(acc)};
  const uint64_t base = detail::mn_major(b);
  detail::issue<K0, detail::range_end<K0, K1, K>(), true, true>(
      r.value, a, [&](int k) { return base + detail::mn_major_step(k); });
  return r;
}

/// Waits until at most the Pending latest groups of this warpgroup are in
/// flight, and returns the value of the product. Pending is the number of
/// starts after that of the product.
template <int Pending = 0, class F>
DELTA_DEVICE F await(const InFlight<F> &product) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
  F r = product.value;
  detail::pin(r.x);
  return r;
}

} // namespace delta

#endif // DELTA_DEVICE_WGMMA_CUH
