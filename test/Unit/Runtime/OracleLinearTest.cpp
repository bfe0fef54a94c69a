//===- OracleLinearTest.cpp - the linear family of the oracle ---*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Closed forms and identities that hold in exact arithmetic, none of which
/// the oracle uses itself.
///
//===----------------------------------------------------------------------===//

#include "TestRecurrence.h"

#include <cmath>
#include <numeric>

using namespace delta::runtime;

namespace {

enum class Gate { None, Head, Channel };

/// A linear recurrence with an initial state and the given gate.
TestRecurrence makeLinear(const TestSizes &s, Gate gate) {
  TestRecurrence r = makeRecurrence(s, KernelFamily::Linear);
  if (gate == Gate::Head)
    r.draw("decay", OperandRole::Decay, {s.batch, s.tokens, s.valueHeads});
  if (gate == Gate::Channel)
    r.draw("decay", OperandRole::Decay,
           {s.batch, s.tokens, s.valueHeads, s.keyDim});
  r.draw("initial", OperandRole::Value,
         {s.batch, s.valueHeads, s.keyDim, s.valueDim});
  return r;
}

class OracleLinearGates : public ::testing::TestWithParam<Gate> {};
INSTANTIATE_TEST_SUITE_P(All, OracleLinearGates,
                         ::testing::Values(Gate::None, Gate::Head,
                                           Gate::Channel),
                         [](const auto &info) -> std::string {
                           return info.param == Gate::None   ? "none"
                                  : info.param == Gate::Head ? "head"
                                                             : "channel";
                         });

/// One token by hand: o = scale q ((I - beta k^T k) Diag(e^g) S0 + beta k^T v).
TEST_P(OracleLinearGates, OneTokenIsAHouseholderStep) {
  TestSizes s;
  s.batch = s.tokens = s.keyHeads = s.valueHeads = 1;
  TestRecurrence r = makeLinear(s, GetParam());
  OracleResults got = r.evaluate();

  const int64_t K = s.keyDim, V = s.valueDim;
  const HostTensor &k = r.tensors["key"], &v = r.tensors["value"];
  const double beta = r.tensors["beta"].get(0);
  HostTensor state(DType::F64, {1, 1, K, V}), o(DType::F64, {1, 1, 1, V});
  for (int64_t j = 0; j < V; ++j)
    for (int64_t i = 0; i < K; ++i) {
      double value = beta * k.get(i) * v.get(j);
      for (int64_t l = 0; l < K; ++l) {
        const double g = GetParam() == Gate::None   ? 0.0
                         : GetParam() == Gate::Head ? r.tensors["decay"].get(0)
                                                    : r.tensors["decay"].get(l);
        value += ((i == l) - beta * k.get(i) * k.get(l)) * std::exp(g) *
                 r.tensors["initial"].get(l * V + j);
      }
      state.set(i * V + j, value);
      o.set(j, o.get(j) + r.spec.scale * r.tensors["query"].get(i) * value);
    }
  expectClose(state, got.state);
  expectClose(o, got.output);
}

/// n steps per token equal one step per row on T * n rows, with the gate on the
/// first row of a token and the read on its last (2502.10297).
TEST_P(OracleLinearGates, ProductIsDeltaNetOnExpandedRows) {
  TestSizes s;
  s.steps = 3;
  s.valueHeads = 4;
  TestRecurrence r = makeLinear(s, GetParam());
  OracleResults product = r.evaluate();

  TestSizes rows = s;
  rows.steps = 1;
  rows.tokens = s.tokens * s.steps;
  TestRecurrence expanded = makeLinear(rows, GetParam());
  auto reshape = [&](const char *name) {
    const HostTensor &from = r.tensors[name];
    for (int64_t i = 0; i < from.size(); ++i)
      expanded.tensors[name].set(i, from.get(i));
  };
  for (const char *name : {"key", "value", "beta", "initial"})
    reshape(name);
  // Token rows of width w: row t of the short tensor to row t * n + place.
  auto spread = [&](const char *name, int64_t place) {
    const HostTensor &from = r.tensors[name];
    HostTensor &to = expanded.tensors[name];
    const int64_t width = from.size() / (s.batch * s.tokens);
    for (int64_t i = 0; i < to.size(); ++i)
      to.set(i, 0.0);
    for (int64_t i = 0; i < from.size(); ++i)
      to.set((i / width * s.steps + place) * width + i % width, from.get(i));
  };
  spread("query", s.steps - 1);
  if (GetParam() != Gate::None)
    spread("decay", 0);
  OracleResults plain = expanded.evaluate();

  expectClose(product.state, plain.state, 0.0);
  HostTensor last(DType::F64, product.output.shape());
  const int64_t width = s.valueHeads * s.valueDim;
  for (int64_t i = 0; i < last.size(); ++i)
    last.set(i, plain.output.get((i / width * s.steps + s.steps - 1) * width +
                                 i % width));
  expectClose(product.output, last, 0.0);
}

/// A value head reads key head hv / (HV/H).
TEST_P(OracleLinearGates, GroupedHeadsAreRepeatedKeyHeads) {
  TestSizes s;
  s.keyHeads = 2;
  s.valueHeads = 6;
  TestRecurrence grouped = makeLinear(s, GetParam());
  TestRecurrence repeated = makeLinear(s, GetParam());
  for (const char *name : {"query", "key"}) {
    const HostTensor &from = grouped.tensors[name];
    HostTensor to(DType::F64, {s.batch, s.tokens, s.valueHeads, s.keyDim});
    for (int64_t row = 0; row < s.batch * s.tokens * s.valueHeads; ++row)
      for (int64_t i = 0; i < s.keyDim; ++i)
        to.set(row * s.keyDim + i, from.get(row / 3 * s.keyDim + i));
    repeated.tensors[name] = std::move(to);
  }
  OracleResults a = grouped.evaluate(), b = repeated.evaluate();
  expectClose(a.output, b.output, 0.0);
  expectClose(a.state, b.state, 0.0);
}

/// Two halves, connected by the state, give the whole.
TEST_P(OracleLinearGates, StateCarriesAcrossACut) {
  TestSizes s;
  s.batch = 1;
  TestRecurrence whole = makeLinear(s, GetParam());
  OracleResults expected = whole.evaluate();
  auto part = [&](int64_t begin, int64_t end, const HostTensor &initial) {
    TestRecurrence r;
    r.spec = whole.spec;
    for (auto &[name, from] : whole.tensors) {
      if (name == "initial") {
        r.tensors[name] = initial.clone();
        continue;
      }
      std::vector<int64_t> shape = from.shape();
      shape[1] = end - begin;
      HostTensor to(DType::F64, shape);
      const int64_t width = from.size() / s.tokens;
      for (int64_t i = 0; i < to.size(); ++i)
        to.set(i, from.get(begin * width + i));
      r.tensors[name] = std::move(to);
    }
    return r.evaluate();
  };
  OracleResults first = part(0, 4, whole.tensors["initial"]);
  OracleResults second = part(4, s.tokens, first.state);
  expectClose(expected.state, second.state, 0.0);
  HostTensor joined(DType::F64, expected.output.shape());
  for (int64_t i = 0; i < joined.size(); ++i)
    joined.set(i, i < first.output.size()
                      ? first.output.get(i)
                      : second.output.get(i - first.output.size()));
  expectClose(expected.output, joined, 0.0);
}

/// Nothing is written, so o_t = scale q_t S0 and the state only decays.
TEST(OracleLinear, BetaZeroOnlyReads) {
  TestSizes s;
  s.batch = s.keyHeads = s.valueHeads = 1;
  TestRecurrence r = makeLinear(s, Gate::Head);
  r.tensors["beta"] = HostTensor(DType::F64, {1, s.tokens, 1});
  OracleResults got = r.evaluate();
  HostTensor o(DType::F64, got.output.shape());
  double log = 0.0;
  for (int64_t t = 0; t < s.tokens; ++t) {
    log += r.tensors["decay"].get(t);
    for (int64_t j = 0; j < s.valueDim; ++j) {
      double sum = 0.0;
      for (int64_t i = 0; i < s.keyDim; ++i)
        sum += r.tensors["query"].get(t * s.keyDim + i) *
               r.tensors["initial"].get(i * s.valueDim + j);
      o.set(t * s.valueDim + j, r.spec.scale * std::exp(log) * sum);
    }
  }
  expectClose(o, got.output);
}

/// beta = 2 on a fixed unit key is a reflection: the sign counts the ones.
TEST(OracleLinear, Parity) {
  const int64_t T = 500;
  TestRecurrence r;
  r.tensors["query"] = HostTensor(DType::F32, {1, T, 1, 2});
  r.tensors["key"] = HostTensor(DType::F32, {1, T, 1, 2});
  r.tensors["value"] = HostTensor(DType::F32, {1, T, 1, 1});
  r.tensors["beta"] = HostTensor(DType::F32, {1, T, 1});
  r.tensors["initial"] = HostTensor(DType::F32, {1, 1, 2, 1});
  r.tensors["initial"].set(0, 1.0);
  std::vector<double> expected;
  int64_t ones = 0;
  for (int64_t t = 0; t < T; ++t) {
    const int64_t bit = (t * t + t / 3) % 2;
    ones += bit;
    r.tensors["query"].set(2 * t, 1.0);
    r.tensors["key"].set(2 * t, 1.0);
    r.tensors["beta"].set(t, 2.0 * bit);
    expected.push_back(ones % 2 ? -1.0 : 1.0);
  }
  OracleResults got = r.evaluate();
  for (int64_t t = 0; t < T; ++t)
    ASSERT_EQ(got.output.get(t), expected[t]) << "token " << t;
}

/// One-hot keys with beta = 1 are registers.
TEST(OracleLinear, LastWriteWins) {
  const int64_t T = 64, registers = 4;
  TestRecurrence r;
  r.tensors["query"] = HostTensor(DType::BF16, {1, T, 1, registers});
  r.tensors["key"] = HostTensor(DType::BF16, {1, T, 1, registers});
  r.tensors["value"] = HostTensor(DType::BF16, {1, T, 1, 1});
  r.tensors["beta"] = HostTensor(DType::BF16, {1, T, 1});
  std::vector<double> memory(registers), expected;
  for (int64_t t = 0; t < T; ++t) {
    const int64_t to = t * 7 % 5 % registers, from = t * t % registers;
    r.tensors["key"].set(t * registers + to, 1.0);
    r.tensors["query"].set(t * registers + from, 1.0);
    r.tensors["value"].set(t, t - 30.0);
    r.tensors["beta"].set(t, 1.0);
    memory[to] = t - 30.0;
    expected.push_back(memory[from]);
  }
  OracleResults got = r.evaluate();
  for (int64_t t = 0; t < T; ++t)
    ASSERT_EQ(got.output.get(t), expected[t]) << "token " << t;
}

TEST(OracleLinear, NoTokensLeaveTheInitialState) {
  TestSizes s;
  s.tokens = 0;
  TestRecurrence r = makeLinear(s, Gate::Head);
  OracleResults got = r.evaluate();
  EXPECT_EQ(got.output.shape(), (std::vector<int64_t>{2, 0, 2, 3}));
  expectClose(r.tensors["initial"], got.state, 0.0);
}

TEST(OracleLinear, EmptyBatch) {
  TestSizes s;
  s.batch = 0;
  OracleResults got = makeLinear(s, Gate::None).evaluate();
  EXPECT_EQ(got.output.size(), 0);
  EXPECT_EQ(got.state.shape(), (std::vector<int64_t>{0, 2, 5, 3}));
}

/// Every packed sequence, an empty one among them, is a run of its own.
TEST(OracleLinear, PackedSequencesRestart) {
  TestSizes s;
  s.batch = 1;
  s.tokens = 10;
  TestRecurrence packed = makeLinear(s, Gate::Channel);
  const std::vector<int64_t> ends = {4, 4, 10};
  packed.tensors["lengths"] = HostTensor(DType::I64, {4});
  for (int64_t i = 0; i < 3; ++i)
    packed.tensors["lengths"].set(i + 1, ends[i]);
  packed.draw("initial", OperandRole::Value,
              {3, s.valueHeads, s.keyDim, s.valueDim});
  OracleResults got = packed.evaluate();

  int64_t begin = 0;
  for (int64_t n = 0; n < 3; ++n) {
    TestRecurrence one;
    one.spec = packed.spec;
    for (const char *name : {"query", "key", "value", "beta", "decay"}) {
      const HostTensor &from = packed.tensors[name];
      std::vector<int64_t> shape = from.shape();
      shape[1] = ends[n] - begin;
      HostTensor to(DType::F64, shape);
      for (int64_t i = 0; i < to.size(); ++i)
        to.set(i, from.get(begin * (from.size() / s.tokens) + i));
      one.tensors[name] = std::move(to);
    }
    HostTensor initial(DType::F64, {1, s.valueHeads, s.keyDim, s.valueDim});
    for (int64_t i = 0; i < initial.size(); ++i)
      initial.set(i, packed.tensors["initial"].get(n * initial.size() + i));
    one.tensors["initial"] = std::move(initial);
    OracleResults alone = one.evaluate();
    const int64_t width = s.valueHeads * s.valueDim;
    for (int64_t i = 0; i < alone.output.size(); ++i)
      ASSERT_EQ(got.output.get(begin * width + i), alone.output.get(i));
    for (int64_t i = 0; i < alone.state.size(); ++i)
      ASSERT_EQ(got.state.get(n * alone.state.size() + i), alone.state.get(i));
    begin = ends[n];
  }
}

TEST(OracleLinear, TransposedStateIsTheSameState) {
  TestSizes s;
  TestRecurrence r = makeLinear(s, Gate::Head);
  OracleResults expected = r.evaluate();
  auto flip = [&](const HostTensor &x, int64_t rows, int64_t cols) {
    HostTensor y(DType::F64, {s.batch, s.valueHeads, cols, rows});
    for (int64_t i = 0; i < x.size(); ++i) {
      const int64_t m = i / (rows * cols), e = i % (rows * cols);
      y.set(m * rows * cols + e % cols * rows + e / cols, x.get(i));
    }
    return y;
  };
  r.spec.stateLayout = StateLayout::VK;
  r.tensors["initial"] = flip(r.tensors["initial"], s.keyDim, s.valueDim);
  OracleResults got = r.evaluate();
  expectClose(expected.output, got.output, 0.0);
  expectClose(expected.state, flip(got.state, s.valueDim, s.keyDim), 0.0);
}

/// A NaN stays in its own sequence and head, and shows up even where the other
/// factor is zero.
TEST(OracleLinear, NaNStaysInItsHead) {
  TestSizes s;
  TestRecurrence r = makeLinear(s, Gate::None);
  r.tensors["beta"].set(0, 0.0);
  r.tensors["value"].set(0, std::nan("")); // batch 0, token 0, head 0
  OracleResults got = r.evaluate();
  for (int64_t i = 0; i < got.output.size(); ++i) {
    const std::vector<int64_t> at = delinearize(i, got.output.shape());
    const bool poisoned = at[0] == 0 && at[2] == 0 && at[3] == 0;
    ASSERT_EQ(std::isnan(got.output.get(i)), poisoned) << i;
  }
}

TEST(OracleLinear, ProgressEndsWithEverything) {
  TestSizes s;
  TestRecurrence r = makeLinear(s, Gate::None);
  int64_t last = 0, all = 0;
  auto results =
      evaluateOracle(r.spec, r.operands(), [&](int64_t done, int64_t total) {
        EXPECT_GT(done, last);
        last = done;
        all = total;
      });
  ASSERT_TRUE(results);
  EXPECT_EQ(all, s.batch * s.tokens * s.valueHeads);
  EXPECT_EQ(last, all);
}

} // namespace
