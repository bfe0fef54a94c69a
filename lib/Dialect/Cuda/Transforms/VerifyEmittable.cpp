//===- VerifyEmittable.cpp - contract of the last phase ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks E1 to E6 of docs/cuda-dialect.md. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/Transforms/Passes.h"

#include "Inlining.h"
#include "delta/Dialect/Cuda/Transforms/Names.h"
#include "delta/Target/Cuda/PrintCuda.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace delta::cuda {
#define GEN_PASS_DEF_VERIFYEMITTABLE
#include "delta/Dialect/Cuda/IR/CudaPasses.h.inc"
} // namespace delta::cuda

/// Whether a variable or field of `type` can be declared.
static bool isDeclarable(Type type) {
  if (auto array = dyn_cast<cuda::ArrayType>(type))
    type = array.getElement();
  return !spellType(type).empty();
}

namespace {

/// The names of a function's variables that are visible in a block.
struct Scope {
  const Scope *parent;
  llvm::StringSet<> names;

  bool contains(StringRef name) const {
    return names.contains(name) || (parent && parent->contains(name));
  }
};

struct VerifyEmittable
    : public cuda::impl::VerifyEmittableBase<VerifyEmittable> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyModule(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult verifyModule(ModuleOp module);
  LogicalResult verifyOp(Operation *op);
  LogicalResult verifySymbols(Operation *op);
  LogicalResult verifyText(Operation *op);
  LogicalResult verifyKernelName(KernelOp kernel);
  LogicalResult verifyFunction(FunctionOpInterface function);
  LogicalResult verifyBlock(Block &block, Scope &scope);
  LogicalResult verifyInlined(ExpressionOpInterface op);
  LogicalResult enter(Operation *op, std::optional<StringRef> name,
                      Scope &scope);

  llvm::StringSet<> used;
  /// What the text calls: its own functions and the device library's.
  llvm::StringSet<> callees;
};

} // namespace

