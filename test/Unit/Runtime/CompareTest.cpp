//===- CompareTest.cpp - errors and limits ----------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The measure on numbers that can be checked by hand, and its refusals.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace delta::runtime;

namespace {

HostTensor vectorOf(std::vector<double> values) {
  HostTensor x(DType::F64, {static_cast<int64_t>(values.size())});
  x.write(0, x.size(), values.data());
  return x;
}

TEST(Compare, RatioOfRootMeanSquares) {
  Comparison c =
      *compareTensors(vectorOf({3.0, 4.0, 0.0}), vectorOf({3.0, 4.5, 0.0}));
  EXPECT_DOUBLE_EQ(c.rmsRatio, 0.1);
  EXPECT_EQ(c.maxAbsError, 0.5);
  EXPECT_EQ(c.maxAbsIndex, 1);
  EXPECT_TRUE(c.within(0.11));
  EXPECT_FALSE(c.within(0.09));
}

TEST(Compare, MoreThanOneBlock) {
  HostTensor a(DType::F64, {2500}), b(DType::F32, {2500});
  for (int64_t i = 0; i < a.size(); ++i) {
    a.set(i, 1.0);
    b.set(i, i == 2400 ? 3.0 : 1.0);
  }
  Comparison c = *compareTensors(a, b);
  EXPECT_EQ(c.maxAbsIndex, 2400);
  EXPECT_DOUBLE_EQ(c.rmsRatio, 2.0 / 50.0);
}

TEST(Compare, EqualAndEmptyAreExact) {
  EXPECT_EQ(compareTensors(vectorOf({1.0}), vectorOf({1.0}))->rmsRatio, 0.0);
  EXPECT_EQ(compareTensors(vectorOf({0.0}), vectorOf({0.0}))->rmsRatio, 0.0);
  Comparison empty = *compareTensors(vectorOf({}), vectorOf({}));
  EXPECT_TRUE(empty.within(0.0));
  EXPECT_EQ(empty.maxAbsIndex, -1);
}

TEST(Compare, AZeroReferenceAllowsNothing) {
  Comparison c = *compareTensors(vectorOf({0.0}), vectorOf({1e-30}));
  EXPECT_TRUE(std::isinf(c.rmsRatio));
}

TEST(Compare, NaNAndInfinityFailOnEitherSide) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double bad : {std::nan(""), infinity, -infinity}) {
    Comparison result =
        *compareTensors(vectorOf({1.0, 2.0}), vectorOf({1.0, bad}));
    EXPECT_EQ(result.firstNonFinite, 1);
    EXPECT_FALSE(result.within(1e300));
    EXPECT_TRUE(std::isinf(result.rmsRatio));
    Comparison reference =
        *compareTensors(vectorOf({bad, 2.0}), vectorOf({1.0, 2.0}));
    EXPECT_EQ(reference.firstNonFinite, 0);
    EXPECT_FALSE(reference.within(infinity));
  }
  for (auto [expected, got] : {std::pair(std::nan(""), std::nan("")),
                               std::pair(infinity, -infinity)}) {
    Comparison both =
        *compareTensors(vectorOf({expected, 2.0}), vectorOf({got, 2.0}));
    EXPECT_EQ(both.firstNonFinite, 0);
    EXPECT_FALSE(both.within(infinity));
  }
}

/// The logarithm of an empty sum agrees with itself, and hides no other error.
TEST(Compare, OneInfinityOnBothSidesAgrees) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (double both : {infinity, -infinity}) {
    Comparison c =
        *compareTensors(vectorOf({both, 4.0}), vectorOf({both, 5.0}));
    EXPECT_EQ(c.firstNonFinite, -1);
    EXPECT_EQ(c.maxAbsIndex, 1);
    EXPECT_DOUBLE_EQ(c.rmsRatio, 0.25);
  }
}

TEST(Compare, ShapesMustAgree) {
  Result<Comparison> c =
      compareTensors(HostTensor(DType::F64, {2, 3}), vectorOf({1.0}));
  ASSERT_FALSE(c);
  EXPECT_EQ(c.error(), "the result must have shape [2, 3], got [1]");
}

TEST(Compare, Delinearize) {
  EXPECT_EQ(delinearize(23, {2, 3, 4}), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(delinearize(5, {2, 3, 4}), (std::vector<int64_t>{0, 1, 1}));
}

/// Harder operands and coarser types never have a smaller limit.
TEST(Tolerance, IsOrdered) {
  const ToleranceClass forward[] = {ToleranceClass::ForwardBetaUpTo1,
                                    ToleranceClass::ForwardBetaUpTo2,
                                    ToleranceClass::ForwardCorrelated};
  for (int i = 0; i + 1 < 3; ++i)
    for (DType dtype : {DType::BF16, DType::F16, DType::F32})
      EXPECT_LE(*toleranceFor(forward[i], dtype),
                *toleranceFor(forward[i + 1], dtype));
  for (ToleranceClass what :
       {ToleranceClass::ForwardBetaUpTo1, ToleranceClass::ForwardBetaUpTo2,
        ToleranceClass::ForwardCorrelated, ToleranceClass::GradientOfTensors,
        ToleranceClass::GradientOfGates}) {
    EXPECT_LT(*toleranceFor(what, DType::F32), *toleranceFor(what, DType::F16));
    EXPECT_LT(*toleranceFor(what, DType::F16),
              *toleranceFor(what, DType::BF16));
    EXPECT_FALSE(toleranceFor(what, DType::F64));
    EXPECT_FALSE(toleranceFor(what, DType::I64));
  }
  EXPECT_EQ(toleranceFor(ToleranceClass::ForwardBetaUpTo1, DType::BF16), 5e-3);
}

} // namespace
