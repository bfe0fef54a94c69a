//===- ZeroShared.cuh - shared memory that starts as zeros ------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For buffers with rows that no copy writes. For sm_90 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_ZEROSHARED_CUH
#define DELTA_DEVICE_ZEROSHARED_CUH

#include "delta/Device/Barrier.cuh"
#include "delta/Device/Shared.cuh"

namespace delta {

/// Writes zeros to `bytes` bytes of shared memory from byte_offset on, both
/// multiples of 16. All Threads threads of the CTA call it, and a barrier of
/// the CTA separates this call from every use, also by copies and products in
/// flight.
template <int Threads>
DELTA_DEVICE void zero_shared(SharedBase base, uint32_t byte_offset,
                              uint32_t bytes) {
  for (uint32_t i = threadIdx.x * 16; i < bytes; i += Threads * 16)
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(
                     base.address + byte_offset + i),
                 "r"(0)
                 : "memory");
  async_proxy_fence();
}

} // namespace delta

#endif // DELTA_DEVICE_ZEROSHARED_CUH
