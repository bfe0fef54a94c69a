//===- PlanShared.cpp - offsets in shared memory ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-plan-shared`. Two buffers may share bytes if their contents are never
/// live at the same time; `tile-place-barriers`, which runs later, orders the
/// accesses to shared bytes. Bytes that were last used long ago need no extra
/// barrier, so a CTA with bytes to spare takes those first. A single-role ring
/// lives until the end of the kernel, because copies past the last chunk may
/// land in it at any time. It lives from the start of the kernel, or from its
/// first slot on if that saves bytes. In a ring between roles, the producer
/// fills as many slots as the consumer reads. So after the last release the
/// consumer may use the slots for other buffers; the mbarriers stay.
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

/// A range of bytes that is live from one op to another. Positions number the
/// ops in a pre-order walk.
struct Allocation {
  int64_t bytes, alignment;
  int64_t first, last;
  /// The role whose ops the positions number; null for the whole kernel.
  Region *role = nullptr;
  int64_t offset = -1;

  bool overlapsInTime(const Allocation &other) const {
    return role != other.role || (first <= other.last && other.first <= last);
  }
  bool sharesBytes(const Allocation &other) const {
    return offset < other.offset + other.bytes && other.offset < offset + bytes;
  }
};

/// The accesses to one `tile.alloc`.
struct Uses {
  SmallVector<Operation *> ops;
  bool firstWrites = false;
};

class SharedPlanner {
public:
  /// Up to `spare` bytes may be used to keep buffers apart. With `lendsRings`,
  /// buffers may use the bytes of a single-role ring before its first slot is
  /// filled.
  SharedPlanner(KernelOp kernel, int64_t spare, bool lendsRings)
      : kernel(kernel), spare(spare), lendsRings(lendsRings) {}

  /// Finds every offset; returns the bytes that the kernel needs.
  int64_t run();
  /// Writes the offsets that `run` found to the IR.
  void apply();

private:
  void number();
  Allocation lifetimeOf(AllocOp alloc, const Uses &uses);
  std::optional<int64_t> distance(const Allocation &region);
  void place(Allocation &region);
  void placeRing(RingCreateOp ring);
  int64_t getFirstSlot(RingCreateOp ring);
  void endRing(RingCreateOp ring, Allocation &slots);

  KernelOp kernel;
  int64_t spare;
  bool lendsRings;
  llvm::DenseMap<Operation *, int64_t> begin, end;
  SmallVector<Allocation> placed;
  /// For rings whose slots other buffers may use: the index of their slots in
  /// `placed`, and the bytes of their mbarriers.
  SmallVector<std::pair<RingCreateOp, size_t>> slotsOf;
  SmallVector<std::pair<RingCreateOp, Allocation>> barriersOf;
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

/// The region of the role that runs `op`; null outside roles.
static Region *getRole(Operation *op) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (isa<RolesOp>(region->getParentOp()))
      return region;
  return nullptr;
}

Allocation SharedPlanner::lifetimeOf(AllocOp alloc, const Uses &uses) {
  auto type = cast<MemRefType>(alloc.getBuffer().getType());
  Allocation region{getSharedBytes(type), getSharedAlignment(type), 0, 0};
  if (uses.ops.empty())
    return region;
  region.first = begin[uses.ops.front()];
  region.last = end[uses.ops.back()];
  region.role = getRole(uses.ops.front());
  // A value that enters a loop, leaves it, or is carried by it is live in the
  // whole loop.
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

/// The least number of ops between the uses of `region` and those of the
/// buffers that would share its bytes; none if one of them is in use at the
/// same time.
std::optional<int64_t> SharedPlanner::distance(const Allocation &region) {
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const Allocation &other : placed) {
    if (!region.sharesBytes(other))
      continue;
    if (region.overlapsInTime(other))
      return std::nullopt;
    least = std::min(
        least, std::max(region.first - other.last, other.first - region.last));
  }
  return least;
}

/// Within the spare bytes, takes the offset whose other users are farthest away
/// in time; beyond them, the first that fits.
void SharedPlanner::place(Allocation &region) {
  SmallVector<int64_t> offsets = {0};
  for (const Allocation &other : placed)
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

/// The position at which the first slot of a ring is opened, or at which the
/// outermost loop around it begins.
int64_t SharedPlanner::getFirstSlot(RingCreateOp ring) {
  int64_t first = end[kernel];
  for (Operation *user : ring.getRing().getUsers())
    for (Operation *op = user; op != kernel; op = op->getParentOp())
      first = std::min(first, begin[op]);
  return first;
}

/// Rings never share bytes with each other. The mbarriers of a ring between
/// roles are placed separately for two reasons: buffers may later use the
/// slots, but never the mbarriers, and between slots, which start at multiples
/// of 1024 bytes, the mbarriers would leave gaps.
void SharedPlanner::placeRing(RingCreateOp ring) {
  Allocation slots{getRingBytes(ring),
                   getSlotAlignment(ring.getRing().getType()), 0, end[kernel]};
  if (ring.getProtocol() != Protocol::Mbarrier) {
    if (lendsRings)
      slots.first = getFirstSlot(ring);
    place(slots);
    ringOffsets.emplace_back(ring, slots.offset);
    return;
  }
  int64_t bytes = getRingSlotBytes(ring);
  Allocation barriers{slots.bytes - bytes, /*alignment=*/16, 0, end[kernel]};
  slots.bytes = bytes;
  place(slots);
  ringOffsets.emplace_back(ring, slots.offset);
  slotsOf.push_back({ring, placed.size() - 1});
  barriersOf.push_back({ring, barriers});
}

/// Ends the life of the slots of `ring` at the last release of its consumer,
/// which may use their bytes from then on.
void SharedPlanner::endRing(RingCreateOp ring, Allocation &slots) {
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

  SmallVector<std::pair<AllocOp, Allocation>> order;
  for (auto &[op, uses] : allocs)
    order.emplace_back(cast<AllocOp>(op), lifetimeOf(cast<AllocOp>(op), uses));
  // Large allocations first; the position makes the order total.
  llvm::sort(order, [&](const auto &a, const auto &c) {
    return std::make_tuple(-a.second.bytes, begin[a.first]) <
           std::make_tuple(-c.second.bytes, begin[c.first]);
  });
  for (auto &[alloc, region] : order) {
    place(region);
    allocOffsets.emplace_back(alloc, region.offset);
  }
  int64_t total = 0;
  for (const Allocation &region : placed)
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

/// The CTA's share of an SM if the SM holds as many CTAs as the kernel asks for
/// (`tile-budget-registers`); 0 for kernels without an inverse in a loop, in
/// which fewer barriers were no faster.
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

/// Plans `kernel`; returns the bytes that it needs. Buffers in the bytes of a
/// ring cost a barrier before the ring's first copies: 3 % of the time of a
/// query block for which many others wait. So rings lend bytes only if the CTA
/// gets smaller.
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
