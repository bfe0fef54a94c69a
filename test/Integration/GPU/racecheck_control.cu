//===- racecheck_control.cu - what racecheck says of rings ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp fills slots of a ring and another one reads them, once correctly and
// twice with a race. A report of compute-sanitizer's racecheck on delta's
// kernels is meaningful only if racecheck reports the two races and not the
// correct kernel. Compile with DELTA_RACECHECK (Barrier.cuh), for sm_90 and
// later.
//
//   racecheck_control right | early_release | late_peek  copies | stores
//
// Exits with 2 if the order is unknown or a call fails. A wrong order yields
// wrong sums only by chance; a right order with wrong sums exits with 1.
//
//===----------------------------------------------------------------------===//

#include "delta/Device/Sm90a.cuh"

#include <cstdio>
#include <cstdlib>
#include <string>

using namespace delta;

namespace {

enum class Order { Right, EarlyRelease, LatePeek };

constexpr int kUses = 32, kSlots = 2, kSlotBytes = 1024;

/// sums[lane] is the sum of source[use][lane] over all uses. One CTA of two
/// warps; the slots are filled by copies, or else by stores of all lanes.
template <bool Copies, Order order>
__global__ void hand_over(const float *source, float *sums) {
  const SharedBase base = shared_base();
  const Ring<kSlots, 1, 1> ring(base, kSlots * kSlotBytes);
  if (threadIdx.x == 0)
    ring_init(ring);
  cta_sync();
  const int lane = lane_index();
  float sum = 0;
  for (int use = 0; use < kUses; ++use) {
    const SharedVector<float, 32> slot(base, use % kSlots * kSlotBytes);
    const float *row = source + 32 * use;
    if (uniform_warp_index() == 0) {
      ring_acquire(ring, use);
      if constexpr (Copies) {
        ring_expect(ring, use, slot.bytes);
        bulk_load(slot, row, ring, use);
      } else {
        detail::store_shared(slot.at(lane), row[lane]);
        ring_commit(ring, use);
      }
      continue;
    }
    if constexpr (order != Order::LatePeek)
      ring_peek(ring, use);
    if constexpr (order == Order::EarlyRelease)
      ring_release(ring, use);
    sum += element(slot, lane);
    if constexpr (order == Order::LatePeek)
      ring_peek(ring, use);
    if constexpr (order != Order::EarlyRelease)
      ring_release(ring, use);
  }
  if (uniform_warp_index() == 1)
    sums[lane] = sum;
}

void require(cudaError_t status) {
  if (status == cudaSuccess)
    return;
  std::fprintf(stderr, "racecheck_control: error: %s\n",
               cudaGetErrorString(status));
  std::exit(2);
}

/// Whether the sums are right.
template <bool Copies, Order order> bool run() {
  float rows[kUses][32], sums[32], *source, *result;
  for (int use = 0; use < kUses; ++use)
    for (int lane = 0; lane < 32; ++lane)
      rows[use][lane] = static_cast<float>((use * 131 + lane * 7) % 251);
  require(cudaMalloc(&source, sizeof rows));
  require(cudaMalloc(&result, sizeof sums));
  require(cudaMemcpy(source, rows, sizeof rows, cudaMemcpyHostToDevice));
  hand_over<Copies, order>
      <<<1, 64, kSlots * kSlotBytes + 16 * kSlots>>>(source, result);
  require(cudaGetLastError());
  require(cudaMemcpy(sums, result, sizeof sums, cudaMemcpyDeviceToHost));
  require(cudaFree(source));
  require(cudaFree(result));
  for (int lane = 0; lane < 32; ++lane) {
    float sum = 0;
    for (int use = 0; use < kUses; ++use)
      sum += rows[use][lane];
    if (sum != sums[lane])
      return false;
  }
  return true;
}

template <bool Copies> int runOrder(const std::string &order) {
  if (order == "right")
    return run<Copies, Order::Right>() ? 0 : 1;
  if (order == "early_release")
    return run<Copies, Order::EarlyRelease>(), 0;
  if (order == "late_peek")
    return run<Copies, Order::LatePeek>(), 0;
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  const std::string order = argc == 3 ? argv[1] : "";
  const std::string fill = argc == 3 ? argv[2] : "";
  const int status = fill == "copies"   ? runOrder<true>(order)
                     : fill == "stores" ? runOrder<false>(order)
                                        : 2;
  if (status == 2)
    std::fprintf(stderr, "usage: racecheck_control right|early_release|"
                         "late_peek copies|stores\n");
  return status;
}
