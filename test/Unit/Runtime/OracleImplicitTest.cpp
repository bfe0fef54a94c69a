//===- OracleImplicitTest.cpp - the implicit family of the oracle -*- C++
//-*-===//
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

using namespace delta::runtime;

namespace {

TestRecurrence makeImplicit(const TestSizes &s, FeatureKernel write,
                            FeatureKernel read) {
  TestRecurrence r = makeRecurrence(s, KernelFamily::Implicit);
  r.spec.writeKernel = write;
  r.spec.readKernel = read;
  return r;
}

class OracleImplicitKernels : public ::testing::TestWithParam<FeatureKernel> {};
INSTANTIATE_TEST_SUITE_P(
    All, OracleImplicitKernels,
    ::testing::Values(FeatureKernel::Softmax, FeatureKernel::Exp,
                      FeatureKernel::Relu, FeatureKernel::Round,
                      FeatureKernel::Linear),
    [](const auto &info) { return featureKernelName(info.param); });

/// kappa of one score; for a softmax without the normaliser.
double feature(FeatureKernel kernel, double s) {
  switch (kernel) {
  case FeatureKernel::Softmax:
  case FeatureKernel::Exp:
    return std::exp(s);
  case FeatureKernel::Relu:
    return std::max(s, 0.0);
  case FeatureKernel::Round:
    return std::rint(s);
  case FeatureKernel::Linear:
    return s;
  }
  return 0.0;
}

/// Three tokens of one head, written out.
TEST_P(OracleImplicitKernels, ThreeTokensWrittenOut) {
  TestSizes s;
  s.batch = s.keyHeads = s.valueHeads = s.valueDim = 1;
  s.tokens = 3;
  TestRecurrence r = makeImplicit(s, GetParam(), GetParam());
  r.spec.scale = 1.9; // so that round has something to round
  r.draw("write", OperandRole::Write, {1, 3, 1, s.keyDim});
  r.draw("alpha", OperandRole::Alpha, {1, 3, 1});
  OracleResults got = r.evaluate();

  auto f = [&](const char *name, int64_t t, int64_t i) {
    double dot = 0.0;
    for (int64_t c = 0; c < s.keyDim; ++c)
      dot += r.tensors[name].get(t * s.keyDim + c) *
             r.tensors["key"].get(i * s.keyDim + c);
    return feature(GetParam(), r.spec.scale * dot);
  };
  auto v = [&](int64_t t) {
    return r.tensors["alpha"].get(t) * r.tensors["value"].get(t);
  };
  auto beta = [&](int64_t t) { return r.tensors["beta"].get(t); };
  const bool normalised = GetParam() == FeatureKernel::Softmax;
  const double u0 = v(0);
  const double p10 = normalised ? 1.0 : f("write", 1, 0);
  const double u1 = v(1) - beta(1) * p10 * u0;
  const double z2 = normalised ? f("write", 2, 0) + f("write", 2, 1) : 1.0;
  const double ubar2 = (f("write", 2, 0) * u0 + f("write", 2, 1) * u1) / z2;
  const double u2 = v(2) - beta(2) * ubar2;
  const double y2 =
      normalised ? f("query", 2, 0) + f("query", 2, 1) + f("query", 2, 2) : 1.0;
  const double o2 =
      (f("query", 2, 0) * u0 + f("query", 2, 1) * u1 + f("query", 2, 2) * u2) /
      y2;
  EXPECT_NEAR(got.u.get(0), u0, 1e-14);
  EXPECT_NEAR(got.u.get(1), u1, 1e-14);
  EXPECT_NEAR(got.u.get(2), u2, 1e-14 * std::max(1.0, std::abs(u2)));
  EXPECT_EQ(got.ubar.get(0), 0.0);
  EXPECT_NEAR(got.ubar.get(2), ubar2, 1e-13);
  if (normalised) {
    EXPECT_EQ(got.writeLse.get(0), -std::numeric_limits<double>::infinity());
    EXPECT_NEAR(got.writeLse.get(1), std::log(f("write", 1, 0)), 1e-13);
    EXPECT_NEAR(got.writeLse.get(2), std::log(z2), 1e-13);
    EXPECT_NEAR(got.readLse.get(0), std::log(f("query", 0, 0)), 1e-13);
    EXPECT_NEAR(got.readLse.get(2), std::log(y2), 1e-13);
  }
  EXPECT_NEAR(got.output.get(2), o2, 1e-13 * std::max(1.0, std::abs(o2)));
}

/// The rows [begin, begin + count) of axis 1 of \p x, [B, T, H, D] or [B, T,
/// H].
HostTensor takeRows(const HostTensor &x, int64_t begin, int64_t count) {
  std::vector<int64_t> shape = x.shape();
  const int64_t batch = shape[0], all = shape[1];
  shape[1] = count;
  HostTensor rows(x.dtype(), shape);
  const int64_t row = x.size() / (batch * all);
  std::vector<double> values(row);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t t = 0; t < count; ++t) {
      x.read((b * all + begin + t) * row, row, values.data());
      rows.write((b * count + t) * row, row, values.data());
    }
  return rows;
}

