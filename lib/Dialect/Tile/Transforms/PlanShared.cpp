//===- PlanShared.cpp - offsets in shared memory ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-plan-shared`. Two buffers may share bytes where no value is alive in
/// both at once; `tile-place-barriers`, which comes later, keeps the accesses
/// to such bytes apart. A barrier costs nothing where bytes were left long ago,
/// so these are taken first where a CTA has bytes to choose from. Rings of one
/// role live as long as the kernel, for copies past the last chunk land in them
/// at any time, or from their first slot on where that saves bytes. The slots
/// of a ring between roles, which takes as many as are read, are its consumer's
/// when it has released the last one; the mbarriers stay.
///
//===----------------------------------------------------------------------===//

#include "KernelMachine.h"
#include "Occupancy.h"
#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace delta::tile {
#define GEN_PASS_DEF_PLANSHARED
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

namespace {

/// Something that takes space: positions are those of ops in a pre-order walk.
struct Region1D {
  int64_t bytes, alignment;
  int64_t first, last;
  /// The role whose order the positions are of; null: of the kernel.
  Region *role = nullptr;
  int64_t offset = -1;

  bool overlapsInTime(const Region1D &other) const {
    return role != other.role || (first <= other.last && other.first <= last);
  }
  bool sharesBytes(const Region1D &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// Accesses to one alloc.
struct Uses {
  SmallVector<Operation *> ops;
  bool firstWrites = false;
};

class SharedPlanner {
public:
  /// Up to `spare` bytes may be taken to keep buffers apart. With `lendsRings`
  /// buffers may take the bytes of a ring of one role in front of its first
  /// slot.
  SharedPlanner(KernelOp kernel, int64_t spare, bool lendsRings)
      : kernel(kernel), spare(spare), lendsRings(lendsRings) {}

  /// Finds every offset; returns the bytes that the kernel needs.
  int64_t run();
  /// Sets what `run` has found.
  void apply();

private:
  void number();
  Region1D lifetimeOf(AllocOp alloc, const Uses &uses);
  std::optional<int64_t> distance(const Region1D &region);
  void place(Region1D &region);
  void placeRing(RingCreateOp ring);
  int64_t getFirstSlot(RingCreateOp ring);
  void endRing(RingCreateOp ring, Region1D &slots);

  KernelOp kernel;
  int64_t spare;
  bool lendsRings;
  llvm::DenseMap<Operation *, int64_t> begin, end;
  SmallVector<Region1D> placed;
  /// Of rings whose slots other buffers may take: these, in `placed`, and what
  /// their mbarriers need.
  SmallVector<std::pair<RingCreateOp, size_t>> slotsOf;
  SmallVector<std::pair<RingCreateOp, Region1D>> barriersOf;
  SmallVector<std::pair<AllocOp, int64_t>> allocOffsets;
  SmallVector<std::pair<RingCreateOp, int64_t>> ringOffsets;
};

} // namespace

void SharedPlanner::number() {
  int64_t position = 0;
  kernel.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { begin[op] = position++; });
  kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
    int64_t last = begin[op];
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (!block.empty())
          last = std::max(last, end[&block.back()]);
    end[op] = last;
  });
}

/// The region of the role that runs `op`, or null.
static Region *getRole(Operation *op) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (isa<RolesOp>(region->getParentOp()))
      return region;
  return nullptr;
}

Region1D SharedPlanner::lifetimeOf(AllocOp alloc, const Uses &uses) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  Region1D region{getSharedBytes(type), getSharedAlignment(type), 0, 0};
  if (uses.ops.empty())
    return region;
  region.first = begin[uses.ops.front()];
  region.last = end[uses.ops.back()];
  region.role = getRole(uses.ops.front());
  // A value that enters a loop, leaves it, or goes round it lives in all of it.
  for (Operation *use : uses.ops) {
    for (auto loop = use->getParentOfType<LoopLikeOpInterface>(); loop;
         loop = loop->getParentOfType<LoopLikeOpInterface>()) {
      bool isLocal =
          uses.firstWrites && llvm::all_of(uses.ops, [&](Operation *op) {
            return loop->isProperAncestor(op);
          });
      if (isLocal)
        continue;
      region.first = std::min(region.first, begin[loop]);
      region.last = std::max(region.last, end[loop]);
    }
  }
  return region;
}

/// How many ops lie between the uses of `region` and those of the buffers that
/// it would share bytes with; none where it shares with one that is in use.
std::optional<int64_t> SharedPlanner::distance(const Region1D &region) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Region1D &other : placed) {
    if (!region.sharesBytes(other))
      continue;
    if (region.overlapsInTime(other))
      return std::nullopt;
    least = std::min(
        least, std::max(region.first - other.last, other.first - region.last));
  }
  return least;
}

/// Within the bytes to spare, where the neighbours in time are farthest; beyond
/// these, the first fit.
void SharedPlanner::place(Region1D &region) {
  SmallVector<int64_t> offsets = {0};
  for (const Region1D &other : placed)
    offsets.push_back(
        llvm::alignTo(other.offset + other.bytes, region.alignment));
  llvm::sort(offsets);
  std::optional<int64_t> best;
  int64_t bestDistance = 0;
  for (int64_t offset : offsets) {
    region.offset = offset;
    std::optional<int64_t> far = distance(region);
    if (!far ||
        (best && (*far <= bestDistance || offset + region.bytes > spare)))
      continue;
    best = offset;
    bestDistance = *far;
  }
  region.offset = *best;
  placed.push_back(region);
}

/// Where the first slot of a ring is opened, or the outermost loop around that
/// begins.
int64_t SharedPlanner::getFirstSlot(RingCreateOp ring) {
  int64_t first = end[kernel];
  for (Operation *user : ring.getRing().getUsers())
    for (Operation *op = user; op != kernel; op = op->getParentOp())
      first = std::min(first, begin[op]);
  return first;
}

