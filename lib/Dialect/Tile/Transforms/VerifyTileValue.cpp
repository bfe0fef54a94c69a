//===- VerifyTileValue.cpp - contract of the value form ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks rules V2, V5 and V6 of docs/tile-dialect.md. The verifiers of the ops
/// check V1, V3, V4 and V7. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "MemoryRules.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "delta/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace delta::tile;

namespace delta::tile {
#define GEN_PASS_DEF_VERIFYTILEVALUE
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

/// V6: nothing is placed yet.
static LogicalResult verifyUnplaced(Operation *op, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!tensor.getEncoding())
      return success();
    return op->emitOpError()
           << "value form: expected tensors without a layout, got " << type;
  }
  if (auto array = dyn_cast<MemRefType>(type)) {
    if (!array.getMemorySpace())
      return success();
    return op->emitOpError()
           << "value form: expected memrefs of global memory, got " << type;
  }
  if (isa<AsyncType, RingType, SlotType>(type))
    return op->emitOpError()
           << "value form: expected no type of the final form, got " << type;
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  // V6: no ops of the final form.
  if (isa<AllocOp, CopyOp, ReadOp, WriteOp, BarrierOp, DotStartOp, AwaitOp,
          RolesOp, RingCreateOp, AcquireOp, PeekOp, CommitOp, ReleaseOp,
          WaitLaunchesOp, ConvertOp>(op))
    return op->emitOpError() << "expected in the final form alone";
  for (Type type : op->getOperandTypes())
    if (failed(verifyUnplaced(op, type)))
      return failure();
  for (Type type : op->getResultTypes())
    if (failed(verifyUnplaced(op, type)))
      return failure();
  if (auto dot = dyn_cast<DotOp>(op)) {
    for (auto [name, operand] :
         {std::pair("a", dot.getA()), std::pair("b", dot.getB())})
      if (!isa<RankedTensorType>(operand.getType()))
        return op->emitOpError()
               << name << ": expected a tensor, got " << operand.getType();
    if (dot.getInstr())
      return op->emitOpError() << "instr: expected none in the value form, got "
                               << stringifyInstr(*dot.getInstr());
  }
  if (failed(verifyBounds(op)))
    return failure();
  return verifyMemoryAccess(op);
}

namespace {

struct VerifyTileValue
    : public delta::tile::impl::VerifyTileValueBase<VerifyTileValue> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    // V6: no op of an earlier phase is left.
    WalkResult earlier = getOperation().walk([](Operation *op) {
      if (op->getName().getDialectNamespace() != "delta")
        return WalkResult::advance();
      op->emitOpError() << "expected in an earlier phase alone; "
                           "--delta-tile-value-pipeline makes kernels of it";
      return WalkResult::interrupt();
    });
    if (earlier.wasInterrupted())
      return signalPassFailure();
    // One diagnostic for one mistake: errors that follow from it are not
    // reported.
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      WalkResult result = kernel.getBody().walk([](Operation *op) {
        return failed(verifyOp(op)) ? WalkResult::interrupt()
                                    : WalkResult::advance();
      });
      if (result.wasInterrupted())
        signalPassFailure();
    }
  }
};

} // namespace
