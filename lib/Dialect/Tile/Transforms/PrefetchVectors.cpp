//===- PrefetchVectors.cpp - vectors of later iterations --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-prefetch-vectors`. A vector that is gathered to registers costs a
/// register a thread, and its latency where it is asked for. So it is asked for
/// before anything is waited for, and in a loop one iteration ahead.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {
#define GEN_PASS_DEF_PREFETCHVECTORS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// Adds what `op` needs of its block to `slice`, operands first; fails where
/// that is more than arithmetic.
static bool collectSlice(Operation *op, llvm::SetVector<Operation *> &slice) {
  for (Value operand : op->getOperands()) {
    Operation *def = operand.getDefiningOp();
    if (!def || def->getBlock() != op->getBlock() || slice.contains(def))
      continue;
    if (!isPure(def) || def->getNumRegions() != 0 || !collectSlice(def, slice))
      return false;
  }
  slice.insert(op);
  return true;
}

static bool isVector(LoadOp load) {
  return load.getTile().getType().getRank() == 1;
}

/// Whether anything in `root` may write what `load` reads.
static bool isOverwritten(LoadOp load, Operation *root) {
  GlobalAccess reads = *getGlobalAccess(load);
  return root
      ->walk([&](Operation *op) {
        std::optional<GlobalAccess> access = getGlobalAccess(op);
        return access && access->conflictsWith(reads) ? WalkResult::interrupt()
                                                      : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

/// A load of a loop's body, and the arithmetic in front of it.
struct Prefetch {
  LoadOp load;
  llvm::SetVector<Operation *> slice;

  /// Clones the load for another iteration.
  Value clone(OpBuilder &b, Value from, Value counter) const {
    IRMapping map;
    map.map(from, counter);
    for (Operation *op : slice)
      b.clone(*op, map);
    return map.lookup(slice.back()->getResult(0));
  }
};

} // namespace

/// Whether a slice depends on nothing of an iteration but its number.
static bool isFunctionOfCounter(const Prefetch &prefetch, scf::ForOp loop) {
  return llvm::none_of(prefetch.slice, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return llvm::is_contained(loop.getRegionIterArgs(), operand);
    });
  });
}

static void rotate(scf::ForOp loop, int64_t iterations) {
  SmallVector<Prefetch> prefetches;
  for (auto load : loop.getBody()->getOps<LoadOp>()) {
    Prefetch prefetch{load, {}};
    if (isVector(load) && collectSlice(load, prefetch.slice) &&
        isFunctionOfCounter(prefetch, loop) && !isOverwritten(load, loop))
      prefetches.push_back(std::move(prefetch));
  }
  if (prefetches.empty())
    return;
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> first;
  for (const Prefetch &prefetch : prefetches)
    first.push_back(
        prefetch.clone(rewriter, loop.getInductionVar(), loop.getLowerBound()));

  // The last iteration loads its own vectors again, and nobody uses them.
  rewriter.setInsertionPointToStart(loop.getBody());
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value last = arith::ConstantIndexOp::create(rewriter, loc, iterations - 1);
  Value following =
      arith::AddIOp::create(rewriter, loc, loop.getInductionVar(), one);
  Value next = arith::MinUIOp::create(rewriter, loc, following, last);
  SmallVector<Value> ahead;
  for (const Prefetch &prefetch : prefetches)
    ahead.push_back(prefetch.clone(rewriter, loop.getInductionVar(), next));

  unsigned carried = loop.getNumRegionIterArgs();
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return ahead; });
  assert(succeeded(replaced) && "a loop takes more values");
  auto rotated = cast<scf::ForOp>(**replaced);
  for (auto [index, prefetch] : llvm::enumerate(prefetches))
    rewriter.replaceOp(prefetch.load,
                       rotated.getRegionIterArgs()[carried + index]);
}

/// Moves a load in front of the first wait of its block.
static void hoist(LoadOp load) {
  Block *block = load->getBlock();
  auto awaits = block->getOps<AwaitOp>();
  if (awaits.empty())
    return;
  Operation *wait = *awaits.begin();
  llvm::SetVector<Operation *> slice;
  if (load->isBeforeInBlock(wait) || !collectSlice(load, slice))
    return;
  for (Operation *op = wait; op != load; op = op->getNextNode())
    if (isOverwritten(load, op))
      return;
  for (Operation *op : slice)
    if (!op->isBeforeInBlock(wait))
      op->moveBefore(wait);
}

namespace {

struct PrefetchVectorsPass
    : public delta::tile::impl::PrefetchVectorsBase<PrefetchVectorsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        std::optional<int64_t> end = getConstantIntValue(loop.getUpperBound());
        if (end && *end > 1 && isZeroInteger(loop.getLowerBound()) &&
            isOneInteger(loop.getStep()))
          rotate(loop, *end);
      }
      SmallVector<LoadOp> loads;
      kernel.walk([&](LoadOp load) {
        if (isVector(load))
          loads.push_back(load);
      });
      llvm::for_each(loads, hoist);
    }
  }
};

} // namespace
