//===- wgmma.cu - products in flight ----------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wgmma.cuh: both products in every width, with the left operand in registers
// and in shared memory, whole and cut along k, with an accumulator, without one
// and with one in flight, two products in flight at a time. Two warpgroups,
// each with its own left operand or with half of one. Inputs are small
// integers, so the results are exact.
//
// REQUIRES: nvcc, gpu, sm_90a
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a \
// RUN:   -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "Inputs/fill_tile.cuh"
#include "delta/Device/Sm90a.cuh"

using namespace delta;
using namespace test;

/// b [N, K] for a b^T, [K, N] for a b.
template <bool Transposed, class T, int N, int K> struct RightTile;
template <class T, int N, int K> struct RightTile<true, T, N, K> {
  using type = SharedTile<T, N, K>;
};
template <class T, int N, int K> struct RightTile<false, T, N, K> {
  using type = SharedTile<T, K, N>;
};

template <bool Transposed, int K0, int K1, class Left, class Right, class... A>
__device__ auto start(const Left &left, const Right &right, const A &...acc) {
  if constexpr (Transposed)
    return dot_nt_start<K0, K1>(left, right, acc...);
  else
    return dot_nn_start<K0, K1>(left, right, acc...);
}

/// a [2, 64, K], d [2, 64, N], results [2, 3, 64, N]: a b, d + a b and d + a b
/// cut at K / 2 rounded down to a k-step.
template <bool Transposed, bool Registers, class T, int N, int K>
__global__ void __launch_bounds__(256, 1)
    product(const float *a, const float *b, const float *d, float *results) {
  constexpr int cut = K / 2 / 16 * 16;
  const int group = uniform_warp_index() / 4;
  const SharedBase base = shared_base();
  const typename RightTile<Transposed, T, N, K>::type right(base, 0);
  const SharedTile<T, 64, K> lefts[2] = {
      SharedTile<T, 64, K>(base, N * K * 2),
      SharedTile<T, 64, K>(base, N * K * 2 + 64 * K * 2)};
  fill_tile(right, b);
  fill_tile(lefts[0], a);
  fill_tile(lefts[1], a + 64 * K);
  async_proxy_fence();
  cta_sync();
  using Acc = Fragment<float, 64, N, 4>;
  const auto left = [&] {
    if constexpr (Registers)
      return delta::convert<T>(
          load<Fragment<float, 64, K, 4>>(a + group * 64 * K, K, 1));
    else
      return group == 0 ? lefts[0] : lefts[1];
  }();
  float *out = results + group * 3 * 64 * N;
  const auto plain_0 = start<Transposed, 0, -1>(left, right);
  const auto plain = await(plain_0);
  store(plain, out, N, 1);
  const auto acc = load<Acc>(d + group * 64 * N, N, 1);
  const auto whole_0 = start<Transposed, 0, -1>(left, right, acc);
  if constexpr (cut == 0 || N > 128) {
    const auto whole = await(whole_0);
    store(whole, out + 64 * N, N, 1);
  } else {
    // Three groups in flight.
    const auto again = load<Acc>(d + group * 64 * N, N, 1);
    const auto cut_0 = start<Transposed, 0, cut>(left, right, again);
    const auto cut_1 = start<Transposed, cut, K>(left, right, cut_0);
    const auto whole = await<2>(whole_0);
    store(whole, out + 64 * N, N, 1);
    const auto sum = await<0>(cut_1);
    store(sum, out + 2 * 64 * N, N, 1);
  }
}

template <bool Transposed, bool Registers, class T, int N, int K>
static void check_product() {
  Random random(N + K + Registers);
  std::vector<double> a(2 * 64 * K), b(N * K), d(2 * 64 * N);
  for (double &x : a)
    x = random.integer(-8, 8);
  for (double &x : b)
    x = random.integer(-8, 8);
  for (double &x : d)
    x = random.integer(-100, 100);
  std::vector<double> want(2 * 3 * 64 * N);
  for (int group = 0; group < 2; ++group)
    for (int m = 0; m < 64; ++m)
      for (int n = 0; n < N; ++n) {
        double sum = 0;
        for (int k = 0; k < K; ++k)
          sum += a[(group * 64 + m) * K + k] *
                 b[Transposed ? n * K + k : k * N + n];
        for (int kind = 0; kind < 3; ++kind)
          want[((group * 3 + kind) * 64 + m) * N + n] =
              kind == 0 ? sum
              : kind == 2 && (N > 128 || K < 32)
                  ? NAN // as the buffer was
                  : d[(group * 64 + m) * N + n] + sum;
      }
  Buffer<float> left(test::convert<float>(a)), right(test::convert<float>(b)),
      acc(test::convert<float>(d)), results(want.size());
  launch(product<Transposed, Registers, T, N, K>, 256,
         2 * N * K + 2 * 2 * 64 * K, left.data(), right.data(), acc.data(),
         results.data());
  char name[120];
  std::snprintf(name, sizeof name, "dot_%s_start %s %s n%d k%d",
                Transposed ? "nt" : "nn", type_name<T>(),
                Registers ? "registers" : "tile", N, K);
  compare(name, results.values(), want);
}

