//===- shared.cu - shared tiles, vectors and matrices -----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared.cuh and SharedAccess.cuh: tiles written by fragments and read back
// along both axes, their bytes against the swizzle of a tensor map, vectors and
// f32 matrices.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Global.cuh"
#include "delta/Device/SharedAccess.cuh"

using namespace delta;
using namespace test;

template <class T> __device__ T *generic(uint32_t address) {
  return static_cast<T *>(__cvta_shared_to_generic(address));
}

/// Fills the tile by the swizzle's definition: inside a panel, bits 4 .. of the
/// byte offset are XORed with bits 7 .. .
template <class T, int Rows, int Cols>
__device__ void fill_by_definition(const SharedTile<T, Rows, Cols> &tile,
                                   const T *src) {
  constexpr int panel = Cols < 64 ? Cols : 64;
  constexpr uint32_t mask = panel / 8 - 1;
  if (threadIdx.x == 0)
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < Cols; ++j) {
        const uint32_t plain = (i * panel + j % panel) * 2;
        const uint32_t offset = plain ^ ((plain >> 7 & mask) << 4);
        *generic<T>(tile.address + j / panel * Rows * panel * 2 + offset) =
            src[i * Cols + j];
      }
  cta_sync();
}

template <class T, int Rows, int Cols>
__global__ void tiles(const T *src, float *out_read, float *out_transposed,
                      T *out_written, T *out_turned) {
  constexpr int warps = Rows / 16, turned_warps = Cols / 16;
  constexpr int threads = 32 * (warps > turned_warps ? warps : turned_warps);
  const SharedTile<T, Rows, Cols> tile(shared_base(), 1024);
  fill_by_definition(tile, src);
  const auto a = read<Fragment<T, Rows, Cols, warps>>(tile);
  const auto b = read_transposed<Fragment<T, Cols, Rows, turned_warps>>(tile);
  store(delta::convert<float>(a), out_read, Cols, 1);
  store(delta::convert<float>(b), out_transposed, Rows, 1);
  cta_sync();
  write(a, tile);
  cta_sync();
  for (int i = threadIdx.x; i < Rows * Cols; i += threads)
    out_written[i] =
        *generic<T>(tile.piece(i / Cols, i % Cols / 8) + i % 8 * 2);
  cta_sync();
  write_transposed(b, tile);
  cta_sync();
  for (int i = threadIdx.x; i < Rows * Cols; i += threads)
    out_turned[i] = *generic<T>(tile.piece(i / Cols, i % Cols / 8) + i % 8 * 2);
}

template <int N>
__global__ void vectors(const float *src, float *flat, float *rows,
                        float *columns, float *single) {
  const SharedVector<float, N> v(shared_base(), 64);
  write(load_flat<N>(src, 1, N), v);
  cta_sync();
  store(read_flat(v) * 2.0f, flat, 1);
  store(spread_rows<16>(read_row_slice<N, N / 16>(v)), rows, 16, 1);
  store(spread_columns<N, N / 16>(read_column_slice(v)), columns, N, 1);
  single[threadIdx.x] = element(v, N - 3);
}

template <int N>
__global__ void matrices(const float *src, float *back, float *turned) {
  const SharedMatrix<float, N, N> m(shared_base(), 0);
  using F = Fragment<float, N, N, N / 16>;
  write(load<F>(src, N, 1), m);
  cta_sync();
  store(read<F>(m), back, N, 1);
  for (int i = threadIdx.x; i < N * N; i += N * 2)
    turned[i] = *generic<float>(m.at(i % N, i / N));
}

template <class T, int Rows, int Cols> static void check_tiles() {
  Random random(Rows * 1000 + Cols);
  std::vector<double> x(Rows * Cols), turned(Rows * Cols);
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Cols; ++j)
      turned[j * Rows + i] = x[i * Cols + j] = rounded<T>(random.normal());
  Buffer<T> in(convert<T>(x)), c(x.size()), d(x.size());
  Buffer<float> a(x.size()), b(x.size());
  launch(tiles<T, Rows, Cols>, 2 * (Rows > Cols ? Rows : Cols),
         1024 + SharedTile<T, Rows, Cols>::bytes, in.data(), a.data(), b.data(),
         c.data(), d.data());
  const std::string name = std::string(type_name<T>()) + " " +
                           std::to_string(Rows) + "x" + std::to_string(Cols);
  compare("read " + name, a.values(), x);
  compare("read_transposed " + name, b.values(), turned);
  compare("write " + name, c.values(), x);
  compare("write_transposed " + name, d.values(), x);
}

template <int N> static void check_vectors() {
  std::vector<double> x(N), twice(N), rows(N * 16), columns(N * N);
  for (int i = 0; i < N; ++i) {
    x[i] = i * i - 7;
    twice[i] = 2 * x[i];
  }
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < 16; ++j)
      rows[i * 16 + j] = x[i];
    for (int j = 0; j < N; ++j)
      columns[i * N + j] = x[j];
  }
  Buffer<float> in(convert<float>(x)), a(N), b(N * 16), c(N * N), d(2 * N);
  launch(vectors<N>, 2 * N, 64 + 4 * N, in.data(), a.data(), b.data(), c.data(),
         d.data());
  const std::string name = " " + std::to_string(N);
  compare("read_flat" + name, a.values(), twice);
  compare("read_row_slice" + name, b.values(), rows);
  compare("read_column_slice" + name, c.values(), columns);
  compare("element" + name, d.values(), std::vector<double>(2 * N, x[N - 3]));
}

template <int N> static void check_matrices() {
  std::vector<double> x(N * N), turned(N * N);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      turned[j * N + i] = x[i * N + j] = i * N + j;
  Buffer<float> in(convert<float>(x)), a(x.size()), b(x.size());
  launch(matrices<N>, 2 * N, SharedMatrix<float, N, N>::bytes, in.data(),
         a.data(), b.data());
  compare("matrix " + std::to_string(N), a.values(), x);
  compare("matrix, element by element " + std::to_string(N), b.values(),
          turned);
}

template <class T> static void check_type() {
  check_tiles<T, 16, 16>();
  check_tiles<T, 32, 32>();
  check_tiles<T, 64, 32>();
  check_tiles<T, 32, 64>();
  check_tiles<T, 64, 64>();
  check_tiles<T, 32, 128>();
  check_tiles<T, 64, 128>();
  check_tiles<T, 128, 64>();
  check_tiles<T, 128, 128>();
}

int main() {
  check_type<bf16>();
  check_type<half_t>();
  check_vectors<32>();
  check_vectors<64>();
  check_vectors<128>();
  check_matrices<16>();
  check_matrices<32>();
  check_matrices<64>();
  check_matrices<128>();
  return finish();
}
