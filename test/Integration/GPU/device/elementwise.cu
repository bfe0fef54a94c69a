//===- elementwise.cu - conversions and scalar functions --------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element.cuh and Elementwise.cuh: rounding of every kind of float to bf16 and
// fp16 against the definition, accuracy of the functions against f64, and NaN.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Slices.cuh"

using namespace delta;
using namespace test;

/// x rounded to a format of `bits` significant bits, the smallest subnormal
/// 2^lowest and overflow to infinity at 2^limit, by definition.
static double round_to_format(double x, int bits, int lowest, int limit) {
  if (x == 0 || std::isnan(x) || std::isinf(x))
    return x;
  int exponent;
  std::frexp(x, &exponent);
  const double unit = std::ldexp(1.0, std::max(exponent - bits, lowest));
  const double r = std::nearbyint(x / unit) * unit; // ties to even
  return std::fabs(r) >= std::ldexp(1.0, limit)
             ? std::copysign(std::numeric_limits<double>::infinity(), x)
             : r;
}

template <class T>
__global__ void round_trip(const float *x, float *pairs, float *single, T *one,
                           int n) {
  using F = Fragment<float, 16, 8, 1>;
  for (int i = 0; i < n; i += 4) {
    const F a{{x[i], x[i + 1], x[i + 2], x[i + 3]}};
    const F b = delta::convert<float>(delta::convert<T>(a));
    const F c = round_to<T>(a);
    for (int j = 0; j < 4; ++j) {
      pairs[i + j] = b.x[j];
      single[i + j] = c.x[j];
      one[i + j] = Element<T>::from_float(x[i + j]);
    }
  }
}

template <class T> static void check_rounding(int bits, int lowest, int limit) {
  std::vector<float> x = {0.0f, -0.0f,  INFINITY, -INFINITY,
                          NAN,  1e-45f, 3e38f,    -3.4e38f};
  Random random(1);
  for (int exponent = -149; exponent < 128; ++exponent)
    for (int i = 0; i < 8; ++i) {
      // Ties and their neighbours, and random mantissas.
      const double unit = std::ldexp(1.0, exponent + 1 - bits);
      const double tie =
          std::ldexp(1.0, exponent) + (random.integer(0, 50) + 0.5) * unit;
      const float values[] = {float(std::ldexp(random.uniform(1, 2), exponent)),
                              float(tie), std::nextafterf(float(tie), INFINITY),
                              std::nextafterf(float(tie), 0)};
      for (float v : values)
        x.push_back(random.integer(0, 1) ? v : -v);
    }
  std::vector<double> want;
  for (float v : x)
    want.push_back(round_to_format(v, bits, lowest, limit));
  Buffer<float> in(x), pairs(x.size()), single(x.size());
  Buffer<T> one(x.size());
  launch(round_trip<T>, 1, 0, in.data(), pairs.data(), single.data(),
         one.data(), int(x.size()));
  const std::string name = type_name<T>();
  compare("convert pairs " + name, pairs.values(), want);
  compare("round_to " + name, single.values(), want);
  compare("from_float " + name, one.values(), want);
}

__global__ void functions(const float *x, const float *y, float *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const Flat<32> a{{x[i]}}, b{{y[i]}};
    out[i] = delta::exp(a).x[0];
    out[n + i] = delta::exp2(a).x[0];
    out[2 * n + i] = delta::rsqrt(a).x[0];
    out[3 * n + i] = sigmoid(a).x[0];
    out[4 * n + i] = delta::min(a, b).x[0];
    out[5 * n + i] = delta::max(a, b).x[0];
    out[6 * n + i] = delta::min(a, 0.5f).x[0];
    out[7 * n + i] = delta::max(a, 0.5f).x[0];
    out[8 * n + i] = (a + b).x[0];
    out[9 * n + i] = (a - b).x[0];
    out[10 * n + i] = (a * b).x[0];
    out[11 * n + i] = (-a).x[0];
    out[12 * n + i] = (a + 3.0f).x[0];
    out[13 * n + i] = (3.0f - a).x[0];
    out[14 * n + i] = (a - 3.0f).x[0];
    out[15 * n + i] = (3.0f * a).x[0];
    out[16 * n + i] = (3.0f + a).x[0];
    out[17 * n + i] = (a * 3.0f).x[0];
    out[18 * n + i] = fill<Flat<32>>(7.0f).x[0];
    out[19 * n + i] = (a / b).x[0];
    out[20 * n + i] = (a / 3.0f).x[0];
    out[21 * n + i] = (3.0f / b).x[0];
    out[22 * n + i] = delta::log(a).x[0];
  }
}

