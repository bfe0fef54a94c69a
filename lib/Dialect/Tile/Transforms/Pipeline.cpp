//===- Pipeline.cpp - copies of later chunks beside this one's --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-pipeline`: what a loop copies into shared memory becomes the slot of a
/// ring whose two ends are the same warps. In iteration c the peek stands
/// before the acquire: behind the peek's barrier every thread has left
/// iteration c - 1, whose slot is the one that is filled again, so one barrier
/// an iteration serves both ends. With a single slot nothing runs ahead, and
/// the acquire is a barrier too.
///
/// A copy behind an expectation (of another CTA's flag) is started where that
/// stands, so that a wait holds up nothing in front of it; the slot is
/// committed there.
///
//===----------------------------------------------------------------------===//

#include "LocationNames.h"
#include "Rings.h"
#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {
#define GEN_PASS_DEF_PIPELINE
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

namespace {

/// A loop on its way to being pipelined.
class LoopPipeliner {
public:
  LoopPipeliner(scf::ForOp loop, int64_t stages)
      : loop(loop), stages(stages), b(loop.getContext()) {}

  /// Whether there is anything to do; collects it.
  bool collect();
  void run();

private:
  /// The index arithmetic of the loop body that `value` needs; fails if it
  /// needs anything else of an iteration.
  bool collectProducers(Value value);
  /// Acquires the slot of iteration `counter` and issues its copies; zeros
  /// where the loop has no such iteration. What is computed for it is named
  /// with `prefix`. Copies that expect flags are issued at `late`, where that
  /// is not null.
  void fill(Value counter, StringRef prefix, Operation *late);
  /// The loop's location without the name of what it carries.
  Location unnamed() { return withoutNames(loop.getLoc()); }
  Location named(StringRef name) {
    return NameLoc::get(b.getStringAttr(name), unnamed());
  }

  scf::ForOp loop;
  int64_t stages;
  OpBuilder b;
  SmallVector<CopyOp> copies;
  /// Expectations of the loop. The copies behind the first stand at its place.
  SmallVector<ExpectOp> expects;
  llvm::SetVector<Operation *> producers;
  RingCreateOp ring;
};

} // namespace

bool LoopPipeliner::collectProducers(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return value == loop.getInductionVar() ||
           !llvm::is_contained(loop.getRegionIterArgs(), value);
  if (!loop->isProperAncestor(def) || producers.contains(def))
    return true;
  if (!isPure(def) || def->getNumRegions() != 0 ||
      !llvm::all_of(def->getOperands(),
                    [&](Value operand) { return collectProducers(operand); }))
    return false;
  producers.insert(def); // behind its operands
  return true;
}

bool LoopPipeliner::collect() {
  APInt lower, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !lower.isZero() ||
      !step.isOne())
    return false;
  for (auto expect : loop.getBody()->getOps<ExpectOp>()) {
    if (!llvm::all_of(expect->getOperands(),
                      [&](Value operand) { return collectProducers(operand); }))
      return false;
    expects.push_back(expect);
  }
  for (auto copy : loop.getBody()->getOps<CopyOp>()) {
    if (copy.getEngine() != Engine::CpAsync || copy.getToGlobal())
      continue;
    if (!isFilledBy(copy) ||
        !llvm::all_of(copy.getIndices(),
                      [&](Value index) { return collectProducers(index); }) ||
        (copy.getBound() && !collectProducers(copy.getBound())) ||
        !collectProducers(copy.getGlobal()))
      return false;
    copies.push_back(copy);
  }
  // What this iteration writes, a later one may not have read.
  bool conflicts = false;
  loop.getBody()->walk([&](Operation *op) {
    if (isa<ExpectOp>(op)) // expected again for the later one
      return;
    std::optional<GlobalAccess> access = getGlobalAccess(op);
    for (CopyOp copy : copies)
      conflicts |= access && access->conflictsWith(*getGlobalAccess(copy));
  });
  if (conflicts)
    return false;
  copies = orderForSlot(copies);
  return !copies.empty();
}

