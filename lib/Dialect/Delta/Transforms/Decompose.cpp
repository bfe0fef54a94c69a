//===- Decompose.cpp - executable ops to upstream ops -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass `delta-decompose`. Drives DecomposableOpInterface and knows no op.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "delta/Dialect/Delta/IR/DeltaDialect.h"
#include "delta/Dialect/Delta/IR/DeltaInterfaces.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace delta;

namespace delta {
#define GEN_PASS_DEF_DECOMPOSE
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

namespace {

struct Decompose : public delta::impl::DecomposeBase<Decompose> {
  using Base::Base;
  void runOnOperation() override;
};

/// Functions that hold one decomposition each, by what it depends on: the op's
/// name, its attributes and its type. Decompositions look at nothing else.
class Outliner {
public:
  explicit Outliner(ModuleOp module) : symbols(module) {}

  /// A function that computes `op` from its operands, made on first use.
  FailureOr<func::FuncOp> functionFor(DecomposableOpInterface op);

private:
  using Key = std::tuple<StringAttr, DictionaryAttr, FunctionType>;

  SymbolTable symbols;
  DenseMap<Key, func::FuncOp> functions;
};

} // namespace

FailureOr<func::FuncOp> Outliner::functionFor(DecomposableOpInterface op) {
  OpBuilder builder(op.getContext());
  auto type =
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes());
  Key key(op->getName().getIdentifier(), op->getAttrDictionary(), type);
  if (func::FuncOp known = functions.lookup(key))
    return known;

  // "delta.load" becomes delta_load, a C identifier; the symbol table numbers
  // it.
  std::string name = op->getName().getStringRef().str();
  std::replace(name.begin(), name.end(), '.', '_');
  auto func = func::FuncOp::create(op->getLoc(), name, type);
  func.setPrivate();
  symbols.insert(func);
  Block *body = func.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  Operation *copy = builder.clone(*op);
  copy->setOperands(body->getArguments());
  FailureOr<SmallVector<Value>> results =
      cast<DecomposableOpInterface>(copy).decompose(builder);
  if (failed(results))
    return failure();
  func::ReturnOp::create(builder, op->getLoc(), *results);
  copy->erase();
  functions[key] = func;
  return func;
}

/// Removes what delta's phases say about a function: no upstream dialect knows
/// it, and arguments that are no longer memrefs would not verify.
static void dropDeltaAttributes(func::FuncOp func) {
  auto isDelta = [](NamedAttribute attribute) {
    return isa_and_nonnull<DeltaDialect>(attribute.getNameDialect());
  };
  for (NamedAttribute attribute : llvm::to_vector(func->getDiscardableAttrs()))
    if (isDelta(attribute))
      func->removeDiscardableAttr(attribute.getName());
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    NamedAttrList attributes(func.getArgAttrDict(i));
    for (NamedAttribute attribute : attributes)
      if (isDelta(attribute))
        func.removeArgAttr(i, attribute.getName());
  }
}

void Decompose::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<DecomposableOpInterface> ops;
  module.walk([&](DecomposableOpInterface op) { ops.push_back(op); });
  Outliner outliner(module);
  for (DecomposableOpInterface op : ops) {
    OpBuilder builder(op);
    if (!outline) {
      FailureOr<SmallVector<Value>> results = op.decompose(builder);
      if (failed(results))
        return signalPassFailure();
      op->replaceAllUsesWith(*results);
    } else {
      FailureOr<func::FuncOp> func = outliner.functionFor(op);
      if (failed(func))
        return signalPassFailure();
      op->replaceAllUsesWith(func::CallOp::create(builder, op->getLoc(), *func,
                                                  op->getOperands()));
    }
    op->erase();
  }
  for (auto func : module.getOps<func::FuncOp>())
    dropDeltaAttributes(func);
}
