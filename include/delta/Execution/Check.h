//===- Check.h - whether a result is within its limit -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The limit for each stage, result and kind of data (docs/numerics.md has the
/// measurements). The table of tolerances is part of the runtime.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_CHECK_H
#define DELTA_EXECUTION_CHECK_H

#include "delta/Execution/Stages.h"
#include "delta/Runtime/Compare.h"

namespace delta {

/// The facts that decide the limits of a run, read off the spec and its
/// operands.
struct CheckContext {
  runtime::ToleranceClass dataClass;
  /// The dtype to which the tile and gpu stages round the operands of products.
  runtime::DType precision;
  /// Whether a prologue of the spec rounds to 16 bits.
  bool roundsPrologues;
  /// Whether u is a result in 16 bits, so that later tokens read rounded
  /// values.
  bool roundsU = false;
};

/// \p correlatedKeys says that the keys were drawn with a common direction.
CheckContext makeCheckContext(const SpecDescription &spec,
                              const OperandSet &operands, bool correlatedKeys);

/// The outcome of one comparison, in words for a table.
struct CheckOutcome {
  std::string measured;
  std::string limit;
  bool passed;
  /// If the comparison failed: the difference and its index. Else empty.
  std::string detail;
};

/// Compares a result of a stage after the reference with its f64 value by RMS
/// ratio. A NaN or infinity fails.
CheckOutcome checkAgainstReference(Stage stage, const ResultDescription &result,
                                   const runtime::HostTensor &reference,
                                   const runtime::HostTensor &actual,
                                   const CheckContext &context);

/// Compares a result of any stage, rounded to the dtype of \p expected, with
/// exact values of the same shape. A NaN equals nothing.
CheckOutcome checkExactly(const runtime::HostTensor &expected,
                          const runtime::HostTensor &actual);

} // namespace delta

#endif // DELTA_EXECUTION_CHECK_H
