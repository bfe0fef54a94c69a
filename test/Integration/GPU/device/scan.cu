//===- scan.cu - prefix sums ------------------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scan.cuh: sums of every length, exact on integers, the same bits twice, and
// no influence of later elements.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Global.cuh"
#include "delta/Device/Scan.cuh"

using namespace delta;
using namespace test;

template <int N>
__global__ void twice(const float *src, float *once, float *again) {
  const SharedVector<float, 4> scratch(shared_base(), 16);
  const Flat<N> a = load_flat<N>(src, 1, N);
  const Flat<N> b = prefix_sum(a, scratch);
  cta_sync(); // frees the scratch
  const Flat<N> c = prefix_sum(b * 2.0f, scratch);
  store(b, once, 1);
  store(c, again, 1);
}

template <int N>
static void check_scan(int threads, const std::vector<double> &x,
                       const char *what, double tolerance) {
  std::vector<double> once(N), again(N);
  double sum = 0, sums = 0;
  for (int i = 0; i < N; ++i) {
    once[i] = sum += x[i];
    again[i] = sums += 2 * sum;
  }
  Buffer<float> in(convert<float>(x)), a(N), b(N), c(N), d(N);
  launch(twice<N>, threads, 64, in.data(), a.data(), b.data());
  launch(twice<N>, threads, 64, in.data(), c.data(), d.data());
  const std::string name = std::string(what) + " " + std::to_string(N) +
                           " threads " + std::to_string(threads);
  compare("prefix_sum " + name, a.values(), once, tolerance, tolerance);
  compare("prefix_sum of it " + name, b.values(), again, tolerance * N,
          tolerance * N);
  const auto first = a.values(), second = c.values();
  report(std::memcmp(first.data(), second.data(), N * sizeof(float)) == 0,
         "prefix_sum repeats its bits, " + name);
}

template <int N> static void check_length(int threads) {
  Random random(N);
  std::vector<double> integers(N), reals(N), poisoned(N);
  for (int i = 0; i < N; ++i) {
    integers[i] = random.integer(-1000, 1000);
    reals[i] = float(random.uniform(-5, 0));
    poisoned[i] = i < N / 2 ? double(random.integer(-9, 9)) : NAN;
  }
  check_scan<N>(threads, integers, "integers", 0);
  check_scan<N>(threads, reals, "reals", 1e-5);
  check_scan<N>(threads, poisoned, "NaN after the middle", 0);
}

int main() {
  check_length<16>(32);
  check_length<32>(64);
  check_length<64>(64);
  check_length<64>(128);
  check_length<128>(128);
  check_length<128>(256);
  return finish();
}
