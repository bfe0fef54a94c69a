//===- triangular_inverse.cu - inverse of I + A -----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TriangularInverse.cuh in both precisions, as it is and transposed: exact on
// integers and on identical keys. F32 is at most 1e-5 from the f64 inverse on
// the hardest keys that the kernels support (cosine 0.9, beta up to 2), TF32 no
// further than a rounding to bf16 (2^-9) if beta is at most 1. Elements on and
// above the diagonal are NaN. Prints the cycles of one inverse.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Global.cuh"
#include "delta/Device/TriangularInverse.cuh"

using namespace delta;
using namespace test;

template <InversePrecision P, bool Transposed, int C>
__global__ void invert(const float *a, float *m, float *again,
                       long long *cycles) {
  const SharedMatrix<float, C, C> scratch(shared_base(), 0);
  using F = Fragment<float, C, C, C / 16>;
  const F x = load<F>(a, C, 1);
  const auto inverse = [&] {
    if constexpr (Transposed)
      return triangular_inverse_transposed<P>(x, scratch);
    else
      return triangular_inverse<P>(x, scratch);
  };
  const F first = inverse();
  cta_sync();
  const long long start = clock64();
  const F second = inverse();
  const long long stop = clock64();
  store(first, m, C, 1);
  store(second, again, C, 1);
  if (threadIdx.x == 0)
    *cycles = stop - start;
}

/// The inverse of I + A by forward substitution in f64, with A as the kernel
/// gets it, rounded to f32.
static std::vector<double> inverse(const std::vector<double> &a, int c) {
  std::vector<double> m(c * c, 0);
  for (int j = 0; j < c; ++j)
    for (int i = j; i < c; ++i) {
      double sum = i == j;
      for (int k = j; k < i; ++k)
        sum -= double(float(a[i * c + k])) * m[k * c + j];
      m[i * c + j] = sum;
    }
  return m;
}

template <InversePrecision P, bool Transposed, int C>
static void check(const char *what, std::vector<double> a, double tolerance,
                  int threads) {
  std::vector<double> want = inverse(a, C);
  if (Transposed)
    for (int i = 0; i < C; ++i)
      for (int j = 0; j < i; ++j)
        std::swap(want[i * C + j], want[j * C + i]);
  for (int i = 0; i < C; ++i)
    for (int j = i; j < C; ++j)
      a[i * C + j] = NAN;
  Buffer<float> in(convert<float>(a)), out(a.size()), again(a.size());
  Buffer<long long> cycles(1);
  launch(invert<P, Transposed, C>, threads, SharedMatrix<float, C, C>::bytes,
         in.data(), out.data(), again.data(), cycles.data());
  char name[120];
  std::snprintf(name, sizeof name,
                "triangular_inverse %s%s %s C %d threads %d (%lld cycles)",
                P == InversePrecision::F32 ? "F32" : "TF32",
                Transposed ? " transposed" : "", what, C, threads,
                cycles.values()[0]);
  if (tolerance == 0)
    compare(name, out.values(), want);
  else
    compare_norm(name, out.values(), want, tolerance);
  const auto x = out.values(), y = again.values();
  report(std::memcmp(x.data(), y.data(), x.size() * sizeof(float)) == 0 &&
             out.guards_intact() && again.guards_intact(),
         std::string(name) + " repeats its bits");
}

/// Limits of the relative error of M; 0 for the same bits.
struct Tolerance {
  double f32, tf32;
};

template <int C>
static void check(const char *what, const std::vector<double> &a,
                  Tolerance tolerance, int threads = 2 * C) {
  check<InversePrecision::F32, false, C>(what, a, tolerance.f32, threads);
  check<InversePrecision::F32, true, C>(what, a, tolerance.f32, threads);
  check<InversePrecision::TF32, false, C>(what, a, tolerance.tf32, threads);
  check<InversePrecision::TF32, true, C>(what, a, tolerance.tf32, threads);
}

