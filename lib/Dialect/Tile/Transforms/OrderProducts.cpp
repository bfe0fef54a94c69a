//===- OrderProducts.cpp - which product is issued when ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-order-products`. The order in which a warp issues is the order of the
/// text, more or less: compilers move little across accesses to shared memory.
/// Nothing may be reordered behind this pass but by one that knows barriers.
///
//===----------------------------------------------------------------------===//

#include "ScheduleLoop.h"
#include "Touched.h"

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

/// The body of a loop that carries tiles, cut in what the next iteration waits
/// for and the rest.
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

/// Adds an op, what it uses and what writes the buffers that it reads.
void LoopOrder::need(Operation *op) {
  op = body.findAncestorOpInBlock(*op);
  if (!op || !needed.insert(op))
    return;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *def = operand.getDefiningOp())
        need(def);
  });
  Touched touched(op);
  for (Operation &other : body)
    if (llvm::any_of(touched.reads, [&](Value buffer) {
          return Touched(&other).writes.contains(buffer);
        }))
      need(&other);
}

/// Whether the rest may go behind what is needed.
bool LoopOrder::isLegal() {
  SmallVector<Touched> rest;
  for (Operation &op : body) {
    Touched touched(&op);
    if (!needed.contains(&op))
      rest.push_back(touched);
    else if (llvm::any_of(rest, [&](const Touched &earlier) {
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
  // Copies for later iterations, and what they wait for, must not wait with the
  // rest; and where a wait for this one's copies comes early, so can the
  // products behind it.
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

/// Whether `op` starts, or closes the group of, a copy that had to wait for
/// another CTA.
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

/// Moves a product up to where its operands are ready, behind products that
/// were ready there before.
static void issueEarly(DotOp dot) {
  Block *block = dot->getBlock();
  Operation *position = dot;
  while (Operation *before = position->getPrevNode()) {
    bool makesOperand = llvm::any_of(dot->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() == before;
    });
    // Others wait for a signal; and what this CTA waits for is on its way while
    // the product runs.
    if (makesOperand || isa<SignalOp, ExpectOp>(before) || isLateCopy(before) ||
        Touched(before).writes.contains(dot.getB()))
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
      // Where nobody measured the machine, products in flight stay where they
      // are.
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