/// The last tokens, with the others in a cache, give the tail of the whole
/// sequence, and the cache becomes that of the whole sequence; a row without
/// room is dropped.
TEST_P(OracleImplicitKernels, DecodingContinuesASequence) {
  TestSizes s;
  TestRecurrence whole = makeImplicit(s, GetParam(), FeatureKernel::Softmax);
  OracleResults all = whole.evaluate();
  const int64_t cached = 6, added = s.tokens - cached;
  for (int64_t capacity : {s.tokens, s.tokens - 1}) {
    TestRecurrence tail = makeImplicit(s, GetParam(), FeatureKernel::Softmax);
    for (const char *name : {"query", "key", "value", "beta"})
      tail.tensors[name] = takeRows(whole.tensors[name], cached, added);
    tail.tensors["key_cache"] = takeRows(whole.tensors["key"], 0, capacity);
    tail.tensors["u_cache"] = takeRows(all.u, 0, capacity);
    // Rows after the cached tokens are not read.
    for (const char *name : {"key_cache", "u_cache"})
      for (int64_t b = 0; b < s.batch; ++b) {
        HostTensor &cache = tail.tensors[name];
        const int64_t row = cache.size() / (s.batch * capacity);
        for (int64_t i = cached * row; i < capacity * row; ++i)
          cache.set(b * capacity * row + i, std::nan(""));
      }
    HostTensor counts(DType::I64, {s.batch});
    for (int64_t b = 0; b < s.batch; ++b)
      counts.set(b, cached);
    tail.tensors["cached"] = std::move(counts);
    OracleResults got = tail.evaluate();
    expectClose(takeRows(all.output, cached, added), got.output);
    expectClose(takeRows(all.u, cached, added), got.u);
    expectClose(takeRows(whole.tensors["key"], 0, capacity), got.keyCache, 0.0);
    expectClose(takeRows(all.u, 0, capacity), got.uCache);
  }
}

/// Without a write query the write reads with q.
TEST_P(OracleImplicitKernels, TiedIsGeneralWithTheQuery) {
  TestSizes s;
  TestRecurrence r = makeImplicit(s, GetParam(), FeatureKernel::Softmax);
  OracleResults tied = r.evaluate();
  r.tensors["write"] = r.tensors["query"].clone();
  OracleResults general = r.evaluate();
  expectClose(tied.output, general.output, 0.0);
  expectClose(tied.u, general.u, 0.0);
}

/// beta = 0 writes the values themselves: plain causal attention.
TEST(OracleImplicit, BetaZeroIsAttention) {
  TestSizes s;
  s.batch = s.keyHeads = s.valueHeads = 1;
  TestRecurrence r =
      makeImplicit(s, FeatureKernel::Softmax, FeatureKernel::Softmax);
  r.tensors["beta"] = HostTensor(DType::F64, {1, s.tokens, 1});
  OracleResults got = r.evaluate();
  expectClose(r.tensors["value"], got.u, 0.0);
  HostTensor o(DType::F64, got.output.shape());
  for (int64_t t = 0; t < s.tokens; ++t) {
    double sum = 0.0;
    std::vector<double> row(s.valueDim);
    for (int64_t i = 0; i <= t; ++i) {
      double dot = 0.0;
      for (int64_t c = 0; c < s.keyDim; ++c)
        dot += r.tensors["query"].get(t * s.keyDim + c) *
               r.tensors["key"].get(i * s.keyDim + c);
      const double p = std::exp(r.spec.scale * dot);
      sum += p;
      for (int64_t j = 0; j < s.valueDim; ++j)
        row[j] += p * r.tensors["value"].get(i * s.valueDim + j);
    }
    for (int64_t j = 0; j < s.valueDim; ++j)
      o.set(t * s.valueDim + j, row[j] / sum);
  }
  expectClose(o, got.output);
}

