//===- FinalResources.cpp - rules F9 and F10 --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The shared memory and the barriers of a CTA.
///
//===----------------------------------------------------------------------===//

#include "FinalRules.h"

#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

//===----------------------------------------------------------------------===//
// F9
//===----------------------------------------------------------------------===//

namespace {
/// The range of shared memory that one `alloc` or `ring_create` takes.
struct SharedRange {
  Operation *op;
  std::optional<int64_t> offset;
  int64_t bytes;
  int64_t alignment;

  int64_t end() const { return *offset + bytes; }
};
} // namespace

static constexpr int64_t kBarrierAlignment = 8;

static SmallVector<SharedRange> collectRanges(KernelOp kernel) {
  SmallVector<SharedRange> ranges;
  kernel.getBody().walk([&](Operation *op) {
    if (auto alloc = dyn_cast<AllocOp>(op)) {
      auto type = cast<MemRefType>(alloc.getBuffer().getType());
      ranges.push_back({op, alloc.getOffset(), getSharedBytes(type),
                        getSharedAlignment(type)});
    } else if (auto ring = dyn_cast<RingCreateOp>(op)) {
      ranges.push_back({op, ring.getOffset(), getRingBytes(ring),
                        getSlotAlignment(ring.getRing().getType())});
      if (ring.getBarriers())
        ranges.push_back(
            {op, ring.getBarriers(),
             getRingCopies(ring) * getBarrierBytes(ring.getRing().getType()),
             kBarrierAlignment});
    }
  });
  return ranges;
}

/// All ops that access a buffer, also through views, in program order.
static SmallVector<Operation *> collectAccesses(KernelOp kernel,
                                                AllocOp alloc) {
  llvm::SmallPtrSet<Operation *, 8> accesses;
  SmallVector<Value> worklist = {alloc.getBuffer()};
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(worklist, user->getResults());
      else
        accesses.insert(user);
    }
  SmallVector<Operation *> ordered;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (accesses.contains(op))
      ordered.push_back(op);
  });
  return ordered;
}

/// Whether an access overwrites the whole buffer.
static bool fills(Operation *op) {
  auto copy = dyn_cast<CopyOp>(op);
  return isa<WriteOp, ScanOp, TriInverseOp, TriSolveOp>(op) ||
         (copy && !copy.getToGlobal());
}

/// Whether the last use of one buffer is before the first use of the other: all
/// accesses to one precede all accesses to the other, in the innermost block
/// around both. If that block may run again, the next round must not need the
/// old contents, so the first access to each buffer must fill it.
static bool liveApart(KernelOp kernel, AllocOp a, AllocOp b) {
  SmallVector<Operation *> ofA = collectAccesses(kernel, a);
  SmallVector<Operation *> ofB = collectAccesses(kernel, b);
  if (ofA.empty() || ofB.empty())
    return true;
  Block *block = ofA.front()->getBlock();
  auto contains = [&](Operation *op) {
    return block->findAncestorOpInBlock(*op) != nullptr;
  };
  while (!llvm::all_of(ofA, contains) || !llvm::all_of(ofB, contains))
    block = block->getParentOp()->getBlock();
  if (block->getParentOp() != kernel &&
      (!fills(ofA.front()) || !fills(ofB.front())))
    return false;
  // Both lists are in program order, and so are the ancestors.
  auto before = [&](ArrayRef<Operation *> first, ArrayRef<Operation *> second) {
    Operation *last = block->findAncestorOpInBlock(*first.back());
    Operation *next = block->findAncestorOpInBlock(*second.front());
    return last->isBeforeInBlock(next);
  };
  return before(ofA, ofB) || before(ofB, ofA);
}

