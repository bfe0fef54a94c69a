//===- Check.cpp - whether a result is within its limit ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Limits are computed from the data and the spec alone, never from the results
/// of a stage.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Check.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <fmt/format.h>

using namespace delta;
using runtime::DType;
using runtime::HostTensor;
using runtime::OperandRole;
using runtime::ToleranceClass;

static bool isNarrow(DType dtype) {
  return dtype == DType::BF16 || dtype == DType::F16;
}

/// The largest |beta| that the recurrence sees.
static double largestBeta(const SpecDescription &spec,
                          const OperandSet &operands) {
  const OperandDescription &beta = *spec.findOperand(OperandRole::Beta);
  if (beta.prologue)
    return beta.prologue->parameter;
  const HostTensor &values = operands.arguments[beta.argument];
  double largest = 0.0;
  for (int64_t i = 0; i < values.size(); ++i)
    largest = std::max(largest, std::abs(values.get(i)));
  return largest;
}

CheckContext delta::makeCheckContext(const SpecDescription &spec,
                                     const OperandSet &operands,
                                     bool correlatedKeys) {
  CheckContext context;
  if (largestBeta(spec, operands) > 1.0)
    context.dataClass = ToleranceClass::ForwardBetaUpTo2;
  else if (correlatedKeys)
    context.dataClass = ToleranceClass::ForwardCorrelated;
  else
    context.dataClass = ToleranceClass::ForwardBetaUpTo1;
  const OperandDescription &value = *spec.findOperand(OperandRole::Value);
  context.precision = spec.arguments[value.argument].dtype;
  context.roundsPrologues =
      llvm::any_of(spec.operands, [](const OperandDescription &operand) {
        return operand.prologue && isNarrow(operand.prologue->result);
      });
  context.roundsU =
      llvm::any_of(spec.results, [](const ResultDescription &result) {
        return result.kind == ResultDescription::Kind::U &&
               isNarrow(result.dtype);
      });
  return context;
}

/// The RMS ratio of the reference rounded to \p dtype: the error that the
/// output's dtype causes in an exact computation.
static double roundingError(const HostTensor &reference, DType dtype) {
  runtime::Result<runtime::Comparison> comparison =
      runtime::compareTensors(reference, reference.convertTo(dtype));
  return comparison ? comparison->rmsRatio : 0.0;
}

/// The limit on the RMS ratio of one result; \p reference is its f64 value.
static double limitFor(Stage stage, const ResultDescription &result,
                       const HostTensor &reference,
                       const CheckContext &context) {
  if (stage != Stage::Chunked)
    return *runtime::toleranceFor(context.dataClass, context.precision);

  double limit = *runtime::toleranceFor(context.dataClass, DType::F32);
  // A prologue in f32 sometimes lands on the other side of a rounding boundary
  // than one in f64. With relative errors of 2^-22 before the rounding, one
  // bf16 element in about 2^14 moves by one unit (2^-8): 3e-5 in RMS on
  // average, several times that if such a key has a large weight
  // (docs/numerics.md).
  if (context.roundsPrologues)
    limit += 2e-4;
  // The rounding of the output itself is not an error of the stage. Rounding a
  // slightly different number gives at worst an independent error, if the two
  // lie on different sides of a boundary; hence the factor.
  if (isNarrow(result.dtype))
    limit += 1e-5 + 1.05 * roundingError(reference, result.dtype);
  // The rounding of u is not an error of the stage either. Every row sums u
  // with softmax weights, which gives an independent error of the same relative
  // size. With weights that do not sum to 1 it would grow; the limit does not
  // allow for that.
  if (context.roundsU)
    limit += 1.05 * roundingError(reference, result.dtype);
  return limit;
}

/// "[1, 5, 0, 2]" for a row-major position.
static std::string indexString(int64_t index, const HostTensor &tensor) {
  return runtime::shapeString(runtime::delinearize(index, tensor.shape()));
}

CheckOutcome delta::checkAgainstReference(Stage stage,
                                          const ResultDescription &result,
                                          const HostTensor &reference,
                                          const HostTensor &actual,
                                          const CheckContext &context) {
  const double limit = limitFor(stage, result, reference, context);
  runtime::Result<runtime::Comparison> comparison =
      runtime::compareTensors(reference, actual);
  if (!comparison)
    return {"-", "-", false, comparison.error()};
  CheckOutcome outcome;
  outcome.measured = fmt::format("{:.2e}", comparison->rmsRatio);
  outcome.limit = fmt::format("{:.2e}", limit);
  outcome.passed = comparison->within(limit);
  if (comparison->firstNonFinite >= 0)
    outcome.detail =
        fmt::format("not finite at {}: expected {}, got {}",
                    indexString(comparison->firstNonFinite, reference),
                    reference.get(comparison->firstNonFinite),
                    actual.get(comparison->firstNonFinite));
  else if (!outcome.passed)
    outcome.detail =
        fmt::format("largest error at {}: expected {}, got {}",
                    indexString(comparison->maxAbsIndex, reference),
                    reference.get(comparison->maxAbsIndex),
                    actual.get(comparison->maxAbsIndex));
  return outcome;
}

CheckOutcome delta::checkExactly(const HostTensor &expected,
                                 const HostTensor &actual) {
  int64_t differences = 0, first = -1;
  for (int64_t i = 0; i < expected.size(); ++i) {
    // Not `!=`: a NaN must count.
    if (runtime::roundTo(expected.dtype(), actual.get(i)) == expected.get(i))
      continue;
    if (differences++ == 0)
      first = i;
  }
  CheckOutcome outcome;
  outcome.measured = fmt::format("{} differ", differences);
  outcome.limit = "exact";
  outcome.passed = differences == 0;
  if (!outcome.passed)
    outcome.detail = fmt::format("first difference at {}: expected {}, got {}",
                                 indexString(first, expected),
                                 expected.get(first), actual.get(first));
  return outcome;
}