/// Linear kernels, w = k and alpha = beta are DeltaNet.
TEST(OracleImplicit, LinearKernelsAreDeltaNet) {
  TestSizes s;
  s.tokens = 40;
  s.valueHeads = 4;
  TestRecurrence former =
      makeImplicit(s, FeatureKernel::Linear, FeatureKernel::Linear);
  former.spec.scale = 1.0;
  former.tensors["write"] = former.tensors["key"].clone();
  former.tensors["alpha"] = former.tensors["beta"].clone();
  TestRecurrence net = makeRecurrence(s, KernelFamily::Linear);
  net.spec.scale = 1.0;
  expectClose(net.evaluate().output, former.evaluate().output, 1e-12);
}

/// w = q and softmax for both: o = rho ubar + (1 - rho) u with
/// rho = l / (l + exp(s_tt)), l the write's normaliser.
TEST(OracleImplicit, TiedSoftmaxReadIsAMixture) {
  TestSizes s;
  s.batch = s.keyHeads = s.valueHeads = 1;
  s.tokens = 30;
  TestRecurrence r =
      makeImplicit(s, FeatureKernel::Softmax, FeatureKernel::Softmax);
  OracleResults got = r.evaluate();
  HostTensor o(DType::F64, got.output.shape());
  for (int64_t t = 0; t < s.tokens; ++t) {
    double before = 0.0, own = 0.0;
    for (int64_t i = 0; i <= t; ++i) {
      double dot = 0.0;
      for (int64_t c = 0; c < s.keyDim; ++c)
        dot += r.tensors["query"].get(t * s.keyDim + c) *
               r.tensors["key"].get(i * s.keyDim + c);
      (i < t ? before : own) += std::exp(r.spec.scale * dot);
    }
    const double rho = before / (before + own);
    for (int64_t j = 0; j < s.valueDim; ++j) {
      const int64_t e = t * s.valueDim + j;
      o.set(e, rho * got.ubar.get(e) + (1.0 - rho) * got.u.get(e));
    }
  }
  expectClose(o, got.output);
}

/// Adding a constant to a row's scores changes nothing, and large scores do
/// not overflow.
TEST(OracleImplicit, SoftmaxOfLargeScores) {
  TestSizes s;
  TestRecurrence r =
      makeImplicit(s, FeatureKernel::Softmax, FeatureKernel::Softmax);
  r.spec.scale = 1e5;
  OracleResults got = r.evaluate();
  for (int64_t i = 0; i < got.output.size(); ++i)
    ASSERT_TRUE(std::isfinite(got.output.get(i)));
}

TEST(OracleImplicit, PackedSequencesRestart) {
  TestSizes s;
  s.batch = 1;
  s.tokens = 8;
  TestRecurrence r =
      makeImplicit(s, FeatureKernel::Softmax, FeatureKernel::Relu);
  r.tensors["lengths"] = HostTensor(DType::I32, {3});
  r.tensors["lengths"].set(1, 3);
  r.tensors["lengths"].set(2, 8);
  OracleResults got = r.evaluate();
  // The first token of a sequence has no earlier tokens to read.
  const int64_t width = s.valueHeads * s.valueDim;
  for (int64_t i = 0; i < width; ++i) {
    EXPECT_EQ(got.ubar.get(3 * width + i), 0.0);
    EXPECT_EQ(got.u.get(3 * width + i), r.tensors["value"].get(3 * width + i));
    EXPECT_NE(got.ubar.get(2 * width + i), 0.0);
  }
}

TEST(OracleImplicit, NoTokens) {
  TestSizes s;
  s.tokens = 0;
  OracleResults got =
      makeImplicit(s, FeatureKernel::Softmax, FeatureKernel::Softmax)
          .evaluate();
  EXPECT_EQ(got.output.shape(), (std::vector<int64_t>{2, 0, 2, 3}));
}

} // namespace
