//===- mma.cu - products on the tensor cores --------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mma.cuh: both products in every shape of the schedule, with every part and
// with micro-steps. Inputs are small integers, so the results are exact; blocks
// of b outside its part hold NaN and must not be used.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "Inputs/fill_tile.cuh"
#include "delta/Device/Global.cuh"
#include "delta/Device/Mma.cuh"

using namespace delta;
using namespace test;

template <bool Transposed, Part P, int RowSteps, int ColumnSteps, class T,
          int M, int N, int K>
__global__ void product(const float *a, const float *b, float *d,
                        float *plain) {
  constexpr int warps = M / 16;
  const auto left =
      delta::convert<T>(load<Fragment<float, M, K, warps>>(a, K, 1));
  const auto acc = load<Fragment<float, M, N, warps>>(d, N, 1);
  if constexpr (Transposed) {
    const SharedTile<T, N, K> tile(shared_base(), 0);
    fill_tile(tile, b);
    cta_sync();
    store(dot_nt<P, RowSteps, ColumnSteps>(left, tile, acc), d, N, 1);
    store(dot_nt<P, RowSteps, ColumnSteps>(left, tile), plain, N, 1);
  } else {
    const SharedTile<T, K, N> tile(shared_base(), 0);
    fill_tile(tile, b);
    cta_sync();
    store(dot_nn<P, RowSteps, ColumnSteps>(left, tile, acc), d, N, 1);
    store(dot_nn<P, RowSteps, ColumnSteps>(left, tile), plain, N, 1);
  }
}

/// Whether element (i, j) lies in the part.
static bool inside(Part part, int row_steps, int column_steps, int i, int j) {
  const int r = i / row_steps, c = j / column_steps;
  return part == Part::Full          ? true
         : part == Part::Lower       ? r >= c
         : part == Part::StrictLower ? r > c
         : part == Part::Upper       ? r <= c
                                     : r < c;
}

template <bool Transposed, Part P, int RowSteps, int ColumnSteps, class T,
          int M, int N, int K>
static void check_product() {
  Random random(M + N + K);
  const int rows = Transposed ? N : K, cols = Transposed ? K : N;
  // The smallest blocks that are skipped: 8 columns of the product, 16 of the
  // contraction.
  const int down = Transposed ? 8 : 16, across = Transposed ? 16 : 8;
  std::vector<double> a(M * K), b(rows * cols), d(M * N), used(rows * cols);
  for (double &x : a)
    x = random.integer(-8, 8);
  for (double &x : d)
    x = random.integer(-100, 100);
  int skipped = 0;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      bool whole_block_outside = true;
      for (int y = i / down * down; y < i / down * down + down; ++y)
        for (int x = j / across * across; x < j / across * across + across; ++x)
          whole_block_outside &= !inside(P, RowSteps, ColumnSteps, y, x);
      const bool in = inside(P, RowSteps, ColumnSteps, i, j);
      used[i * cols + j] = in ? random.integer(-8, 8) : 0;
      b[i * cols + j] = whole_block_outside ? NAN : used[i * cols + j];
      skipped += whole_block_outside;
    }
  std::vector<double> want(M * N), want_plain(M * N);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += a[m * K + k] * used[Transposed ? n * K + k : k * N + n];
      want_plain[m * N + n] = sum;
      want[m * N + n] = d[m * N + n] + sum;
    }
  Buffer<float> left(convert<float>(a)), right(convert<float>(b)),
      acc(convert<float>(d)), plain(M * N);
  launch(product<Transposed, P, RowSteps, ColumnSteps, T, M, N, K>, 2 * M,
         2 * N * K, left.data(), right.data(), acc.data(), plain.data());
  char name[120];
  std::snprintf(name, sizeof name,
                "dot_%s %s m%d n%d k%d part %d steps %d %d, %d of %d skipped",
                Transposed ? "nt" : "nn", type_name<T>(), M, N, K, int(P),
                RowSteps, ColumnSteps, skipped, rows * cols);
  compare(name, acc.values(), want);
  compare(std::string(name) + ", no accumulator", plain.values(), want_plain);
}

template <class T, int M, int N, int K> static void check_both() {
  check_product<true, Part::Full, 1, 1, T, M, N, K>();
  check_product<false, Part::Full, 1, 1, T, M, N, K>();
}

template <class T, int RowSteps, int ColumnSteps, int Rows, int Cols>
static void check_parts() {
  check_product<true, Part::Lower, RowSteps, ColumnSteps, T, 64, Rows, Cols>();
  check_product<true, Part::StrictLower, RowSteps, ColumnSteps, T, 64, Rows,
                Cols>();
  check_product<true, Part::Upper, RowSteps, ColumnSteps, T, 64, Rows, Cols>();
  check_product<true, Part::StrictUpper, RowSteps, ColumnSteps, T, 64, Rows,
                Cols>();
  check_product<false, Part::Lower, RowSteps, ColumnSteps, T, 64, Cols, Rows>();
  check_product<false, Part::StrictLower, RowSteps, ColumnSteps, T, 64, Cols,
                Rows>();
  check_product<false, Part::Upper, RowSteps, ColumnSteps, T, 64, Cols, Rows>();
  check_product<false, Part::StrictUpper, RowSteps, ColumnSteps, T, 64, Cols,
                Rows>();
}

template <class T> static void check_type() {
  check_both<T, 64, 64, 128>();
  check_both<T, 64, 64, 64>();
  check_both<T, 64, 128, 64>();
  check_both<T, 64, 32, 128>();
  check_both<T, 32, 32, 64>();
  check_both<T, 32, 64, 32>();
  check_both<T, 128, 64, 64>();
  check_both<T, 16, 16, 16>();
  check_parts<T, 1, 1, 64, 64>();
  check_parts<T, 1, 1, 32, 32>();
}

int main() {
  check_type<bf16>();
  check_type<half_t>();
  check_parts<bf16, 1, 2, 32, 64>();
  check_parts<bf16, 1, 3, 32, 64>();
  check_parts<bf16, 2, 1, 64, 32>();
  check_parts<bf16, 3, 3, 64, 64>();
  return finish();
}
