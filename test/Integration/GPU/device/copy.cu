//===- copy.cu - copies between global and shared memory --------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copy.cuh, and store_tile and the flat loads of Global.cuh: ragged rows, odd
// widths and all piece sizes. Around the valid part the source holds NaN,
// around the valid part the destination must keep its bytes.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Copy.cuh"
#include "delta/Device/Global.cuh"
#include "delta/Device/SharedAccess.cuh"

using namespace delta;
using namespace test;

template <int Threads, int Width, int Bytes, int StoreBytes, class T, int Rows,
          int Cols>
__global__ void through(const T *src, int64_t stride, int64_t rows, T *whole,
                        T *dst) {
  const SharedTile<T, Rows, Cols> tile(shared_base(), 0);
  // Poison shows elements that the copy does not write.
  for (uint32_t i = threadIdx.x; i < tile.bytes / 4; i += Threads)
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(tile.address + 4 * i),
                 "r"(0xffffffffu)
                 : "memory");
  cta_sync();
  copy_async<Threads, Width, Bytes>(tile, src, stride, rows);
  copy_commit();
  copy_wait<0>();
  cta_sync();
  store_tile<Threads>(tile, whole, Cols, Rows);
  store_tile<Threads, Width, StoreBytes>(tile, dst, stride, rows);
}

template <int Threads, int N>
__global__ void vector_through(const float *src, int64_t count, float *dst) {
  const SharedVector<float, N> v(shared_base(), 0);
  if (count == N)
    copy_async<Threads>(v, src);
  else
    copy_async<Threads>(v, src, count);
  copy_commit();
  copy_wait<0>();
  cta_sync();
  for (int i = threadIdx.x; i < N; i += Threads)
    dst[i] = element(v, i);
}

template <class T, int N>
__global__ void flats(const T *src, int64_t stride, int64_t rows, float *one,
                      float *two, float *three, T *stored) {
  const Flat<N> a = load_flat<N>(src, stride, rows);
  one[threadIdx.x] = a.x[0];
  two[threadIdx.x] = load_flat_steps<N, 2>(src, stride, rows).x[0];
  three[threadIdx.x] = load_flat_steps<N, 3>(src, stride, rows).x[0];
  store(a, stored, 2, rows);
}

/// Two groups in flight: after copy_wait<1> the older one has landed.
__global__ void two_groups(const bf16 *src, bf16 *dst) {
  const SharedTile<bf16, 64, 64> a(shared_base(), 0), b(shared_base(), 8192);
  copy_async<128>(a, src, 64, 64);
  copy_commit();
  copy_async<128>(b, src + 4096, 64, 64);
  copy_commit();
  copy_wait<1>();
  cta_sync();
  store_tile<128>(a, dst, 64, 64);
  copy_wait<0>();
  cta_sync();
  store_tile<128>(b, dst + 4096, 64, 64);
}

template <int Threads, int Width, int Bytes, int StoreBytes, class T, int Rows,
          int Cols>
static void check_through(int64_t rows, int64_t stride) {
  const int width = Width ? Width : Cols;
  const int64_t bounded = std::min<int64_t>(std::max<int64_t>(rows, 0), Rows);
  Random random(rows + stride);
  // Rows after the valid ones exist and are NaN, as a neighbour's might be.
  std::vector<double> x(Rows * stride, NAN), want(Rows * Cols, 0);
  for (int i = 0; i < bounded; ++i)
    for (int j = 0; j < width; ++j)
      want[i * Cols + j] = x[i * stride + j] = rounded<T>(random.normal());
  Buffer<T> in(convert<T>(x)), whole(Rows * Cols), out(Rows * stride);
  launch(through<Threads, Width, Bytes, StoreBytes, T, Rows, Cols>, Threads,
         SharedTile<T, Rows, Cols>::bytes, in.data(), stride, rows,
         whole.data(), out.data());
  char name[120];
  std::snprintf(name, sizeof name, "%s %dx%d width %d stride %d rows %d by %d",
                type_name<T>(), Rows, Cols, width, int(stride), int(rows),
                Bytes);
  compare(std::string("copy_async ") + name, whole.values(), want);
  const auto y = out.values();
  bool right = out.guards_intact() && whole.guards_intact();
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < stride; ++j)
      right &= i < bounded && j < width
                   ? to_double(y[i * stride + j]) == want[i * Cols + j]
                   : untouched(y[i * stride + j]);
  report(right, std::string("store_tile ") + name);
}

template <class T, int Rows, int Cols> static void check_ragged() {
  for (int64_t rows : {-64, 0, 1, 7, Rows - 1, Rows, Rows + 100}) {
    check_through<128, 0, 16, 16, T, Rows, Cols>(rows, Cols);
    check_through<128, 0, 16, 16, T, Rows, Cols>(rows, 3 * Cols + 8);
  }
}

