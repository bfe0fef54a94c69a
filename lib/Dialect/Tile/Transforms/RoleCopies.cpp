//===- RoleCopies.cpp - what roles take from a kernel -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements RoleCopies.h.
///
//===----------------------------------------------------------------------===//

#include "RoleCopies.h"
#include "IndexArithmetic.h"
#include "Rings.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace delta::tile;

bool delta::tile::isPerChain(KernelOp kernel, CopyOp copy) {
  return kernel.getChains() > 1 &&
         llvm::any_of(copy.getIndices(), [&](Value index) {
           return dependsOn(index, kernel.getArgument(0));
         });
}

//===----------------------------------------------------------------------===//
// What each role can do alone
//===----------------------------------------------------------------------===//

bool delta::tile::isIndexArithmetic(Value value, scf::ForOp loop) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return value == loop.getInductionVar() ||
           isa<KernelOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  return isa<TicketOp>(def) ||
         (isMemoryEffectFree(def) && def->getNumRegions() == 0 &&
          llvm::all_of(def->getOperands(), [&](Value operand) {
            return isIndexArithmetic(operand, loop);
          }));
}

/// The one loop directly in `kernel` that copies to or from shared memory.
static FailureOr<scf::ForOp> findLoop(KernelOp kernel) {
  SmallVector<scf::ForOp> loops;
  for (auto loop : kernel.getBody().getOps<scf::ForOp>())
    if (loop.walk([](CopyOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      loops.push_back(loop);
  if (loops.size() != 1)
    return kernel.emitError() << "roles: expected one loop that copies to or "
                                 "from shared memory, got "
                              << loops.size();
  scf::ForOp loop = loops.front();
  if (!matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_One()))
    return loop.emitError(
        "loop with copies: expected it to run from 0 in steps "
        "of 1");
  if (!isIndexArithmetic(loop.getUpperBound(), loop) ||
      (kernel.getChains() > 1 &&
       dependsOn(loop.getUpperBound(), kernel.getArgument(0))))
    return loop.emitError(
        "loop with copies: expected an upper bound that every "
        "role can compute, the same for all chains of a CTA");
  return loop;
}

/// Of an op that a copying role runs: `op` uses `buffer`, if any, and values
/// that the role computes itself.
static LogicalResult checkOperands(Operation *op, scf::ForOp loop,
                                   Value buffer = {}) {
  if (op->getBlock() != loop->getBlock() && op->getBlock() != loop.getBody())
    return op->emitError("expected directly in the kernel or in its loop with "
                         "copies, where roles meet");
  for (Value operand : op->getOperands())
    if (operand != buffer && !isIndexArithmetic(operand, loop))
      return op->emitError("indices: expected index arithmetic on arguments of "
                           "the kernel, the ticket and the number of the "
                           "iteration");
  return success();
}

/// Roles keep no order among their accesses to global memory but that of flags,
/// which publish what copies out have written.
static LogicalResult checkConflicts(KernelOp kernel, CopyOp copy,
                                    bool hasFlags) {
  GlobalAccess access = *getGlobalAccess(copy);
  WalkResult result = kernel.walk([&](Operation *op) {
    std::optional<GlobalAccess> other = getGlobalAccess(op);
    auto otherCopy = dyn_cast<CopyOp>(op);
    bool isOrdered = isa<ExpectOp, SignalOp, TicketOp>(op) ||
                     (otherCopy && (hasFlags || otherCopy.getToGlobal() ==
                                                    copy.getToGlobal()));
    if (!other || isOrdered || !other->conflictsWith(access))
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = copy.emitError(
        "array: expected no access to it by another role, which may run ahead");
    diagnostic.attachNote(op->getLoc()) << "another role accesses it here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Copies and buffers
//===----------------------------------------------------------------------===//

/// A copy for several chains brings neighbouring columns, chain by chain.
static LogicalResult checkColumns(KernelOp kernel, CopyOp copy) {
  if (copy.getToGlobal() || !isPerChain(kernel, copy))
    return success();
  int64_t chains = kernel.getChains();
  int64_t columns = kernel.getPlan()->getColumns();
  ArrayRef<int64_t> shape =
      cast<MemRefType>(copy.getShared().getType()).getShape();
  if (shape.size() != 2 || shape[1] != columns)
    return copy.emitError() << "expected " << columns
                            << " columns a chain where a CTA holds " << chains;
  Value chain = kernel.getArgument(0);
  for (auto [axis, index] : llvm::enumerate(copy.getIndices())) {
    bool isColumn = copy.getDims()[1] == static_cast<int64_t>(axis);
    LinearIndex linear(index);
    int64_t stride = linear.terms.lookup(chain);
    linear.terms.erase(chain);
    bool isOpaque = llvm::any_of(
        linear.terms, [&](auto &term) { return dependsOn(term.first, chain); });
    if (isOpaque || stride != (isColumn ? columns : 0))
      return copy.emitError() << "indices " << axis
                              << ": expected neighbouring chains to read "
                                 "neighbouring columns where a CTA holds "
                              << chains;
  }
  return success();
}

/// Whether a single write, beside `copy`, fills the buffer that it takes out.
static bool isWrittenOnce(CopyOp copy) {
  auto users = copy.getShared().getUsers();
  return copy.getShared().getDefiningOp<AllocOp>() &&
         llvm::range_size(users) == 2 &&
         llvm::all_of(users, [&](Operation *user) {
           return user == copy ||
                  (isa<WriteOp>(user) && user->getBlock() == copy->getBlock());
         });
}

static LogicalResult checkCopy(KernelOp kernel, scf::ForOp loop, CopyOp copy,
                               bool hasFlags) {
  if (copy.getEngine() != Engine::Tma && copy.getEngine() != Engine::Bulk)
    return copy.emitError() << "engine: expected tma or bulk in a kernel with "
                               "roles, got "
                            << stringifyEngine(copy.getEngine());
  if (failed(checkOperands(copy, loop, copy.getShared())))
    return failure();
  auto await =
      copy->hasOneUse() ? dyn_cast<AwaitOp>(*copy->user_begin()) : AwaitOp();
  if (!await || await.getInflight().size() != 1)
    return copy.emitError("inflight: expected an await of this copy alone");
  if (copy.getToGlobal() && !isWrittenOnce(copy))
    return copy.emitError("buffer: expected one that a single write before "
                          "the copy fills");
  if (!copy.getToGlobal() && !isFilledBy(copy))
    return copy.emitError(
        "buffer: expected one that this copy alone fills, and "
        "that is read in the loop of the copy if it has one");
  return failure(failed(checkConflicts(kernel, copy, hasFlags)) ||
                 failed(checkColumns(kernel, copy)));
}

/// Instances of the math role share what copies bring, and nothing else.
static LogicalResult checkBuffers(KernelOp kernel, const RoleCopies &found) {
  if (kernel.getChains() == 1)
    return success();
  llvm::DenseSet<Value> copied;
  for (CopyOp copy : llvm::concat<const CopyOp>(found.loads, found.stores))
    copied.insert(copy.getShared());
  WalkResult result = kernel.walk([&](AllocOp alloc) {
    if (copied.contains(alloc))
      return WalkResult::advance();
    alloc.emitError("buffer: expected one that a copy fills or takes out where "
                    "a CTA holds several chains, which share no other");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<RoleCopies> delta::tile::findRoleCopies(KernelOp kernel) {
  FailureOr<scf::ForOp> loop = findLoop(kernel);
  if (failed(loop))
    return failure();
  RoleCopies found{*loop, {}, {}};
  SmallVector<SignalOp> signals;
  WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
    if (auto copy = dyn_cast<CopyOp>(op))
      (copy.getToGlobal() ? found.stores : found.loads).push_back(copy);
    if (auto signal = dyn_cast<SignalOp>(op))
      signals.push_back(signal);
    return success(!isa<ExpectOp, SignalOp>(op) ||
                   succeeded(checkOperands(op, *loop)));
  });
  if (result.wasInterrupted())
    return failure();
  for (CopyOp copy : llvm::concat<CopyOp>(found.loads, found.stores))
    if (failed(checkCopy(kernel, *loop, copy, /*hasFlags=*/!signals.empty())))
      return failure();
  if (found.loads.empty())
    return loop->emitError("loop with copies: expected a copy into shared "
                           "memory, got none: there is nothing to load");
  if (found.stores.empty() && !signals.empty())
    return signals.front().emitError("expected a copy out of shared memory in "
                                     "the kernel, got none: there is nothing "
                                     "to publish");
  if (failed(checkBuffers(kernel, found)))
    return failure();
  return found;
}
