//===- ChunkLoop.cpp - the loop that roles divide ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements ChunkLoop.h.
///
//===----------------------------------------------------------------------===//

#include "ChunkLoop.h"
#include "IndexArithmetic.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace delta::tile;

bool delta::tile::isPerChain(KernelOp kernel, CopyOp copy) {
  return llvm::any_of(copy.getIndices(), [&](Value index) {
    return dependsOn(index, kernel.getArgument(0));
  });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Whether `value` can be computed by any role: from the kernel's arguments and
/// the induction variable of `loop`, by ops without effects.
static bool isIndexArithmetic(Value value, scf::ForOp loop) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return value == loop.getInductionVar() ||
           isa<KernelOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  return isMemoryEffectFree(def) && def->getNumRegions() == 0 &&
         llvm::all_of(def->getOperands(), [&](Value operand) {
           return isIndexArithmetic(operand, loop);
         });
}

static LogicalResult checkCopy(scf::ForOp loop, CopyOp copy) {
  if (copy.getEngine() != Engine::Tma && copy.getEngine() != Engine::Bulk)
    return copy.emitError() << "engine: expected tma or bulk in a kernel with "
                               "roles, got "
                            << stringifyEngine(copy.getEngine());
  if (copy->getBlock() != loop.getBody())
    return copy.emitError("expected directly in the loop over chunks, where "
                          "roles meet");
  auto await =
      copy->hasOneUse() ? dyn_cast<AwaitOp>(*copy->user_begin()) : AwaitOp();
  if (!await || await.getInflight().size() != 1)
    return copy.emitError("inflight: expected an await of this copy alone");
  for (Value operand : copy->getOperands())
    if (operand != copy.getShared() && !isIndexArithmetic(operand, loop))
      return copy.emitError("indices: expected index arithmetic on arguments "
                            "of the kernel and the number of the chunk");
  return success();
}

/// Roles keep no order among their accesses to global memory.
static LogicalResult checkConflicts(KernelOp kernel, CopyOp copy) {
  GlobalAccess access = *getGlobalAccess(copy);
  WalkResult result = kernel.walk([&](Operation *op) {
    std::optional<GlobalAccess> other = getGlobalAccess(op);
    auto otherCopy = dyn_cast<CopyOp>(op);
    bool isSameRole =
        otherCopy && otherCopy.getToGlobal() == copy.getToGlobal();
    if (!other || isSameRole || !other->conflictsWith(access))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = copy.emitError(
        "array: expected no access to it by another role, which may run ahead");
    diagnostic.attachNote(op->getLoc()) << "another role accesses it here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Of a CTA of several chains: a copy for all of them brings neighbouring
/// columns, chain by chain.
static LogicalResult checkColumns(KernelOp kernel, CopyOp copy) {
  int64_t tiles = kernel.getChains();
  if (tiles == 1 || copy.getToGlobal() || !isPerChain(kernel, copy))
    return success();
  ArrayRef<int64_t> shape =
      cast<MemRefType>(copy.getShared().getType()).getShape();
  if (shape.size() != 2 || shape[1] != kChainColumns)
    return copy.emitError() << "expected " << kChainColumns
                            << " columns a chain where a CTA holds " << tiles;
  Value chain = kernel.getArgument(0);
  for (auto [axis, index] : llvm::enumerate(copy.getIndices())) {
    bool isColumn = copy.getDims()[1] == static_cast<int64_t>(axis);
    LinearIndex linear(index);
    int64_t stride = linear.terms.lookup(chain);
    linear.terms.erase(chain);
    bool isOpaque = llvm::any_of(
        linear.terms, [&](auto &term) { return dependsOn(term.first, chain); });
    if (isOpaque || stride != (isColumn ? kChainColumns : 0))
      return copy.emitError() << "indices " << axis
                              << ": expected neighbouring chains to read "
                                 "neighbouring columns where a CTA holds "
                              << tiles;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Whether `copy` alone fills its buffer, and no op outside of its loop reads.
static bool isFilledBy(CopyOp copy, Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (!copy->getParentOp()->isProperAncestor(user))
      return false;
    return user == copy ||
           llvm::none_of(getSharedAccesses(user),
                         [](const SharedAccess &use) { return use.writes; });
  });
}

WriteOp delta::tile::findWrite(CopyOp copy) {
  WriteOp found;
  for (Operation *user : copy.getShared().getUsers()) {
    auto write = dyn_cast<WriteOp>(user);
    if (user != copy &&
        (!write || found || write->getBlock() != copy->getBlock()))
      return {};
    if (write)
      found = write;
  }
  return found;
}

static LogicalResult checkBuffers(KernelOp kernel, const ChunkLoop &chunks) {
  llvm::DenseSet<Operation *> inRings;
  for (CopyOp copy : chunks.loads)
    if (auto alloc = copy.getShared().getDefiningOp<AllocOp>();
        alloc && isFilledBy(copy, alloc))
      inRings.insert(alloc);
  for (CopyOp copy : chunks.stores)
    if (auto alloc = copy.getShared().getDefiningOp<AllocOp>();
        alloc && findWrite(copy))
      inRings.insert(alloc);
  WalkResult result = kernel.walk([&](AllocOp alloc) {
    if (inRings.contains(alloc))
      return WalkResult::advance();
    alloc.emitError("buffer: expected one that a copy of the loop over chunks "
                    "fills, or a write in front of a copy out of it, in a "
                    "kernel of chains: roles share no other");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

FailureOr<scf::ForOp> delta::tile::findCopyingLoop(KernelOp kernel,
                                                   StringRef over) {
  SmallVector<scf::ForOp> loops;
  for (auto loop : kernel.getBody().getOps<scf::ForOp>())
    if (loop.walk([](CopyOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      loops.push_back(loop);
  if (loops.size() != 1)
    return kernel.emitError()
           << "roles: expected one loop over " << over
           << " that copies to or from shared memory, got " << loops.size();
  scf::ForOp loop = loops.front();
  if (!matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()))
    return loop.emitError() << "loop over " << over
                            << ": expected it to run from 0 in steps of 1";
  return loop;
}

FailureOr<ChunkLoop> delta::tile::findChunkLoop(KernelOp kernel) {
  FailureOr<scf::ForOp> found = findCopyingLoop(kernel, "chunks");
  if (failed(found))
    return failure();
  ChunkLoop chunks;
  scf::ForOp loop = chunks.loop = *found;
  SmallVector<CopyOp> vectors;
  WalkResult result = kernel.walk([&](CopyOp copy) {
    if (failed(checkCopy(loop, copy)) || failed(checkConflicts(kernel, copy)) ||
        failed(checkColumns(kernel, copy)))
      return WalkResult::interrupt();
    bool isMatrix = cast<MemRefType>(copy.getShared().getType()).getRank() == 2;
    (copy.getToGlobal() ? chunks.stores
     : isMatrix         ? chunks.loads
                        : vectors)
        .push_back(copy);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  // Coarse alignment first, so that a slot has no holes.
  chunks.loads.append(vectors);
  if (chunks.loads.empty())
    return loop.emitError("loop over chunks: expected a copy into shared "
                          "memory, got none: there is nothing to load");
  if (failed(checkBuffers(kernel, chunks)))
    return failure();
  return chunks;
}
