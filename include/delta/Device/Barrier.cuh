//===- Barrier.cuh - mbarriers in shared memory -----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mbarrier: a 64-bit word in shared memory that counts arrivals and bytes
// of asynchronous copies. A phase ends when as many arrivals as it was made
// for have come and all bytes that were announced have landed; phases have
// parities 0, 1, 0, .. Rings of them are in Ring.cuh. For sm_90 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_BARRIER_CUH
#define DELTA_DEVICE_BARRIER_CUH

#include "delta/Device/Base.cuh"

namespace delta {

/// Makes what the calling thread has written to shared memory, or seen written
/// by other threads, visible to the asynchronous proxy: copies by the tensor
/// memory accelerator and tiles as operands of wgmma.
DELTA_DEVICE void async_proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

namespace detail {

/// How many lanes arrive for a warp. One arrival behind __syncwarp says that
/// all lanes are done, but to the racecheck tool of compute-sanitizer only that
/// the arriving lane is: kernels compiled with DELTA_RACECHECK are for this
/// tool (docs/testing.md).
#ifdef DELTA_RACECHECK
constexpr int arriving_lanes = 32;
#else
constexpr int arriving_lanes = 1;
#endif

/// 0 for the lanes that arrive.
DELTA_DEVICE int arrival_rank() { return lane_index() / arriving_lanes; }

/// Makes the word at `barrier` an mbarrier in phase 0 of `arrivals` arrivals of
/// warps. One thread.
DELTA_DEVICE void barrier_init(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
               "r"(arrivals * arriving_lanes)
               : "memory");
}

/// Makes initialised mbarriers visible to asynchronous copies. By the thread
/// that made them, before a barrier of the CTA.
DELTA_DEVICE void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// An arrival by lane 0 of the calling warp for what all its lanes have done
/// before; it counts as `arrivals` of them. A predicated instruction, no
/// branch: in a basic block of its own, code between products in flight makes
/// ptxas serialise them (C7517).
DELTA_DEVICE void barrier_arrive(uint32_t barrier, int arrivals = 1) {
  __syncwarp();
  asm volatile(
      "{ .reg .pred p; setp.eq.s32 p, %1, 0;"
      " @p mbarrier.arrive.shared::cta.b64 _, [%0], %2; }" ::"r"(barrier),
      "r"(arrival_rank()), "r"(arrivals)
      : "memory");
}

/// One arrival by lane 0 of the calling warp, and the announcement of `bytes`
/// bytes of copies that will report to the barrier.
DELTA_DEVICE void barrier_expect(uint32_t barrier, uint32_t bytes) {
  if (arriving_lanes > 1 && lane_index() > 0)
    bytes = 0; // announced once, by all lanes together
  asm volatile(
      "{ .reg .pred p; setp.eq.s32 p, %2, 0;"
      " @p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1; }" ::"r"(
          barrier),
      "r"(bytes), "r"(arrival_rank())
      : "memory");
}

/// Waits until the phase of the given parity has ended; returns at once if the
/// barrier is in the phase behind it. A fresh barrier is taken to stand behind
/// a phase of parity 1.
DELTA_DEVICE void barrier_wait(uint32_t barrier, uint32_t parity) {
  asm volatile("{ .reg .pred p;\n"
               "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@p bra done;\n"
               "bra again;\n"
               "done: }" ::"r"(barrier),
               "r"(parity)
               : "memory");
}

} // namespace detail

} // namespace delta

#endif // DELTA_DEVICE_BARRIER_CUH
