//===- Decompositions.cpp - the value form in upstream ops ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What each op of the value form is in upstream dialects.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace delta::tile;

FailureOr<SmallVector<Value>> LoadOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> StoreOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> DotOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> ReduceOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> ScanOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> SpreadOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> MaskOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> TransposeOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> TriInverseOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> TicketOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> SignalOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
FailureOr<SmallVector<Value>> ExpectOp::decompose(OpBuilder &) {
  return emitError("not decomposed yet");
}
