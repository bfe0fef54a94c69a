//===- ExplainTest.cpp - inputs that explain a failure ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each reason by itself, and no reason if the inputs are fine: then the stage
/// is wrong.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Explain.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace delta;
using runtime::DType;
using runtime::HostTensor;
using runtime::OperandRole;

namespace {

/// A value v and a decay g, two numbers each, with the one result o.
struct Case {
  SpecDescription spec;
  OperandSet operands;
  std::vector<HostTensor> reference;

  Case(double v, double g, double o) {
    add(OperandRole::Value, "v", v);
    add(OperandRole::Decay, "g", g);
    ResultDescription result;
    result.name = "o";
    spec.results.push_back(result);
    reference.push_back(make(o));
  }

  static HostTensor make(double second) {
    HostTensor tensor(DType::F64, {1, 2});
    tensor.set(0, -1.0);
    tensor.set(1, second);
    return tensor;
  }

  void add(OperandRole role, const char *name, double second) {
    ArgumentDescription argument;
    argument.name = name;
    argument.role = role;
    spec.arguments.push_back(argument);
    operands.arguments.push_back(make(second));
  }

  std::vector<std::string> explain() const {
    return explainFailure(spec, operands, reference);
  }
};

TEST(Explain, NothingIsSaidOfInputsInOrder) {
  EXPECT_TRUE(Case(2.0, -0.5, 1e4).explain().empty());
}

TEST(Explain, NumbersThatAreNone) {
  std::vector<std::string> reasons = Case(NAN, -0.5, NAN).explain();
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0],
            "v[0, 1] is nan: no result that it reaches can be checked");
}

TEST(Explain, DecaysThatGrow) {
  std::vector<std::string> reasons = Case(2.0, 0.5, 1e30).explain();
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0], "g[0, 1] is 0.5: decays are natural logarithms, at "
                        "most 0; above it states grow");
}

TEST(Explain, Growth) {
  std::vector<std::string> reasons = Case(2.0, -0.5, -3e4).explain();
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0],
            "the reference's o reaches 3.0e+04 from inputs of at most 2.0e+00: "
            "with these inputs the recurrence grows, and every rounding with "
            "it");
}

TEST(Explain, GrowthBeyondFloat64) {
  std::vector<std::string> reasons = Case(2.0, -0.5, INFINITY).explain();
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0], "the reference's o[0, 1] is inf: with these inputs the "
                        "recurrence grows beyond float64");
}

} // namespace
