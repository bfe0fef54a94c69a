//===- PublishedStores.cuh - TMA stores for other CTAs ----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One CTA stores an array with the tensor memory accelerator, and another CTA
// of the same launch loads it likewise. Flags in global memory (Flags.cuh)
// count the complete stores. All lanes of one warp of a role call these
// functions. For sm_90 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_PUBLISHEDSTORES_CUH
#define DELTA_DEVICE_PUBLISHEDSTORES_CUH

#include "delta/Device/Flags.cuh"
#include "delta/Device/Tma.cuh"

namespace delta {

/// Waits until the stores of this warp are complete and adds 1 to *flag. A warp
/// that sees the new value with await_published may load the stored data.
DELTA_DEVICE void publish_stores(int32_t *flag) {
  if (lane_index() == 0)
    asm volatile("cp.async.bulk.wait_group 0;\n"
                 "fence.proxy.async.global;\n"
                 "red.release.gpu.global.add.s32 [%0], 1;" ::"l"(flag)
                 : "memory");
  __syncwarp();
}

/// The same for a flag that only one warp raises: sets *flag to `epoch`.
DELTA_DEVICE void publish_stores(int32_t *flag, int32_t epoch) {
  if (lane_index() == 0)
    asm volatile("cp.async.bulk.wait_group 0;\n"
                 "fence.proxy.async.global;\n"
                 "st.release.gpu.global.s32 [%0], %1;" ::"l"(flag),
                 "r"(epoch)
                 : "memory");
  __syncwarp();
}

/// Waits until *flag is at least `count`; loads by tma_load that this warp
/// starts afterwards see the data that was published. `seen` is a value that
/// *flag is known to have reached; if it suffices, nothing is read. Returns the
/// newly known value.
DELTA_DEVICE int32_t await_published(const int32_t *flag, int32_t count,
                                     int32_t seen = 0) {
  if (seen >= count)
    return seen;
  seen = await_flag(flag, count, seen);
  asm volatile("fence.proxy.async.global;" ::: "memory");
  return __shfl_sync(0xffffffffu, seen, 0);
}

} // namespace delta

#endif // DELTA_DEVICE_PUBLISHEDSTORES_CUH
