//===- Inlining.cpp - where an expression may be evaluated ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Conservative: what may write is taken to write.
///
//===----------------------------------------------------------------------===//

#include "Inlining.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

static void collectStatements(Operation *op,
                              SmallVectorImpl<Operation *> &statements) {
  for (Operation *user : op->getUsers()) {
    auto expression = dyn_cast<ExpressionOpInterface>(user);
    if (expression && expression.getInlined())
      collectStatements(user, statements);
    else if (!llvm::is_contained(statements, user))
      statements.push_back(user);
  }
}

SmallVector<Operation *> cuda::getStatements(ExpressionOpInterface op) {
  SmallVector<Operation *> statements;
  collectStatements(op, statements);
  return statements;
}

static bool isAddressTaken(Value variable) {
  return llvm::any_of(variable.getUsers(),
                      [](Operation *user) { return isa<AddressOfOp>(user); });
}

/// Whether `op` itself may change what `reader` reads.
static bool mayWrite(Operation *op, ExpressionOpInterface reader) {
  auto read = dyn_cast<ReadOp>(*reader);
  if (auto assign = dyn_cast<AssignOp>(op))
    return read ? read.getVariable() == assign.getVariable()
                : isAddressTaken(assign.getVariable());
  if (auto expression = dyn_cast<ExpressionOpInterface>(op))
    return expression.getEvaluation() == Evaluation::Effect &&
           (!read || isAddressTaken(read.getVariable()));
  return false;
}

/// The same for `op` and what is nested in it.
static bool anyMayWrite(Operation *op, ExpressionOpInterface reader) {
  return op
      ->walk([&](Operation *nested) {
        return mayWrite(nested, reader) ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

bool cuda::mayEvaluateAt(ExpressionOpInterface op, Operation *statement) {
  switch (op.getEvaluation()) {
  case Evaluation::Constant:
  case Evaluation::Pure:
    return true;
  case Evaluation::Effect:
    return isa<ReturnOp>(statement) && op->getNextNode() == statement;
  case Evaluation::Read:
    break;
  }
  Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*statement);
  for (Operation *between = op->getNextNode(); between && between != ancestor;
       between = between->getNextNode())
    if (anyMayWrite(between, op))
      return false;
  // Of a statement further inside, anything around it may come first. A loop
  // evaluates its bound again after its body.
  if (ancestor != statement || isa<ForOp>(statement))
    return !anyMayWrite(ancestor, op);
  return true;
}

bool cuda::needsTypedOperand(LiteralOp op) {
  if (!op.getType().isIntOrIndex() || op.getType().isInteger(1))
    return false;
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    auto binary = dyn_cast<BinaryOp>(user);
    if (!binary)
      return false;
    bool isShift = binary.getKind() == BinaryKind::Shl ||
                   binary.getKind() == BinaryKind::Shr;
    // Of two literals it is enough that the left one has a type.
    return binary.getLhs() == op.getResult() &&
           (isShift || binary.getRhs().getDefiningOp<LiteralOp>());
  });
}
