//===- gdn_chain.cu - the hand-written chain kernel -------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state pass of test/Device/gdn_chain_sm80.cu against an f64 evaluation of
// its equations that rounds to bf16 where the kernel does: lengths that fill no
// chunk, shared key heads, and NaN after the sequence. Prints the time of a
// chunk.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "../../../Device/gdn_chain_sm80.cu"
#include "Inputs/check.h"

using namespace test;

namespace {

struct Problem {
  int batch, key_heads, group;
  int64_t length;
  int value_heads() const { return key_heads * group; }
  int64_t chunks() const { return (length + 63) / 64; }
};

double round16(double x) { return rounded<bf16>(x); }

/// One head of one sequence; o [length, 128] and s [128, 128] (K x V).
void reference(const Problem &p, int b, int hv, const std::vector<double> &q,
               const std::vector<double> &k, const std::vector<double> &v,
               const std::vector<double> &t, const std::vector<double> &pp,
               const std::vector<double> &e, std::vector<double> &o,
               std::vector<double> &s) {
  const int hk = hv / p.group;
  for (int64_t c = 0; c < p.chunks(); ++c) {
    const int64_t record = (int64_t(b) * p.value_heads() + hv) * p.chunks() + c;
    const int rows = int(std::min<int64_t>(64, p.length - 64 * c));
    const auto key = [&](const std::vector<double> &x, int i, int d) {
      const int64_t row = b * p.length + 64 * c + i;
      return i < rows ? x[(row * p.key_heads + hk) * 128 + d] : 0.0;
    };
    std::vector<double> next = s;
    for (double &x : next)
      x *= e[record * 192 + 63];
    for (int col = 0; col < 128; ++col) {
      double sk[64], sq[64], x[64], u[64];
      for (int i = 0; i < 64; ++i) {
        sk[i] = sq[i] = 0;
        for (int d = 0; d < 128; ++d) {
          sk[i] += round16(s[d * 128 + col]) * key(k, i, d);
          sq[i] += round16(s[d * 128 + col]) * key(q, i, d);
        }
        const int64_t row = b * p.length + 64 * c + i;
        const double value =
            i < rows ? v[(row * p.value_heads() + hv) * 128 + col] : 0.0;
        x[i] = round16(value - e[record * 192 + i] * sk[i]);
      }
      for (int i = 0; i < 64; ++i) {
        u[i] = 0;
        for (int j = 0; j <= i; ++j)
          u[i] += x[j] * t[record * 4096 + i * 64 + j];
      }
      for (int i = 0; i < 64; ++i) {
        double y = e[record * 192 + 64 + i] * sq[i];
        for (int j = 0; j <= i; ++j)
          y += round16(u[j]) * pp[record * 4096 + i * 64 + j];
        if (i < rows)
          o[((b * p.length + 64 * c + i) * p.value_heads() + hv) * 128 + col] =
              y;
        const double out = round16(u[i] * e[record * 192 + 128 + i]);
        for (int d = 0; d < 128; ++d)
          next[d * 128 + col] += out * key(k, i, d);
      }
    }
    s = next;
  }
}

void check(const Problem &p) {
  Random random(p.length + p.key_heads);
  const int64_t tokens = p.batch * p.length, heads = p.batch * p.value_heads();
  const auto draw = [&](int64_t n, double size, bool narrow) {
    std::vector<double> x(n);
    for (double &y : x) {
      y = random.normal() * size;
      y = narrow ? round16(y) : double(float(y));
    }
    return x;
  };
  std::vector<double> q = draw(tokens * p.key_heads * 128, 0.088, true);
  std::vector<double> k = draw(tokens * p.key_heads * 128, 0.088, true);
  std::vector<double> v = draw(tokens * p.value_heads() * 128, 1, true);
  std::vector<double> t = draw(heads * p.chunks() * 4096, 0.1, true);
  std::vector<double> pp = draw(heads * p.chunks() * 4096, 0.1, true);
  std::vector<double> e(heads * p.chunks() * 192);
  for (double &x : e)
    x = float(random.uniform(0.3, 1));
  std::vector<double> s0 = draw(heads * 16384, 1, false);
  // Above the diagonal blocks of T and P nothing may be read; inside the
  // diagonal 16 x 16 blocks it is zero.
  for (size_t i = 0; i < t.size(); ++i) {
    const int row = i / 64 % 64, col = i % 64;
    if (col / 16 > row / 16)
      t[i] = pp[i] = NAN;
    else if (col > row)
      t[i] = pp[i] = 0;
  }
  Buffer<bf16> dq(test::convert<bf16>(q)), dk(test::convert<bf16>(k)),
      dv(test::convert<bf16>(v)), dt(test::convert<bf16>(t)),
      dp(test::convert<bf16>(pp)), o(tokens * p.value_heads() * 128);
  Buffer<float> de(test::convert<float>(e)), ds(test::convert<float>(s0)),
      s1(s0.size());
  const gdn_chain_args args{
      dq.data(),       dk.data(), dv.data(),         dt.data(),
      dp.data(),       de.data(), ds.data(),         o.data(),
      s1.data(),       p.length,  p.key_heads * 128, p.value_heads() * 128,
      p.value_heads(), p.group};
  require(cudaFuncSetAttribute(
              gdn_chain, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED),
          "cudaFuncSetAttribute");
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  float milliseconds = 0;
  for (int run = 0; run < 2; ++run) { // the first one warms up
    require(cudaEventRecord(start), "cudaEventRecord");
    gdn_chain<<<dim3(2 * p.value_heads(), p.batch), 128, SHARED>>>(args);
    require(cudaEventRecord(stop), "cudaEventRecord");
    require(cudaDeviceSynchronize(), "gdn_chain");
    require(cudaEventElapsedTime(&milliseconds, start, stop), "elapsed time");
  }
  char name[120];
  std::snprintf(name, sizeof name,
                "gdn_chain batch %d heads %d/%d length %lld (%.2f us a chunk)",
                p.batch, p.key_heads, p.value_heads(),
                static_cast<long long>(p.length),
                p.chunks() ? milliseconds * 1000 / p.chunks() : 0.0);
  std::vector<double> want_o(o.size()), want_s;
  for (int b = 0; b < p.batch; ++b)
    for (int hv = 0; hv < p.value_heads(); ++hv) {
      const auto first = s0.begin() + (b * p.value_heads() + hv) * 16384;
      std::vector<double> s(first, first + 16384);
      reference(p, b, hv, q, k, v, t, pp, e, want_o, s);
      want_s.insert(want_s.end(), s.begin(), s.end());
    }
  // The reference rounds the same values, from f64 sums: an operand on the
  // edge of two bf16 numbers may fall to the other side.
  compare_norm(std::string(name) + " o", o.values(), want_o, 3e-3);
  compare_norm(std::string(name) + " s", s1.values(), want_s, 1e-3);
  report(o.guards_intact() && s1.guards_intact(),
         std::string(name) + " writes nothing else");
}

} // namespace

int main() {
  for (int64_t length : {0, 1, 63, 64, 65, 200})
    check({2, 1, 2, length});
  check({1, 2, 1, 130});
  return finish();
}
