//===- Compare.h - errors of a result and their limits ----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The measure that results are judged by, and the limits it must keep, as one
/// table. The reference is always the float64 oracle on the same rounded
/// operands.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_COMPARE_H
#define DELTA_RUNTIME_COMPARE_H

#include "delta/Runtime/Tensor.h"

#include <optional>

namespace delta::runtime {

/// How far a result is from its reference.
struct Comparison {
  /// RMS(reference - result) / RMS(reference); 0 where both are zero or empty,
  /// infinity where only the reference is zero or anything is NaN or infinite.
  /// Elements where both are the same infinity (the logarithm of an empty sum)
  /// agree, and are left out of both means.
  double rmsRatio = 0.0;

  /// The largest |reference - result| of finite elements and its row-major
  /// index; -1 where there is no such element.
  double maxAbsError = 0.0;
  int64_t maxAbsIndex = -1;

  /// Row-major index of the first element that is NaN or infinite on either
  /// side, and not the same infinity on both, or -1. Such a result is wrong
  /// whatever the limit.
  int64_t firstNonFinite = -1;

  bool within(double limit) const {
    return firstNonFinite < 0 && rmsRatio <= limit;
  }
};

/// Compares two tensors of one shape; an error where the shapes differ.
Result<Comparison> compareTensors(const HostTensor &reference,
                                  const HostTensor &result);

/// The row-major position \p index as indices into \p shape.
std::vector<int64_t> delinearize(int64_t index,
                                 const std::vector<int64_t> &shape);

/// Rows of the table of limits: what a result is, and on which operands.
enum class ToleranceClass {
  ForwardBetaUpTo1,  ///< o, u, ubar, lse, final state; random data, beta <= 1
  ForwardBetaUpTo2,  ///< the same, beta up to 2
  ForwardCorrelated, ///< the same, keys of cosine 0.9, beta <= 1
  GradientOfTensors, ///< dq, dk, dv, d(initial state)
  GradientOfGates,   ///< dbeta, dg, dA_log, ddt_bias
};

/// The limit on rmsRatio. \p precision is the dtype that the computation
/// rounds its matrix operands to: bf16, f16 or f32. Nothing for another dtype:
/// there is no limit to hold it to.
std::optional<double> toleranceFor(ToleranceClass what, DType precision);

} // namespace delta::runtime

#endif // DELTA_RUNTIME_COMPARE_H
