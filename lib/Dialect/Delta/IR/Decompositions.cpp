//===- Decompositions.cpp - ops in terms of upstream ops --------- -*- C++
//-*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What each executable op is in upstream dialects.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"

using namespace mlir;
using namespace delta;

FailureOr<SmallVector<Value>> L2NormOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> SigmoidOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> LoadOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> StoreOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> GatePrefixOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> DecayOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> GramOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> ScaleOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> TriInverseOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> ApplyOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> RowSumOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> ReadOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> UpdateOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> OnlineOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> WeightsOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
