//===- ring.cu - rings of mbarriers -----------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ring.cuh: producers and consumers with random delays. Every slot must hold
// all that its use wrote for as long as a consumer reads it. Slots filled from
// registers and by copies, one to four stages, many more uses than phases,
// slots that one role passes on to another.
//
// REQUIRES: nvcc, gpu, sm_90a
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a \
// RUN:   -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Sm90a.cuh"

using namespace delta;
using namespace test;

/// The value that use `index` writes to element i.
__host__ __device__ float value_of(uint32_t index, int i) {
  return static_cast<float>((index * 131 + i * 7) % 8191);
}

/// Waits for no, some or many cycles, depending on a hash of the place.
__device__ void dawdle(uint32_t index, uint32_t seed) {
  uint32_t x = (index + 1) * 2654435761u ^ (warp_index() + seed) * 40503u;
  x ^= x >> 15;
  if (x % 4 == 0)
    __nanosleep(x / 4 % 2000);
}

/// Producer warps 0 .. Producers - 1 write 32 floats of a slot each, or with
/// `Copies` warp 0 copies all of it; the next Consumers warps read all of it.
/// Counts the elements that are wrong.
template <int Stages, int Producers, int Consumers, bool Copies>
__global__ void pass(const float *source, uint32_t uses, uint32_t seed,
                     unsigned *wrong, unsigned *read) {
  constexpr int length = 32 * Producers;
  constexpr int barriers = 1024 * Stages;
  const SharedBase base = shared_base();
  const Ring<Stages, Copies ? 1 : Producers, Consumers> ring(base, barriers);
  if (threadIdx.x == 0)
    ring_init(ring);
  cta_sync();
  const int warp = uniform_warp_index(), lane = lane_index();
  for (uint32_t use = 0; use < uses; ++use) {
    const SharedVector<float, length> slot(base, use % Stages * 1024);
    if (warp < Producers) {
      if (Copies && warp > 0)
        return;
      dawdle(use, seed);
      ring_acquire(ring, use);
      if constexpr (Copies) {
        ring_expect(ring, use, slot.bytes);
        bulk_load(slot, source + int64_t(use) * length, ring, use);
      } else {
        detail::store_shared(slot.at(32 * warp + lane),
                             value_of(use, 32 * warp + lane));
        ring_commit(ring, use);
      }
    } else {
      ring_peek(ring, use);
      dawdle(use, seed);
      for (int i = lane; i < length; i += 32) {
        atomicAdd(read, 1u);
        if (element(slot, i) != value_of(use, i))
          atomicAdd(wrong, 1u);
      }
      ring_release(ring, use);
    }
  }
}

/// Warps 0 .. 3 read a slot that warp 4 filled and pass it on to warp 5, which
/// reads it too and releases it for all of them.
__global__ void hand_on(uint32_t uses, uint32_t seed, unsigned *wrong,
                        unsigned *read) {
  const SharedBase base = shared_base();
  const Ring<2, 1, 4> ring(base, 2048);
  const Ring<1, 4, 1> handed(base, 2048 + ring.bytes);
  if (threadIdx.x == 0) {
    ring_init(ring);
    ring_init(handed);
  }
  cta_sync();
  const int warp = uniform_warp_index(), lane = lane_index();
  for (uint32_t use = 0; use < uses; ++use) {
    const SharedVector<float, 32> slot(base, use % 2 * 1024);
    dawdle(use, seed);
    if (warp == 4) {
      ring_acquire(ring, use);
      detail::store_shared(slot.at(lane), value_of(use, lane));
      ring_commit(ring, use);
      continue;
    }
    if (warp < 4) {
      ring_peek(ring, use);
      ring_acquire(handed, use);
    } else {
      ring_peek(handed, use);
      dawdle(use, seed + 1);
    }
    atomicAdd(read, 1u);
    if (element(slot, lane) != value_of(use, lane))
      atomicAdd(wrong, 1u);
    if (warp < 4) {
      ring_commit(handed, use);
    } else {
      ring_release(ring, use, 4);
      ring_release(handed, use);
    }
  }
}

static void check_hand_on() {
  constexpr uint32_t uses = 500;
  unsigned *counts;
  require(cudaMalloc(&counts, 8), "cudaMalloc");
  require(cudaMemset(counts, 0, 8), "cudaMemset");
  for (uint32_t seed = 0; seed < 4; ++seed)
    launch(hand_on, 192, 2048 + 48, uses, seed, counts, counts + 1);
  unsigned got[2];
  require(cudaMemcpy(got, counts, 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
  cudaFree(counts);
  char detail[120];
  std::snprintf(detail, sizeof detail, "%u of %u elements wrong", got[0],
                got[1]);
  report(got[0] == 0 && got[1] == 4 * uses * 5 * 32, "slots that are handed on",
         detail);
}

template <int Stages, int Producers, int Consumers, bool Copies>
static void check() {
  constexpr int length = 32 * Producers;
  constexpr uint32_t uses = 500;
  std::vector<float> source(uses * length);
  for (uint32_t use = 0; use < uses; ++use)
    for (int i = 0; i < length; ++i)
      source[use * length + i] = value_of(use, i);
  Buffer<float> from(source);
  unsigned *counts;
  require(cudaMalloc(&counts, 8), "cudaMalloc");
  require(cudaMemset(counts, 0, 8), "cudaMemset");
  for (uint32_t seed = 0; seed < 4; ++seed)
    launch(pass<Stages, Producers, Consumers, Copies>,
           32 * (Producers + Consumers), 1024 * Stages + 16 * Stages,
           static_cast<const float *>(from.data()), uses, seed, counts,
           counts + 1);
  unsigned got[2];
  require(cudaMemcpy(got, counts, 8, cudaMemcpyDeviceToHost), "cudaMemcpy");
  cudaFree(counts);
  char name[120], detail[120];
  std::snprintf(name, sizeof name, "ring of %d, %d producers%s, %d consumers",
                Stages, Producers, Copies ? " by copies" : "", Consumers);
  std::snprintf(detail, sizeof detail, "%u of %u elements wrong", got[0],
                got[1]);
  report(got[0] == 0 && got[1] == 4 * uses * length * Consumers, name, detail);
}

int main() {
  check<1, 4, 1, false>();
  check<2, 4, 1, false>();
  check<3, 1, 4, false>();
  check<4, 2, 8, false>();
  check<1, 1, 1, true>();
  check<2, 2, 4, true>();
  check<3, 4, 8, true>();
  check_hand_on();
  return finish();
}
