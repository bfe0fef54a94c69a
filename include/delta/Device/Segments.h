//===- Segments.h - how a sequence is cut into segments ---------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code, plain C++: what chains cost on a GPU, and the choice of segments
// that follows. A chain is a column tile of one head; its time for a chunk does
// not depend on its neighbours, as the latency of its products bounds it, and
// CTAs run in waves of one a multiprocessor.
//
// With L chunks in P segments of l = ceil(L / P), all of them at once, a
// forward pass takes
//
//     l chunk(P chains) + l transfer((P - 1) parts chains) +
//     (P - 1) combine + launches
//
// against L chunk(chains). Both chunk and transfer grow where a wave of CTAs
// is full, so more segments than fill one wave of chains never pay; fewer do
// where combining them, which is sequential, takes longer than their chunks.
// Four counts are compared: as many as fill a wave, half, a quarter and an
// eighth of them.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_SEGMENTS_H
#define DELTA_DEVICE_SEGMENTS_H

#include <stdint.h>

namespace delta {

/// Nanoseconds for one chunk of CTAs of one kernel: `wave` for each wave of
/// them, and `half` for each half of a wave that is begun, as they share the
/// memory.
struct ChunkCost {
  int64_t wave, half;
};

/// Nanoseconds of the kernels of one machine: `chunk` advances a chain by a
/// chunk, `transfer` the map of a segment, which has no outputs, each of CTAs
/// with one chain and with two; `fold` is one step of the kernel that combines
/// segments, `launches` two more launches with what all begin and end with.
struct ScanCosts {
  ChunkCost chunk[2], transfer[2];
  int64_t fold, launches;
};

namespace detail {

constexpr int64_t ceil_divide(int64_t x, int64_t y) { return (x + y - 1) / y; }
constexpr int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
constexpr int64_t most(int64_t x, int64_t y) { return x > y ? x : y; }

} // namespace detail

/// Nanoseconds for one chunk of each of `chains` chains, `tiles` of them a CTA.
constexpr int64_t chunk_time(ChunkCost cost, int64_t tiles, int64_t chains,
                             int64_t multiprocessors) {
  const int64_t ctas = detail::ceil_divide(chains, tiles);
  return detail::ceil_divide(ctas, multiprocessors) * cost.wave +
         detail::ceil_divide(2 * ctas, multiprocessors) * cost.half;
}

/// The least of these over the chains a CTA that there are kernels for.
template <int64_t first_tiles, int64_t... more_tiles>
constexpr int64_t least_chunk_time(const ChunkCost (&costs)[2], int64_t chains,
                                   int64_t multiprocessors) {
  const int64_t time =
      chunk_time(costs[first_tiles - 1], first_tiles, chains, multiprocessors);
  if constexpr (sizeof...(more_tiles) == 0)
    return time;
  else
    return detail::least(
        time, least_chunk_time<more_tiles...>(costs, chains, multiprocessors));
}

/// `count` segments, at least 1, of `length` chunks each; the last may be
/// shorter.
struct Segments {
  int64_t count, length;
};

/// The segments that cost least for `chains` chains of `chunks` chunks, by the
/// costs of the machine. `tiles` are the chains a CTA that there are kernels
/// for; a segment's map is `parts` times as wide as a state.
template <int64_t... tiles>
constexpr Segments choose_segments(const ScanCosts &costs, int64_t chains,
                                   int64_t chunks, int64_t parts,
                                   int64_t multiprocessors) {
  Segments best = {1, chunks};
  int64_t best_time =
      chunks * least_chunk_time<tiles...>(costs.chunk, chains, multiprocessors);
  const int64_t fill = multiprocessors / detail::most(chains, 1);
  for (int64_t share = 1; share <= 8; share *= 2) {
    const int64_t most_segments = detail::most(fill / share, 1);
    const int64_t length =
        detail::most(detail::ceil_divide(chunks, most_segments), 1);
    const int64_t count = detail::ceil_divide(chunks, length);
    const int64_t mapped = detail::most(count, 1) - 1;
    // No more than one wave, so that one chain a CTA is best.
    const int64_t running =
        chunk_time(costs.chunk[0], 1, chains * count, multiprocessors);
    const int64_t mapping = least_chunk_time<tiles...>(
        costs.transfer, chains * mapped * parts, multiprocessors);
    const int64_t time =
        length * (running + mapping) + mapped * costs.fold + costs.launches;
    if (time < best_time) {
      best_time = time;
      best = {count, length};
    }
  }
  return best;
}

} // namespace delta

#endif // DELTA_DEVICE_SEGMENTS_H
