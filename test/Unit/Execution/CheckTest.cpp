//===- CheckTest.cpp - limits and verdicts ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A check must fail where it should: results just inside and just outside each
/// limit, and results that are not numbers.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Check.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace delta;
using runtime::DType;
using runtime::HostTensor;
using runtime::OperandRole;
using runtime::ToleranceClass;

namespace {

constexpr int64_t kElements = 4096;

/// Numbers between 1 and 2 that no 16-bit format holds.
HostTensor makeReference() {
  HostTensor tensor(DType::F64, {kElements});
  for (int64_t i = 0; i < kElements; ++i)
    tensor.set(i, 1.0 + std::fmod(0.6180339887 * static_cast<double>(i), 1.0));
  return tensor;
}

/// The reference with an error of RMS ratio \p error, in \p dtype.
HostTensor makeResult(const HostTensor &reference, double error, DType dtype) {
  HostTensor tensor(dtype, reference.shape());
  for (int64_t i = 0; i < kElements; ++i)
    tensor.set(i, reference.get(i) * (i % 2 ? 1.0 + error : 1.0 - error));
  return tensor;
}

ResultDescription makeDescription(DType dtype) {
  ResultDescription result;
  result.name = "o";
  result.dtype = dtype;
  return result;
}

bool passes(Stage stage, double error, DType dtype, CheckContext context) {
  HostTensor reference = makeReference();
  return checkAgainstReference(stage, makeDescription(dtype), reference,
                               makeResult(reference, error, dtype), context)
      .passed;
}

CheckContext contextOf(ToleranceClass dataClass, bool roundsPrologues = false) {
  return {dataClass, DType::BF16, roundsPrologues};
}

TEST(Check, ChunkedStatesAreHeldToTheLimitsOfF32) {
  const auto upTo1 = contextOf(ToleranceClass::ForwardBetaUpTo1);
  const auto upTo2 = contextOf(ToleranceClass::ForwardBetaUpTo2);
  EXPECT_TRUE(passes(Stage::Chunked, 0.9e-5, DType::F32, upTo1));
  EXPECT_FALSE(passes(Stage::Chunked, 1.1e-5, DType::F32, upTo1));
  EXPECT_TRUE(passes(Stage::Chunked, 1.9e-5, DType::F32, upTo2));
  EXPECT_FALSE(passes(Stage::Chunked, 2.1e-5, DType::F32, upTo2));
}

TEST(Check, PrologueRoundingIsAllowedForWhereThereIsOne) {
  const auto plain = contextOf(ToleranceClass::ForwardBetaUpTo1);
  const auto rounds = contextOf(ToleranceClass::ForwardBetaUpTo1, true);
  EXPECT_FALSE(passes(Stage::Chunked, 1e-4, DType::F32, plain));
  EXPECT_TRUE(passes(Stage::Chunked, 1e-4, DType::F32, rounds));
  EXPECT_FALSE(passes(Stage::Chunked, 2.2e-4, DType::F32, rounds));
}

TEST(Check, ChunkedOutputsAreHeldToTheirOwnRounding) {
  const auto context = contextOf(ToleranceClass::ForwardBetaUpTo1);
  EXPECT_TRUE(passes(Stage::Chunked, 0.0, DType::BF16, context));
  EXPECT_TRUE(passes(Stage::Chunked, 1e-5, DType::BF16, context));
  // A third of a bf16 unit, which would be within the limit for tensor cores.
  EXPECT_FALSE(passes(Stage::Chunked, 1e-3, DType::BF16, context));
  EXPECT_FALSE(passes(Stage::Chunked, 1e-3, DType::F16, context));
}

TEST(Check, RoundingOfUIsAllowedForOnce) {
  CheckContext context = contextOf(ToleranceClass::ForwardBetaUpTo1);
  EXPECT_FALSE(passes(Stage::Chunked, 2e-3, DType::BF16, context));
  context.roundsU = true;
  EXPECT_TRUE(passes(Stage::Chunked, 2e-3, DType::BF16, context));
  EXPECT_FALSE(passes(Stage::Chunked, 4e-3, DType::BF16, context));
}

TEST(Check, TileResultsAreHeldToTheLimitsOfTheirOperands) {
  const auto upTo1 = contextOf(ToleranceClass::ForwardBetaUpTo1);
  const auto upTo2 = contextOf(ToleranceClass::ForwardBetaUpTo2);
  const auto correlated = contextOf(ToleranceClass::ForwardCorrelated);
  EXPECT_TRUE(passes(Stage::Tile, 4.9e-3, DType::F32, upTo1));
  EXPECT_FALSE(passes(Stage::Tile, 5.1e-3, DType::F32, upTo1));
  EXPECT_FALSE(passes(Stage::Gpu, 8.1e-3, DType::F32, upTo2));
  EXPECT_TRUE(passes(Stage::Gpu, 1.1e-2, DType::F32, correlated));
}

TEST(Check, WhatIsNotANumberFails) {
  const auto context = contextOf(ToleranceClass::ForwardBetaUpTo1);
  for (double bad : {std::numeric_limits<double>::quiet_NaN(),
                     std::numeric_limits<double>::infinity()}) {
    HostTensor reference = makeReference();
    HostTensor result = makeResult(reference, 0.0, DType::F32);
    result.set(17, bad);
    CheckOutcome outcome = checkAgainstReference(
        Stage::Tile, makeDescription(DType::F32), reference, result, context);
    EXPECT_FALSE(outcome.passed);
    EXPECT_EQ(outcome.detail.rfind("not finite at [17]", 0), 0u)
        << outcome.detail;
  }
}

TEST(Check, ExactMeansEveryElementAfterRounding) {
  HostTensor expected(DType::BF16, {3});
  expected.set(0, 1.0);
  expected.set(1, -2.0);
  HostTensor actual(DType::F64, {3});
  actual.set(0, 1.0 + 1e-9); // bf16 rounds it to 1
  actual.set(1, -2.0);
  actual.set(2, -0.0);
  EXPECT_TRUE(checkExactly(expected, actual).passed);
  actual.set(1, -2.015625); // the next bf16
  EXPECT_FALSE(checkExactly(expected, actual).passed);
  actual.set(1, std::nan(""));
  EXPECT_EQ(checkExactly(expected, actual).measured, "1 differ");
  expected.set(1, std::nan(""));
  EXPECT_FALSE(checkExactly(expected, actual).passed);
}

/// A spec whose beta is argument 0, with or without a prologue.
SpecDescription makeSpec(std::optional<PrologueDescription> prologue) {
  SpecDescription spec;
  ArgumentDescription argument;
  argument.name = "beta";
  argument.dtype = DType::BF16;
  argument.role = OperandRole::Beta;
  spec.arguments.push_back(argument);
  spec.operands.push_back({OperandRole::Beta, 0, prologue});
  spec.operands.push_back({OperandRole::Value, 0, std::nullopt});
  return spec;
}

TEST(Check, BetaDecidesTheClassOfData) {
  OperandSet operands;
  operands.arguments.emplace_back(DType::BF16, std::vector<int64_t>{2});
  operands.arguments[0].set(1, 1.0);
  auto classOf = [&](const SpecDescription &spec, bool correlated) {
    return makeCheckContext(spec, operands, correlated).dataClass;
  };
  const SpecDescription given = makeSpec(std::nullopt);
  EXPECT_EQ(classOf(given, false), ToleranceClass::ForwardBetaUpTo1);
  EXPECT_EQ(classOf(given, true), ToleranceClass::ForwardCorrelated);
  operands.arguments[0].set(1, 1.5);
  EXPECT_EQ(classOf(given, false), ToleranceClass::ForwardBetaUpTo2);

  using Kind = PrologueDescription::Kind;
  // After a sigmoid only its range counts, and not its argument.
  const auto range1 = makeSpec({{Kind::Sigmoid, 1.0, DType::F32}});
  const auto range2 = makeSpec({{Kind::Sigmoid, 2.0, DType::BF16}});
  EXPECT_EQ(classOf(range1, false), ToleranceClass::ForwardBetaUpTo1);
  EXPECT_EQ(classOf(range2, false), ToleranceClass::ForwardBetaUpTo2);
  EXPECT_FALSE(makeCheckContext(range1, operands, false).roundsPrologues);
  EXPECT_TRUE(makeCheckContext(range2, operands, false).roundsPrologues);
}

TEST(Check, UCountsWhereItIsAResult) {
  OperandSet operands;
  operands.arguments.emplace_back(DType::BF16, std::vector<int64_t>{2});
  SpecDescription spec = makeSpec(std::nullopt);
  spec.results.push_back(makeDescription(DType::BF16));
  spec.results[0].kind = ResultDescription::Kind::Output;
  EXPECT_FALSE(makeCheckContext(spec, operands, false).roundsU);
  spec.results.push_back(makeDescription(DType::BF16));
  spec.results[1].kind = ResultDescription::Kind::U;
  EXPECT_TRUE(makeCheckContext(spec, operands, false).roundsU);
}

} // namespace
