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

  /// Nanoseconds for one chunk of each of `chains` chains (an index, at least
  /// 0) on `multiprocessors`, `tiles` of them a CTA.
  mlir::Value emitChunk(mlir::ImplicitLocOpBuilder &b, mlir::Value chains,
                        mlir::Value multiprocessors, int64_t tiles) const;
  /// The least of these over the variants.
  mlir::Value emitBestChunk(mlir::ImplicitLocOpBuilder &b, mlir::Value chains,
                            mlir::Value multiprocessors,
                            int64_t columnTiles) const;
  /// The same without outputs, of the chains that map segments.
  mlir::Value emitBestTransfer(mlir::ImplicitLocOpBuilder &b,
                               mlir::Value chains, mlir::Value multiprocessors,
                               int64_t columnTiles) const;

  /// One step of the kernel that combines segments.
  int64_t getCombine() const { return costs.fold; }
  /// Two more launches, with what all begin and end with.
  int64_t getLaunches() const { return costs.launches; }

private:
  using PerChunk = plan::ScanCosts::PerChunk;
  using ByChains = plan::ScanCosts::ByChains;

  explicit ChainCost(plan::ScanCosts costs) : costs(costs) {}

  mlir::Value emitBest(mlir::ImplicitLocOpBuilder &b, const ByChains &costs,
                       mlir::Value chains, mlir::Value multiprocessors,
                       int64_t columnTiles) const;

  plan::ScanCosts costs;
  llvm::SmallVector<int64_t> variants;
};

} // namespace delta

#endif // DELTA_DIALECT_DELTA_TRANSFORMS_CHAINCOST_H
