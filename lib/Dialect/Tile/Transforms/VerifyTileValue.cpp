//===- VerifyTileValue.cpp - contract of the value form ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks rules V2, V5 and V6 of docs/tile-dialect.md; V1, V3 and V4 are the
/// ops' own verifiers. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/GlobalMemory.h"

using namespace mlir;
using namespace delta::tile;

namespace delta::tile {
#define GEN_PASS_DEF_VERIFYTILEVALUE
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

/// V2: a box that can pass a dynamic extent names where the array ends.
static LogicalResult verifyBound(Operation *op, MemRefType array,
                                 ArrayRef<int64_t> dims, Value bound,
                                 int64_t boundAxis) {
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    if (!array.isDynamicDim(dim))
      continue;
    if (!bound)
      return op->emitOpError() << "bound: expected one, as tile axis " << axis
                               << " runs along dynamic axis " << dim << " of "
                               << array << ", got none";
    if (boundAxis != static_cast<int64_t>(axis))
      return op->emitOpError()
             << "bound_axis: expected " << axis << ", which runs along dynamic "
             << "axis " << dim << " of " << array << ", got " << boundAxis;
  }
  return success();
}

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
  // V6: ops of the final form alone.
  if (isa<AllocOp, CopyOp, ReadOp, WriteOp, BarrierOp, DotStartOp, AwaitOp,
          RolesOp, RingCreateOp, AcquireOp, PeekOp, CommitOp, ReleaseOp,
          ConvertOp>(op))
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
  if (auto load = dyn_cast<LoadOp>(op))
    return verifyBound(op, cast<MemRefType>(load.getSource().getType()),
                       load.getDims(), load.getBound(), load.getBoundAxis());
  if (auto store = dyn_cast<StoreOp>(op))
    return verifyBound(op, cast<MemRefType>(store.getDest().getType()),
                       store.getDims(), store.getBound(), store.getBoundAxis());
  return verifyMemoryAccess(op); // V5
}

namespace {

struct VerifyTileValue
    : public delta::tile::impl::VerifyTileValueBase<VerifyTileValue> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    // One diagnostic for one mistake: what follows from it is not reported.
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
