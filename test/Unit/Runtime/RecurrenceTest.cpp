//===- RecurrenceTest.cpp - misfits of operands -----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One case per check of checkRecurrence, with the message.
///
//===----------------------------------------------------------------------===//

#include "TestRecurrence.h"

#include <functional>
#include <limits>

using namespace delta::runtime;

namespace {

struct Misfit {
  const char *name;
  KernelFamily family;
  std::function<void(TestRecurrence &)> damage;
  const char *message;
};

std::function<void(TestRecurrence &)> replace(const char *name,
                                              std::vector<int64_t> shape,
                                              DType dtype = DType::F32) {
  return [=](TestRecurrence &r) { r.tensors[name] = HostTensor(dtype, shape); };
}

std::function<void(TestRecurrence &)> packed(std::vector<int64_t> offsets) {
  return [=](TestRecurrence &r) {
    TestSizes s;
    s.batch = 1;
    r = makeRecurrence(s, KernelFamily::Linear);
    const auto n = static_cast<int64_t>(offsets.size());
    r.tensors["lengths"] = HostTensor(DType::I64, {n});
    for (int64_t i = 0; i < n; ++i)
      r.tensors["lengths"].set(i, static_cast<double>(offsets[i]));
  };
}

constexpr auto linear = KernelFamily::Linear;
constexpr auto implicit = KernelFamily::Implicit;

const Misfit misfits[] = {
    {"Steps", linear, [](auto &r) { r.spec.steps = 0; },
     "steps must be at least 1, got 0"},
    {"ImplicitSteps", implicit, [](auto &r) { r.spec.steps = 2; },
     "steps must be 1 in the implicit family, got 2"},
    {"Scale", linear,
     [](auto &r) { r.spec.scale = std::numeric_limits<double>::infinity(); },
     "scale must be finite, got inf"},
    {"Missing", linear, [](auto &r) { r.tensors.erase("beta"); },
     "operand 'beta' is missing"},
    {"QueryRank", linear, replace("query", {2, 9, 5}),
     "operand 'query' must have shape [B, T, H, K], got [2, 9, 5]"},
    {"ValueRank", linear, [](auto &r) { r.spec.steps = 2; },
     "operand 'value' must have shape [B, T, steps, HV, V], got [2, 9, 2, 3]"},
    {"Heads", linear, replace("value", {2, 9, 3, 3}),
     "operand 'value' must have a multiple of the 2 key heads, got 3 heads"},
    {"Dims", linear, replace("value", {2, 9, 2, 0}),
     "key and value dims must be at least 1, got 5 and 0"},
    {"Key", linear, replace("key", {2, 8, 2, 5}),
     "operand 'key' must have shape [2, 9, 2, 5], got [2, 8, 2, 5]"},
    {"Value", linear, replace("value", {2, 8, 2, 3}),
     "operand 'value' must have shape [2, 9, 2, 3], got [2, 8, 2, 3]"},
    {"Beta", linear, replace("beta", {2, 9, 2, 1}),
     "operand 'beta' must have shape [2, 9, 2], got [2, 9, 2, 1]"},
    {"DType", linear, replace("key", {2, 9, 2, 5}, DType::I32),
     "operand 'key' must hold floating point numbers, got i32"},
    {"Decay", linear, replace("decay", {2, 9}),
     "operand 'decay' must have shape [2, 9, 2], got [2, 9]"},
    {"ChannelDecay", linear, replace("decay", {2, 9, 2, 3}),
     "operand 'decay' must have shape [2, 9, 2, 5], got [2, 9, 2, 3]"},
    {"Initial", linear, replace("initial", {2, 2, 3, 5}),
     "operand 'initial' must have shape [2, 2, 5, 3], got [2, 2, 3, 5]"},
    {"LinearWrite", linear, replace("write", {2, 9, 2, 5}),
     "operand 'write' does not belong to the linear family"},
    {"LinearAlpha", linear, replace("alpha", {2, 9, 2}),
     "operand 'alpha' does not belong to the linear family"},
    {"ImplicitDecay", implicit, replace("decay", {2, 9, 2}),
     "operand 'decay' does not belong to the implicit family"},
    {"ImplicitInitial", implicit, replace("initial", {2, 2, 5, 3}),
     "operand 'initial' does not belong to the implicit family"},
    {"Write", implicit, replace("write", {2, 9, 2, 3}),
     "operand 'write' must have shape [2, 9, 2, 5], got [2, 9, 2, 3]"},
    {"Alpha", implicit, replace("alpha", {2, 9, 2, 3}),
     "operand 'alpha' must have shape [2, 9, 2], got [2, 9, 2, 3]"},
    {"LengthsBatch", linear, replace("lengths", {3}, DType::I64),
     "packed sequences must have a batch of 1, got 2"},
    {"LengthsDType", linear, replace("lengths", {3}, DType::F32),
     "operand 'lengths' must be a vector of at least one i32 or i64, got [3] "
     "of f32"},
    {"LengthsEmpty", linear, packed({}),
     "operand 'lengths' must be a vector of at least one i32 or i64, got [0] "
     "of i64"},
    {"LengthsStart", linear, packed({1, 9}),
     "operand 'lengths' must start with 0, got 1"},
    {"LengthsOrder", linear, packed({0, 5, 4, 9}),
     "operand 'lengths' must not decrease, got 4 after 5 at index 2"},
    {"LengthsEnd", linear, packed({0, 5}),
     "operand 'lengths' must end with the 9 tokens, got 5"},
};

class RecurrenceMisfit : public ::testing::TestWithParam<Misfit> {};
INSTANTIATE_TEST_SUITE_P(All, RecurrenceMisfit, ::testing::ValuesIn(misfits),
                         [](const auto &info) { return info.param.name; });

TEST_P(RecurrenceMisfit, IsRefused) {
  TestRecurrence r = makeRecurrence(TestSizes(), GetParam().family);
  ASSERT_TRUE(checkRecurrence(r.spec, r.operands()));
  GetParam().damage(r);
  Result<OracleResults> results = evaluateOracle(r.spec, r.operands());
  ASSERT_FALSE(results);
  EXPECT_EQ(results.error(), GetParam().message);
}

} // namespace
