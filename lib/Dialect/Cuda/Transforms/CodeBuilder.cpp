//===- CodeBuilder.cpp - write exit IR like C++ -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The calls that are more than one op's constructor.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/Transforms/CodeBuilder.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

Value CodeBuilder::binary(BinaryKind kind, Value lhs, Value rhs,
                          StringRef name) {
  Type type = kind >= BinaryKind::Lt ? builder.getI1Type() : lhs.getType();
  return named(
      BinaryOp::create(builder, loc, type, kind, lhs, rhs, nullptr, false),
      name);
}

void CodeBuilder::when(Value condition, llvm::function_ref<void()> body) {
  auto op = IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getThenBody().front());
  body();
}

void CodeBuilder::loop(Value upper, StringRef name,
                       llvm::function_ref<void(Value)> body) {
  Value zero = index(0), one = index(1);
  auto op = ForOp::create(builder, loc, zero, upper, one, name);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().front());
  body(op.getCounter());
}
