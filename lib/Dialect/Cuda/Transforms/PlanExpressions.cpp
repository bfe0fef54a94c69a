//===- PlanExpressions.cpp - what is written inside what --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks backwards, so that an expression's users are planned before it. Sets
/// `inlined` and erases what nobody uses; may not move anything.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/Transforms/Passes.h"

#include "Inlining.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace delta::cuda {
#define GEN_PASS_DEF_PLANEXPRESSIONS
#include "delta/Dialect/Cuda/IR/CudaPasses.h.inc"
} // namespace delta::cuda

/// Operators in one statement, or in one argument of a call, beyond which a
/// reader would rather have a name.
static constexpr unsigned maxOperators = 6;

/// A class of the device library, not a number or a handle.
static bool isFragment(Type type) {
  auto opaque = dyn_cast<cuda::OpaqueType>(type);
  return opaque && opaque.getSpelling().contains('<');
}

/// Whether `op` repeats a number or a vector in a fragment, to be used with
/// one.
static bool isRepetition(Operation *op) {
  auto call = dyn_cast<CallOp>(op);
  if (!call || !call.getPure())
    return false;
  bool takesFragment = llvm::any_of(call.getArgs(), [](Value argument) {
    auto opaque = dyn_cast<cuda::OpaqueType>(argument.getType());
    return opaque && (opaque.getSpelling().starts_with("Fragment<") ||
                      opaque.getSpelling().starts_with("Shared"));
  });
  Operation *user = *op->user_begin();
  return !takesFragment && isa<BinaryOp, CallOp>(user);
}

/// Whether something with an effect stands between the two. Work on registers
/// is put beside products in flight on purpose, and stays there.
static bool isEffectBetween(Operation *op, Operation *user) {
  for (Operation *between = op->getNextNode(); between && between != user;
       between = between->getNextNode()) {
    auto expression = dyn_cast<ExpressionOpInterface>(between);
    if (expression && expression.getEvaluation() == Evaluation::Effect)
      return true;
  }
  return false;
}

namespace {

struct PlanExpressions
    : public cuda::impl::PlanExpressionsBase<PlanExpressions> {
  void runOnOperation() override {
    for (Region &region : getOperation()->getRegions())
      plan(region);
  }

private:
  void plan(Region &region) {
    for (Block &block : region)
      for (Operation &op :
           llvm::make_early_inc_range(llvm::reverse(block.getOperations()))) {
        for (Region &nested : op.getRegions())
          plan(nested);
        if (auto expression = dyn_cast<ExpressionOpInterface>(op))
          plan(expression);
      }
  }

  void plan(ExpressionOpInterface op) {
    if (op.getEvaluation() != Evaluation::Effect && op->use_empty())
      return op->erase();
    op.setInlined(shouldInline(op));
  }

  bool shouldInline(ExpressionOpInterface op) {
    if (op->use_empty() || op.getName())
      return false;
    SmallVector<Operation *> statements = getStatements(op);
    if (!llvm::all_of(statements, [&](Operation *statement) {
          return mayEvaluateAt(op, statement);
        }))
      return false;
    if (auto literal = dyn_cast<LiteralOp>(*op))
      return !needsTypedOperand(literal);
    if (isa<ReadOp>(*op) || op.getEvaluation() == Evaluation::Constant)
      return true;
    if (!op->hasOneUse() || statements.size() != 1 ||
        statements.front()->getBlock() != op->getBlock())
      return false;
    // A kernel reads as one step a line: of fragments, only `S = S * x` and
    // what is repeated, `S * spread_rows<64>(x)` and `exp(fill<..>(x))`, are
    // written in one.
    Operation *user = *op->user_begin();
    bool isStep = isa<AssignOp, DeclareOp, ReturnOp>(user) || isRepetition(op);
    if (isFragment(op->getResult(0).getType()) &&
        (!isStep || isEffectBetween(op, user)))
      return false;
    Operation *formula = getFormula(op, user);
    if (operatorsIn[formula] >= maxOperators)
      return false;
    ++operatorsIn[formula];
    formulaOf[op] = formula;
    return true;
  }

  /// The formula that `op` is written in: what its user is written in, an
  /// argument of a call of its own, or the statement.
  Operation *getFormula(Operation *op, Operation *user) {
    if (Operation *formula = formulaOf.lookup(user))
      return formula;
    return isa<CallOp, LaunchOp>(user) ? op : user;
  }

  /// Of inlined operators; the formulas of others are themselves.
  llvm::DenseMap<Operation *, Operation *> formulaOf;
  /// Operators written inside a formula so far.
  llvm::DenseMap<Operation *, unsigned> operatorsIn;
};

} // namespace
