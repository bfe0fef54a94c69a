//===- ChainCost.cpp - what chains cost on a GPU ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns what a machine says of scans into arithmetic of the host program.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/ChainCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

std::optional<ChainCost> ChainCost::get(ArrayAttr plans) {
  auto first = cast<plan::KernelPlanAttr>(plans[0]);
  std::optional<plan::ScanCosts> costs =
      first.getMachine().getScanCosts(first.getProducts());
  if (!costs)
    return std::nullopt;
  ChainCost cost(*costs);
  for (auto plan : plans.getAsRange<plan::KernelPlanAttr>())
    cost.variants.push_back(plan.getChains());
  return cost;
}

SmallVector<int64_t> ChainCost::getVariants(int64_t columnTiles) const {
  SmallVector<int64_t> found;
  for (int64_t tiles : variants)
    if (columnTiles % tiles == 0)
      found.push_back(tiles);
  if (found.empty())
    found.push_back(1);
  return found;
}

/// Nanoseconds of a chunk of `ctas` CTAs.
static Value emitTime(ImplicitLocOpBuilder &b,
                      const plan::ScanCosts::PerChunk &cost, Value ctas,
                      Value multiprocessors) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto times = [&](Value count, int64_t cost) -> Value {
    return arith::MulIOp::create(b, count, index(cost));
  };
  Value waves = arith::CeilDivUIOp::create(b, ctas, multiprocessors);
  Value time = times(waves, cost.wave);
  if (cost.half == 0)
    return time;
  Value halves = arith::CeilDivUIOp::create(b, times(ctas, 2), multiprocessors);
  return arith::AddIOp::create(b, time, times(halves, cost.half));
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
  const PerChunk &cost = tiles > 1 ? costs.chunk.two : costs.chunk.one;
  return emitTime(b, cost, emitCtas(b, chains, tiles), multiprocessors);
}

Value ChainCost::emitBest(ImplicitLocOpBuilder &b, const ByChains &costs,
                          Value chains, Value multiprocessors,
                          int64_t columnTiles) const {
  Value best;
  for (int64_t tiles : getVariants(columnTiles)) {
    const PerChunk &cost = tiles > 1 ? costs.two : costs.one;
    Value time = emitTime(b, cost, emitCtas(b, chains, tiles), multiprocessors);
    best = best ? arith::MinUIOp::create(b, best, time).getResult() : time;
  }
  return best;
}

Value ChainCost::emitBestChunk(ImplicitLocOpBuilder &b, Value chains,
                               Value multiprocessors,
                               int64_t columnTiles) const {
  return emitBest(b, costs.chunk, chains, multiprocessors, columnTiles);
}

Value ChainCost::emitBestTransfer(ImplicitLocOpBuilder &b, Value chains,
                                  Value multiprocessors,
                                  int64_t columnTiles) const {
  return emitBest(b, costs.transfer, chains, multiprocessors, columnTiles);
}
