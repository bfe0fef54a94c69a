//===- Names.cpp - names of arguments and results ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds names and verifies the attributes that give them.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/Names.h"

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace delta;

//===----------------------------------------------------------------------===//
// Identifiers
//===----------------------------------------------------------------------===//

/// Words that headers of C and CUDA define as macros or types, which a name in
/// the emitted text would run into.
static bool isTakenByHeaders(StringRef name) {
  static const llvm::StringSet<> taken = {
      "EOF",      "NULL",      "assert",   "blockDim", "blockIdx",
      "delta",    "dim3",      "errno",    "gridDim",  "linux",
      "offsetof", "ptrdiff_t", "size_t",   "stderr",   "stdin",
      "stdout",   "unix",      "warpSize", "wchar_t",  "threadIdx"};
  // <stdint.h>: int64_t, INT64_MAX, UINT8_C, SIZE_MAX ..
  bool isInteger = (name.starts_with("INT") || name.starts_with("UINT") ||
                    name.starts_with("SIZE") || name.starts_with("PTRDIFF")) &&
                   (name.ends_with("_MAX") || name.ends_with("_MIN") ||
                    name.ends_with("_C"));
  bool isIntegerType = (name.starts_with("int") || name.starts_with("uint")) &&
                       name.ends_with("_t");
  return taken.contains(name) || isInteger || isIntegerType;
}

/// Keywords of C23 and C++23, with C++'s spelled-out operators: the header with
/// the names is included from both languages.
static bool isKeyword(StringRef name) {
  static const llvm::StringSet<> keywords = {"alignas",
                                             "alignof",
                                             "and",
                                             "and_eq",
                                             "asm",
                                             "auto",
                                             "bitand",
                                             "bitor",
                                             "bool",
                                             "break",
                                             "case",
                                             "catch",
                                             "char",
                                             "char16_t",
                                             "char32_t",
                                             "char8_t",
                                             "class",
                                             "co_await",
                                             "co_return",
                                             "co_yield",
                                             "compl",
                                             "concept",
                                             "const",
                                             "const_cast",
                                             "consteval",
                                             "constexpr",
                                             "constinit",
                                             "continue",
                                             "decltype",
                                             "default",
                                             "delete",
                                             "do",
                                             "double",
                                             "dynamic_cast",
                                             "else",
                                             "enum",
                                             "explicit",
                                             "export",
                                             "extern",
                                             "false",
                                             "float",
                                             "for",
                                             "friend",
                                             "goto",
                                             "if",
                                             "inline",
                                             "int",
                                             "long",
                                             "mutable",
                                             "namespace",
                                             "new",
                                             "noexcept",
                                             "not",
                                             "not_eq",
                                             "nullptr",
                                             "operator",
                                             "or",
                                             "or_eq",
                                             "private",
                                             "protected",
                                             "public",
                                             "register",
                                             "reinterpret_cast",
                                             "requires",
                                             "restrict",
                                             "return",
                                             "short",
                                             "signed",
                                             "sizeof",
                                             "static",
                                             "static_assert",
                                             "static_cast",
                                             "struct",
                                             "switch",
                                             "template",
                                             "this",
                                             "thread_local",
                                             "throw",
                                             "true",
                                             "try",
                                             "typedef",
                                             "typeid",
                                             "typename",
                                             "typeof",
                                             "typeof_unqual",
                                             "union",
                                             "unsigned",
                                             "using",
                                             "virtual",
                                             "void",
                                             "volatile",
                                             "wchar_t",
                                             "while",
                                             "xor",
                                             "xor_eq"};
  return keywords.contains(name);
}

bool delta::isCIdentifier(StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  // Names grow suffixes (`q_strides`), and C++ reserves two underscores in a
  // row.
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, isWord) && !name.starts_with("_") &&
         !name.ends_with("_") && !name.contains("__") && !isKeyword(name) &&
         !isTakenByHeaders(name);
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

std::string delta::getArgumentName(BlockArgument argument) {
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                        kNameAttr))
    return name.str();
  // After the recurrence's operand groups, in the order of its ODS.
  static constexpr StringLiteral defaults[] = {
      "q",     "k",       "v",    "beta",    "g",       "s0",    "w",
      "alpha", "lengths", "pool", "k_cache", "u_cache", "cached"};
  auto recurrence = *function.getFunctionBody().getOps<RecurrenceOp>().begin();
  for (auto [group, name] : llvm::enumerate(defaults))
    for (Value operand : recurrence.getODSOperands(group)) {
      Operation *prologue = operand.getDefiningOp();
      if ((prologue ? prologue->getOperand(0) : operand) == argument)
        return name.str();
    }
  llvm_unreachable("an argument that no operand comes from (R5)");
}

std::string delta::getResultName(FunctionOpInterface function, unsigned index) {
  if (auto name = function.getResultAttrOfType<StringAttr>(index, kNameAttr))
    return name.str();
  Operation *terminator = function.getFunctionBody().front().getTerminator();
  Value result = terminator->getOperand(index);
  auto recurrence = result.getDefiningOp<RecurrenceOp>();
  // One array, which the call updates.
  if (Value operand = recurrence.getUpdatedOperand(result))
    return getArgumentName(cast<BlockArgument>(operand));
  // In the order of its ODS.
  static constexpr StringLiteral defaults[] = {"o",    "s",         "u",
                                               "ubar", "write_lse", "read_lse"};
  for (auto [group, name] : llvm::enumerate(defaults))
    if (llvm::is_contained(recurrence.getODSResults(group), result))
      return name.str();
  llvm_unreachable("a result that no call updates (R6)");
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// C25: a name is a C identifier and names one array of its function.
static LogicalResult verifyName(FunctionOpInterface function, StringRef what,
                                Attribute value, unsigned earlierArguments,
                                unsigned earlierResults) {
  auto name = dyn_cast<StringAttr>(value);
  if (!name || !isCIdentifier(name.getValue()))
    return function.emitOpError()
           << kNameAttr << " of " << what
           << ": expected a string that is a C identifier, got " << value;
  for (unsigned i = 0; i < earlierArguments; ++i)
    if (function.getArgAttr(i, kNameAttr) == name)
      return function.emitOpError()
             << kNameAttr << " of " << what << ": expected a name of its own, "
             << "got " << name << " like argument " << i;
  for (unsigned i = 0; i < earlierResults; ++i)
    if (function.getResultAttr(i, kNameAttr) == name)
      return function.emitOpError()
             << kNameAttr << " of " << what << ": expected a name of its own, "
             << "got " << name << " like result " << i;
  return success();
}

LogicalResult DeltaDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  std::string what = "argument " + std::to_string(argIndex);
  if (function && attribute.getName() == kNameAttr)
    return verifyName(function, what, attribute.getValue(), argIndex, 0);
  // C26
  if (function && (attribute.getName() == kResultAttr ||
                   attribute.getName() == kUpdatedAttr)) {
    if (isa<UnitAttr>(attribute.getValue()) &&
        isa<MemRefType>(function.getArgumentTypes()[argIndex]))
      return success();
    return op->emitOpError() << attribute.getName().getValue() << " of " << what
                             << ": expected a unit attribute on a memref";
  }
  // C27
  return op->emitOpError() << "unknown attribute " << attribute.getName()
                           << " on " << what;
}

LogicalResult DeltaDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned resultIndex, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  std::string what = "result " + std::to_string(resultIndex);
  if (function && attribute.getName() == kNameAttr)
    return verifyName(function, what, attribute.getValue(),
                      function.getNumArguments(), resultIndex);
  // C27
  return op->emitOpError() << "unknown attribute " << attribute.getName()
                           << " on " << what;
}