/// Whether the consumer of `ring`, a ring between roles, has released all its
/// slots before that role uses the buffer. The mbarriers stay in use.
static bool isDrained(KernelOp kernel, const SharedRange &ring,
                      const SharedRange &buffer) {
  auto create = dyn_cast<RingCreateOp>(ring.op);
  auto alloc = dyn_cast<AllocOp>(buffer.op);
  if (!create || !alloc || create.getProtocol() != Protocol::Mbarrier ||
      ring.offset != create.getOffset() ||
      (!create.getBarriers() &&
       buffer.end() > *ring.offset + getRingSlotBytes(create)))
    return false;
  SmallVector<Operation *> uses = collectAccesses(kernel, alloc);
  for (Operation *user : create.getRing().getUsers()) {
    auto peek = dyn_cast<PeekOp>(user);
    if (!peek)
      continue;
    Block *role = &getRole(kernel, peek).region->front();
    Operation *last = role->findAncestorOpInBlock(*peek);
    for (Operation *close : peek.getSlot().getUsers()) {
      Operation *ancestor = role->findAncestorOpInBlock(*close);
      if (ancestor && last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
    for (Operation *use : uses) {
      Operation *ancestor = role->findAncestorOpInBlock(*use);
      if (!ancestor || !last->isBeforeInBlock(ancestor))
        return false;
    }
  }
  return true;
}

/// Whether all accesses to the buffer precede the first slot of `ring`, a
/// single-role ring, or the outermost loop around that slot.
static bool isNotOpened(KernelOp kernel, const SharedRange &ring,
                        const SharedRange &buffer) {
  auto create = dyn_cast<RingCreateOp>(ring.op);
  auto alloc = dyn_cast<AllocOp>(buffer.op);
  if (!create || !alloc || create.getProtocol() != Protocol::CpAsyncGroup)
    return false;
  Block &body = kernel.getBody().front();
  auto isBefore = [&](Operation *use, Operation *slot) {
    return body.findAncestorOpInBlock(*use)->isBeforeInBlock(
        body.findAncestorOpInBlock(*slot));
  };
  return llvm::all_of(collectAccesses(kernel, alloc), [&](Operation *use) {
    return llvm::all_of(create.getRing().getUsers(),
                        [&](Operation *slot) { return isBefore(use, slot); });
  });
}

/// Buffers that are in use at the same time share no byte. A single-role ring
/// is in use from its first slot to the end of the kernel.
static LogicalResult verifyDisjoint(KernelOp kernel,
                                    ArrayRef<SharedRange> planned) {
  for (auto [i, range] : llvm::enumerate(planned))
    for (const SharedRange &other : planned.take_front(i)) {
      if (other.end() <= *range.offset || range.end() <= *other.offset)
        continue;
      auto a = dyn_cast<AllocOp>(other.op), b = dyn_cast<AllocOp>(range.op);
      if ((a && b && liveApart(kernel, a, b)) ||
          isDrained(kernel, other, range) || isDrained(kernel, range, other) ||
          isNotOpened(kernel, other, range) ||
          isNotOpened(kernel, range, other))
        continue;
      InFlightDiagnostic diagnostic =
          range.op->emitOpError()
          << "offset: expected bytes [" << *range.offset << ", " << range.end()
          << ") to be free while the buffer is in use";
      diagnostic.attachNote(other.op->getLoc())
          << "bytes [" << *other.offset << ", " << other.end()
          << ") are in use here";
      return diagnostic;
    }
  return success();
}

LogicalResult delta::tile::verifySharedMemory(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  SmallVector<SharedRange> ranges = collectRanges(kernel), planned;
  int64_t total = 0;
  for (const SharedRange &range : ranges)
    if (range.offset) {
      planned.push_back(range);
      total = std::max(total, range.end());
    }
  if (failed(verifyDisjoint(kernel, planned)))
    return failure();
  // Buffers without an offset need at least their aligned size.
  for (const SharedRange &range : ranges)
    if (!range.offset)
      total = llvm::alignTo(total, range.alignment) + range.bytes;
  if (total <= scope.target.sharedBytes)
    return success();
  return kernel.emitOpError()
         << "shared memory: expected at most " << scope.target.sharedBytes
         << " bytes on " << StringRef(scope.target.name) << ", got " << total;
}

//===----------------------------------------------------------------------===//
// F10
//===----------------------------------------------------------------------===//

LogicalResult delta::tile::verifyBarriers(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  // The role that meets at each barrier, and the first op that does.
  std::array<std::pair<Region *, Operation *>, 16> owners = {};
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    auto barrier = dyn_cast<BarrierOp>(op);
    Role role = getRole(kernel, op);
    if (isa<TriInverseOp>(op) && role.attribute) {
      op->emitOpError("expected outside of roles, as all warps of the CTA meet "
                      "inside; roles have tile.tri_solve");
      return WalkResult::interrupt();
    }
    if (!barrier && !isa<TriSolveOp>(op))
      return WalkResult::advance();
    int64_t id = barrier ? barrier.getId() : getRoleBarrier(op);
    if (!role.attribute) {
      if (id == 0)
        return WalkResult::advance();
      op->emitOpError() << "id: expected 0 outside roles, got " << id;
      return WalkResult::interrupt();
    }
    int64_t instances = role.getInstances();
    if (id == 0 || id + instances > 16) {
      op->emitOpError() << "id: expected 1 to " << 16 - instances
                        << " in a role of " << instances << " instances, got "
                        << id;
      return WalkResult::interrupt();
    }
    // Instance i meets at id + i.
    for (int64_t used = id; used < id + instances; ++used) {
      auto &[region, first] = owners[used];
      if (!region) {
        region = role.region;
        first = op;
      }
      if (region == role.region)
        continue;
      InFlightDiagnostic diagnostic =
          op->emitOpError()
          << "id: expected one that no other role meets at, got " << used;
      diagnostic.attachNote(first->getLoc()) << "another role meets here";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