/// A source of no rows has no allocation at all: it must not be accessed.
static void check_nothing_read() {
  Buffer<bf16> whole(4096), out(4096);
  launch(through<128, 0, 16, 16, bf16, 64, 64>, 128, 8192,
         static_cast<const bf16 *>(nullptr), int64_t(64), int64_t(0),
         whole.data(), out.data());
  compare("copy_async of no rows reads nothing", whole.values(),
          std::vector<double>(4096, 0));
}

template <int Threads, int N> static void check_vector(int64_t count = N) {
  // Elements after the valid ones are NaN; with no valid element the source
  // does not exist.
  std::vector<double> x(N, NAN), want(N, 0);
  for (int i = 0; i < count; ++i)
    want[i] = x[i] = i + 0.5;
  Buffer<float> in(convert<float>(x)), out(N);
  launch(vector_through<Threads, N>, Threads, 4 * N,
         count > 0 ? in.data() : static_cast<const float *>(nullptr), count,
         out.data());
  compare("copy_async vector " + std::to_string(N) + " count " +
              std::to_string(count),
          out.values(), want);
}

template <class T, int N> static void check_flats(int64_t rows) {
  const int64_t stride = 5;
  const int64_t bounded = std::min<int64_t>(rows, N);
  Random random(rows);
  std::vector<double> x(N * stride, NAN), one(128, 0), two(128, 0),
      three(128, 0);
  for (int i = 0; i < bounded; ++i)
    x[i * stride] = rounded<T>(random.normal());
  for (int i = 0; i < bounded; ++i)
    one[i] = x[i * stride];
  for (int i = 0; i < N; ++i) {
    if (i % 2 == 0 && i / 2 < rows)
      two[i] = x[i / 2 * stride];
    if (i % 3 == 0 && i / 3 < rows)
      three[i] = x[i / 3 * stride];
  }
  Buffer<T> in(convert<T>(x)), stored(2 * N);
  Buffer<float> a(128), b(128), c(128);
  launch(flats<T, N>, 128, 0, in.data(), stride, rows, a.data(), b.data(),
         c.data(), stored.data());
  const std::string name = std::string(type_name<T>()) + " " +
                           std::to_string(N) + " rows " + std::to_string(rows);
  compare("load_flat " + name, a.values(), one);
  compare("load_flat_steps 2 " + name, b.values(), two);
  compare("load_flat_steps 3 " + name, c.values(), three);
  const auto y = stored.values();
  bool right = stored.guards_intact();
  for (int i = 0; i < 2 * N; ++i)
    right &= i % 2 == 0 && i / 2 < bounded ? to_double(y[i]) == one[i / 2]
                                           : untouched(y[i]);
  report(right, "store flat " + name);
}

static void check_two_groups() {
  Random random(5);
  std::vector<double> x(8192);
  for (double &v : x)
    v = rounded<bf16>(random.normal());
  Buffer<bf16> in(convert<bf16>(x)), out(x.size());
  launch(two_groups, 128, 16384, in.data(), out.data());
  compare("two groups in flight", out.values(), x);
}

template <class T> static void check_type() {
  check_ragged<T, 32, 64>();
  check_ragged<T, 64, 64>();
  check_ragged<T, 64, 128>();
  check_ragged<T, 64, 32>();
  check_ragged<T, 32, 128>();
  check_through<64, 0, 16, 16, T, 32, 32>(31, 32);
  check_through<32, 0, 16, 16, T, 16, 16>(5, 16);
  check_through<128, 72, 16, 16, T, 64, 128>(63, 144);
  check_through<128, 60, 8, 8, T, 64, 64>(50, 60);
  check_through<128, 100, 8, 8, T, 64, 128>(64, 300);
  check_through<128, 58, 4, 4, T, 64, 64>(17, 58);
  check_through<128, 58, 4, 2, T, 64, 64>(64, 62);
  check_flats<T, 32>(20);
  check_flats<T, 64>(0);
  check_flats<T, 64>(1);
  check_flats<T, 64>(64);
  check_flats<T, 64>(1000);
  check_flats<T, 128>(99);
}

int main() {
  check_type<bf16>();
  check_type<half_t>();
  check_flats<float, 64>(33);
  check_flats<float, 128>(128);
  check_nothing_read();
  check_vector<128, 64>();
  check_vector<128, 192>();
  check_vector<128, 64>(20);
  check_vector<128, 64>(0);
  check_vector<128, 64>(-4);
  check_vector<32, 256>();
  check_two_groups();
  return finish();
}
