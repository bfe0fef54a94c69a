//===- Names.cpp - names that C++ accepts -----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The lists of names that cannot be declared, and a scan for those that the
/// text uses.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/Transforms/Names.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

/// Keywords of C++20 and C, CUDA's variables, and what the C library or a
/// compiler defines as a macro. Sorted within each group.
static const llvm::StringSet<> &getReservedNames() {
  static const llvm::StringSet<> names = {
      // C++
      "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
      "bool", "break", "case", "catch", "char", "char16_t", "char32_t",
      "char8_t", "class", "co_await", "co_return", "co_yield", "compl",
      "concept", "const", "const_cast", "consteval", "constexpr", "constinit",
      "continue", "decltype", "default", "delete", "do", "double",
      "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
      "float", "for", "friend", "goto", "if", "inline", "int", "long",
      "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr",
      "operator", "or", "or_eq", "private", "protected", "public", "register",
      "reinterpret_cast", "requires", "return", "short", "signed", "sizeof",
      "static", "static_assert", "static_cast", "struct", "switch", "template",
      "this", "thread_local", "throw", "true", "try", "typedef", "typeid",
      "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
      "wchar_t", "while", "xor", "xor_eq",
      // C
      "restrict", "typeof",
      // types that the printer writes
      "bf16", "delta", "half_t", "int32_t", "int64_t", "size_t", "uint32_t",
      "uint64_t",
      // CUDA
      "blockDim", "blockIdx", "cudaLaunchKernelEx", "cudaStream_t", "gridDim",
      "threadIdx", "warpSize",
      // macros
      "INFINITY", "INT64_MIN", "NAN", "NULL", "assert", "errno", "linux",
      "stderr", "stdin", "stdout", "unix"};
  return names;
}

static bool isNameCharacter(char c) { return llvm::isAlnum(c) || c == '_'; }

bool cuda::isLegalName(StringRef name) {
  return !name.empty() && llvm::isAlpha(name.front()) &&
         llvm::all_of(name, isNameCharacter) && !name.contains("__") &&
         !getReservedNames().contains(name);
}

std::string cuda::makeLegalName(StringRef wanted, StringRef fallback) {
  std::string name;
  for (char c : wanted) {
    char legal = isNameCharacter(c) ? c : '_';
    // Two in a row are the implementation's.
    if (legal == '_' && (name.empty() || name.back() == '_'))
      continue;
    name += legal;
  }
  if (name.empty())
    return fallback.str();
  if (llvm::isDigit(name.front()))
    name = fallback.str() + '_' + name;
  if (getReservedNames().contains(name))
    name += '_';
  return name;
}

std::string cuda::makeUniqueName(StringRef name,
                                 llvm::function_ref<bool(StringRef)> isTaken) {
  std::string unique = name.str();
  // `class_` and 2 make `class_2`.
  StringRef stem = name.rtrim('_');
  for (unsigned i = 2; isTaken(unique); ++i)
    unique = (stem + "_" + llvm::Twine(i)).str();
  return unique;
}

/// Adds every identifier in `text`, a type or a name with template arguments,
/// except members, which no variable can hide.
static void addIdentifiers(StringRef text, llvm::StringSet<> &names) {
  bool isMember = false;
  while (!text.empty()) {
    StringRef name = text.take_while(isNameCharacter);
    if (!name.empty() && !llvm::isDigit(name.front()) && !isMember)
      names.insert(name);
    isMember = name.empty() && text.front() == '.';
    text = text.drop_front(std::max<size_t>(name.size(), 1));
  }
}

llvm::StringSet<> cuda::collectUsedNames(ModuleOp module) {
  llvm::StringSet<> names;
  auto addType = [&](Type type) {
    type.walk([&](cuda::OpaqueType opaque) {
      addIdentifiers(opaque.getSpelling(), names);
    });
  };
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      addType(type);
    if (auto call = dyn_cast<CallOp>(op)) {
      addIdentifiers(call.getCallee(), names);
      if (ArrayAttr arguments = call.getTemplateArgsAttr())
        for (Attribute argument : arguments) {
          if (auto text = dyn_cast<StringAttr>(argument))
            addIdentifiers(text, names);
          else if (auto type = dyn_cast<TypeAttr>(argument))
            addType(type.getValue());
        }
    } else if (auto block = dyn_cast<MacroBlockOp>(op)) {
      addIdentifiers(block.getHead(), names);
    } else if (auto builtin = dyn_cast<BuiltinOp>(op)) {
      addIdentifiers(builtin.getSpelling(), names);
    } else if (auto function = dyn_cast<FunctionOpInterface>(op)) {
      names.insert(function.getName());
      for (Type type : function.getArgumentTypes())
        addType(type);
      for (Type type : function.getResultTypes())
        addType(type);
    } else if (isa<StructOp, EnumOp, EnumeratorOp, TypedefOp, NamespaceOp>(
                   op)) {
      addIdentifiers(op->getAttrOfType<StringAttr>("name"), names);
    }
  });
  return names;
}
