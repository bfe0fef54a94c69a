//===- SpecDescription.h - plain data for running a spec --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A function of the recurrent phase as plain data: its recurrence, arguments,
/// prologues and results. It is the border between MLIR and the runtime: code
/// that uses a description does not look at IR. Reading a description does not
/// change the IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_SPECDESCRIPTION_H
#define DELTA_EXECUTION_SPECDESCRIPTION_H

#include "delta/Runtime/Inputs.h"
#include "delta/Runtime/Recurrence.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace delta {

/// A size in a shape that is open until the spec is run.
inline constexpr int64_t kOpenSize = -1;

/// The sizes that a spec may leave open.
struct SpecSizes {
  int64_t batch = 0;
  int64_t length = 0;
};

/// An op on an operand before the recurrence: `delta.l2norm` or
/// `delta.sigmoid`, and the dtype to which its result is rounded.
struct PrologueDescription {
  enum class Kind { L2Norm, Sigmoid };
  Kind kind;
  /// `eps` of an l2 norm, `range` of a sigmoid.
  double parameter;
  runtime::DType result;
};

/// A named array of the function's C ABI. Axis 0 is the batch. If `hasLength`
/// is set, axis 1 is the length that a run may choose. A state has no length.
/// With a cache, the length is that of the cache, and the spec fixes the number
/// of new tokens. Open sizes are kOpenSize, and occur on these two axes only.
struct ArrayDescription {
  std::string name;
  runtime::DType dtype;
  std::vector<int64_t> shape;
  bool hasLength = true;

  /// The shape of an array for a batch and a length.
  std::vector<int64_t> shapeFor(SpecSizes sizes) const;
};

/// An argument; `role` is that of the first operand that it feeds.
struct ArgumentDescription : ArrayDescription {
  runtime::OperandRole role;
};

/// An operand of the recurrence and the source of its values.
struct OperandDescription {
  runtime::OperandRole role;
  size_t argument;
  std::optional<PrologueDescription> prologue;
};

/// A result of the function.
struct ResultDescription : ArrayDescription {
  enum class Kind {
    Output,
    State,
    U,
    Ubar,
    WriteLse,
    ReadLse,
    KeyCache,
    UCache
  };
  Kind kind;
  /// The argument that this result updates in place, if any.
  std::optional<size_t> updates;
};

/// One public function with one recurrence.
struct SpecDescription {
  std::string function;
  runtime::RecurrenceSpec recurrence;
  /// In the order of the function's arguments.
  std::vector<ArgumentDescription> arguments;
  std::vector<OperandDescription> operands;
  /// In the order of the function's results.
  std::vector<ResultDescription> results;

  /// The operand of a role; null if the recurrence has none.
  const OperandDescription *findOperand(runtime::OperandRole role) const;
  /// The argument of a name; null if there is none.
  const ArgumentDescription *findArgument(llvm::StringRef name) const;
  const ResultDescription *findResult(llvm::StringRef name) const;
};

/// The public function to run: the one called \p name or, with an empty name,
/// the only one that holds a recurrence. Otherwise fails with a diagnostic that
/// lists the candidates.
mlir::FailureOr<mlir::func::FuncOp> selectFunction(mlir::ModuleOp module,
                                                   llvm::StringRef name);

/// Describes a function that obeys the contract of the recurrent phase
/// (`delta-verify-recurrent`). Fails with a diagnostic at the op that has no
/// description, e.g. a computed operand or packed sequences.
mlir::FailureOr<SpecDescription> describeSpec(mlir::func::FuncOp function);

} // namespace delta

#endif // DELTA_EXECUTION_SPECDESCRIPTION_H
