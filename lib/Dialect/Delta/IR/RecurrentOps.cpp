//===- RecurrentOps.cpp - ops of the recurrent phase ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers and accessors of the ops that a user writes. A check is marked
/// with its label in docs/spec.md. What is consistent but cannot be compiled is
/// refused by `delta-verify-recurrent`, not here.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"

#include <cmath>

using namespace mlir;
using namespace delta;

#define GET_OP_CLASSES
#include "delta/Dialect/Delta/IR/DeltaOps.cpp.inc"

//===----------------------------------------------------------------------===//
// RecurrenceOp: sizes
//===----------------------------------------------------------------------===//

static int64_t getDimFromEnd(Value value, unsigned fromEnd) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getDimSize(type.getRank() - fromEnd);
}

int64_t RecurrenceOp::getKeyHeads() { return getDimFromEnd(getQuery(), 2); }

int64_t RecurrenceOp::getValueHeads() { return getDimFromEnd(getValue(), 2); }

int64_t RecurrenceOp::getKeyDim() { return getDimFromEnd(getQuery(), 1); }

int64_t RecurrenceOp::getValueDim() { return getDimFromEnd(getValue(), 1); }

float RecurrenceOp::getScaleValue() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToFloat();
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(getKeyDim())));
}

bool RecurrenceOp::isTied() {
  return getKernel().getImplicit() && !getWrite() &&
         getKernel().getWrite() == getKernel().getRead();
}

LogicalResult L2NormOp::verify() { return success(); }
LogicalResult SigmoidOp::verify() { return success(); }
LogicalResult RecurrenceOp::verify() { return success(); }
