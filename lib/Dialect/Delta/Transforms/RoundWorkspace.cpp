//===- RoundWorkspace.cpp - workspace in the products' type -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta-round-workspace`. Loads and stores convert to and from the array's
/// type by themselves, so the type of the array is all that changes, and the
/// array of rests is all that is added.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Names.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace delta {
#define GEN_PASS_DEF_ROUNDWORKSPACE
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

/// What everything read from `array` becomes, if it is one thing.
static OperandRounding getArrayRounding(memref::AllocOp array) {
  OperandRounding rounding;
  for (Operation *user : array->getUsers()) {
    if (isa<StoreOp>(user))
      continue;
    auto load = dyn_cast<LoadOp>(user);
    if (!load)
      return {};
    for (OpOperand &use : load.getTile().getUses()) {
      OperandRounding own = getRounding(use);
      if (!own.type || (rounding.type && !(rounding == own)))
        return {};
      rounding = own;
    }
  }
  return rounding;
}

/// Gives `array`, in its rounded type already, another for its rests.
static void addRests(memref::AllocOp array) {
  OpBuilder b(array);
  b.setInsertionPointAfter(array);
  auto rests = cast<memref::AllocOp>(b.clone(*array));
  if (auto name = array->getAttrOfType<StringAttr>(kNameAttr))
    rests->setAttr(kNameAttr, b.getStringAttr(name.getValue() + "_rest"));
  for (Operation *user : array->getUsers())
    if (auto load = dyn_cast<LoadOp>(user))
      load.getRestMutable().assign(rests);
    else
      cast<StoreOp>(user).getRestMutable().assign(rests);
}

namespace {

struct RoundWorkspacePass
    : public delta::impl::RoundWorkspaceBase<RoundWorkspacePass> {
  void runOnOperation() override {
    getOperation().walk([](memref::AllocOp array) {
      MemRefType type = array.getType();
      if (!type.getElementType().isF32())
        return;
      OperandRounding rounding = getArrayRounding(array);
      if (!rounding.type)
        return;
      array.getResult().setType(
          MemRefType::get(type.getShape(), rounding.type, type.getLayout()));
      if (rounding.leavesRests)
        addRests(array);
    });
  }
};

} // namespace
