//===- StartProducts.cpp - products in flight -------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-start-products`. A `wgmma` product is issued in its place and awaited
/// as late as its users allow. `tile-order-products` decides later when to
/// issue it.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace delta::tile {
#define GEN_PASS_DEF_STARTPRODUCTS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// Calls `visit` for the op that closes the slot of `buffer`, which may also be
/// a view of a slot's buffer.
static void forEachClose(Value buffer, function_ref<void(Operation *)> visit) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  Operation *open = buffer.getDefiningOp();
  if (isa_and_nonnull<PeekOp, AcquireOp>(open))
    for (Operation *close : open->getResult(0).getUsers())
      visit(close);
}

/// The product whose accumulator is `dot`, if `dot` has no other use.
static DotOp findNext(DotOp dot) {
  if (!dot->hasOneUse())
    return {};
  auto next = dyn_cast<DotOp>(*dot->user_begin());
  bool accumulates = next && next.getAcc() == dot.getD() &&
                     next.getInstr() == dot.getInstr() &&
                     next->getBlock() == dot->getBlock();
  return accumulates ? next : DotOp();
}

namespace {

/// Products that accumulate onto each other in flight, in order.
class Chain {
public:
  explicit Chain(DotOp first) : block(first->getBlock()), dots({first}) {
    while (DotOp next = findNext(dots.back())) {
      // The operands of a product must stay until the last product completes.
      if (findDeadline() != next)
        break;
      dots.push_back(next);
    }
  }

  /// Replaces the products of the chain by `dot_start` ops and one `await`.
  void start();
  ArrayRef<DotOp> getDots() const { return dots; }

private:
  /// The first op of the block that must wait until the chain is complete; null
  /// for the end of the block.
  Operation *findDeadline();

  Block *block;
  SmallVector<DotOp> dots;
};

struct StartProductsPass
    : public delta::tile::impl::StartProductsBase<StartProductsPass> {
  void runOnOperation() override {
    SmallVector<Chain> chains;
    DenseSet<Operation *> seen;
    getOperation().walk([&](DotOp dot) {
      bool isAsynchronous = dot.getInstr() && *dot.getInstr() != Instr::MmaSync;
      if (!isAsynchronous || seen.contains(dot))
        return;
      chains.push_back(Chain(dot));
      seen.insert_range(chains.back().getDots());
    });
    for (Chain &chain : chains)
      chain.start();
  }
};

} // namespace

Operation *Chain::findDeadline() {
  Operation *deadline = nullptr;
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    deadline = &block->back();
  auto take = [&](Operation *op) {
    op = block->findAncestorOpInBlock(*op);
    if (op && (!deadline || op->isBeforeInBlock(deadline)))
      deadline = op;
  };
  for (Operation *user : dots.back()->getUsers())
    take(user);
  for (DotOp dot : dots)
    for (Value operand : {dot.getA(), dot.getB()})
      if (isa<MemRefType>(operand.getType()))
        forEachClose(operand, take);
  return deadline;
}

void Chain::start() {
  OpBuilder b(block->getParentOp()->getContext());
  Value inflight = dots.front().getAcc();
  for (DotOp dot : dots) {
    b.setInsertionPoint(dot);
    inflight = DotStartOp::create(
        b, dot.getLoc(), AsyncType::get(b.getContext(), dot.getType()),
        dot.getA(), dot.getB(), inflight, dot.getContractAttr(),
        /*k=*/DenseI64ArrayAttr(), dot.getBPartAttr(), dot.getBRowStepsAttr(),
        dot.getBColStepsAttr(), dot.getInstrAttr());
  }
  if (Operation *deadline = findDeadline())
    b.setInsertionPoint(deadline);
  else
    b.setInsertionPointToEnd(block);
  DotOp last = dots.back();
  auto await = AwaitOp::create(b, last.getLoc(), TypeRange(last.getType()),
                               inflight, /*pending=*/IntegerAttr());
  last.getD().replaceAllUsesWith(await.getValues().front());
  for (DotOp dot : llvm::reverse(dots))
    dot.erase();
}
