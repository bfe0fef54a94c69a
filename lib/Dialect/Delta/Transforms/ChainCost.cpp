//===- ChainCost.cpp - what chains cost on a GPU ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only place that knows times. They are nanoseconds for chunks of 64 rows
/// and keys of 128 on an H200; other sizes scale all of them alike, and choices
/// compare them.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/ChainCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

// Measured (docs/notes/segment-costs.md). sm_90a: a warpgroup for itself is
// bound by latency, two share the tensor cores. sm_80: 128 CTAs take 0.25 ms
// for 128 chunks; the share of a transfer is that of sm_90a.
ChainCost::ChainCost(ScheduleAttr schedule)
    : variants(schedule.getColumnTileVariants()) {
  if (schedule.getFamily().getValue() == "sm_90a") {
    chunk = {{800, 110}, {1000, 450}};
    transfer = {{680, 30}, {850, 100}};
  } else {
    chunk = {{1900, 0}, {}};
    transfer = {{1400, 0}, {}};
  }
}

int64_t ChainCost::getCombine() const { return 2350; }
int64_t ChainCost::getLaunches() const { return 7000; }

SmallVector<int64_t> ChainCost::getVariants(int64_t columnTiles) const {
  SmallVector<int64_t> found;
  for (int64_t tiles : variants)
    if (columnTiles % tiles == 0)
      found.push_back(tiles);
  if (found.empty())
    found.push_back(1);
  return found;
}

Value ChainCost::Cost::emit(ImplicitLocOpBuilder &b, Value ctas,
                            Value multiprocessors) const {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto times = [&](Value count, int64_t cost) -> Value {
    return arith::MulIOp::create(b, count, index(cost));
  };
  Value waves = arith::CeilDivUIOp::create(b, ctas, multiprocessors);
  Value time = times(waves, wave);
  if (half == 0)
    return time;
  Value halves = arith::CeilDivUIOp::create(b, times(ctas, 2), multiprocessors);
  return arith::AddIOp::create(b, time, times(halves, half));
}

/// The number of CTAs of `tiles` chains each.
static Value emitCtas(ImplicitLocOpBuilder &b, Value chains, int64_t tiles) {
  if (tiles == 1)
    return chains;
  return arith::CeilDivUIOp::create(b, chains,
                                    arith::ConstantIndexOp::create(b, tiles));
}

Value ChainCost::emitChunk(ImplicitLocOpBuilder &b, Value chains,
                           Value multiprocessors, int64_t tiles) const {
  const Cost &cost = tiles > 1 ? chunk.paired : chunk.apart;
  return cost.emit(b, emitCtas(b, chains, tiles), multiprocessors);
}

Value ChainCost::emitBest(ImplicitLocOpBuilder &b, const Costs &costs,
                          Value chains, Value multiprocessors,
                          int64_t columnTiles) const {
  Value best;
  for (int64_t tiles : getVariants(columnTiles)) {
    const Cost &cost = tiles > 1 ? costs.paired : costs.apart;
    Value time = cost.emit(b, emitCtas(b, chains, tiles), multiprocessors);
    best = best ? arith::MinUIOp::create(b, best, time).getResult() : time;
  }
  return best;
}

Value ChainCost::emitBestChunk(ImplicitLocOpBuilder &b, Value chains,
                               Value multiprocessors,
                               int64_t columnTiles) const {
  return emitBest(b, chunk, chains, multiprocessors, columnTiles);
}

Value ChainCost::emitBestTransfer(ImplicitLocOpBuilder &b, Value chains,
                                  Value multiprocessors,
                                  int64_t columnTiles) const {
  return emitBest(b, transfer, chains, multiprocessors, columnTiles);
}
