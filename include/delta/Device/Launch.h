//===- Launch.h - device facts, launch attributes ---------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code: facts about the device, and attributes of a cudaLaunchConfig_t.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_LAUNCH_H
#define DELTA_DEVICE_LAUNCH_H

#include <atomic>
#include <cstdint>
#include <cuda_runtime.h>

namespace delta {

/// Number of multiprocessors of the current device; 1 if it cannot be read.
inline int64_t multiprocessors() {
  int device = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) !=
          cudaSuccess)
    return 1;
  return count;
}

/// Ten times the compute capability of the current device; 0 if it cannot be
/// read. Each device is asked once. Any thread may call this function.
inline int compute_capability() {
  constexpr int remembered = 64; // devices
  static std::atomic<int> known[remembered] = {};
  int device = 0, major = 0, minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess)
    return 0;
  if (device < remembered)
    if (const int capability = known[device].load(std::memory_order_relaxed))
      return capability;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
                             device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor,
                             device) != cudaSuccess)
    return 0;
  const int capability = major * 10 + minor;
  if (device < remembered)
    known[device].store(capability, std::memory_order_relaxed);
  return capability;
}

/// Lets the launch start when every CTA of the previous launch on the stream
/// has ended. Its kernel calls wait_for_prior_launches (Roles.cuh) before it
/// accesses memory that the previous launch writes.
inline cudaLaunchAttribute overlap_attribute() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

} // namespace delta

#endif // DELTA_DEVICE_LAUNCH_H
