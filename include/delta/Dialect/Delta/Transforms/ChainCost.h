//===- ChainCost.h - what chains cost on a GPU ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The model by which a host function chooses among kernels when it runs: a
/// chain takes a time for each chunk that does not depend on its neighbours, as
/// the latency of its products bounds it, and CTAs run in waves of one a
/// multiprocessor. Times are in nanoseconds. Here is how the model is written
/// as index arithmetic; its numbers, and where they are from, are in
/// ChainCost.cpp.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_TRANSFORMS_CHAINCOST_H
#define DELTA_DIALECT_DELTA_TRANSFORMS_CHAINCOST_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {

/// Costs of the chain kernels of some plans, which differ in the chains of a
/// CTA. A chain is `columns` of the value axis of one head.
class ChainCost {
public:
  /// `plans` is an array of #plan.kernel. Nothing where nobody measured their
  /// machine.
  static std::optional<ChainCost> get(mlir::ArrayAttr plans);

  /// The numbers of chains a CTA that there are plans for, where a
  /// head has `columnTiles` chains: those that divide it, or 1.
  llvm::SmallVector<int64_t> getVariants(int64_t columnTiles) const;

  const plan::ScanCosts &getCosts() const { return costs; }
  /// What a chunk costs CTAs of `tiles` chains.
  const plan::ScanCosts::PerChunk &getChunk(int64_t tiles) const {
    return tiles > 1 ? costs.chunk.two : costs.chunk.one;
  }

private:
  explicit ChainCost(plan::ScanCosts costs) : costs(costs) {}

  plan::ScanCosts costs;
  llvm::SmallVector<int64_t> variants;
};

} // namespace delta

#endif // DELTA_DIALECT_DELTA_TRANSFORMS_CHAINCOST_H
