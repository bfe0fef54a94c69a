//===- DeltaInterfaces.cpp - interfaces of executable ops -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The interfaces' generated code, and questions to all users of a value.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaInterfaces.h"
#include "delta/Dialect/Delta/IR/DeltaChunkInterfaces.h"

using namespace mlir;
using namespace delta;

#include "delta/Dialect/Delta/IR/DeltaChunkInterfaces.cpp.inc"

#include "delta/Dialect/Delta/IR/DeltaInterfaces.cpp.inc"

OperandRounding delta::getRounding(OpOperand &use) {
  auto product = dyn_cast<ProductOpInterface>(use.getOwner());
  PrecAttr prec = product ? product.getPrecAttr() : PrecAttr();
  if (prec)
    for (auto [operand, isSplit] : product.getFactors())
      if (operand == &use)
        return {prec.getOperands(), isSplit};
  return {};
}

bool delta::isIgnoredOutside(Value value, Part part, int64_t steps) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    auto reader = dyn_cast<PartReaderOpInterface>(use.getOwner());
    return reader && reader.ignoresOutside(use, part, steps);
  });
}
