//===- Compare.h - errors of a result and their limits ----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The error measure of results, and the table of its limits. The reference is
/// always the float64 oracle on the same rounded operands.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_COMPARE_H
#define DELTA_RUNTIME_COMPARE_H

#include "delta/Runtime/Tensor.h"

#include <optional>

namespace delta::runtime {

/// The distance of a result from its reference.
struct Comparison {
  /// RMS(reference - result) / RMS(reference); 0 if both are zero or empty,
  /// infinity if only the reference is zero or an element is NaN or infinite.
  /// Elements that are the same infinity on both sides (the logarithm of an
  /// empty sum) agree, and are left out of both means.
  double rmsRatio = 0.0;

  /// The largest |reference - result| of finite elements and its row-major
  /// index; -1 if there is no such element.
  double maxAbsError = 0.0;
  int64_t maxAbsIndex = -1;

  /// Row-major index of the first element that is NaN or infinite on either
  /// side, and not the same infinity on both, or -1. Such a result is wrong for
  /// any limit.
  int64_t firstNonFinite = -1;

  bool within(double limit) const {
    return firstNonFinite < 0 && rmsRatio <= limit;
  }
};

/// Compares two tensors of the same shape; an error if the shapes differ.
Result<Comparison> compareTensors(const HostTensor &reference,
                                  const HostTensor &result);

/// The row-major position \p index as indices into \p shape.
std::vector<int64_t> delinearize(int64_t index,
                                 const std::vector<int64_t> &shape);

/// Rows of the table of limits: the kind of a result, and of the operands.
enum class ToleranceClass {
  ForwardBetaUpTo1,  ///< o, u, ubar, lse, final state; random data, beta <= 1
  ForwardBetaUpTo2,  ///< the same, beta up to 2
  ForwardCorrelated, ///< the same, keys of cosine 0.9, beta <= 1
  GradientOfTensors, ///< dq, dk, dv, d(initial state)
  GradientOfGates,   ///< dbeta, dg, dA_log, ddt_bias
};

/// The limit on rmsRatio. \p precision is the dtype to which the computation
/// rounds its matrix operands: bf16, f16 or f32. No other dtype has a limit.
std::optional<double> toleranceFor(ToleranceClass what, DType precision);

} // namespace delta::runtime

#endif // DELTA_RUNTIME_COMPARE_H