/// E1: a module is files, and files hold ops of this dialect alone.
LogicalResult VerifyEmittable::verifyModule(ModuleOp module) {
  used = collectUsedNames(module);
  module.walk([&](CallOp call) { callees.insert(call.getCallee()); });
  llvm::StringSet<> files;
  for (Operation &op : *module.getBody()) {
    auto file = dyn_cast<FileOp>(op);
    if (!file)
      return op.emitError() << "E1: a module to emit holds files only, got '"
                            << op.getName() << "'";
    if (!files.insert(file.getName()).second)
      return file.emitError()
             << "E1: duplicate file name '" << file.getName() << "'";
  }
  WalkResult result = module.walk([&](Operation *op) {
    if (op != module && failed(verifyOp(op)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult VerifyEmittable::verifyOp(Operation *op) {
  if (!isa<CudaDialect>(op->getDialect()))
    return op->emitError() << "E1: only ops of the exit dialect can be "
                              "emitted, got '"
                           << op->getName() << "'";
  if (failed(verifyText(op)) || failed(verifySymbols(op)))
    return failure();
  // E4: every type has a spelling.
  for (Type type : op->getResultTypes()) {
    auto variable = dyn_cast<VariableType>(type);
    Type spelled = variable ? variable.getValue() : type;
    if (!isDeclarable(spelled))
      return op->emitError() << "E4: type has no spelling in C++: " << spelled;
  }
  if (auto kernel = dyn_cast<KernelOp>(op))
    if (failed(verifyKernelName(kernel)))
      return failure();
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return verifyFunction(function);
  if (auto block = dyn_cast<MacroBlockOp>(op)) {
    Scope scope{nullptr, {}};
    return verifyBlock(block.getBody().front(), scope);
  }
  return success();
}

/// E5: what others see is legal C and is never renamed.
LogicalResult VerifyEmittable::verifySymbols(Operation *op) {
  StringRef name;
  Type type;
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    name = function.getName();
  } else if (auto field = dyn_cast<FieldOp>(op)) {
    name = field.getName();
    type = field.getType();
  } else if (auto alias = dyn_cast<TypedefOp>(op)) {
    // CUDA's own names are declared again in headers, so they are no variables.
    type = alias.getType();
  } else if (isa<StructOp, EnumOp, EnumeratorOp>(op)) {
    name = op->getAttrOfType<StringAttr>("name");
  } else {
    return success();
  }
  if (!isa<TypedefOp>(op) && !isLegalName(name))
    return op->emitError() << "E5: '" << name
                           << "' is no name that C and C++ accept";
  if (type && !isDeclarable(type))
    return op->emitError() << "E4: type has no spelling in C++: " << type;
  return success();
}

/// E6: text that is written as it is cannot swallow the next line.
LogicalResult VerifyEmittable::verifyText(Operation *op) {
  StringRef text;
  bool mayBreak = false;
  if (auto comment = dyn_cast<CommentOp>(op)) {
    text = comment.getText();
    mayBreak = true;
  } else if (auto directive = dyn_cast<DirectiveOp>(op)) {
    text = directive.getText();
  } else if (auto block = dyn_cast<MacroBlockOp>(op)) {
    text = block.getHead();
  } else if (auto include = dyn_cast<IncludeOp>(op)) {
    text = include.getPath();
  } else if (auto doc = op->getAttrOfType<StringAttr>("doc")) {
    text = doc;
    mayBreak = true;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    bool isBreak = text[i] == '\n' && mayBreak;
    if (static_cast<unsigned char>(text[i]) < ' ' && !isBreak)
      return op->emitError("E6: text holds a control character");
    if (text[i] == '\\' &&
        (i + 1 == text.size() || text[i + 1] == '\n' || text[i + 1] == ' '))
      return op->emitError("E6: a backslash would continue the line");
  }
  return success();
}

/// E2: nobody calls a kernel, so that a call of its name means a function of
/// the device library, as reduce_rows in a kernel of a function `reduce`.
LogicalResult VerifyEmittable::verifyKernelName(KernelOp kernel) {
  if (callees.contains(kernel.getName()))
    return kernel.emitError() << "E2: kernel '" << kernel.getName()
                              << "' would hide what the text calls by that "
                                 "name: give the function another one";
  return success();
}

LogicalResult VerifyEmittable::verifyFunction(FunctionOpInterface function) {
  Scope scope{nullptr, {}};
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(
        i, CudaDialect::getNameAttrName());
    if (failed(enter(function,
                     name ? std::optional(name.getValue()) : std::nullopt,
                     scope)))
      return failure();
    Type type = function.getArgumentTypes()[i];
    if (spellType(type).empty())
      return function.emitError() << "E4: type of argument " << i
                                  << " has no spelling in C++: " << type;
  }
  for (Type type : function.getResultTypes())
    if (spellType(type).empty())
      return function.emitError()
             << "E4: type of the result has no spelling in C++: " << type;
  if (function.isExternal())
    return success();
  return verifyBlock(function.getFunctionBody().front(), scope);
}

/// E2: every variable has a legal name that hides nothing.
LogicalResult VerifyEmittable::enter(Operation *op,
                                     std::optional<StringRef> name,
                                     Scope &scope) {
  if (!name)
    return op->emitError("E2: a variable has no name");
  if (!isLegalName(*name))
    return op->emitError() << "E2: '" << *name << "' is no legal name";
  if (used.contains(*name))
    return op->emitError() << "E2: '" << *name
                           << "' would hide what the text calls by that name";
  if (scope.contains(*name))
    return op->emitError() << "E2: '" << *name << "' is taken";
  scope.names.insert(*name);
  return success();
}

LogicalResult VerifyEmittable::verifyBlock(Block &block, Scope &scope) {
  for (Operation &op : block) {
    if (auto declare = dyn_cast<DeclareOp>(op)) {
      if (failed(enter(&op, declare.getName(), scope)))
        return failure();
    } else if (auto expression = dyn_cast<ExpressionOpInterface>(op)) {
      bool isStatement =
          op.use_empty() && expression.getEvaluation() == Evaluation::Effect;
      if (expression.getInlined()
              ? failed(verifyInlined(expression))
              : !isStatement && failed(enter(&op, expression.getName(), scope)))
        return failure();
    } else if (!isa<AssignOp, CommentOp, ForOp, IfOp, ReturnOp>(op)) {
      return op.emitError() << "E1: '" << op.getName() << "' is no statement";
    }
    for (Region &region : op.getRegions())
      for (Block &nested : region) {
        Scope inner{&scope, {}};
        if (auto loop = dyn_cast<ForOp>(op))
          if (failed(enter(&op, loop.getName(), inner)))
            return failure();
        if (failed(verifyBlock(nested, inner)))
          return failure();
      }
  }
  return success();
}

/// E3: an inlined expression gives the value that it has where it stands.
LogicalResult VerifyEmittable::verifyInlined(ExpressionOpInterface op) {
  if (op.getEvaluation() == Evaluation::Effect &&
      (op->use_empty() || !mayEvaluateAt(op, *op->user_begin())))
    return op.emitError("E3: an expression with an effect can be inlined into "
                        "a return right after it alone");
  if (auto literal = dyn_cast<LiteralOp>(*op))
    if (needsTypedOperand(literal))
      return op.emitError("E3: the literal alone would have another type");
  for (Operation *statement : getStatements(op))
    if (!mayEvaluateAt(op, statement)) {
      InFlightDiagnostic diagnostic = op.emitError(
          "E3: what the inlined expression reads may change before its use");
      diagnostic.attachNote(statement->getLoc()) << "it is evaluated here";
      return diagnostic;
    }
  return success();
}
