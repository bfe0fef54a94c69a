//===- PrologueTest.cpp - l2 norm and sigmoid -------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values that are known exactly, and the rounding of the result.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Prologue.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace delta::runtime;

namespace {

TEST(L2Norm, RowsOfTheLastAxis) {
  HostTensor x(DType::F32, {2, 2});
  const double values[] = {3.0, 4.0, -5.0, 12.0};
  x.write(0, 4, values);
  HostTensor y = l2norm(x, 0.0, DType::F64);
  EXPECT_DOUBLE_EQ(y.get(0), 3.0 / 5.0);
  EXPECT_DOUBLE_EQ(y.get(1), 4.0 / 5.0);
  EXPECT_DOUBLE_EQ(y.get(2), -5.0 / 13.0);
  EXPECT_DOUBLE_EQ(y.get(3), 12.0 / 13.0);
}

/// Four entries of size 1 come out as exactly one half in bf16 in spite of the
/// eps; the doubled slots of the word problem rely on that.
TEST(L2Norm, RoundsToTheResultType) {
  HostTensor x(DType::BF16, {4});
  const double values[] = {1.0, 1.0, -1.0, -1.0};
  x.write(0, 4, values);
  HostTensor fine = l2norm(x, 1e-6, DType::F64);
  HostTensor coarse = l2norm(x, 1e-6, DType::BF16);
  EXPECT_LT(fine.get(0), 0.5);
  EXPECT_EQ(coarse.get(0), 0.5);
  EXPECT_EQ(coarse.get(3), -0.5);
}

TEST(L2Norm, AZeroRowStaysZero) {
  HostTensor y = l2norm(HostTensor(DType::F32, {3}), 1e-6, DType::F32);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(y.get(i), 0.0);
}

TEST(Sigmoid, ScalesToItsRange) {
  HostTensor x(DType::F64, {4});
  const double values[] = {0.0, std::log(3.0), -1000.0, 1000.0};
  x.write(0, 4, values);
  HostTensor y = sigmoid(x, 2.0, DType::F64);
  EXPECT_EQ(y.get(0), 1.0);
  EXPECT_NEAR(y.get(1), 1.5, 1e-15);
  EXPECT_EQ(y.get(2), 0.0);
  EXPECT_EQ(y.get(3), 2.0);
  EXPECT_EQ(sigmoid(x, 1.0, DType::BF16).get(1), 0.75);
}

} // namespace
