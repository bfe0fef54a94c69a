//===- Tma.cuh - copies by the tensor memory accelerator --------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies between global and shared memory that one lane starts and the copy
// engine performs. All lanes of a warp call these functions and lane 0 issues,
// so that one thread has the copy, its group and its wait.
//
// Coordinates are elements, the innermost axis first, as in the tensor map. A
// box of a map is min(64, Cols) elements of the innermost axis and Rows of one
// other axis, swizzled over the bytes of its row, which is a panel of a
// SharedTile (TensorMap.h makes such maps). Elements of a box outside the array
// arrive as zeros and are not stored; they count as copied bytes all the same.
// For sm_90 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_TMA_CUH
#define DELTA_DEVICE_TMA_CUH

#include "delta/Device/Ring.cuh"

#include <cuda.h>

namespace delta {

namespace detail {

/// A copy of one box at coordinates c to shared memory, reporting to an
/// mbarrier.
template <class... C>
DELTA_DEVICE void load_box(uint32_t to, const CUtensorMap &map,
                           uint32_t barrier, C... c) {
  const int x[] = {c...};
  if constexpr (sizeof...(C) == 2)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(to),
                 "l"(&map), "r"(barrier), "r"(x[0]), "r"(x[1])
                 : "memory");
  else if constexpr (sizeof...(C) == 3)
    asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::"r"(to),
                 "l"(&map), "r"(barrier), "r"(x[0]), "r"(x[1]), "r"(x[2])
                 : "memory");
  else if constexpr (sizeof...(C) == 4)
    asm volatile(
        "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::"
        "complete_tx::bytes [%0], [%1, {%3, %4, %5, %6}], [%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
        : "memory");
  else
    asm volatile(
        "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::"
        "complete_tx::bytes [%0], [%1, {%3, %4, %5, %6, %7}], [%2];" ::"r"(to),
        "l"(&map), "r"(barrier), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]),
        "r"(x[4])
        : "memory");
}

/// A copy of one box from shared memory to coordinates c.
template <class... C>
DELTA_DEVICE void store_box(const CUtensorMap &map, uint32_t from, C... c) {
  const int x[] = {c...};
  if constexpr (sizeof...(C) == 2)
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                 "[%0, {%2, %3}], [%1];" ::"l"(&map),
                 "r"(from), "r"(x[0]), "r"(x[1])
                 : "memory");
  else if constexpr (sizeof...(C) == 3)
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group "
                 "[%0, {%2, %3, %4}], [%1];" ::"l"(&map),
                 "r"(from), "r"(x[0]), "r"(x[1]), "r"(x[2])
                 : "memory");
  else if constexpr (sizeof...(C) == 4)
    asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group "
                 "[%0, {%2, %3, %4, %5}], [%1];" ::"l"(&map),
                 "r"(from), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
                 : "memory");
  else
    asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group "
                 "[%0, {%2, %3, %4, %5, %6}], [%1];" ::"l"(&map),
                 "r"(from), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]),
                 "r"(x[4])
                 : "memory");
}

} // namespace detail

/// Copies the Rows x Cols elements at the coordinates (first, rest..) to the
/// tile, one box per panel, and reports tile.bytes bytes to the slot of use
/// `index`. The map has 2 to 5 axes.
template <class T, int Rows, int Cols, int Stages, int Frees, class... C>
DELTA_DEVICE void tma_load(const SharedTile<T, Rows, Cols> &tile,
                           const CUtensorMap &map,
                           const Ring<Stages, 1, Frees> &ring, uint32_t index,
                           int first, C... rest) {
  static_assert(sizeof...(C) >= 1 && sizeof...(C) <= 4, "2 .. 5 coordinates");
  constexpr int width = SharedTile<T, Rows, Cols>::panel_cols;
  if (lane_index() == 0) {
#pragma unroll
    for (int panel = 0; panel < Cols / width; ++panel)
      detail::load_box(tile.address + panel * Rows * width * 2, map,
                       ring.full(index), first + panel * width,
                       static_cast<int>(rest)...);
  }
}

/// Copies N contiguous floats to the vector and reports vector.bytes bytes to
/// the slot of use `index`. `src` is 16-byte aligned and N a multiple of 4.
template <int N, int Stages, int Frees>
DELTA_DEVICE void
bulk_load(const SharedVector<float, N> &vector, const float *src,
          const Ring<Stages, 1, Frees> &ring, uint32_t index) {
  static_assert(N % 4 == 0, "the vector is a whole number of 16-byte pieces");
  if (lane_index() == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], %2, [%3];" ::"r"(vector.address),
                 "l"(src), "n"(N * 4), "r"(ring.full(index))
                 : "memory");
}

/// Copies the tile to the coordinates (first, rest..), one box per panel, as
/// one group. Writes of other warps to the tile must be visible to the calling
/// warp (ring_peek). This function makes them visible to the copy engine, so
/// the writers need no fence.
template <class T, int Rows, int Cols, class... C>
DELTA_DEVICE void tma_store(const CUtensorMap &map,
                            const SharedTile<T, Rows, Cols> &tile, int first,
                            C... rest) {
  static_assert(sizeof...(C) >= 1 && sizeof...(C) <= 4, "2 .. 5 coordinates");
  constexpr int width = SharedTile<T, Rows, Cols>::panel_cols;
  if (lane_index() == 0) {
    async_proxy_fence();
#pragma unroll
    for (int panel = 0; panel < Cols / width; ++panel)
      detail::store_box(map, tile.address + panel * Rows * width * 2,
                        first + panel * width, static_cast<int>(rest)...);
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
}

/// Waits until the stores of this warp have read their tiles, which may then be
/// written again.
DELTA_DEVICE void store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

/// Waits until the stores of this warp are complete. Called before the warp
/// ends: shared memory must outlive the copies out of it.
DELTA_DEVICE void store_wait_all() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

} // namespace delta

#endif // DELTA_DEVICE_TMA_CUH
