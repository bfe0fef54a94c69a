//===- Explain.cpp - inputs that make a check fail --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One pass over each tensor. Judges no stage.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Explain.h"

#include "delta/Runtime/Compare.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>

using namespace delta;
using runtime::DType;
using runtime::HostTensor;
using runtime::OperandRole;

namespace {

/// The remarkable elements of a tensor; positions are row-major, -1 if there is
/// none.
struct Extremes {
  int64_t nonFinite = -1;
  int64_t positive = -1;
  double largest = 0.0;
};

} // namespace

static Extremes measure(const HostTensor &tensor) {
  Extremes found;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.get(i);
    if (!std::isfinite(value)) {
      if (found.nonFinite < 0)
        found.nonFinite = i;
      continue;
    }
    if (value > 0.0 && found.positive < 0)
      found.positive = i;
    found.largest = std::max(found.largest, std::abs(value));
  }
  return found;
}

/// "v[0, 1] is nan".
static std::string elementString(const std::string &name,
                                 const HostTensor &tensor, int64_t index) {
  // The sign of a NaN says nothing.
  const double value = tensor.get(index);
  return fmt::format(
      "{}{} is {}", name,
      runtime::shapeString(runtime::delinearize(index, tensor.shape())),
      std::isnan(value) ? std::abs(value) : value);
}

/// If results grow by more than this factor, rounding errors say nothing about
/// a stage. With keys of norm 1 a state grows by less than the square root of
/// their size.
static constexpr double kLargestGrowth = 1e4;

std::vector<std::string>
delta::explainFailure(const SpecDescription &spec, const OperandSet &operands,
                      llvm::ArrayRef<HostTensor> reference) {
  std::vector<std::string> reasons;
  double largest = 1.0;
  for (auto [argument, tensor] :
       llvm::zip(spec.arguments, operands.arguments)) {
    if (tensor.dtype() == DType::I64)
      continue;
    const Extremes found = measure(tensor);
    if (found.nonFinite >= 0)
      reasons.push_back(elementString(argument.name, tensor, found.nonFinite) +
                        ": no result that it reaches can be checked");
    if (argument.role == OperandRole::Decay && found.positive >= 0)
      reasons.push_back(
          elementString(argument.name, tensor, found.positive) +
          ": decays are natural logarithms, at most 0; above it states grow");
    if (argument.role != OperandRole::Decay)
      largest = std::max(largest, found.largest);
  }
  if (!reasons.empty())
    return reasons;
  for (auto [result, tensor] : llvm::zip(spec.results, reference)) {
    const Extremes found = measure(tensor);
    if (found.nonFinite >= 0)
      reasons.push_back(fmt::format(
          "the reference's {}: with these inputs the recurrence grows beyond "
          "float64",
          elementString(result.name, tensor, found.nonFinite)));
    else if (found.largest > kLargestGrowth * largest)
      reasons.push_back(fmt::format(
          "the reference's {} reaches {:.1e} from inputs of at most {:.1e}: "
          "with these inputs the recurrence grows, and every rounding with it",
          result.name, found.largest, largest));
  }
  return reasons;
}
