//===- Scan.cuh - prefix sums -----------------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Inclusive prefix sums of flat vectors in a fixed order, so that the same
// input gives the same bits. The function documents its barriers.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_SCAN_CUH
#define DELTA_DEVICE_SCAN_CUH

#include "delta/Device/SharedAccess.cuh"

namespace delta {

/// r[i] = a[0] + .. + a[i], in f32; r[i] depends on no later element, not even
/// on a NaN. For decays this is the G of math inside a chunk (Gated DeltaNet,
/// 2412.06464, eq. 5 ff.).
///
/// Barriers: none for N <= 32, else one. `scratch` (at least N / 32 floats)
/// must be free when the function is entered; it is free again after the first
/// barrier that follows the call.
template <int N, int Size>
DELTA_DEVICE Flat<N> prefix_sum(const Flat<N> &a,
                                const SharedVector<float, Size> &scratch) {
  static_assert(N <= 128 && (N == 16 || N % 32 == 0),
                "16 elements, or whole warps of them up to 128");
  static_assert(Size * 32 >= N, "scratch holds one total a warp");
  const int lane = lane_index(), warp = warp_index();
  float sum = a.x[0];
#pragma unroll
  for (int distance = 1; distance < (N < 32 ? N : 32); distance *= 2) {
    const float before = __shfl_up_sync(0xffffffffu, sum, distance);
    sum = lane >= distance ? before + sum : sum;
  }
  if constexpr (N > 32) {
    if (lane == 31 && warp < N / 32 - 1)
      detail::store_shared(scratch.at(warp), sum);
    cta_sync();
    float before = 0.0f;
#pragma unroll
    for (int w = 0; w < N / 32 - 1; ++w)
      before = w < warp ? before + element(scratch, w) : before;
    sum = before + sum;
  }
  return {{sum}};
}

} // namespace delta

#endif // DELTA_DEVICE_SCAN_CUH
