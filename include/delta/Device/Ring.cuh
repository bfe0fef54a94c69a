//===- Ring.cuh - slots that roles pass to each other -----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of slots in shared memory between a role that fills them (producer)
// and roles that read them (consumers). Use number `index` of the ring takes
// slot index % Stages.
//
//   producer  ring_acquire(index)   waits until the slot is free
//             ring_expect + copies  (or: writes from registers + ring_commit)
//   consumer  ring_peek(index)      waits until the slot is filled
//             reads
//             ring_release(index)   every warp, once
//
// Every producer and every consumer goes through all indices 0, 1, .. in order.
// A ring holds barriers only; the caller places the buffers of the slots. All
// lanes of a warp call these functions. For sm_90 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_RING_CUH
#define DELTA_DEVICE_RING_CUH

#include "delta/Device/Barrier.cuh"
#include "delta/Device/Shared.cuh"

namespace delta {

/// The 2 Stages mbarriers of a ring. A slot is full after `Fills` arrivals: 1
/// if copies fill it (ring_expect), else one from each producing warp
/// (ring_commit). It is free after `Frees` arrivals, one from each consuming
/// warp (ring_release).
template <int Stages, int Fills, int Frees> struct Ring {
  static_assert(Stages > 0 && Fills > 0 && Frees > 0, "an empty ring");
  static constexpr int stages = Stages;
  static constexpr int bytes = 16 * Stages;

  uint32_t address;

  /// The barriers lie at byte_offset, a multiple of 8.
  DELTA_DEVICE explicit Ring(SharedBase base, uint32_t byte_offset)
      : address(base.address + byte_offset) {}

  /// The slot of use `index`.
  static DELTA_DEVICE uint32_t slot(uint32_t index) { return index % Stages; }
  /// The parity of the phase of use `index`.
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

/// Initialises the barriers of a ring. Called by one thread; a barrier of the
/// CTA (cta_sync) separates this call from every use.
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

/// Waits until the slot of this use is full. Everything that copies or warps
/// wrote to it is then visible to the calling lanes.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_peek(const Ring<Stages, Fills, Frees> &ring,
                            uint32_t index) {
  detail::barrier_wait(ring.full(index), ring.parity(index));
}

/// Announces the copies that fill the slot, `bytes` bytes in total. Called once
/// per use, before the copies.
template <int Stages, int Frees>
DELTA_DEVICE void ring_expect(const Ring<Stages, 1, Frees> &ring,
                              uint32_t index, uint32_t bytes) {
  detail::barrier_expect(ring.full(index), bytes);
}

/// Marks the slot as full for the calling warp, which has written it from
/// registers.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_commit(const Ring<Stages, Fills, Frees> &ring,
                              uint32_t index) {
  detail::barrier_arrive(ring.full(index));
}

/// Marks the slot as free for the calling warp, whose reads of it are complete:
/// products awaited, copies out of it waited for. If other warps passed the
/// slot on to this warp instead of releasing it, this warp releases it for all
/// `warps` of them.
template <int Stages, int Fills, int Frees>
DELTA_DEVICE void ring_release(const Ring<Stages, Fills, Frees> &ring,
                               uint32_t index, int warps = 1) {
  detail::barrier_arrive(ring.empty(index), warps);
}

} // namespace delta

#endif // DELTA_DEVICE_RING_CUH
