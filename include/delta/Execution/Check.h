//===- Check.h - is a result within its limit -------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The limit that each stage, result and kind of data is held to, and why
/// (docs/numerics.md has the measurements). The table of tolerances itself is
/// the runtime's.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_CHECK_H
#define DELTA_EXECUTION_CHECK_H

#include "delta/Execution/Stages.h"
#include "delta/Runtime/Compare.h"

namespace delta {

/// What decides the limits of a run, read off the spec and its operands once.
struct CheckContext {
  runtime::ToleranceClass dataClass;
  /// What the tile and gpu stages round the operands of products to.
  runtime::DType precision;
  /// A prologue of the spec rounds to 16 bits.
  bool roundsPrologues;
  /// u is a result in 16 bits, and later tokens read it as it is stored.
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
  /// Where a comparison failed: what and at which index. Else empty.
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
