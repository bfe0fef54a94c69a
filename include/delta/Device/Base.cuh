//===- Base.cuh - integers, thread coordinates ------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The basis of every device header: fixed-width integers, the attribute of a
// device function, and the coordinates of a thread in its CTA. A CTA is one
// dimensional: warp w is the threads 32 w .. 32 w + 31. Nothing here may touch
// memory. Everything compiles for sm_80 and later.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_BASE_CUH
#define DELTA_DEVICE_BASE_CUH

#ifdef __CUDACC_RTC__
#include <cuda/std/cstdint>
namespace delta {
using cuda::std::int64_t;
using cuda::std::uint32_t;
} // namespace delta
#else
#include <cstdint>
#endif

/// Attribute of every function of the device library. Inlining keeps the value
/// types in registers.
#define DELTA_DEVICE __device__ __forceinline__

namespace delta {

/// Lane of the calling thread in its warp, 0 .. 31.
DELTA_DEVICE int lane_index() { return static_cast<int>(threadIdx.x) & 31; }

/// Warp of the calling thread in its CTA.
DELTA_DEVICE int warp_index() { return static_cast<int>(threadIdx.x) >> 5; }

/// The thread's index in the CTA, hidden from loop-invariant code motion. For
/// addresses of cooperative copies: computing them again costs a few
/// instructions per iteration, keeping them costs registers that products need.
DELTA_DEVICE int unhoisted_thread_index() {
  int thread = static_cast<int>(threadIdx.x);
  asm volatile("" : "+r"(thread));
  return thread;
}

/// The group of 16 rows that the calling warp holds, in a fragment of Warps
/// groups. A fragment of up to four groups belongs to one warpgroup (four warps
/// from a multiple of four on), and every warpgroup holds its own. Warps beyond
/// the last group mirror it: they compute the same values and write them to the
/// same places, so a CTA may mix fragments of different heights.
template <int Warps> DELTA_DEVICE int fragment_warp() {
  int warp = warp_index();
  // The compiler drops this if the launch bounds allow only one warpgroup;
  // otherwise it costs registers that products need.
  if (Warps <= 4 && warp >= 4)
    warp &= 3;
  return warp < Warps ? warp : Warps - 1;
}

/// Row of a lane inside an 8-row half of an m16n8 fragment: g = lane / 4.
DELTA_DEVICE int fragment_row() { return lane_index() >> 2; }

/// First of the two adjacent columns that a lane holds of an 8-column block of
/// an m16n8 fragment: 2 t with t = lane % 4.
DELTA_DEVICE int fragment_column() { return (lane_index() & 3) * 2; }

/// Barrier of the whole CTA. Orders shared and global memory between its
/// threads.
DELTA_DEVICE void cta_sync() { __syncthreads(); }

} // namespace delta

#endif // DELTA_DEVICE_BASE_CUH
