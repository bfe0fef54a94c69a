//===- Launch.h - what a launcher asks and sets -----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code: the device's size, and attributes of a cudaLaunchConfig_t.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_LAUNCH_H
#define DELTA_DEVICE_LAUNCH_H

#include <cstdint>
#include <cuda_runtime.h>

namespace delta {

/// Multiprocessors of the current device; 1 where that cannot be read.
inline int64_t multiprocessors() {
  int device = 0, count = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device) !=
          cudaSuccess)
    return 1;
  return count;
}

/// Lets the launch start when every CTA of the launch in front of it on the
/// stream has ended. Its kernel calls wait_for_prior_launches (Roles.cuh)
/// before it touches what that one writes.
inline cudaLaunchAttribute overlap_attribute() {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  return attribute;
}

} // namespace delta

#endif // DELTA_DEVICE_LAUNCH_H
