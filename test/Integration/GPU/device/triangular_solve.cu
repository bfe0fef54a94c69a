//===- triangular_solve.cu - systems of a query block -----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TriangularSolve.cuh against (I + P diag(beta))^-1 P in f64, two warpgroups of
// a CTA with 64 rows each or with 128 together: rows of a causal softmax, rows
// with all their weight on one or on the last element, beta of 0, 1 and both
// signs; exponentials that are not normalised. Exact where all numbers are
// small integers. For 128 rows also with residuals.
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

constexpr int scratch_bytes = 65536;

/// 128 / Rows problems: p [., Rows, Rows], beta [., Rows], g [., Rows, Rows].
template <class T, int Rows, bool Rests>
__global__ void __launch_bounds__(256, 1)
    solve(const float *p, const float *beta, float *g) {
  const SharedBase base = shared_base();
  if (threadIdx.x < 128)
    detail::store_shared(base.address + scratch_bytes + threadIdx.x * 4,
                         beta[threadIdx.x]);
  cta_sync();
  if constexpr (Rows == 64) {
    using F = Fragment<float, 64, 64, 4>;
    const int i = uniform_warp_index() / 4;
    const SharedTile<T, 64, 64> e(base, i * 16384), x(base, i * 16384 + 8192);
    const SharedVector<float, 64> vector(base, scratch_bytes + i * 256);
    const F a = load<F>(p + i * 4096, 64, 1);
    store(solve_scaled_columns(a, vector, e, x, 1 + i), g + i * 4096, 64, 1);
  } else {
    const SharedTile<T, Rests ? 256 : 128, 128> scratch(base);
    const SharedVector<float, 128> vector(base, scratch_bytes);
    const auto a = load<Fragment<float, 128, 128, 8>>(p, 128, 1);
    store(solve_scaled_columns(a, vector, scratch, 1), g, 128, 1);
  }
}

/// Problems of one kind, 128 rows in all.
struct Problem {
  int rows;
  std::vector<double> p = std::vector<double>(128 * rows),
                      beta = std::vector<double>(128);
};

static std::vector<double> reference(const Problem &problem) {
  const int rows = problem.rows;
  std::vector<double> g(128 * rows);
  for (int first = 0; first < 128; first += rows)
    for (int j = 0; j < rows; ++j)
      for (int i = 0; i < rows; ++i) {
        const double *p = problem.p.data() + (first + i) * rows;
        double sum = p[j];
        for (int l = 0; l < i; ++l)
          sum -= p[l] * problem.beta[first + l] * g[(first + l) * rows + j];
        g[(first + i) * rows + j] = sum;
      }
  return g;
}

template <class T, bool Rests>
static void check(const char *what, const Problem &problem, double tolerance) {
  Buffer<float> p(convert<float>(problem.p)),
      beta(convert<float>(problem.beta)), g(128 * problem.rows);
  launch(problem.rows == 64 ? solve<T, 64, false> : solve<T, 128, Rests>, 256,
         scratch_bytes + 512, static_cast<const float *>(p.data()),
         static_cast<const float *>(beta.data()), g.data());
  const std::string name = std::string("solve_scaled_columns ") +
                           type_name<T>() + " " + std::to_string(problem.rows) +
                           (Rests ? " rows with rests " : " rows ") + what;
  if (tolerance == 0)
    compare(name, g.values(), reference(problem));
  else
    compare_norm(name, g.values(), reference(problem), tolerance);
  report(g.guards_intact(), name + " writes nothing else");
}

/// Rows of a softmax over scores of the given size, beta in [low, high).
static Problem softmax(int rows, double size, double low, double high,
                       uint64_t seed) {
  Problem r{rows};
  Random random(seed);
  for (int row = 0; row < 128; ++row) {
    const int i = row % rows;
    double *p = r.p.data() + row * rows;
    double sum = 0;
    for (int j = 0; j < i; ++j)
      sum += p[j] = std::exp(random.normal() * size);
    for (int j = 0; j < i; ++j)
      p[j] = float(p[j] / sum);
    r.beta[row] = float(random.uniform(low, high));
  }
  return r;
}

/// Exponentials of scores of the given size, beta in [0, 1).
static Problem exponentials(int rows, double size, uint64_t seed) {
  Problem r{rows};
  Random random(seed);
  for (int row = 0; row < 128; ++row) {
    for (int j = 0; j < row % rows; ++j)
      r.p[row * rows + j] = float(std::exp(random.normal() * size));
    r.beta[row] = float(random.uniform(0, 1));
  }
  return r;
}

/// All the weight of row i on element i - 1, or on a random one before i.
static Problem unit(int rows, bool last, double beta) {
  Problem r{rows};
  Random random(3);
  for (int row = 0; row < 128; ++row) {
    const int i = row % rows;
    if (i > 0)
      r.p[row * rows + (last ? i - 1 : random.integer(0, i - 1))] = 1;
    r.beta[row] = beta;
  }
  return r;
}

/// `unit_roundoff`: of operands of products.
template <class T, bool Rests = false>
static void check_all(int rows, double unit_roundoff) {
  const auto soft = [&](double size, double low, double high, uint64_t seed) {
    return softmax(rows, size, low, high, seed);
  };
  check<T, Rests>("zero", Problem{rows}, 0);
  check<T, Rests>("beta 0", soft(0, 0, 0, 1), unit_roundoff);
  check<T, Rests>("on the last, beta 1", unit(rows, true, 1), 0);
  check<T, Rests>("on the last, beta -1", unit(rows, true, -1), 0);
  check<T, Rests>("on any, beta 1", unit(rows, false, 1), 0);
  check<T, Rests>("uniform, beta 1", soft(0, 1, 1, 2), 4 * unit_roundoff);
  check<T, Rests>("soft, beta 0 .. 1", soft(1, 0, 1, 3), 4 * unit_roundoff);
  check<T, Rests>("soft, beta -1 .. 1", soft(1, -1, 1, 4), 4 * unit_roundoff);
  check<T, Rests>("sharp, beta 1", soft(6, 1, 1, 5), 4 * unit_roundoff);
  check<T, Rests>("soft, beta 2", soft(1, 2, 2, 6), 8 * unit_roundoff);
  check<T, Rests>("exponentials", exponentials(rows, 0.1, 7),
                  16 * unit_roundoff);
}

int main() {
  for (int rows : {64, 128}) {
    check_all<bf16>(rows, 0x1p-9);
    check_all<half_t>(rows, 0x1p-12);
  }
  check_all<bf16, true>(128, 0x1p-16);
  check_all<half_t, true>(128, 0x1p-19);
  return finish();
}
