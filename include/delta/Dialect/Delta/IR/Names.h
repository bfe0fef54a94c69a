//===- Names.h - names of arguments and results -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The names under which a function's arrays appear in the C ABI and in files
/// of tensors. A name is given by the attribute `delta.name` on the argument or
/// result, or follows from its role in the recurrence (docs/spec.md, Names).
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_IR_NAMES_H
#define DELTA_DIALECT_DELTA_IR_NAMES_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>
#include <string>

namespace delta {

/// Argument or result attribute: the array's name, a C identifier.
constexpr llvm::StringLiteral kNameAttr = "delta.name";

/// Argument attribute, a unit: the memref is a result of the spec. Set when the
/// results of a function become its trailing arguments.
constexpr llvm::StringLiteral kResultAttr = "delta.result";

/// Argument attribute, a unit: the memref is an operand and a result of the
/// spec. The call writes some of its elements and leaves the others.
constexpr llvm::StringLiteral kUpdatedAttr = "delta.updated";

/// Why an array cannot have a name, as the end of a sentence about it: "is a
/// keyword of C or C++". Nothing where it can: letters, digits and underscores,
/// no digit first, no keyword, nothing that headers of C and CUDA define. An
/// array's name stands in the emitted text as it is, and with suffixes.
std::optional<llvm::StringRef> findArrayNameFault(llvm::StringRef name);

/// The same for a function, whose name never stands alone in the text, but
/// names a header.
std::optional<llvm::StringRef> findFunctionNameFault(llvm::StringRef name);

/// The name of an argument of a function in the recurrent phase: `delta.name`,
/// else q, k, v, beta, g, s0, w, alpha, lengths, pool, k_cache, u_cache or
/// cached after the first operand of the recurrence, in this order, that it
/// reaches. Expects the contract of `delta-verify-recurrent` as far as R5.
std::string getArgumentName(mlir::BlockArgument argument);

/// The name of result `index` of such a function: `delta.name`, else o, s or u,
/// and for an operand with rows written to it that argument's name. Expects the
/// contract as far as R6.
std::string getResultName(mlir::FunctionOpInterface function, unsigned index);

} // namespace delta

#endif // DELTA_DIALECT_DELTA_IR_NAMES_H
