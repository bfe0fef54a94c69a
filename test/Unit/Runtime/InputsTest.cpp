//===- InputsTest.cpp - seeded operands -------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Fixed bits, independence of the streams, and the moments and ranges that
/// each role promises.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Inputs.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace delta::runtime;

namespace {

InputRequest request(OperandRole role, std::vector<int64_t> shape,
                     DType dtype = DType::F64, const char *name = "x") {
  InputRequest r;
  r.name = name;
  r.role = role;
  r.dtype = dtype;
  r.shape = std::move(shape);
  return r;
}

struct Moments {
  double mean = 0.0, variance = 0.0, kurtosis = 0.0;
  double low = HUGE_VAL, high = -HUGE_VAL;
};

Moments measure(const HostTensor &x) {
  Moments m;
  const auto n = static_cast<double>(x.size());
  for (int64_t i = 0; i < x.size(); ++i) {
    m.mean += x.get(i) / n;
    m.low = std::min(m.low, x.get(i));
    m.high = std::max(m.high, x.get(i));
  }
  for (int64_t i = 0; i < x.size(); ++i) {
    const double d = x.get(i) - m.mean;
    m.variance += d * d / n;
    m.kurtosis += d * d * d * d / n;
  }
  m.kurtosis /= m.variance * m.variance;
  return m;
}

double dotRows(const HostTensor &x, int64_t a, int64_t b) {
  const int64_t width = x.shape().back();
  double sum = 0.0;
  for (int64_t i = 0; i < width; ++i)
    sum += x.get(a * width + i) * x.get(b * width + i);
  return sum;
}

/// The draw is part of every recorded number: these bits may not change.
TEST(Inputs, TheBitsAreFixed) {
  HostTensor x = drawInput(request(OperandRole::Value, {3}), 42);
  HostTensor beta =
      drawInput(request(OperandRole::Beta, {2}, DType::BF16, "beta"), 42);
  EXPECT_EQ(x.get(0), 0x1.89e8837p-1);
  EXPECT_EQ(x.get(1), 0x1.180cde84p+0);
  EXPECT_EQ(x.get(2), -0x1.445de1e8p-2);
  EXPECT_EQ(beta.as<uint16_t>()[0], 0x3e9a);
  EXPECT_EQ(beta.as<uint16_t>()[1], 0x3f76);
}

TEST(Inputs, NameAndSeedDecideTheStream) {
  const auto draw = [](const char *name, uint64_t seed) {
    return drawInput(request(OperandRole::Value, {100}, DType::F64, name),
                     seed);
  };
  HostTensor x = draw("x", 1), again = draw("x", 1);
  HostTensor other = draw("y", 1), seed = draw("x", 2);
  int64_t same = 0;
  for (int64_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(x.get(i), again.get(i));
    same += x.get(i) == other.get(i);
    same += x.get(i) == seed.get(i);
  }
  EXPECT_EQ(same, 0);
}

/// A longer tensor begins with the shorter one, and a dtype only rounds.
TEST(Inputs, SizeAndTypeDoNotMoveTheStream) {
  HostTensor longer = drawInput(request(OperandRole::Value, {20}), 7);
  HostTensor shorter =
      drawInput(request(OperandRole::Value, {10}, DType::BF16), 7);
  for (int64_t i = 0; i < shorter.size(); ++i)
    EXPECT_EQ(shorter.get(i), roundTo(DType::BF16, longer.get(i)));
}

TEST(Inputs, NormalsLookNormal) {
  Moments m = measure(drawInput(request(OperandRole::Value, {200000}), 1));
  EXPECT_NEAR(m.mean, 0.0, 0.01);
  EXPECT_NEAR(m.variance, 1.0, 0.015);
  EXPECT_NEAR(m.kurtosis, 2.9, 0.05); // twelve uniforms: 3 - 1.2 / 12
  EXPECT_GT(m.high, 3.5);
  EXPECT_LT(m.low, -3.5);
}

TEST(Inputs, RangesOfTheOtherRoles) {
  InputRequest beta = request(OperandRole::Beta, {50000});
  beta.betaMax = 2.0;
  Moments m = measure(drawInput(beta, 1));
  EXPECT_GT(m.low, 0.0);
  EXPECT_LT(m.high, 2.0);
  EXPECT_NEAR(m.mean, 1.0, 0.02);
  EXPECT_NEAR(m.variance, 4.0 / 12.0, 0.01);

  beta.beforeSigmoid = true;
  m = measure(drawInput(beta, 1));
  EXPECT_LT(m.low, -2.0);
  EXPECT_NEAR(m.variance, 1.0, 0.03);

  m = measure(drawInput(request(OperandRole::Decay, {50000}), 1));
  EXPECT_LT(m.high, 0.0);
  EXPECT_GT(m.low, -7.0);
  EXPECT_NEAR(m.mean, -0.806, 0.01); // E log sigmoid(N(0, 1))

  m = measure(drawInput(request(OperandRole::Initial, {50000}), 1));
  EXPECT_NEAR(m.variance, 0.01, 0.0005);

  m = measure(drawInput(request(OperandRole::Alpha, {50000}), 1));
  EXPECT_GT(m.low, 0.5);
  EXPECT_LT(m.high, 1.5);
  EXPECT_NEAR(m.mean, 1.0, 0.01);
}

TEST(Inputs, RowsHaveTheNormAskedFor) {
  InputRequest key = request(OperandRole::Key, {2, 5, 3, 16});
  key.rowNorm = 1.25;
  HostTensor x = drawInput(key, 1);
  for (int64_t row = 0; row < 30; ++row)
    EXPECT_NEAR(dotRows(x, row, row), 1.25 * 1.25, 1e-14);
}

/// Keys of one head have the requested cosine, keys of two heads have none.
TEST(Inputs, CorrelatedKeys) {
  const int64_t T = 64, H = 2;
  InputRequest key = request(OperandRole::Key, {1, T, H, 128});
  key.cosine = 0.9;
  key.rowNorm = 1.0;
  HostTensor x = drawInput(key, 1);
  double within = 0.0, across = 0.0;
  for (int64_t a = 0; a < T; ++a)
    for (int64_t b = 0; b < a; ++b) {
      within += dotRows(x, a * H, b * H);
      across += dotRows(x, a * H, b * H + 1);
    }
  const double pairs = T * (T - 1) / 2.0;
  EXPECT_NEAR(within / pairs, 0.9, 0.02);
  EXPECT_NEAR(across / pairs, 0.0, 0.25); // one draw of 1 / sqrt(128), doubled

  key.rowNorm.reset();
  HostTensor raw = drawInput(key, 1);
  double square = 0.0;
  for (int64_t row = 0; row < T * H; ++row)
    square += dotRows(raw, row, row) / (T * H);
  EXPECT_NEAR(square, 128.0, 20.0);
}

TEST(Inputs, CountsAreWholeAndReachBothEnds) {
  InputRequest counts = request(OperandRole::Cached, {1000}, DType::I64);
  counts.countMax = 3;
  HostTensor x = drawInput(counts, 1);
  int64_t seen[4] = {};
  for (int64_t i = 0; i < x.size(); ++i) {
    ASSERT_GE(x.get(i), 0.0);
    ASSERT_LE(x.get(i), 3.0);
    ++seen[static_cast<int64_t>(x.get(i))];
  }
  for (int64_t count : seen)
    EXPECT_GT(count, 200);
}

TEST(Inputs, EmptyTensors) {
  EXPECT_EQ(drawInput(request(OperandRole::Key, {0, 5, 3, 16}), 1).size(), 0);
  EXPECT_EQ(drawInput(request(OperandRole::Value, {2, 0}), 1).size(), 0);
}

} // namespace