/// Rings lie apart from each other. The mbarriers of one between roles have a
/// place of their own: other buffers may take the slots in the end, but not
/// these, and between slots, which start at whole kilobytes, they would leave
/// gaps.
void SharedPlanner::placeRing(RingCreateOp ring) {
  Region1D slots{getRingBytes(ring), getSlotAlignment(ring.getRing().getType()),
                 0, end[kernel]};
  if (ring.getProtocol() != Protocol::Mbarrier) {
    if (lendsRings)
      slots.first = getFirstSlot(ring);
    place(slots);
    ringOffsets.emplace_back(ring, slots.offset);
    return;
  }
  int64_t bytes = getRingSlotBytes(ring);
  Region1D barriers{slots.bytes - bytes, /*alignment=*/16, 0, end[kernel]};
  slots.bytes = bytes;
  place(slots);
  ringOffsets.emplace_back(ring, slots.offset);
  slotsOf.push_back({ring, placed.size() - 1});
  barriersOf.push_back({ring, barriers});
}

/// The slots of a ring are its consumer's behind its last release.
void SharedPlanner::endRing(RingCreateOp ring, Region1D &slots) {
  slots.last = 0;
  for (Operation *user : ring.getRing().getUsers())
    if (auto peek = dyn_cast<PeekOp>(user)) {
      slots.role = getRole(peek);
      for (Operation *op = *peek.getSlot().user_begin();
           !isa<RolesOp, KernelOp>(op); op = op->getParentOp())
        slots.last = std::max(slots.last, end[op]);
    }
}

int64_t SharedPlanner::run() {
  number();
  llvm::MapVector<Operation *, Uses> allocs;
  kernel.walk([&](AllocOp alloc) { allocs[alloc] = {}; });
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (const SharedAccess &access : getSharedAccesses(op)) {
      auto *found = allocs.find(access.buffer.getDefiningOp());
      if (found == allocs.end())
        continue;
      if (found->second.ops.empty())
        found->second.firstWrites = access.writes;
      found->second.ops.push_back(op);
    }
  });

  SmallVector<RingCreateOp> rings;
  kernel.walk([&](RingCreateOp ring) { rings.push_back(ring); });
  for (RingCreateOp ring : rings)
    placeRing(ring);
  for (auto &[ring, barriers] : barriersOf)
    place(barriers);
  for (auto [ring, index] : slotsOf)
    endRing(ring, placed[index]);

  SmallVector<std::pair<AllocOp, Region1D>> order;
  for (auto &[op, uses] : allocs)
    order.emplace_back(cast<AllocOp>(op), lifetimeOf(cast<AllocOp>(op), uses));
  // Large ones first; the position makes the order total.
  llvm::sort(order, [&](const auto &a, const auto &c) {
    return std::make_tuple(-a.second.bytes, begin[a.first]) <
           std::make_tuple(-c.second.bytes, begin[c.first]);
  });
  for (auto &[alloc, region] : order) {
    place(region);
    allocOffsets.emplace_back(alloc, region.offset);
  }
  int64_t total = 0;
  for (const Region1D &region : placed)
    total = std::max(total, region.offset + region.bytes);
  return total;
}

void SharedPlanner::apply() {
  Builder b(kernel.getContext());
  for (auto [alloc, offset] : allocOffsets)
    alloc.setOffsetAttr(b.getI64IntegerAttr(offset));
  for (auto [ring, offset] : ringOffsets)
    ring.setOffsetAttr(b.getI64IntegerAttr(offset));
  for (auto [ring, barriers] : barriersOf)
    ring.setBarriersAttr(b.getI64IntegerAttr(barriers.offset));
}

/// The share of a CTA where an SM holds as many as the kernel asks for
/// (`tile-budget-registers`), for kernels that invert again and again: without
/// a loop, fewer barriers were no faster.
static int64_t getSpare(KernelOp kernel, const delta::Target &limits) {
  bool repeats = false;
  kernel.walk([&](TriInverseOp inverse) {
    repeats |= inverse->getParentOfType<LoopLikeOpInterface>() != nullptr;
  });
  if (!repeats || !isAlone(kernel))
    return 0;
  int64_t ctas = std::max<int64_t>(1, kAloneWarps / kernel.getWarps());
  return (limits.sharedBytes + limits.reservedSharedBytes) / ctas -
         limits.reservedSharedBytes;
}

/// Plans `kernel`; returns the bytes that it needs. What lies in the bytes of a
/// ring costs a barrier in front of the ring's first copies (3 % of a row block
/// that many others wait for), so it does only where the CTA gets smaller.
static int64_t plan(KernelOp kernel, const delta::Target &limits) {
  int64_t spare = getSpare(kernel, limits);
  SharedPlanner apart(kernel, spare, /*lendsRings=*/false);
  SharedPlanner lent(kernel, spare, /*lendsRings=*/true);
  int64_t bytesApart = apart.run(), bytesLent = lent.run();
  (bytesLent < bytesApart ? lent : apart).apply();
  return std::min(bytesApart, bytesLent);
}

namespace {

struct PlanSharedPass
    : public delta::tile::impl::PlanSharedBase<PlanSharedPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      const delta::Target *limits = requireMachine(kernel);
      if (!limits)
        return signalPassFailure();
      int64_t bytes = plan(kernel, *limits);
      if (bytes > limits->sharedBytes) {
        kernel.emitError() << "needs " << bytes
                           << " bytes of shared memory; a CTA of "
                           << StringRef(limits->name) << " has at most "
                           << limits->sharedBytes;
        return signalPassFailure();
      }
      kernel.setSharedBytes(bytes);
    }
  }
};

} // namespace
