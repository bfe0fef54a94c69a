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

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace delta::cuda {
#define GEN_PASS_DEF_LEGALIZENAMES
#include "delta/Dialect/Cuda/IR/CudaPasses.h.inc"
} // namespace delta::cuda

/// What a value is called that nobody named.
static StringRef getFallback(Type type) {
  if (isa<cuda::PointerType>(type))
    return "pointer";
  if (type.isInteger(1))
    return "condition";
  return "value";
}

namespace {

/// Names that are visible in a block: its own and those of the blocks around
/// it.
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
      auto expression = dyn_cast<ExpressionOpInterface>(op);
      if (!expression || expression.getInlined())
        continue;
      if (op.use_empty()) // a statement
        expression.setName(std::nullopt);
      else
        expression.setName(choose(expression.getName(),
                                  getFallback(op.getResult(0).getType()), scope)
                               .getValue());
    }
    // Only now, so that no inner name hides one that the block declares later.
    for (Operation &op : block)
      for (Region &region : op.getRegions())
        for (Block &nested : region) {
          Scope inner{&scope, {}};
          if (auto loop = dyn_cast<ForOp>(op))
            loop.setNameAttr(choose(loop.getName(), "i", inner));
          nameBlock(nested, inner);
        }
  }
};

} // namespace
