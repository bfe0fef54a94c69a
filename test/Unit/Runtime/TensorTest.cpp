//===- TensorTest.cpp - host tensors ----------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Element access, conversion and the arithmetic on shapes.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Tensor.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace delta::runtime;

namespace {

TEST(HostTensor, StartsZeroedAndAligned) {
  HostTensor x(DType::BF16, {3, 5});
  EXPECT_EQ(x.size(), 15);
  EXPECT_EQ(x.sizeInBytes(), 30);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(x.data()) % 64, 0u);
  for (int64_t i = 0; i < x.size(); ++i)
    EXPECT_EQ(x.get(i), 0.0);
}

TEST(HostTensor, AScalarHasOneElement) {
  HostTensor x(DType::F32, {});
  EXPECT_EQ(x.size(), 1);
  EXPECT_EQ(HostTensor(DType::F32, {4, 0, 3}).size(), 0);
}

TEST(HostTensor, StoresWhatTheTypeHolds) {
  const double value = 1.0 + 0x1p-9 + 0x1p-30;
  for (DType dtype : {DType::F64, DType::F32, DType::BF16, DType::F16,
                      DType::I64, DType::I32}) {
    HostTensor x(dtype, {2});
    x.set(1, value);
    EXPECT_EQ(x.get(0), 0.0) << dtypeName(dtype);
    EXPECT_EQ(x.get(1), roundTo(dtype, value)) << dtypeName(dtype);
  }
  EXPECT_EQ(roundTo(DType::F64, value), value);
  EXPECT_EQ(roundTo(DType::F32, value), 1.0 + 0x1p-9);
  EXPECT_EQ(roundTo(DType::F16, value), 1.0 + 0x1p-9);
  EXPECT_EQ(roundTo(DType::BF16, value), 1.0);
}

TEST(HostTensor, IntegersRoundAndSaturate) {
  EXPECT_EQ(roundTo(DType::I32, 2.5), 2.0);
  EXPECT_EQ(roundTo(DType::I32, -3.5), -4.0);
  EXPECT_EQ(roundTo(DType::I32, 1e10), 2147483647.0);
  EXPECT_EQ(roundTo(DType::I32, -1e10), -2147483648.0);
  EXPECT_EQ(roundTo(DType::I32, std::nan("")), 0.0);
  HostTensor x(DType::I64, {2});
  x.set(0, 1e30);
  x.set(1, -1e30);
  EXPECT_EQ(x.as<int64_t>()[0], std::numeric_limits<int64_t>::max());
  EXPECT_EQ(x.as<int64_t>()[1], std::numeric_limits<int64_t>::min());
}

TEST(HostTensor, ConvertsAndClones) {
  HostTensor x(DType::F64, {3000}); // more than one block
  for (int64_t i = 0; i < x.size(); ++i)
    x.set(i, 1.0 / (i + 1));
  HostTensor y = x.convertTo(DType::BF16);
  HostTensor z = y.clone();
  y.set(0, 7.0);
  EXPECT_EQ(y.shape(), x.shape());
  for (int64_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(z.get(i), roundTo(DType::BF16, x.get(i)));
}

TEST(CountElements, RefusesWhatDoesNotFit) {
  const int64_t large = int64_t(1) << 40;
  EXPECT_EQ(*countElements({2, 3, 4}, DType::F32), 24);
  EXPECT_EQ(*countElements({large, 0}, DType::F32), 0);
  EXPECT_EQ(countElements({2, -1}, DType::F32).error(),
            "shape [2, -1] has a negative dimension");
  EXPECT_EQ(countElements({large, large}, DType::F32).error(),
            "shape [1099511627776, 1099511627776] is too large");
  EXPECT_FALSE(countElements({int64_t(1) << 61}, DType::F64));
  EXPECT_FALSE(countElements({large, 0, large}, DType::F64));
}

} // namespace
