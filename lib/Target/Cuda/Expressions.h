//===- Expressions.h - spelling of expressions ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Spells types, names and expressions of the exit dialect. May not look at the
/// order of statements, which the IR decides.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_TARGET_CUDA_EXPRESSIONS_H
#define DELTA_LIB_TARGET_CUDA_EXPRESSIONS_H

#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include <string>

namespace delta::cuda {

/// `type name`, as in a parameter or a field: `const bf16 *q`, `int64_t x[4]`.
/// `qualifier` stands between the two (`__restrict__`).
std::string spellDeclarator(mlir::Type type, llvm::StringRef name,
                            llvm::StringRef qualifier = "");

/// The text to the right of `=` in the declaration of `op`'s variable, or the
/// whole statement if it has no variable. Contains `breakable` (Layout.h).
std::string spellInitializer(ExpressionOpInterface op);

/// `value` as an operand that binds like a function argument: its name or, if
/// inlined, its expression.
std::string spellOperand(mlir::Value value);

/// `text` as a C string literal.
std::string spellString(llvm::StringRef text);

} // namespace delta::cuda

#endif // DELTA_LIB_TARGET_CUDA_EXPRESSIONS_H