void LoopPipeliner::fill(Value counter, StringRef prefix, Operation *late) {
  Location loc = unnamed();
  IRMapping map;
  map.map(loop.getInductionVar(), counter);
  for (Operation *op : producers) {
    Operation *clone = b.clone(*op, map);
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      clone->setLoc(named((prefix + name.getName().getValue()).str()));
  }
  // This iteration exists; a later one may not.
  bool isAhead = counter != loop.getInductionVar();
  Value exists, zero;
  if (isAhead) {
    exists = arith::CmpIOp::create(b, named((prefix + "exists").str()),
                                   arith::CmpIPredicate::slt, counter,
                                   loop.getUpperBound());
    zero = arith::ConstantIndexOp::create(b, loc, 0);
  }
  Operation *acquire = openSlot(b, loc, ring, counter, /*fills=*/true);
  auto buffers = acquire->getResults().drop_front();
  SmallVector<Value> inflight;
  auto issue = [&](CopyOp copy, Value buffer) {
    int64_t extent = cast<MemRefType>(buffer.getType()).getShape()[0];
    Value rows =
        copy.getBound() ? map.lookupOrDefault(copy.getBound()) : Value();
    if (isAhead) {
      if (!rows)
        rows = arith::ConstantIndexOp::create(b, loc, extent);
      // Rows of its own sequence, or of a whole buffer.
      std::string name =
          (prefix + (copy.getBound() ? "rows" : Twine(extent) + "_rows")).str();
      rows = arith::SelectOp::create(b, named(name), exists, rows, zero);
    }
    map.map(copy.getShared(), buffer);
    auto filled = cast<CopyOp>(b.clone(*copy, map));
    if (rows)
      filled.getBoundMutable().assign(rows);
    inflight.push_back(filled.getInflight());
  };
  auto isLate = [&](CopyOp copy) {
    return !expects.empty() && expects.front()->isBeforeInBlock(copy);
  };
  for (auto [copy, buffer] : llvm::zip_equal(copies, buffers))
    if (!isLate(copy))
      issue(copy, buffer);
  if (late)
    b.setInsertionPoint(late);
  for (ExpectOp expect : expects) {
    auto later = cast<ExpectOp>(b.clone(*expect, map));
    if (!isAhead)
      continue;
    // An iteration that does not come waits for nobody.
    b.setInsertionPoint(later);
    Value none = arith::ConstantIntOp::create(b, loc, 0, 32);
    later.getEpochMutable().assign(
        arith::SelectOp::create(b, loc, exists, later.getEpoch(), none));
    b.setInsertionPointAfter(later);
  }
  for (auto [copy, buffer] : llvm::zip_equal(copies, buffers))
    if (isLate(copy))
      issue(copy, buffer);
  closeSlot(b, acquire, inflight);
}

void LoopPipeliner::run() {
  Location loc = unnamed();
  b.setInsertionPoint(loop);
  auto types = llvm::map_to_vector(copies, [](CopyOp copy) {
    return cast<MemRefType>(copy.getShared().getType());
  });
  ring = createRing(b, loc, "chunks", Protocol::CpAsyncGroup, stages, copies,
                    types);
  for (int64_t stage = 0; stage < stages - 1; ++stage)
    fill(arith::ConstantIndexOp::create(b, loc, stage), "first_",
         /*late=*/nullptr);

  b.setInsertionPointToStart(loop.getBody());
  Value counter = loop.getInductionVar();
  if (stages == 1)
    fill(counter, "", /*late=*/nullptr);
  Operation *peek = openSlot(b, loc, ring, counter, /*fills=*/false);
  if (stages > 1) {
    Value ahead = arith::ConstantIndexOp::create(b, loc, stages - 1);
    Value next = arith::AddIOp::create(b, named("next"), counter, ahead);
    fill(next, "next_", expects.empty() ? nullptr : expects.front());
  }
  for (ExpectOp expect : expects)
    expect.erase();

  for (auto [copy, buffer] :
       llvm::zip_equal(copies, peek->getResults().drop_front()))
    replaceBuffer(copy, buffer);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  closeSlot(b, peek);
}

namespace {

struct PipelinePass : public delta::tile::impl::PipelineBase<PipelinePass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      // A role of its own runs ahead there.
      if (kernel.hasRoles())
        continue;
      int64_t depth = stages             ? stages
                      : kernel.getPlan() ? kernel.getPlan()->getStages()
                                         : 2;
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        LoopPipeliner pipeliner(loop, depth);
        if (pipeliner.collect())
          pipeliner.run();
      }
    }
  }
};

} // namespace
