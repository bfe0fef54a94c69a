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

/// What headers of C and CUDA define as macros or types, which the name of a
/// field or variable would run into.
static bool isTakenByHeaders(StringRef name) {
  static const llvm::StringSet<> taken = {"BUFSIZ",
                                          "CUDARTAPI",
                                          "EOF",
                                          "INFINITY",
                                          "L_ctermid",
                                          "L_cuserid",
                                          "L_tmpnam",
                                          "MAXFLOAT",
                                          "NAN",
                                          "NFDBITS",
                                          "NULL",
                                          "NZERO",
                                          "P_tmpdir",
                                          "SNAN",
                                          "SNANF",
                                          "SNANL",
                                          "WCONTINUED",
                                          "WEXITED",
                                          "WNOHANG",
                                          "WNOWAIT",
                                          "WSTOPPED",
                                          "WUNTRACED",
                                          "assert",
                                          "blockDim",
                                          "blockIdx",
                                          "delta",
                                          "dim3",
                                          "errno",
                                          "gridDim",
                                          "linux",
                                          "math_errhandling",
                                          "offsetof",
                                          "ptrdiff_t",
                                          "size_t",
                                          "stderr",
                                          "stdin",
                                          "stdout",
                                          "threadIdx",
                                          "unix",
                                          "warpSize",
                                          "wchar_t"};
  // <stdint.h>: int64_t, UINT8_C ..
  bool isIntegerType = (name.starts_with("int") || name.starts_with("uint")) &&
                       name.ends_with("_t");
  // CUDA's cudaStreamLegacy, NV_HAS_FEATURE_SM_90a, glibc's M_PIf32, SNANF64X.
  StringRef rest = name;
  bool isFamily =
      rest.consume_front("cuda")    ? !rest.empty() && llvm::isUpper(rest[0])
      : rest.consume_front("M_")    ? !rest.empty() && !llvm::isLower(rest[0])
      : rest.consume_front("SNANF") ? !rest.empty() && llvm::isDigit(rest[0])
                                    : rest.starts_with("NV_");
  return taken.contains(name) || isIntegerType || isFamily;
}

/// Whether `name` is spelt as most macros are: `CLOCK_REALTIME`.
static bool isMacroLike(StringRef name) {
  return name.contains('_') && llvm::none_of(name, llvm::isLower);
}

/// Whether "NAME.h" is a header of C, C++ or CUDA, or one that these include:
/// a generated header of that name would be found in its place.
static bool isHeader(StringRef name) {
  static const llvm::StringSet<> headers = {
      // C
      "assert", "complex", "ctype", "errno", "fenv", "float", "inttypes",
      "iso646", "limits", "locale", "math", "setjmp", "signal", "stdalign",
      "stdarg", "stdatomic", "stdbit", "stdbool", "stdckdint", "stddef",
      "stdint", "stdio", "stdlib", "stdnoreturn", "string", "tgmath", "threads",
      "time", "uchar", "wchar", "wctype",
      // POSIX and glibc
      "alloca", "endian", "features", "pthread", "sched", "strings",
      "syslimits", "unistd",
      // CUDA
      "builtin_types", "channel_descriptor", "cuda", "cuda_bf16",
      "cuda_device_runtime_api", "cuda_fp16", "cuda_runtime",
      "cuda_runtime_api", "device_atomic_functions", "device_launch_parameters",
      "device_types", "driver_functions", "driver_types", "library_types",
      "mma", "sm_20_atomic_functions", "sm_20_intrinsics", "sm_30_intrinsics",
      "sm_32_atomic_functions", "sm_32_intrinsics", "sm_35_atomic_functions",
      "sm_35_intrinsics", "sm_60_atomic_functions", "sm_61_intrinsics",
      "surface_indirect_functions", "surface_types",
      "texture_indirect_functions", "texture_types", "vector_functions",
      "vector_types"};
  return headers.contains(name);
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

/// What is wrong with `name` as an identifier, before any header is read. Names
/// grow suffixes (`q_strides`), and C++ reserves two underscores in a row.
static std::optional<StringRef> findIdentifierFault(StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (name.empty())
    return "is empty";
  if (!llvm::all_of(name, isWord))
    return "has other characters than letters, digits and underscores";
  if (llvm::isDigit(name.front()))
    return "begins with a digit";
  if (name.starts_with("_") || name.ends_with("_"))
    return "has an underscore at an end";
  if (name.contains("__"))
    return "has two underscores in a row";
  if (isKeyword(name))
    return "is a keyword of C or C++";
  return std::nullopt;
}

std::optional<StringRef> delta::findArrayNameFault(StringRef name) {
  if (std::optional<StringRef> fault = findIdentifierFault(name))
    return fault;
  if (isTakenByHeaders(name))
    return "is defined by headers of C or CUDA";
  if (isMacroLike(name))
    return "is spelt like a macro";
  return std::nullopt;
}

std::optional<StringRef> delta::findFunctionNameFault(StringRef name) {
  if (std::optional<StringRef> fault = findIdentifierFault(name))
    return fault;
  if (isHeader(name))
    return "would name a header like one of C or CUDA";
  return std::nullopt;
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
  std::optional<StringRef> fault;
  if (name)
    fault = findArrayNameFault(name.getValue());
  if (!name || fault) {
    InFlightDiagnostic diagnostic =
        function.emitOpError()
        << kNameAttr << " of " << what
        << ": expected a string that is a C identifier, got " << value;
    if (fault)
      diagnostic << ", which " << *fault;
    return diagnostic;
  }
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
