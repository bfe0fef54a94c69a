//===- HostDescription.cpp - sizes of a host function as text ---*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Expressions for the manifest, whose grammar docs/output.md gives. Takes what
/// readHostProgram accepts.
///
//===----------------------------------------------------------------------===//

#include "HostProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

/// A size of `memref` as text.
std::string HostDescription::describeDim(Value memref, int64_t axis) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(axis))
    return std::to_string(type.getDimSize(axis));
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return describeDim(cast.getSource(), axis);
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    std::string text;
    ReassociationIndices group = collapse.getReassociationIndices()[axis];
    for (int64_t source : group)
      text +=
          (text.empty() ? "" : " * ") + describeDim(collapse.getSrc(), source);
    return "(" + text + ")";
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return describe(alloc.getDynamicSizes()[type.getDynamicDimIndex(axis)]);
  return axis == BatchAxis ? "batch" : "length";
}

std::string HostDescription::describeChoice(Value condition, Value yes,
                                            Value no) {
  return "select(" + describe(condition) + ", " + describe(yes) + ", " +
         describe(no) + ")";
}

static const char *spellComparison(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return " == ";
  case arith::CmpIPredicate::ne:
    return " != ";
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::ult:
    return " < ";
  case arith::CmpIPredicate::sle:
  case arith::CmpIPredicate::ule:
    return " <= ";
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::ugt:
    return " > ";
  case arith::CmpIPredicate::sge:
  case arith::CmpIPredicate::uge:
    return " >= ";
  }
  llvm_unreachable("covered switch");
}

std::string HostDescription::describe(const HostCondition &condition) {
  std::string text;
  for (auto [value, expected] : condition)
    text += (text.empty() ? "" : " and ") +
            std::string(expected ? "" : "not ") + describe(value);
  return text;
}

static StringRef getName(Operation *op) {
  auto name = dyn_cast<NameLoc>(op->getLoc());
  return name ? name.getName().strref() : StringRef();
}

/// Several ops that compute one value have its name; the last one is used by
/// others.
static bool isNamed(Operation *op) {
  StringRef name = getName(op);
  return !name.empty() && llvm::any_of(op->getUsers(), [&](Operation *user) {
    return getName(user) != name;
  });
}

std::string HostDescription::define(Operation *op) {
  auto known = names.find(op);
  if (known != names.end())
    return known->second;
  // First what it is made of.
  std::string text = describeExpression(op);
  std::string name = getName(op).str();
  for (unsigned count = 2; !taken.insert(name).second; ++count)
    name = (getName(op) + "_" + Twine(count)).str();
  definitions.push_back({name, text});
  return names[op] = name;
}

std::string HostDescription::describe(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::to_string(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast<memref::DimOp>(op))
    return describeDim(dim.getSource(), *dim.getConstantIndex());
  if (isa<tile::MultiprocessorsOp>(op))
    return "multiprocessors";
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned result = cast<OpResult>(value).getResultNumber();
    return describeChoice(branch.getCondition(),
                          branch.thenYield().getOperand(result),
                          branch.elseYield().getOperand(result));
  }
  return isNamed(op) ? define(op) : describeExpression(op);
}

std::string HostDescription::describeExpression(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return describeChoice(select.getCondition(), select.getTrueValue(),
                          select.getFalseValue());
  StringRef name = op->getName().stripDialect();
  std::string lhs = describe(op->getOperand(0));
  std::string rhs = describe(op->getOperand(1));
  const char *infix = llvm::StringSwitch<const char *>(name)
                          .Case("addi", " + ")
                          .Case("subi", " - ")
                          .Case("muli", " * ")
                          .Cases({"divsi", "divui"}, " / ")
                          .Cases({"remsi", "remui"}, " % ")
                          .Case("andi", " and ")
                          .Case("ori", " or ")
                          .Case("xori", " != ")
                          .Default(nullptr);
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    infix = spellComparison(compare.getPredicate());
  if (infix)
    return "(" + lhs + infix + rhs + ")";
  // ceildivsi, minsi, maxsi and the like: by their names without the sign.
  StringRef function = name.drop_back(2);
  return (function + "(" + lhs + ", " + rhs + ")").str();
}

std::string HostDescription::describeProduct(ValueRange values) {
  std::string text;
  int64_t factor = 1;
  for (Value value : values) {
    APInt constant;
    if (matchPattern(value, m_ConstantInt(&constant)))
      factor *= constant.getSExtValue();
    else
      text += (text.empty() ? "" : " * ") + describe(value);
  }
  if (text.empty())
    return std::to_string(factor);
  return factor == 1 ? text : text + " * " + std::to_string(factor);
}
