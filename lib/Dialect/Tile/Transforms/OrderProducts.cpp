//===- OrderProducts.cpp - which product is issued when ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-order-products`. A warp issues roughly in the order of the emitted
/// text, because compilers move little across accesses to shared memory. After
/// this pass, only passes that know about barriers may reorder ops.
///
//===----------------------------------------------------------------------===//

#include "ScheduleLoop.h"
#include "SharedEffects.h"

#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace delta::tile {
#define GEN_PASS_DEF_ORDERPRODUCTS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta;
using namespace delta::tile;

namespace {

/// Splits the body of a loop that carries tiles into the ops that the next
/// iteration waits for and all others.
class LoopOrder {
public:
  explicit LoopOrder(scf::ForOp loop) : body(*loop.getBody()) {}

  void run();

private:
  void need(Operation *op);
  bool isLegal();

  Block &body;
  llvm::SetVector<Operation *> needed;
};

} // namespace

/// Whether `op` copies into shared memory, or waits for such a copy.
static bool bringsIn(Operation *op) {
  if (auto copy = dyn_cast<CopyOp>(op))
    return !copy.getToGlobal();
  auto await = dyn_cast<AwaitOp>(op);
  return await && llvm::any_of(await.getInflight(), [](Value inflight) {
           auto copy = inflight.getDefiningOp<CopyOp>();
           return copy && !copy.getToGlobal();
         });
}

/// Adds an op, the ops that it uses, and the ops that write the buffers it
/// reads.
void LoopOrder::need(Operation *op) {
  op = body.findAncestorOpInBlock(*op);
  if (!op || !needed.insert(op))
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *def = operand.getDefiningOp())
        need(def);
  });
  SharedEffects touched(op);
  for (Operation &other : body)
    if (llvm::any_of(touched.reads, [&](Value buffer) {
          return SharedEffects(&other).writes.contains(buffer);
        }))
      need(&other);
}

/// Whether all other ops may move after the needed ones.
bool LoopOrder::isLegal() {
  SmallVector<SharedEffects> rest;
  for (Operation &op : body) {
    SharedEffects touched(&op);
    if (!needed.contains(&op))
      rest.push_back(touched);
    else if (llvm::any_of(rest, [&](const SharedEffects &earlier) {
               return earlier.conflictsWith(touched);
             }))
      return false;
  }
  return true;
}

void LoopOrder::run() {
  for (Value next : body.getTerminator()->getOperands())
    if (Operation *def = next.getDefiningOp())
      need(def);
  // Copies for later iterations, and their waits, belong to the needed ops. So
  // do the waits for copies of this iteration, so that products after them can
  // start early.
  for (Operation &op : body)
    if (isa<PeekOp, AcquireOp, CommitOp, ExpectOp>(op) || bringsIn(&op))
      need(&op);
  if (!isLegal())
    return;
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (!needed.contains(&op))
      continue;
    if (last)
      op.moveAfter(last);
    else
      op.moveBefore(&body, body.begin());
    last = &op;
  }
}

/// Whether `op` starts a copy that had to wait for another CTA, or closes the
/// group of such a copy.
static bool isLateCopy(Operation *op) {
  if (!isa<CopyOp, CommitOp>(op))
    return false;
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    if (isa<ExpectOp>(before))
      return true;
    if (isa<DotOp, PeekOp>(before))
      return false;
  }
  return false;
}

/// Moves a product up to where its operands are ready, but not past products
/// that were ready there before.
static void issueEarly(DotOp dot) {
  Block *block = dot->getBlock();
  Operation *position = dot;
  while (Operation *before = position->getPrevNode()) {
    bool makesOperand = llvm::any_of(dot->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() == before;
    });
    // A product passes no signal, because other CTAs wait for it, and no wait
    // for another CTA or copy after it, whose data arrives while the product
    // runs.
    if (makesOperand || isa<SignalOp, ExpectOp>(before) || isLateCopy(before) ||
        SharedEffects(before).writes.contains(dot.getB()))
      break;
    position = before;
  }
  while (position != dot && isa<DotOp>(position))
    position = position->getNextNode();
  if (position != dot)
    dot->moveBefore(block, Block::iterator(position));
}

namespace {

struct OrderProductsPass
    : public delta::tile::impl::OrderProductsBase<OrderProductsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      // Products in flight keep their order if the machine has no measured
      // cycles.
      std::optional<plan::IssueCycles> cycles;
      if (kernel.getPlan())
        cycles = kernel.getPlan()->getMachine().getIssueCycles();
      kernel.walk([&](scf::ForOp loop) {
        if (!loop.getOps<DotStartOp>().empty() && cycles)
          scheduleLoop(loop, *cycles, cut);
        else if (llvm::any_of(loop.getRegionIterArgs(), [](Value carried) {
                   return isa<RankedTensorType>(carried.getType());
                 }))
          LoopOrder(loop).run();
      });
      SmallVector<DotOp> dots;
      kernel.walk([&](DotOp dot) {
        if (isa<MemRefType>(dot.getB().getType()))
          dots.push_back(dot);
      });
      for (DotOp dot : dots)
        issueEarly(dot);
    }
  }
};

} // namespace
