//===- PlaceBarriers.cpp - barriers between accesses ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-place-barriers`. One forward walk knows what was read and written
/// since the last barrier; a conflicting access gets a barrier in front of it,
/// as late as possible, which makes them fewest on straight-line code. Loops
/// are walked until what comes round the back edge no longer changes. Buffers
/// of a ring are the ring's business: its peek is a barrier, and
/// `tile-pipeline` fills a slot behind it; between roles mbarriers order the
/// two ends.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {
#define GEN_PASS_DEF_PLACEBARRIERS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

namespace {

/// Buffers that some thread may have read or written since the last barrier.
struct Pending {
  llvm::SetVector<AllocOp> reads, writes;

  void clear() {
    reads.clear();
    writes.clear();
  }
  /// Adds what `other` holds; whether that was anything new.
  bool join(const Pending &other) {
    bool grew = false;
    for (AllocOp alloc : other.reads)
      grew |= reads.insert(alloc);
    for (AllocOp alloc : other.writes)
      grew |= writes.insert(alloc);
    return grew;
  }
};

class BarrierPlacer {
public:
  explicit BarrierPlacer(KernelOp kernel) : kernel(kernel) {}

  void run();

private:
  void walk(Block &block, Pending &pending);
  void visit(Operation *op, Pending &pending);
  void walkRegions(Operation *op, Pending &pending);

  KernelOp kernel;
  /// Ops that need a barrier in front of them, for what is known of the loops
  /// around them.
  llvm::SetVector<Operation *> found;
};

} // namespace

/// Whether two buffers have bytes in common.
static bool overlap(AllocOp a, AllocOp b) {
  if (a == b)
    return true;
  if (!a.getOffset() || !b.getOffset())
    return false;
  auto end = [](AllocOp alloc) -> int64_t {
    return *alloc.getOffset() +
           getSharedBytes(cast<MemRefType>(alloc.getBuffer().getType()));
  };
  return static_cast<int64_t>(*a.getOffset()) < end(b) &&
         static_cast<int64_t>(*b.getOffset()) < end(a);
}

static bool conflicts(AllocOp alloc, const llvm::SetVector<AllocOp> &others) {
  return llvm::any_of(others,
                      [&](AllocOp other) { return overlap(alloc, other); });
}

/// An asynchronous copy's await finishes the write that the copy began; both
/// ends must be ordered, but the copy need not wait for itself.
static bool completes(Operation *op) { return isa<AwaitOp>(op); }

/// Whether all threads meet in `op`, which opens a slot: of a ring within one
/// role a peek waits, then meets the other threads; of a single slot, so does
/// an acquire. At an mbarrier each warp waits for itself.
static bool meets(Operation *op) {
  auto isGroup = [](Value ring) {
    auto create = ring.getDefiningOp<RingCreateOp>();
    return create && create.getProtocol() == Protocol::CpAsyncGroup;
  };
  if (auto peek = dyn_cast<PeekOp>(op))
    return isGroup(peek.getRing());
  auto acquire = dyn_cast<AcquireOp>(op);
  return acquire && isGroup(acquire.getRing()) &&
         acquire.getRing().getType().getStages() == 1;
}

void BarrierPlacer::visit(Operation *op, Pending &pending) {
  if (meets(op))
    return pending.clear();
  SmallVector<std::pair<AllocOp, SharedAccess>> accesses;
  for (const SharedAccess &access : getSharedAccesses(op))
    if (auto alloc = access.buffer.getDefiningOp<AllocOp>())
      accesses.emplace_back(alloc, access);
  bool needsBarrier = false;
  if (!completes(op))
    for (auto &[alloc, access] : accesses)
      needsBarrier |= conflicts(alloc, pending.writes) ||
                      (access.writes && conflicts(alloc, pending.reads));
  if (needsBarrier) {
    found.insert(op);
    pending.clear();
  }
  // Behind the last of an op's own barriers its scratch is only read.
  bool isOrdered = containsBarrier(op);
  if (isOrdered)
    pending.clear();
  for (auto &[alloc, access] : accesses) {
    if (isOrdered) {
      pending.reads.insert(alloc);
      continue;
    }
    // A scan inside one warp leaves its scratch alone.
    if (isa<ScanOp>(op))
      continue;
    if (access.reads)
      pending.reads.insert(alloc);
    if (access.writes)
      pending.writes.insert(alloc);
  }
}

void BarrierPlacer::walkRegions(Operation *op, Pending &pending) {
  if (isa<LoopLikeOpInterface>(op)) {
    // No iteration, or any number of them.
    for (bool grew = true; grew;) {
      Pending state = pending;
      for (Region &region : op->getRegions())
        for (Block &block : region)
          walk(block, state);
      grew = pending.join(state);
    }
    return;
  }
  Pending before = pending;
  for (Region &region : op->getRegions()) {
    Pending state = before;
    for (Block &block : region)
      walk(block, state);
    pending.join(state);
  }
}

void BarrierPlacer::walk(Block &block, Pending &pending) {
  for (Operation &op : block) {
    found.remove(&op); // decided anew for each state that comes round a loop
    visit(&op, pending);
    if (op.getNumRegions() != 0)
      walkRegions(&op, pending);
  }
}

void BarrierPlacer::run() {
  Pending pending;
  walk(kernel.getBody().front(), pending);
  OpBuilder b(kernel.getContext());
  for (Operation *op : found) {
    b.setInsertionPoint(op);
    BarrierOp::create(b, op->getLoc());
  }
}

namespace {

struct PlaceBarriersPass
    : public delta::tile::impl::PlaceBarriersBase<PlaceBarriersPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      BarrierPlacer(kernel).run();
  }
};

} // namespace