/// a [128, K], d [128, N], results [2, 128, N]: a b and d + a b, of two
/// warpgroups together.
template <bool Transposed, bool Registers, class T, int N, int K>
__global__ void __launch_bounds__(256, 1)
    joint(const float *a, const float *b, const float *d, float *results) {
  const SharedBase base = shared_base();
  const typename RightTile<Transposed, T, N, K>::type right(base, 0);
  const SharedTile<T, 128, K> left_tile(base, N * K * 2);
  fill_tile(right, b);
  fill_tile(left_tile, a);
  async_proxy_fence();
  cta_sync();
  const auto left = [&] {
    if constexpr (Registers)
      return delta::convert<T>(load<Fragment<float, 128, K, 8>>(a, K, 1));
    else
      return left_tile;
  }();
  const auto plain_0 = start<Transposed, 0, -1>(left, right);
  const auto plain = await(plain_0);
  store(plain, results, N, 1);
  const auto acc = load<Fragment<float, 128, N, 8>>(d, N, 1);
  const auto sum_0 = start<Transposed, 0, -1>(left, right, acc);
  const auto sum = await(sum_0);
  store(sum, results + 128 * N, N, 1);
}

template <bool Transposed, bool Registers, class T, int N, int K>
static void check_joint() {
  Random random(N + K + Registers);
  std::vector<double> a(128 * K), b(N * K), d(128 * N), want(2 * 128 * N);
  for (double &x : a)
    x = random.integer(-8, 8);
  for (double &x : b)
    x = random.integer(-8, 8);
  for (double &x : d)
    x = random.integer(-100, 100);
  for (int m = 0; m < 128; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += a[m * K + k] * b[Transposed ? n * K + k : k * N + n];
      want[m * N + n] = sum;
      want[(128 + m) * N + n] = d[m * N + n] + sum;
    }
  Buffer<float> left(test::convert<float>(a)), right(test::convert<float>(b)),
      acc(test::convert<float>(d)), results(want.size());
  launch(joint<Transposed, Registers, T, N, K>, 256, 2 * N * K + 2 * 128 * K,
         left.data(), right.data(), acc.data(), results.data());
  char name[120];
  std::snprintf(name, sizeof name, "dot_%s_start %s %s m128 n%d k%d",
                Transposed ? "nt" : "nn", type_name<T>(),
                Registers ? "registers" : "tile", N, K);
  compare(name, results.values(), want);
}

template <class T, int N, int K> static void check_transposed() {
  check_product<true, true, T, N, K>();
  check_product<true, false, T, N, K>();
}

template <class T, int N, int K> static void check_both() {
  check_transposed<T, N, K>();
  check_product<false, true, T, N, K>();
  check_product<false, false, T, N, K>();
}

template <class T, int N, int K> static void check_joint_both() {
  check_joint<true, true, T, N, K>();
  check_joint<true, false, T, N, K>();
  check_joint<false, true, T, N, K>();
  check_joint<false, false, T, N, K>();
}

template <class T> static void check_type() {
  check_joint_both<T, 128, 128>();
  check_joint_both<T, 64, 128>();
  check_joint_both<T, 128, 64>();
  check_both<T, 64, 128>();
  check_both<T, 64, 64>();
  check_both<T, 128, 64>();
  check_both<T, 128, 128>();
  check_both<T, 256, 64>();
  check_both<T, 64, 32>();
  check_transposed<T, 16, 128>();
  check_transposed<T, 32, 64>();
  check_transposed<T, 32, 16>();
}

int main() {
  check_type<bf16>();
  check_type<half_t>();
  return finish();
}