/// Inputs that only F32 supports.
template <int C>
static void check_hard(const char *what, const std::vector<double> &a,
                       int threads = 2 * C) {
  check<InversePrecision::F32, false, C>(what, a, 1e-5, threads);
  check<InversePrecision::F32, true, C>(what, a, 1e-5, threads);
}

/// beta_i k_i k_j of unit keys of pairwise cosine about `cosine`.
static std::vector<double> correlated(int c, double cosine, double beta,
                                      uint64_t seed) {
  const int dim = 128;
  Random random(seed);
  std::vector<double> common(dim), keys(c * dim), a(c * c, 0);
  const auto normalise = [dim](double *k) {
    double norm = 0;
    for (int d = 0; d < dim; ++d)
      norm += k[d] * k[d];
    for (int d = 0; d < dim; ++d)
      k[d] /= std::sqrt(norm);
  };
  for (double &x : common)
    x = random.normal();
  normalise(common.data());
  for (int i = 0; i < c; ++i) {
    double *k = &keys[i * dim];
    for (int d = 0; d < dim; ++d)
      k[d] = random.normal();
    normalise(k);
    for (int d = 0; d < dim; ++d)
      k[d] = std::sqrt(cosine) * common[d] + std::sqrt(1 - cosine) * k[d];
    normalise(k);
  }
  for (int i = 0; i < c; ++i)
    for (int j = 0; j < i; ++j) {
      double dot = 0;
      for (int d = 0; d < dim; ++d)
        dot += keys[i * dim + d] * keys[j * dim + d];
      a[i * c + j] = beta * dot;
    }
  return a;
}

template <int C> static void check_size() {
  Random random(C);
  std::vector<double> zero(C * C, 0), swaps(C * C, 0);
  check<C>("zero", zero, {0, 0});
  // Transposition words (k = e_i - e_j, beta = 1): A and M are integers.
  std::vector<int> p(C), q(C);
  for (int i = 0; i < C; ++i) {
    p[i] = random.integer(0, 4);
    q[i] = (p[i] + random.integer(1, 4)) % 5;
  }
  for (int i = 0; i < C; ++i)
    for (int j = 0; j < i; ++j)
      swaps[i * C + j] =
          (p[i] == p[j]) - (p[i] == q[j]) - (q[i] == p[j]) + (q[i] == q[j]);
  check<C>("transpositions", swaps, {0, 0});
  // Identical keys: dyadic numbers throughout.
  for (double beta : {0.5, 1.0, 2.0}) {
    std::vector<double> same(C * C, 0);
    for (int i = 0; i < C; ++i)
      for (int j = 0; j < i; ++j)
        same[i * C + j] = beta;
    // With beta 0.5 entries shrink to 2^-C, and sums of them have C bits.
    const bool exact = beta != 0.5 || C == 16;
    check<C>("identical keys", same,
             exact ? Tolerance{0, 0} : Tolerance{1e-6, 0x1p-12});
  }
  std::vector<double> noise(C * C, 0);
  for (int i = 0; i < C; ++i)
    for (int j = 0; j < i; ++j)
      noise[i * C + j] = random.uniform(-0.2, 0.2);
  check<C>("noise", noise, {1e-6, 0x1p-11});
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    check<C>("cosine 0.9, beta 1", correlated(C, 0.9, 1, seed), {3e-6, 0x1p-9});
    check_hard<C>("cosine 0.9, beta 2", correlated(C, 0.9, 2, seed));
  }
}

int main() {
  check_size<16>();
  check_size<32>();
  check_size<64>();
  check_size<128>();
  // A CTA of more warps than the matrix has blocks of 16 rows.
  check<16>("cosine 0.9, beta 1", correlated(16, 0.9, 1, 7), {3e-6, 0x1p-9},
            128);
  check<32>("cosine 0.9, beta 1", correlated(32, 0.9, 1, 7), {3e-6, 0x1p-9},
            128);
  return finish();
}
