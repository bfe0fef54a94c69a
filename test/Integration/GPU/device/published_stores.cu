//===- published_stores.cu - copies between CTAs ----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PublishedStores.cuh: CTAs draw tickets, load the tile that the CTA of the
// previous ticket stored, add one to it and store it for the next. Every hop
// must see the whole tile, with one CTA and with more than the GPU holds, in
// chains that are interleaved; a chain is longer than all CTAs together. Flags
// count stores, or are set to the number of the last one.
//
// REQUIRES: nvcc, gpu, sm_90a
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a \
// RUN:   -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/PublishedStores.cuh"
#include "delta/Device/Ring.cuh"
#include "delta/Device/SharedAccess.cuh"
#include "delta/Device/TensorMap.h"

using namespace delta;
using namespace test;

using Tile = SharedTile<half_t, 64, 64>;

/// x [chains, hops + 1, 64, 64] as a map of two axes: tile 0 of a chain is
/// given, tile n + 1 is tile n plus one. counters [1 + chains] are 0: tickets,
/// and the number of tiles of each chain that are stored. Counts the tickets.
__global__ void pass_on(const __grid_constant__ CUtensorMap map,
                        int32_t *counters, int chains, int hops,
                        unsigned *drawn) {
  const SharedBase base = shared_base();
  const Tile tile(base, 0);
  const Ring<1, 1, 1> ring(base, Tile::bytes);
  if (threadIdx.x == 0)
    ring_init(ring);
  cta_sync();
  for (uint32_t use = 0;; ++use) {
    const int ticket = warp_draw_ticket(counters);
    if (ticket >= chains * hops)
      break;
    if (lane_index() == 0)
      atomicAdd(drawn, 1u);
    const int hop = ticket / chains, chain = ticket % chains;
    const int row = (chain * (hops + 1) + hop) * 64;
    await_published(counters + 1 + chain, hop, 0);
    ring_acquire(ring, use);
    ring_expect(ring, use, Tile::bytes);
    tma_load(tile, map, ring, use, 0, row);
    ring_peek(ring, use);
    for (int i = lane_index(); i < 64 * 32; i += 32) {
      const uint32_t place = tile.address + i * 4;
      uint32_t pair;
      asm volatile("ld.shared.b32 %0, [%1];"
                   : "=r"(pair)
                   : "r"(place)
                   : "memory");
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(place),
                   "r"(Element<half_t>::pack(Element<half_t>::low(pair) + 1,
                                             Element<half_t>::high(pair) + 1))
                   : "memory");
    }
    // Lane 0 stores what all lanes wrote.
    __syncwarp();
    tma_store(map, tile, 0, row + 64);
    if (chain % 2 == 0)
      publish_stores(counters + 1 + chain);
    else
      publish_stores(counters + 1 + chain, hop + 1);
    ring_release(ring, use);
  }
}

static void check(int chains, int hops, int ctas) {
  const size_t tile = 64 * 64;
  std::vector<double> first(tile), want;
  for (size_t i = 0; i < tile; ++i)
    first[i] = i % 701;
  std::vector<half_t> x(chains * (hops + 1) * tile);
  for (int chain = 0; chain < chains; ++chain)
    for (int hop = 0; hop <= hops; ++hop)
      for (size_t i = 0; i < tile; ++i) {
        want.push_back(first[i] + hop + chain);
        if (hop == 0)
          x[chain * (hops + 1) * tile + i] =
              from_double<half_t>(first[i] + chain);
      }
  const Buffer<half_t> array(x);
  std::vector<int32_t> zeros(2 + chains);
  const Buffer<int32_t> counters(zeros);
  CUtensorMap map;
  const int64_t extents[2] = {64, int64_t(chains) * (hops + 1) * 64};
  const int64_t strides[2] = {1, 64};
  require(make_tensor_map(&map, array.data(), extents, strides, 64, 64, 1),
          "make_tensor_map");
  pass_on<<<ctas, 32, Tile::bytes + 16>>>(
      map, counters.data(), chains, hops,
      reinterpret_cast<unsigned *>(counters.data() + 1 + chains));
  require(cudaGetLastError(), "launch");
  require(cudaDeviceSynchronize(), "pass_on");
  char name[120];
  std::snprintf(name, sizeof name, "%d chains of %d hops, %d CTAs", chains,
                hops, ctas);
  compare(name, array.values(), want);
  std::vector<double> counts(2 + chains, hops);
  counts[0] = chains * hops + ctas;
  counts[1 + chains] = chains * hops;
  std::vector<float> got;
  for (int32_t count : counters.values())
    got.push_back(static_cast<float>(count));
  compare(std::string(name) + ", counters", got, counts);
}

int main() {
  check(1, 1, 1);
  check(1, 200, 1);
  check(1, 200, 7);
  check(3, 200, 132);
  check(2, 500, 4000);
  return finish();
}
