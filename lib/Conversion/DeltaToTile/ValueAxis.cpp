//===- ValueAxis.cpp - which tiles have a value axis ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValueAxis.h"

#include "delta/Dialect/Delta/IR/DeltaOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace delta;

/// Puts values whose columns are the same axis into one class.
static void connect(Operation *op,
                    llvm::EquivalenceClasses<const void *> &classes) {
  auto join = [&](Value a, Value b) {
    classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  };
  if (auto map = dyn_cast<ColumnLinearOpInterface>(op)) {
    for (Value operand : map.getLinearOperands())
      join(operand, map.getLinearResult());
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, arg, yielded, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      join(init, arg);
      join(arg, yielded);
      join(arg, result);
    }
  } else if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1) {
    for (Value operand : op->getOperands())
      join(operand, op->getResult(0));
  }
}

llvm::DenseSet<Value> delta::findValueAxis(Operation *root) {
  llvm::EquivalenceClasses<const void *> classes;
  SmallVector<Value> states;
  root->walk([&](Operation *op) {
    connect(op, classes);
    if (auto update = dyn_cast<StateUpdateOpInterface>(op))
      states.push_back(update.getState());
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      llvm::copy_if(loop.getRegionIterArgs(), std::back_inserter(states),
                    [](Value carried) {
                      auto type = dyn_cast<RankedTensorType>(carried.getType());
                      return type && type.getRank() == 2;
                    });
  });
  llvm::DenseSet<Value> found;
  for (Value state : states)
    for (const void *member : classes.members(state.getAsOpaquePointer()))
      found.insert(Value::getFromOpaquePointer(member));
  return found;
}
