//===- Prologue.cpp - functions on operands ---------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// l2 norm and sigmoid, row by row in float64.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Prologue.h"

#include <algorithm>
#include <cmath>

namespace delta::runtime {

HostTensor l2norm(const HostTensor &x, double eps, DType result) {
  assert(x.rank() >= 1 && "a row needs an axis");
  HostTensor normed(result, x.shape());
  const int64_t width = x.shape().back();
  std::vector<double> row(width);
  for (int64_t begin = 0; begin < x.size(); begin += width) {
    x.read(begin, width, row.data());
    double sum = 0.0;
    for (double value : row)
      sum += value * value;
    const double factor = 1.0 / std::sqrt(sum + eps);
    for (double &value : row)
      value *= factor;
    normed.write(begin, width, row.data());
  }
  return normed;
}

HostTensor sigmoid(const HostTensor &x, double range, DType result) {
  HostTensor mapped(result, x.shape());
  for (int64_t i = 0; i < x.size(); ++i)
    mapped.set(i, range / (1.0 + std::exp(-x.get(i))));
  return mapped;
}

} // namespace delta::runtime
