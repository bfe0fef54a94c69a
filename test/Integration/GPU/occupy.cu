//===- occupy.cu - leave a GPU with room for one CTA ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CTAs that do nothing and hold shared memory, so that only a chosen number of
// CTAs of another kernel can run at a time. For harness/residency.py; built by
// nvcc alone.
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime.h>

/// Memory shared with the host: the number of CTAs that hold their place, and
/// the signal to leave it.
struct State {
  int held, leave;
};

namespace {

/// A limit, so that a failing test ends.
constexpr unsigned long long kLongestNs = 5'000'000'000;

/// The shared memory that the system reserves for each CTA.
constexpr int kReservedBytes = 1024;

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold(State *state) {
  const unsigned long long begin = nanoseconds();
  atomicAdd_system(&state->held, 1);
  while (!*static_cast<volatile int *>(&state->leave) &&
         nanoseconds() - begin < kLongestNs)
    __nanosleep(1000);
  atomicAdd_system(&state->held, -1);
}

} // namespace

/// Starts CTAs on two streams that leave `freeBytes` of shared memory (without
/// the system's reserve) on one multiprocessor and none on the others. A
/// multiprocessor without room for two such CTAs is left alone, because a CTA
/// that takes most of its shared memory may take all of its registers. Returns
/// the number of CTAs; a negative number is a cudaError_t.
extern "C" int occupy(State *state, int freeBytes, cudaStream_t first,
                      cudaStream_t second) {
  int device, processors, perProcessor, perCta;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  cudaDeviceGetAttribute(&perProcessor,
                         cudaDevAttrMaxSharedMemoryPerMultiprocessor, device);
  cudaDeviceGetAttribute(&perCta, cudaDevAttrMaxSharedMemoryPerBlockOptin,
                         device);
  cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       perCta);
  // A multiprocessor keeps its split of L1 and shared memory while a CTA runs
  // on it.
  cudaFuncSetAttribute(hold, cudaFuncAttributePreferredSharedMemoryCarveout,
                       cudaSharedmemCarveoutMaxShared);
  hold<<<processors - 1, 1, perCta, first>>>(state);
  const bool hasRoomForTwo = 2 * (freeBytes + kReservedBytes) <= perProcessor;
  if (hasRoomForTwo)
    hold<<<1, 1, perProcessor - freeBytes - 2 * kReservedBytes, second>>>(
        state);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? processors - !hasRoomForTwo
                              : -static_cast<int>(error);
}
