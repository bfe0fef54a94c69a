//===- FinalAsync.cpp - rules F3 to F6 --------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values in flight, and accesses while a slot is open. Later rules follow a
/// value in flight and rely on F3 and F4: the value has one user, in its block.
///
//===----------------------------------------------------------------------===//

#include "FinalRules.h"

#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace delta::tile;

//===----------------------------------------------------------------------===//
// F3, F4
//===----------------------------------------------------------------------===//

static bool isCopy(Value inflight) {
  return isa<NoneType>(cast<AsyncType>(inflight.getType()).getValue());
}

LogicalResult delta::tile::verifyConsumers(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  WalkResult result =
      kernel.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
        if (!isa<DotStartOp, CopyOp>(op))
          return WalkResult::advance();
        Value value = op->getResult(0);
        StringRef expected =
            isCopy(value) ? "one consumer, await, commit or release"
                          : "one consumer, await or the acc of a dot_start";
        if (!value.hasOneUse()) {
          op->emitOpError()
              << "inflight: expected " << expected << ", got "
              << std::distance(value.use_begin(), value.use_end());
          return WalkResult::interrupt();
        }
        OpOperand &use = *value.use_begin();
        Operation *user = use.getOwner();
        bool accepted = isa<AwaitOp>(user);
        if (isCopy(value))
          accepted |= isa<CommitOp, ReleaseOp>(user);
        else if (auto next = dyn_cast<DotStartOp>(user))
          accepted |= next.getAcc() == value;
        // F4 checks the terminator and the operands of a region.
        if (accepted || !isa_and_nonnull<TileDialect>(user->getDialect()))
          return WalkResult::advance();
        op->emitOpError() << "inflight: expected " << expected << ", got "
                          << user->getName();
        return WalkResult::interrupt();
      });
  return failure(result.wasInterrupted());
}

LogicalResult delta::tile::verifyRegions(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  auto refuse = [](Operation *op) {
    op->emitOpError() << "value in flight: expected it to stay in the block "
                         "that issued it, got it across a region's boundary";
    return WalkResult::interrupt();
  };
  WalkResult result =
      kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        for (Value operand : op->getOperands())
          if (isa<AsyncType>(operand.getType()) &&
              (operand.getParentBlock() != op->getBlock() ||
               !isa_and_nonnull<TileDialect>(op->getDialect())))
            return refuse(op);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            for (BlockArgument argument : block.getArguments())
              if (isa<AsyncType>(argument.getType()))
                return refuse(op);
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

namespace {
/// A slot from the op that opens it to the op that closes it.
struct Slot {
  Operation *open;  // acquire or peek
  Operation *close; // commit or release; null if F5 is violated
  ValueRange buffers;
};
} // namespace

/// The commit (release) that closes the slot which `open`, an acquire (a peek),
/// has opened; null unless there is exactly one, in the same block.
static Operation *findClose(Operation *open, Value slot) {
  if (!slot.hasOneUse())
    return nullptr;
  Operation *close = *slot.user_begin();
  bool matches =
      isa<AcquireOp>(open) ? isa<CommitOp>(close) : isa<ReleaseOp>(close);
  return matches && close->getBlock() == open->getBlock() ? close : nullptr;
}

/// Applies `verify` to every slot of the kernel, until it fails.
static LogicalResult
forEachSlot(KernelOp kernel, function_ref<LogicalResult(const Slot &)> verify) {
  auto visit = [&](Operation *op) {
    if (!isa<AcquireOp, PeekOp>(op))
      return WalkResult::advance();
    Slot slot = {op, findClose(op, op->getResult(0)),
                 op->getResults().drop_front()};
    return failed(verify(slot)) ? WalkResult::interrupt()
                                : WalkResult::advance();
  };
  return failure(
      kernel.getBody().walk<WalkOrder::PreOrder>(visit).wasInterrupted());
}

/// Applies `verify` to every user of the slot's buffers, looking through views,
/// until it fails.
static LogicalResult
forEachUser(const Slot &slot, function_ref<LogicalResult(Operation *)> verify) {
  SmallVector<Value> worklist(slot.buffers);
  while (!worklist.empty()) {
    Value buffer = worklist.pop_back_val();
    for (Operation *user : buffer.getUsers()) {
      if (failed(verify(user)))
        return failure();
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(worklist, user->getResults());
    }
  }
  return success();
}

/// Whether `op`, or its ancestor in the block of the closing op, comes before
/// the closing op.
static bool isBeforeClose(const Slot &slot, Operation *op) {
  Operation *ancestor = slot.close->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && ancestor->isBeforeInBlock(slot.close);
}

static LogicalResult refuse(const Slot &slot, Operation *op,
                            StringRef expected) {
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << "buffer of a slot: expected " << expected;
  diagnostic.attachNote(slot.close->getLoc()) << "it is closed here";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// F5, F6
//===----------------------------------------------------------------------===//

static LogicalResult verifyUse(const Slot &slot, Operation *user) {
  // A buffer that is passed to a loop, a branch or a call could be used
  // anywhere.
  bool isAccess = isa<MemoryEffectOpInterface>(user) &&
                  user->getNumRegions() == 0 &&
                  !user->hasTrait<OpTrait::IsTerminator>();
  if (!isAccess && !isa<ViewLikeOpInterface>(user))
    return user->emitOpError() << "buffer of a slot: expected a view or an op "
                                  "that reads or writes it";
  if (isBeforeClose(slot, user))
    return success();
  return refuse(slot, user, "a use while the slot is open");
}

LogicalResult delta::tile::verifySlotUses(const KernelScope &scope) {
  return forEachSlot(scope.kernel, [](const Slot &slot) -> LogicalResult {
    if (!slot.close)
      return slot.open->emitOpError()
             << "slot: expected one "
             << (isa<AcquireOp>(slot.open) ? "commit" : "release")
             << " in the same block";
    return forEachUser(slot,
                       [&](Operation *user) { return verifyUse(slot, user); });
  });
}

/// The op that ends the flight of `value`. A product that is the accumulator of
/// another one ends no later than the other one.
static Operation *findEnd(Value value) {
  Operation *user = *value.user_begin();
  while (auto next = dyn_cast<DotStartOp>(user))
    user = *next.getInflight().user_begin();
  return user;
}

static LogicalResult verifyEnd(const Slot &slot, Operation *user) {
  if (!isa<DotStartOp, CopyOp>(user))
    return success();
  Operation *end = findEnd(user->getResult(0));
  if (end == slot.close || isBeforeClose(slot, end))
    return success();
  return refuse(slot, user,
                isa<DotStartOp>(user)
                    ? "an await of this product before the slot is closed"
                    : "an await of this copy before the slot is closed");
}

LogicalResult delta::tile::verifySlotAwaits(const KernelScope &scope) {
  return forEachSlot(scope.kernel, [](const Slot &slot) {
    return forEachUser(slot,
                       [&](Operation *user) { return verifyEnd(slot, user); });
  });
}
