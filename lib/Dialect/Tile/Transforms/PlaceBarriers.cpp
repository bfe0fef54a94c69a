//===- PlaceBarriers.cpp - barriers between accesses ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-place-barriers`. One forward walk tracks the reads and writes since
/// the last barrier. A conflicting access gets a barrier before it, as late as
/// possible, which gives the fewest barriers on straight-line code. Loops are
/// walked until the state at the back edge no longer changes. A ring orders
/// accesses to its own buffers: within one role its peek is a barrier, after
/// which `tile-pipeline` fills a slot; between roles mbarriers order the two
/// ends. If a buffer uses the bytes of a ring that is done, its accesses are
/// ordered with those of the slots.
///
//===----------------------------------------------------------------------===//

#include "SharedEffects.h"

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

/// Buffers (`alloc`) and rings that a thread may have read or written since the
/// last barrier.
struct Pending {
  llvm::SetVector<Operation *> reads, writes;

  void clear() {
    reads.clear();
    writes.clear();
  }
  /// Adds the accesses in `other`; returns whether any of them was new.
  bool join(const Pending &other) {
    bool grew = false;
    for (Operation *buffer : other.reads)
      grew |= reads.insert(buffer);
    for (Operation *buffer : other.writes)
      grew |= writes.insert(buffer);
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
  /// Ops that need a barrier before them, as far as the loops around them are
  /// known.
  llvm::SetVector<Operation *> found;
};

} // namespace

/// The op that owns the bytes of `buffer`: an alloc, or the ring of a slot.
static Operation *getOwner(Value buffer) {
  Operation *def = getBuffer(buffer).getDefiningOp();
  if (auto peek = dyn_cast_or_null<PeekOp>(def))
    return peek.getRing().getDefiningOp();
  if (auto acquire = dyn_cast_or_null<AcquireOp>(def))
    return acquire.getRing().getDefiningOp();
  return dyn_cast_or_null<AllocOp>(def);
}

/// The bytes [first, end) that `owner` takes, without mbarriers.
static std::optional<std::pair<int64_t, int64_t>> getBytes(Operation *owner) {
  auto alloc = dyn_cast<AllocOp>(owner);
  std::optional<int64_t> offset =
      alloc ? alloc.getOffset() : cast<RingCreateOp>(owner).getOffset();
  if (!offset)
    return std::nullopt;
  int64_t bytes =
      alloc ? getSharedBytes(cast<MemRefType>(alloc.getBuffer().getType()))
            : getRingSlotBytes(cast<RingCreateOp>(owner));
  return std::pair(*offset, *offset + bytes);
}

/// Whether two buffers share bytes. Slots of the same ring do not count,
/// because the ring orders them.
static bool overlap(Operation *a, Operation *b) {
  if (a == b)
    return isa<AllocOp>(a);
  auto ofA = getBytes(a), ofB = getBytes(b);
  return ofA && ofB && ofA->first < ofB->second && ofB->first < ofA->second;
}

static bool conflicts(Operation *buffer,
                      const llvm::SetVector<Operation *> &others) {
  return llvm::any_of(others,
                      [&](Operation *other) { return overlap(buffer, other); });
}

/// The await of an asynchronous copy completes the write that the copy began.
/// Both ends must be ordered with other accesses, but not with each other.
static bool completes(Operation *op) { return isa<AwaitOp>(op); }

/// Whether all threads meet in `op`, which opens a slot. In a ring within one
/// role, a peek waits and then meets the other threads; with a single slot, so
/// does an acquire. At an mbarrier each warp waits on its own.
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
  SmallVector<std::pair<Operation *, SharedAccess>> accesses;
  for (const SharedAccess &access : getSharedAccesses(op))
    if (Operation *owner = getOwner(access.buffer))
      accesses.emplace_back(owner, access);
  bool needsBarrier = false;
  if (!completes(op))
    for (auto &[buffer, access] : accesses)
      needsBarrier |= conflicts(buffer, pending.writes) ||
                      (access.writes && conflicts(buffer, pending.reads));
  if (needsBarrier) {
    found.insert(op);
    pending.clear();
  }
  // After the last barrier inside an op, its scratch is only read.
  bool isOrdered = containsBarrier(op);
  if (isOrdered)
    pending.clear();
  for (auto &[buffer, access] : accesses) {
    if (isOrdered) {
      pending.reads.insert(buffer);
      continue;
    }
    // A scan within one warp does not use its scratch.
    if (isa<ScanOp>(op))
      continue;
    if (access.reads)
      pending.reads.insert(buffer);
    if (access.writes)
      pending.writes.insert(buffer);
  }
}

void BarrierPlacer::walkRegions(Operation *op, Pending &pending) {
  if (isa<LoopLikeOpInterface>(op)) {
    // The loop may run no iteration, or any number of them.
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
    found.remove(&op); // decided again for each state at the back edge
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
    BarrierOp::create(b, op->getLoc(), getRoleBarrier(op));
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