static void check_functions() {
  std::vector<float> x = {0.0f,  1.0f,      4.0f,       0.25f,  -1.0f, 2.0f,
                          -0.0f, INFINITY,  -INFINITY,  NAN,    1.0f,  -200.0f,
                          80.0f, 1.000001f, 1.0000009f, 4e-39f, 1e38f};
  Random random(2);
  while (x.size() < 4096)
    x.push_back(float(random.uniform(-30, 30)));
  std::vector<float> y(x.size());
  for (float &v : y)
    v = float(random.uniform(-30, 30));
  y[10] = NAN;
  const size_t n = x.size();
  Buffer<float> a(x), b(y), out(23 * n);
  launch(functions, 256, 0, a.data(), b.data(), out.data(), int(n));
  const std::vector<float> all = out.values();
  const auto check = [&](int index, const char *name, auto f, double absolute,
                         double relative) {
    std::vector<double> want;
    for (size_t i = 0; i < n; ++i)
      want.push_back(f(double(x[i]), double(y[i])));
    compare(name,
            std::vector<float>(all.begin() + index * n,
                               all.begin() + (index + 1) * n),
            want, absolute, relative);
  };
  const double ulp = 0x1p-23, least = 0x1p-126; // below it results are flushed
  const auto nan_min = [](double p, double q) {
    return std::isnan(p) || std::isnan(q) ? NAN : std::fmin(p, q);
  };
  const auto nan_max = [](double p, double q) {
    return std::isnan(p) || std::isnan(q) ? NAN : std::fmax(p, q);
  };
  check(
      0, "exp", [](double p, double) { return std::exp(p); }, least,
      2 * ulp + 80 * 0x1p-24);
  check(
      1, "exp2", [](double p, double) { return std::exp2(p); }, least, 2 * ulp);
  check(2, "rsqrt", [](double p, double) { return 1 / std::sqrt(p); }, 0, ulp);
  check(
      3, "sigmoid", [](double p, double) { return 1 / (1 + std::exp(-p)); },
      least, 4 * ulp + 32 * 0x1p-24);
  check(4, "min", nan_min, 0, 0);
  check(5, "max", nan_max, 0, 0);
  check(
      6, "min with scalar", [&](double p, double) { return nan_min(p, 0.5); },
      0, 0);
  check(
      7, "max with scalar", [&](double p, double) { return nan_max(p, 0.5); },
      0, 0);
  const auto single = [](auto f) {
    return [f](double p, double q) { return double(float(f(p, q))); };
  };
  check(8, "+", single([](double p, double q) { return p + q; }), 0, 0);
  check(9, "-", single([](double p, double q) { return p - q; }), 0, 0);
  check(10, "*", single([](double p, double q) { return p * q; }), 0, 0);
  check(11, "negate", [](double p, double) { return -p; }, 0, 0);
  check(12, "+ scalar", single([](double p, double) { return p + 3; }), 0, 0);
  check(13, "scalar -", single([](double p, double) { return 3 - p; }), 0, 0);
  check(14, "- scalar", single([](double p, double) { return p - 3; }), 0, 0);
  check(15, "scalar *", single([](double p, double) { return 3 * p; }), 0, 0);
  check(16, "scalar +", single([](double p, double) { return 3 + p; }), 0, 0);
  check(17, "* scalar", single([](double p, double) { return p * 3; }), 0, 0);
  check(18, "fill", [](double, double) { return 7.0; }, 0, 0);
  check(19, "/", single([](double p, double q) { return p / q; }), 0, 0);
  check(20, "/ scalar", single([](double p, double) { return p / 3; }), 0, 0);
  check(21, "scalar /", single([](double, double q) { return 3 / q; }), 0, 0);
  check(
      22, "log", [](double p, double) { return std::log(p); }, 0x1p-22,
      0x1p-21);
  // Exact cases that the exact constructions and decays of 0 rely on.
  report(all[0] == 1.0f && all[n] == 1.0f, "exp(0) and exp2(0) are 1");
  report(all[3 * n] == 0.5f, "sigmoid(0) is 0.5");
  report(all[2 * n + 1] == 1.0f && all[2 * n + 2] == 0.5f &&
             all[2 * n + 3] == 2.0f,
         "rsqrt of powers of four is exact");
  report(all[11] == 0.0f, "exp(-200) is 0");
  report(all[22 * n + 1] == 0.0f, "log(1) is 0");
}

int main() {
  check_rounding<bf16>(8, -133, 128);
  check_rounding<half_t>(11, -24, 16);
  check_functions();
  return finish();
}
