//===- Ring.cuh - slots that roles hand to each other -----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of slots in shared memory between a role that fills them and roles
// that use them up. Use number `index` of the ring takes slot index % Stages.
//
//   producer  ring_acquire(index)   waits until the slot is free
//             ring_expect + copies  (or: writes from registers + ring_commit)
//   consumer  ring_peek(index)      waits until the slot is filled
//             reads
//             ring_release(index)   every warp, once
//
// Every producer and every consumer passes through all indices 0, 1, .. in
// order. A ring holds barriers only; where the slots' buffers lie is the
// caller's business. All lanes of a warp call these functions. For sm_90 and
// later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_RING_CUH
#define DELTA_DEVICE_RING_CUH

#include "delta/Device/Barrier.cuh"
#include "delta/Device/Shared.cuh"

namespace delta {

/// The 2 Stages mbarriers of a ring. Filling a slot takes `Fills` arrivals: 1
/// where copies fill it (ring_expect), else one of each producing warp
/// (ring_commit). Freeing it takes `Frees` arrivals, one of each consuming warp
/// (ring_release).
template <int Stages, int Fills, int Frees> struct Ring {
  static_assert(Stages > 0 && Fills > 0 && Frees > 0, "an empty ring");
  static constexpr int stages = Stages;
  static constexpr int bytes = 16 * Stages;

  uint32_t address;

  /// The barriers lie at byte_offset, a multiple of 8.
  DELTA_DEVICE explicit Ring(SharedBase base, uint32_t byte_offset)
      : address(base.address + byte_offset) {}

  /// The slot of a use.
  static DELTA_DEVICE uint32_t slot(uint32_t index) { return index % Stages; }
  /// The parity of a use's phase.
  static DELTA_DEVICE uint32_t parity(uint32_t index) {
    return index / Stages & 1;
  }
  DELTA_DEVICE uint32_t full(uint32_t index) const {
    return address + 8 * slot(index);
  }
  DELTA_DEVICE uint32_t empty(uint32_t index) const {
    return address + 8 * Stages + 8 * slot(index);
  }
};

/// Makes the barriers of a ring. One thread; a barrier of the CTA (cta_sync)
/// stands between this and every use.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_init(const Ring<Stages, Fills, Frees> &ring) {
#pragma unroll
  for (int i = 0; i < Stages; ++i) {
    detail::barrier_init(ring.full(i), Fills);
    detail::barrier_init(ring.empty(i), Frees);
  }
  detail::barrier_init_fence();
}

/// Waits until the slot of this use is free.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_acquire(const Ring<Stages, Fills, Frees> &ring,
                               uint32_t index) {
  detail::barrier_wait(ring.empty(index), ring.parity(index) ^ 1);
}

/// Waits until the slot of this use is filled. What copies wrote is then
/// visible to every access of the calling lanes, what warps wrote too.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_peek(const Ring<Stages, Fills, Frees> &ring,
                            uint32_t index) {
  detail::barrier_wait(ring.full(index), ring.parity(index));
}

/// Announces the copies that fill the slot, `bytes` bytes together. Called once
/// a use, before the copies.
template <int Stages, int Frees>
DELTA_DEVICE void ring_expect(const Ring<Stages, 1, Frees> &ring,
                              uint32_t index, uint32_t bytes) {
  detail::barrier_expect(ring.full(index), bytes);
}

/// Hands a slot over that the calling warp has written from registers.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_commit(const Ring<Stages, Fills, Frees> &ring,
                              uint32_t index) {
  detail::barrier_arrive(ring.full(index));
}

/// Gives a slot back whose reads by the calling warp are complete: products
/// awaited, copies out of it waited for. A warp to which others have handed the
/// slot on, instead of giving it back, answers for all `warps` of them.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_release(const Ring<Stages, Fills, Frees> &ring,
                               uint32_t index, int warps = 1) {
  detail::barrier_arrive(ring.empty(index), warps);
}

} // namespace delta

#endif // DELTA_DEVICE_RING_CUH
