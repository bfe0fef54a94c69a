//===- Names.h - names that C++ accepts -------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What is a legal name in the emitted text, and which names are taken. Shared
/// by the passes that give names and the one that checks them.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_CUDA_TRANSFORMS_NAMES_H
#define DELTA_DIALECT_CUDA_TRANSFORMS_NAMES_H

#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace delta::cuda {

/// Whether `name` may be declared, in C and in C++: letters, digits and single
/// `_`s, no leading digit or `_`, no keyword, no name that CUDA or the C
/// headers define everywhere.
bool isLegalName(llvm::StringRef name);

/// The legal name that is most like `wanted`, or `fallback` if nothing of it is
/// left. Not yet unique.
std::string makeLegalName(llvm::StringRef wanted, llvm::StringRef fallback);

/// `name`, or the first of `name_2`, `name_3`, ... that is not taken.
std::string makeUniqueName(llvm::StringRef name,
                           llvm::function_ref<bool(llvm::StringRef)> isTaken);

/// The identifiers that the text of `module` uses for something else than a
/// variable: functions that are called, types, builtins, macros, symbols. A
/// variable of that name would hide them.
llvm::StringSet<> collectUsedNames(mlir::ModuleOp module);

} // namespace delta::cuda

#endif // DELTA_DIALECT_CUDA_TRANSFORMS_NAMES_H
