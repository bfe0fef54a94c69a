//===- Barrier.cuh - mbarriers in shared memory -----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One mbarrier: a 64-bit word in shared memory that counts arrivals and bytes
// of asynchronous copies. A phase ends after the number of arrivals given at
// initialisation, once all announced bytes have landed; phases have parities 0,
// 1, 0, .. Ring.cuh builds rings from mbarriers. For sm_90 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_BARRIER_CUH
#define DELTA_DEVICE_BARRIER_CUH

#include "delta/Device/Base.cuh"

namespace delta {

/// Makes shared memory that the calling thread has written, or has seen other
/// threads write, visible to the asynchronous proxy: to copies by the tensor
/// memory accelerator, and to wgmma as operands.
DELTA_DEVICE void async_proxy_fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

namespace detail {

/// The number of lanes that arrive for a warp. One arrival after __syncwarp
/// means that all lanes are done, but the racecheck tool of compute-sanitizer
/// concludes that for the arriving lane only. DELTA_RACECHECK compiles kernels
/// for this tool (docs/testing.md).
#ifdef DELTA_RACECHECK
constexpr int arriving_lanes = 32;
#else
constexpr int arriving_lanes = 1;
#endif

/// 0 for the lanes that arrive.
DELTA_DEVICE int arrival_rank() { return lane_index() / arriving_lanes; }

/// Initialises the word at `barrier` as an mbarrier in phase 0; each phase
/// takes `arrivals` arrivals of warps. Called by one thread.
DELTA_DEVICE void barrier_init(uint32_t barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
               "r"(arrivals * arriving_lanes)
               : "memory");
}

/// Makes initialised mbarriers visible to asynchronous copies. Called by the
/// thread that initialised them, before a barrier of the CTA.
DELTA_DEVICE void barrier_init_fence() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Lane 0 of the calling warp arrives for the earlier work of all its lanes;
/// this counts as `arrivals` arrivals. The instruction is predicated: a branch
/// would put code into its own basic block between products in flight, and
/// ptxas would serialise them (C7517).
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
/// barrier is in the phase after it. A fresh barrier counts as being after a
/// phase of parity 1.
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
