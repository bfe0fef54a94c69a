//===- LegalizeNames.cpp - a name for every variable ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gives final names to parameters, variables and counters. Names of functions,
/// structs, fields and files are an interface: they are checked by
/// cuda-verify-emittable and never changed.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/Transforms/Passes.h"

#include "delta/Dialect/Cuda/Transforms/Names.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace delta::cuda {
#define GEN_PASS_DEF_LEGALIZENAMES
#include "delta/Dialect/Cuda/IR/CudaPasses.h.inc"
} // namespace delta::cuda

/// Characters of a description beyond which it is no name any more.
static constexpr size_t maxDescription = 32;

/// What a value is called that nobody named.
static StringRef getFallback(Type type) {
  if (isa<cuda::PointerType>(type))
    return "pointer";
  if (type.isInteger(1))
    return "condition";
  return "value";
}

/// How an operand is called in a longer name: a variable by its name, an
/// integer by its digits. Empty for everything else.
static std::string getWord(Value operand) {
  if (auto literal = operand.getDefiningOp<LiteralOp>())
    if (auto integer = dyn_cast<IntegerAttr>(literal.getValue()))
      return std::to_string(integer.getInt());
  if (auto read = operand.getDefiningOp<ReadOp>())
    operand = read.getVariable();
  return getVariableName(operand).str();
}

static StringRef getWord(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return "plus";
  case BinaryKind::Sub:
    return "minus";
  case BinaryKind::Mul:
    return "times";
  case BinaryKind::Div:
    return "over";
  case BinaryKind::Rem:
    return "mod";
  case BinaryKind::Lt:
    return "below";
  case BinaryKind::Le:
    return "up_to";
  case BinaryKind::Gt:
    return "above";
  case BinaryKind::Ge:
    return "from";
  case BinaryKind::Eq:
    return "is";
  case BinaryKind::Ne:
    return "is_not";
  case BinaryKind::And:
    return "and";
  case BinaryKind::Or:
    return "or";
  default: // of bits
    return "";
  }
}

/// A name that says what an integer is where nobody named it: `chunk_plus_1`.
/// Empty where that would be long.
static std::string describe(ExpressionOpInterface op) {
  auto binary = dyn_cast<BinaryOp>(*op);
  if (!binary || !binary.getType().isIntOrIndex())
    return "";
  std::array<std::string, 3> words = {getWord(binary.getLhs()),
                                      getWord(binary.getKind()).str(),
                                      getWord(binary.getRhs())};
  if (llvm::any_of(words, [](StringRef word) { return word.empty(); }))
    return "";
  std::string name = llvm::join(words, "_");
  return name.size() <= maxDescription ? name : "";
}

namespace {

/// Names that are visible at a place in the text: those of the block so far,
/// and of the blocks around it.
struct Scope {
  const Scope *parent;
  llvm::StringSet<> names;

  bool contains(StringRef name) const {
    return names.contains(name) || (parent && parent->contains(name));
  }
};

struct LegalizeNames : public cuda::impl::LegalizeNamesBase<LegalizeNames> {
  void runOnOperation() override {
    Scope used{nullptr, collectUsedNames(getOperation())};
    getOperation().walk([&](FunctionOpInterface function) {
      Scope scope{&used, {}};
      for (unsigned i = 0; i < function.getNumArguments(); ++i) {
        auto wanted = function.getArgAttrOfType<StringAttr>(
            i, CudaDialect::getNameAttrName());
        function.setArgAttr(i, CudaDialect::getNameAttrName(),
                            choose(wanted ? wanted.getValue() : "",
                                   getFallback(function.getArgumentTypes()[i]),
                                   scope));
      }
      if (!function.isExternal())
        nameBlock(function.getFunctionBody().front(), scope);
      return WalkResult::skip();
    });
  }

private:
  /// A free name like `wanted`, entered into `scope`.
  StringAttr choose(std::optional<StringRef> wanted, StringRef fallback,
                    Scope &scope) {
    std::string name =
        makeUniqueName(makeLegalName(wanted.value_or(""), fallback),
                       [&](StringRef name) { return scope.contains(name); });
    scope.names.insert(name);
    return StringAttr::get(&getContext(), name);
  }

  void nameBlock(Block &block, Scope &scope) {
    for (Operation &op : block) {
      if (auto declare = dyn_cast<DeclareOp>(op)) {
        declare.setNameAttr(choose(declare.getName(), "variable", scope));
        continue;
      }
      if (auto expression = dyn_cast<ExpressionOpInterface>(op);
          expression && !expression.getInlined())
        nameExpression(expression, scope);
      for (Region &region : op.getRegions())
        for (Block &nested : region) {
          Scope inner{&scope, {}};
          if (auto loop = dyn_cast<ForOp>(op))
            loop.setNameAttr(choose(loop.getName(), "i", inner));
          nameBlock(nested, inner);
        }
    }
  }

  void nameExpression(ExpressionOpInterface op, Scope &scope) {
    if (op->use_empty()) // a statement
      return op.setName(std::nullopt);
    std::string wanted = op.getName() ? op.getName()->str() : "";
    // What an integer is says more than a number after a name.
    if (wanted.empty() || scope.contains(wanted))
      if (std::string text = describe(op); !text.empty())
        wanted = text;
    op.setName(choose(wanted, getFallback(op->getResult(0).getType()), scope)
                   .getValue());
  }
};

} // namespace
