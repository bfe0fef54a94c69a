//===- Compare.cpp - errors of a result and their limits --------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One pass over both tensors in float64, and the table of limits.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Compare.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace delta::runtime {

Result<Comparison> compareTensors(const HostTensor &reference,
                                  const HostTensor &result) {
  if (reference.shape() != result.shape())
    return Error{fmt::format("the result must have shape {}, got {}",
                             shapeString(reference.shape()),
                             shapeString(result.shape()))};
  Comparison comparison;
  double errorSquares = 0.0, referenceSquares = 0.0;
  constexpr int64_t block = 1024;
  double expected[block], got[block];
  for (int64_t begin = 0; begin < reference.size(); begin += block) {
    const int64_t n = std::min(block, reference.size() - begin);
    reference.read(begin, n, expected);
    result.read(begin, n, got);
    for (int64_t i = 0; i < n; ++i) {
      const double difference = std::fabs(expected[i] - got[i]);
      if (std::isinf(expected[i]) && expected[i] == got[i])
        continue;
      if (!std::isfinite(expected[i]) || !std::isfinite(got[i])) {
        if (comparison.firstNonFinite < 0)
          comparison.firstNonFinite = begin + i;
        continue;
      }
      errorSquares += difference * difference;
      referenceSquares += expected[i] * expected[i];
      if (comparison.maxAbsIndex < 0 || difference > comparison.maxAbsError) {
        comparison.maxAbsError = difference;
        comparison.maxAbsIndex = begin + i;
      }
    }
  }
  if (comparison.firstNonFinite >= 0 ||
      (referenceSquares == 0.0 && errorSquares > 0.0))
    comparison.rmsRatio = std::numeric_limits<double>::infinity();
  else if (errorSquares > 0.0)
    comparison.rmsRatio = std::sqrt(errorSquares / referenceSquares);
  return comparison;
}

std::vector<int64_t> delinearize(int64_t index,
                                 const std::vector<int64_t> &shape) {
  std::vector<int64_t> indices(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    indices[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return indices;
}

std::optional<double> toleranceFor(ToleranceClass what, DType precision) {
  struct Row {
    ToleranceClass what;
    double bf16, f16, f32;
  };
  static constexpr Row table[] = {
      {ToleranceClass::ForwardBetaUpTo1, 5e-3, 1.5e-3, 1e-5},
      {ToleranceClass::ForwardBetaUpTo2, 8e-3, 2.5e-3, 2e-5},
      {ToleranceClass::ForwardCorrelated, 1.2e-2, 4e-3, 2e-5},
      {ToleranceClass::GradientOfTensors, 8e-3, 2.5e-3, 2e-5},
      {ToleranceClass::GradientOfGates, 1.5e-2, 5e-3, 5e-5},
  };
  for (const Row &row : table) {
    if (row.what != what)
      continue;
    switch (precision) {
    case DType::BF16:
      return row.bf16;
    case DType::F16:
      return row.f16;
    case DType::F32:
      return row.f32;
    default:
      return std::nullopt;
    }
  }
  return std::nullopt;
}

} // namespace delta::runtime
