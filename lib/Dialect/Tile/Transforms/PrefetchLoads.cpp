//===- PrefetchLoads.cpp - register tiles of later iterations ---*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-prefetch-loads`. A load to registers costs these registers from its
/// issue on, and its latency if its tile is used at once. A vector takes one
/// register per thread, so it is loaded before the first wait, and in a loop
/// one iteration ahead. A matrix is loaded ahead only if the iteration has
/// products to hide the latency.
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
#define GEN_PASS_DEF_PREFETCHLOADS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// Adds the ops of its block that `op` needs to `slice`, operands first. Fails
/// if one of them is more than arithmetic.
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

/// Whether an iteration has products. They hide the latency of loading a
/// matrix, which is then worth its registers.
static bool hasProducts(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), llvm::IsaPred<DotOp, DotStartOp>);
}

/// Whether an op in `root` may write memory that `load` reads.
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

/// A load in the body of a loop, and the arithmetic that it needs.
struct Prefetch {
  LoadOp load;
  llvm::SetVector<Operation *> slice;

  /// Clones the load for another iteration, whose indices get the prefix.
  Value clone(OpBuilder &b, Value from, Value counter, StringRef prefix) const {
    IRMapping map;
    map.map(from, counter);
    for (Operation *op : slice) {
      Operation *clone = b.clone(*op, map);
      if (auto name = dyn_cast<NameLoc>(op->getLoc()); name && op != load)
        clone->setLoc(
            NameLoc::get(b.getStringAttr(prefix + name.getName().getValue()),
                         name.getChildLoc()));
    }
    return map.lookup(slice.back()->getResult(0));
  }
};

} // namespace

/// Whether all that a slice takes from an iteration is its number.
static bool isFunctionOfCounter(const Prefetch &prefetch, scf::ForOp loop) {
  return llvm::none_of(prefetch.slice, [&](Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return llvm::is_contained(loop.getRegionIterArgs(), operand);
    });
  });
}

/// Makes `load`, which stands before a loop of `iterations` iterations, read no
/// rows if the loop never runs.
static void boundByIterations(OpBuilder &b, LoadOp load, Value iterations) {
  Location loc = load.getLoc();
  int64_t extent = load.getTile().getType().getShape()[load.getBoundAxis()];
  Value rows = arith::ConstantIndexOp::create(b, loc, extent);
  Value bound = arith::MulIOp::create(b, loc, iterations, rows);
  if (load.getBound())
    bound = arith::MinUIOp::create(b, loc, bound, load.getBound());
  load.getBoundMutable().assign(bound);
}

/// The last op of the load's block that uses its tile.
static Operation *findLastUser(LoadOp load) {
  Operation *last = load;
  for (Operation *user : load.getTile().getUsers()) {
    Operation *ancestor = load->getBlock()->findAncestorOpInBlock(*user);
    if (last->isBeforeInBlock(ancestor))
      last = ancestor;
  }
  return last;
}

static void rotate(scf::ForOp loop) {
  std::optional<int64_t> iterations = getConstantIntValue(loop.getUpperBound());
  if (iterations && *iterations <= 1)
    return;
  SmallVector<Prefetch> prefetches;
  bool takesMatrices = hasProducts(loop);
  for (auto load : loop.getBody()->getOps<LoadOp>()) {
    Prefetch prefetch{load, {}};
    if ((isVector(load) || takesMatrices) &&
        collectSlice(load, prefetch.slice) &&
        isFunctionOfCounter(prefetch, loop) && !isOverwritten(load, loop))
      prefetches.push_back(std::move(prefetch));
  }
  if (prefetches.empty())
    return;
  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> first;
  for (const Prefetch &prefetch : prefetches) {
    Value tile = prefetch.clone(rewriter, loop.getInductionVar(),
                                loop.getLowerBound(), "first_");
    if (!iterations) {
      auto load = tile.getDefiningOp<LoadOp>();
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(load);
      boundByIterations(rewriter, load, loop.getUpperBound());
    }
    first.push_back(tile);
  }

  // The last iteration loads its own tiles again, and they are not used.
  rewriter.setInsertionPointToStart(loop.getBody());
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value last = arith::SubIOp::create(rewriter, loc, loop.getUpperBound(), one);
  Value following =
      arith::AddIOp::create(rewriter, loc, loop.getInductionVar(), one);
  Value next = arith::MinUIOp::create(rewriter, loc, following, last);
  SmallVector<Value> ahead;
  for (const Prefetch &prefetch : prefetches) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (!isVector(prefetch.load))
      rewriter.setInsertionPointAfter(findLastUser(prefetch.load));
    ahead.push_back(
        prefetch.clone(rewriter, loop.getInductionVar(), next, "next_"));
  }

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

/// Moves a load before the first wait of its block.
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

struct PrefetchLoadsPass
    : public delta::tile::impl::PrefetchLoadsBase<PrefetchLoadsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops)
        if (isZeroInteger(loop.getLowerBound()) && isOneInteger(loop.getStep()))
          rotate(loop);
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
