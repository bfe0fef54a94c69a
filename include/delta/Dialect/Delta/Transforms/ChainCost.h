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

/// Costs of the chain kernels of one schedule. A chain is `value_columns` of
/// the value axis of one head.
class ChainCost {
public:
  explicit ChainCost(ScheduleAttr schedule);

  /// The numbers of chains a CTA that the schedule has kernels for, where a
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
  int64_t getCombine() const;
  /// Two more launches, with what all begin and end with.
  int64_t getLaunches() const;

private:
  /// A chunk of CTAs of one kernel: `wave` for each wave of them and `half` for
  /// each half of a wave that is begun, as they share the memory.
  struct Cost {
    int64_t wave, half;

    mlir::Value emit(mlir::ImplicitLocOpBuilder &b, mlir::Value ctas,
                     mlir::Value multiprocessors) const;
  };
  /// Of a CTA with one chain and with two.
  struct Costs {
    Cost apart, paired;
  };

  mlir::Value emitBest(mlir::ImplicitLocOpBuilder &b, const Costs &costs,
                       mlir::Value chains, mlir::Value multiprocessors,
                       int64_t columnTiles) const;

  Costs chunk, transfer;
  llvm::SmallVector<int64_t> variants;
};

} // namespace delta

#endif // DELTA_DIALECT_DELTA_TRANSFORMS_CHAINCOST_H
