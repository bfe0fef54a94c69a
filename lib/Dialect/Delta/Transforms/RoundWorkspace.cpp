//===- RoundWorkspace.cpp - workspace in the products' type -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta-round-workspace`. Loads and stores convert to and from the array's
/// type by themselves, so the type of the array is all that changes.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace delta {
#define GEN_PASS_DEF_ROUNDWORKSPACE
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

/// The gram that has `rowDot` on its diagonal, or null.
static GramOp findGram(RowDotOp rowDot) {
  for (Operation *user : rowDot.getLhs().getUsers())
    if (auto gram = dyn_cast<GramOp>(user))
      if (gram.getLhs() == rowDot.getLhs() && gram.getRhs() == rowDot.getRhs())
        return gram;
  return {};
}

/// The type that a product rounds this operand of it to, or null.
static Type getRounding(OpOperand &use) {
  Operation *user = use.getOwner();
  bool isFactor = false;
  if (auto apply = dyn_cast<ApplyOp>(user))
    isFactor = use.get() != apply.getAccumulator() &&
               !(apply.getSplitMatrix() && use.get() == apply.getMatrix()) &&
               !(apply.getSplitInput() && use.get() == apply.getInput());
  else if (auto online = dyn_cast<OnlineOp>(user))
    isFactor = use.get() == online.getValues();
  else if (isa<GramOp>(user))
    isFactor = true;
  else if (auto rowDot = dyn_cast<RowDotOp>(user)) {
    // The diagonal of a product is that product's.
    user = findGram(rowDot);
    isFactor = user != nullptr;
  }
  auto prec = isFactor ? user->getAttrOfType<PrecAttr>("prec") : PrecAttr();
  return prec ? Type(prec.getOperands()) : Type();
}

/// The one type that everything read from `array` is rounded to, or null.
static Type getRounding(memref::AllocOp array) {
  Type rounding;
  for (Operation *user : array->getUsers()) {
    if (isa<StoreOp>(user))
      continue;
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      return {};
    for (OpOperand &use : load.getTile().getUses()) {
      Type type = getRounding(use);
      if (!type || (rounding && rounding != type))
        return {};
      rounding = type;
    }
  }
  return rounding;
}

namespace {

struct RoundWorkspacePass
    : public delta::impl::RoundWorkspaceBase<RoundWorkspacePass> {
  void runOnOperation() override {
    getOperation().walk([](memref::AllocOp array) {
      MemRefType type = array.getType();
      if (!type.getElementType().isF32())
        return;
      if (Type rounding = getRounding(array))
        array.getResult().setType(
            MemRefType::get(type.getShape(), rounding, type.getLayout()));
    });
  }
};

} // namespace
