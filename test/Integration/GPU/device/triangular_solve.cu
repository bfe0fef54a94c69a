//===- triangular_solve.cu - systems of a normalised kernel -----*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TriangularSolve.cuh against (I + P diag(beta))^-1 P in f64, by two warpgroups
// of a CTA at once: rows of a causal softmax, rows with all their weight on one
// or on the last element, beta of 0, 1 and both signs. Exact where all numbers
// are small integers.
//
// REQUIRES: nvcc, gpu, sm_90a
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a \
// RUN:   -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Global.cuh"
#include "delta/Device/TriangularSolve.cuh"

using namespace delta;
using namespace test;

/// Problem `warpgroup` of two: p [2, 64, 64], beta [2, 64], g [2, 64, 64].
template <class T>
__global__ void __launch_bounds__(256, 1)
    solve(const float *p, const float *beta, float *g) {
  using F = Fragment<float, 64, 64, 4>;
  const SharedBase base = shared_base();
  const int i = uniform_warp_index() / 4;
  const SharedTile<T, 64, 64> e(base, i * 16384), x(base, i * 16384 + 8192);
  const SharedVector<float, 64> vector(base, 32768 + i * 256);
  if (threadIdx.x % 128 < 64)
    detail::store_shared(vector.at(threadIdx.x % 128),
                         beta[i * 64 + threadIdx.x % 128]);
  cta_sync();
  const F a = load<F>(p + i * 4096, 64, 1);
  store(solve_scaled_columns(a, vector, e, x, 1 + i), g + i * 4096, 64, 1);
}

/// Two problems of one kind.
struct Problem {
  std::vector<double> p = std::vector<double>(8192),
                      beta = std::vector<double>(128);
};

static std::vector<double> reference(const Problem &problem) {
  std::vector<double> g(8192);
  for (int w = 0; w < 2; ++w) {
    const double *p = problem.p.data() + w * 4096;
    for (int j = 0; j < 64; ++j)
      for (int i = 0; i < 64; ++i) {
        double sum = p[i * 64 + j];
        for (int l = 0; l < i; ++l)
          sum -= p[i * 64 + l] * problem.beta[w * 64 + l] *
                 g[w * 4096 + l * 64 + j];
        g[w * 4096 + i * 64 + j] = sum;
      }
  }
  return g;
}

template <class T>
static void check(const char *what, const Problem &problem, double tolerance) {
  Buffer<float> p(convert<float>(problem.p)),
      beta(convert<float>(problem.beta)), g(8192);
  launch(solve<T>, 256, 32768 + 512, static_cast<const float *>(p.data()),
         static_cast<const float *>(beta.data()), g.data());
  const std::string name =
      std::string("solve_scaled_columns ") + type_name<T>() + " " + what;
  if (tolerance == 0)
    compare(name, g.values(), reference(problem));
  else
    compare_norm(name, g.values(), reference(problem), tolerance);
  report(g.guards_intact(), name + " writes nothing else");
}

/// Rows of a softmax over scores of the given size, beta in [low, high).
static Problem softmax(double size, double low, double high, uint64_t seed) {
  Problem r;
  Random random(seed);
  for (int row = 0; row < 128; ++row) {
    const int i = row % 64;
    double sum = 0;
    for (int j = 0; j < i; ++j)
      sum += r.p[row * 64 + j] = std::exp(random.normal() * size);
    for (int j = 0; j < i; ++j)
      r.p[row * 64 + j] = float(r.p[row * 64 + j] / sum);
    r.beta[row] = float(random.uniform(low, high));
  }
  return r;
}

/// All the weight of row i on element i - 1, or on a random one before i.
static Problem unit(bool last, double beta) {
  Problem r;
  Random random(3);
  for (int row = 0; row < 128; ++row) {
    const int i = row % 64;
    if (i > 0)
      r.p[row * 64 + (last ? i - 1 : random.integer(0, i - 1))] = 1;
    r.beta[row] = beta;
  }
  return r;
}

template <class T> static void check_all(double unit_roundoff) {
  check<T>("zero", Problem(), 0);
  check<T>("beta 0", softmax(0, 0, 0, 1), unit_roundoff);
  check<T>("on the last, beta 1", unit(true, 1), 0);
  check<T>("on the last, beta -1", unit(true, -1), 0);
  check<T>("on any, beta 1", unit(false, 1), 0);
  check<T>("uniform, beta 1", softmax(0, 1, 1, 2), 4 * unit_roundoff);
  check<T>("soft, beta 0 .. 1", softmax(1, 0, 1, 3), 4 * unit_roundoff);
  check<T>("soft, beta -1 .. 1", softmax(1, -1, 1, 4), 4 * unit_roundoff);
  check<T>("sharp, beta 1", softmax(6, 1, 1, 5), 4 * unit_roundoff);
  check<T>("soft, beta 2", softmax(1, 2, 2, 6), 8 * unit_roundoff);
}

int main() {
  check_all<bf16>(0x1p-9);
  check_all<half_t>(0x1p-12);
  return finish();
}
