//===- ChainCost.cpp - what chains cost on a GPU ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only place that knows times. They are for chunks of 64 rows and keys of
/// 128 on an H200; other sizes scale all of them alike, and choices compare
/// them.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/ChainCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

ChainCost::ChainCost(ScheduleAttr schedule)
    : variants(schedule.getColumnTileVariants()) {
  // sm_80: 0.25 ms for 128 chunks of 64 heads (docs/performance.md), 128 CTAs.
  // sm_90a: a warpgroup for itself is bound by latency; two share the tensor
  // cores, 1.6 us with few multiprocessors busy and 1.9 with all. Two a CTA pay
  // where there are many CTAs, so that is the number that decides.
  bool isWarpgroups = schedule.getFamily().getValue() == "sm_90a";
  apart = isWarpgroups ? 1000 : 1900;
  paired = isWarpgroups ? 1900 : 0;
}

// Of 16 chains over 512 chunks in 8 segments: 7 steps of combine took 48 us, 16
// chunks of 112 pairs of transfers 22.5 us, and all but the prepare kernel 212
// us, of which these costs leave 6.
int64_t ChainCost::getTransferPercent() const { return 70; }
int64_t ChainCost::getCombine() const { return 6900; }
int64_t ChainCost::getLaunches() const { return 6000; }

SmallVector<int64_t> ChainCost::getVariants(int64_t columnTiles) const {
  SmallVector<int64_t> found;
  for (int64_t tiles : variants)
    if (columnTiles % tiles == 0)
      found.push_back(tiles);
  if (found.empty())
    found.push_back(1);
  return found;
}

Value ChainCost::emitChunk(ImplicitLocOpBuilder &b, Value chains,
                           Value multiprocessors, int64_t tiles) const {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value ctas = chains;
  if (tiles > 1)
    ctas = arith::CeilDivUIOp::create(b, ctas, index(tiles));
  Value waves = arith::CeilDivUIOp::create(b, ctas, multiprocessors);
  return arith::MulIOp::create(b, waves, index(tiles > 1 ? paired : apart));
}

Value ChainCost::emitBestChunk(ImplicitLocOpBuilder &b, Value chains,
                               Value multiprocessors,
                               int64_t columnTiles) const {
  Value best;
  for (int64_t tiles : getVariants(columnTiles)) {
    Value time = emitChunk(b, chains, multiprocessors, tiles);
    best = best ? arith::MinUIOp::create(b, best, time).getResult() : time;
  }
  return best;
}
