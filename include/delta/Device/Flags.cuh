//===- Flags.cuh - order between CTAs ---------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work queues and flags in global memory, for CTAs of one launch that wait for
// each other. A CTA draws its work by ticket before it waits, and waits only
// for CTAs with smaller tickets. These are running already, so waiting cannot
// deadlock, however few CTAs are resident. Counters and flags are 0 before the
// launch. All threads of the CTA call a function, or all lanes of a warp if its
// comment says so.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_FLAGS_CUH
#define DELTA_DEVICE_FLAGS_CUH

#include "delta/Device/SharedAccess.cuh"

namespace delta {

/// Adds 1 to *counter and returns its old value, the same in every thread: the
/// n-th call of a launch returns n. One barrier. `scratch` must be free before
/// the call and is read until the next barrier.
DELTA_DEVICE int64_t draw_ticket(int32_t *counter,
                                 const SharedVector<float, 4> &scratch) {
  if (threadIdx.x == 0)
    detail::store_shared(scratch.at(0), __int_as_float(atomicAdd(counter, 1)));
  cta_sync();
  return __float_as_int(detail::load_shared(scratch.at(0)));
}

/// Adds 1 to *counter and returns its old value, the same in every lane: the
/// n-th call of a launch returns n.
DELTA_DEVICE int warp_draw_ticket(int32_t *counter) {
  int ticket = 0;
  if (lane_index() == 0)
    ticket = atomicAdd(counter, 1);
  return __shfl_sync(0xffffffffu, ticket, 0);
}

/// Waits until *flag is at least `epoch`. Afterwards the caller observes all
/// stores of the writer before it raised the flag. `seen` is a value that *flag
/// is known to have reached; if it suffices, nothing is loaded. Returns the
/// newly known value. Any warp may call it, and there is no barrier: every
/// thread acquires on its own.
DELTA_DEVICE int32_t await_flag(const int32_t *flag, int32_t epoch,
                                int32_t seen = 0) {
  while (seen < epoch)
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                 : "=r"(seen)
                 : "l"(flag)
                 : "memory");
  // Lanes may leave the loop at different times; tensor instructions need the
  // whole warp.
  __syncwarp();
  return seen;
}

/// Sets *flag to `epoch` once all threads of the CTA have called: a thread that
/// acquires the flag observes their stores before the call. One barrier.
DELTA_DEVICE void raise_flag(int32_t *flag, int32_t epoch) {
  cta_sync();
  if (threadIdx.x == 0)
    asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flag), "r"(epoch)
                 : "memory");
}

} // namespace delta

#endif // DELTA_DEVICE_FLAGS_CUH
