//===- PlaceWaits.cpp - groups that a wait leaves open ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-place-waits`: derives the count of each wait from the order of issue,
/// so that it is never written by hand. The protocol of a ring counts the
/// ring's own groups; this pass does not.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace delta::tile {
#define GEN_PASS_DEF_PLACEWAITS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// Whether `op` issues a group of copies by itself. Copies into a ring do not.
static bool isCopyGroup(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  return copy && copy.getEngine() == Engine::CpAsync && !copy->use_empty() &&
         isa<AwaitOp>(*copy->user_begin());
}

static bool isProductGroup(Operation *op) { return isa<DotStartOp>(op); }

/// The number of groups of one kind that are issued between the last operand of
/// `await` and the await. A smaller number only waits longer, so the result is
/// 0 if an op in between has regions.
static int64_t countPending(AwaitOp await,
                            function_ref<bool(Operation *)> isGroup) {
  int64_t pending = 0;
  for (Operation *op = await->getPrevNode(); op; op = op->getPrevNode()) {
    if (llvm::is_contained(op->getUsers(), await))
      return pending;
    if (op->getNumRegions() != 0)
      return 0;
    pending += isGroup(op);
  }
  return 0;
}

namespace {

struct PlaceWaitsPass
    : public delta::tile::impl::PlaceWaitsBase<PlaceWaitsPass> {
  void runOnOperation() override {
    Builder b(&getContext());
    getOperation().walk([&](AwaitOp await) {
      // One count serves all operands, so the least one is taken.
      std::optional<int64_t> pending;
      for (auto isGroup : {isCopyGroup, isProductGroup})
        if (llvm::any_of(await.getInflight(), [&](Value inflight) {
              Operation *def = inflight.getDefiningOp();
              return def && isGroup(def);
            })) {
          int64_t count = countPending(await, isGroup);
          pending = std::min(pending.value_or(count), count);
        }
      if (pending)
        await.setPendingAttr(b.getI64IntegerAttr(*pending));
    });
  }
};

} // namespace
