//===- fragment.cu - fragments, parts and slices ----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragment.cuh, Slices.cuh and the fragment loads and stores of Global.cuh: the
// layout by its definition, all parts with steps, spreads, reductions and
// diagonals, and bounds next to NaN.
//
// REQUIRES: nvcc, gpu
// RUN: %nvcc -std=c++17 -arch=native -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Global.cuh"

using namespace delta;
using namespace test;

template <int Rows, int Cols>
using Frag = Fragment<float, Rows, Cols, Rows / 16>;

/// x[i] of every thread, so that the host can check the layout itself.
template <int Rows, int Cols>
__global__ void registers(const float *src, float *out) {
  const auto a = load<Frag<Rows, Cols>>(src, Cols, 1);
  for (int i = 0; i < Cols / 2; ++i)
    out[threadIdx.x * (Cols / 2) + i] = a.x[i];
}

template <class T, int Rows, int Cols>
__global__ void move(const T *src, float *back, T *rounded, T *transposed,
                     int64_t rows, int64_t cols) {
  const auto a = load<Frag<Rows, Cols>>(src, Cols + 3, 1, rows, cols);
  store(a, back, Cols, 1);
  store(a, rounded, Cols, 1, rows, cols);
  store_transposed(a, transposed, Rows, cols);
}

template <int Rows, int Cols>
__global__ void move_pairs(const float *src, float *back, float *bounded,
                           int64_t rows) {
  const auto a = load_pairs<Frag<Rows, Cols>>(src, Cols + 2, rows);
  store_pairs(a, back, Cols);
  store_pairs(a, bounded, Cols, rows);
}

template <Part P, int RowSteps, int ColumnSteps, int Rows, int Cols>
__global__ void masked(const float *src, float *out) {
  const auto a = load<Frag<Rows, Cols>>(src, Cols, 1);
  store(mask<P, RowSteps, ColumnSteps>(a, -5.0f), out, Cols, 1);
}

template <int Rows, int Cols>
__global__ void masked_columns(const float *src, float *out, int64_t columns) {
  const auto a = load<Frag<Rows, Cols>>(src, Cols, 1);
  store(mask_columns(a, columns, -5.0f), out, Cols, 1);
}

template <int Rows, int Cols>
__global__ void diagonals(float *out, int64_t diagonal) {
  store(identity<Rows, Cols, Rows / 16>(diagonal), out, Cols, 1);
}

template <int Rows, int Cols>
__global__ void slices(const float *src, float *sums, float *maxima,
                       float *columns, float *arithmetic) {
  using F = Frag<Rows, Cols>;
  const F a = load<F>(src, Cols, 1);
  store(spread_rows<Cols>(reduce_add_rows(a)), sums, Cols, 1);
  store(spread_rows<Cols>(reduce_max_rows(a)), maxima, Cols, 1);
  ColumnSlice<Cols> c;
  for (int i = 0; i < Cols / 4; ++i)
    c.x[i] = float(i / 2 * 8 + fragment_column() + i % 2);
  store(spread_columns<Rows, Rows / 16>(c * 2.0f + c), columns, Cols, 1);
  const RowSlice<Rows, Rows / 16> r = reduce_max_rows(a);
  store(a * spread_rows<Cols>(r * 0.5f - r), arithmetic, Cols, 1);
}

template <int Rows> __global__ void own(const float *src, float *out) {
  const auto a = load<Frag<Rows, Rows>>(src, Rows, 1);
  store(spread_rows<Rows>(diagonal(a)), out, Rows, 1);
}

template <int Rows, int Cols> static void check_layout() {
  std::vector<double> x(Rows * Cols);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = double(i);
  Buffer<float> in(convert<float>(x)), out(x.size());
  launch(registers<Rows, Cols>, Rows * 2, 0, in.data(), out.data());
  std::vector<double> want;
  for (int thread = 0; thread < Rows * 2; ++thread)
    for (int i = 0; i < Cols / 2; ++i) {
      const int warp = thread / 32, g = thread % 32 / 4, t = thread % 4;
      const int row = 16 * warp + g + (i % 4 >= 2 ? 8 : 0);
      want.push_back(row * Cols + i / 4 * 8 + 2 * t + i % 2);
    }
  compare("layout " + std::to_string(Rows) + "x" + std::to_string(Cols),
          out.values(), want);
}

template <class T, int Rows, int Cols>
static void check_move(int64_t rows, int64_t cols) {
  Random random(Rows + Cols);
  const int stride = Cols + 3;
  std::vector<double> x(Rows * stride, NAN), back(Rows * Cols, 0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j)
      back[i * Cols + j] = x[i * stride + j] = rounded<T>(random.normal());
  Buffer<T> in(convert<T>(x)), kept(Rows * Cols), turned(Rows * Cols);
  Buffer<float> out(Rows * Cols);
  launch(move<T, Rows, Cols>, Rows * 2, 0, in.data(), out.data(), kept.data(),
         turned.data(), rows, cols);
  const std::string name = std::string(type_name<T>()) + " " +
                           std::to_string(Rows) + "x" + std::to_string(Cols) +
                           " bounds " + std::to_string(rows) + "x" +
                           std::to_string(cols);
  compare("load " + name, out.values(), back);
  const auto k = kept.values(), t = turned.values();
  bool right = true;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Cols; ++j) {
      right &= i < rows && j < cols
                   ? to_double(k[i * Cols + j]) == back[i * Cols + j]
                   : untouched(k[i * Cols + j]);
      right &= j < cols ? to_double(t[j * Rows + i]) == back[i * Cols + j]
                        : untouched(t[j * Rows + i]);
    }
  report(right && kept.guards_intact() && turned.guards_intact() &&
             out.guards_intact(),
         "store " + name);
}

template <int Rows, int Cols> static void check_pairs(int64_t rows) {
  Random random(Rows + Cols);
  const int stride = Cols + 2;
  std::vector<double> x(Rows * stride, NAN), back(Rows * Cols, 0);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < Cols; ++j)
      back[i * Cols + j] = x[i * stride + j] = rounded<float>(random.normal());
  Buffer<float> in(convert<float>(x)), out(Rows * Cols), kept(Rows * Cols);
  launch(move_pairs<Rows, Cols>, Rows * 2, 0, in.data(), out.data(),
         kept.data(), rows);
  const std::string name = std::to_string(Rows) + "x" + std::to_string(Cols) +
                           " bound " + std::to_string(rows);
  compare("load_pairs " + name, out.values(), back);
  const auto k = kept.values();
  bool right = true;
  for (int i = 0; i < Rows * Cols; ++i)
    right &= i < rows * Cols ? to_double(k[i]) == back[i] : untouched(k[i]);
  report(right && kept.guards_intact() && out.guards_intact(),
         "store_pairs " + name);
}

template <Part P, int RowSteps, int ColumnSteps, int Rows, int Cols>
static void check_mask() {
  std::vector<double> x(Rows * Cols), want(Rows * Cols);
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Cols; ++j) {
      const int r = i / RowSteps, c = j / ColumnSteps;
      const bool keep = P == Part::Lower         ? r >= c
                        : P == Part::StrictLower ? r > c
                        : P == Part::Upper       ? r <= c
                                                 : r < c;
      x[i * Cols + j] = keep ? i + 0.01 * j : NAN;
      want[i * Cols + j] = keep ? double(float(i + 0.01 * j)) : -5;
    }
  Buffer<float> in(convert<float>(x)), out(x.size());
  launch(masked<P, RowSteps, ColumnSteps, Rows, Cols>, Rows * 2, 0, in.data(),
         out.data());
  char name[80];
  std::snprintf(name, sizeof name, "mask part %d steps %d, %d of %dx%d", int(P),
                RowSteps, ColumnSteps, Rows, Cols);
  compare(name, out.values(), want);
}

template <int RowSteps, int ColumnSteps, int Rows, int Cols>
static void check_masks() {
  check_mask<Part::Lower, RowSteps, ColumnSteps, Rows, Cols>();
  check_mask<Part::StrictLower, RowSteps, ColumnSteps, Rows, Cols>();
  check_mask<Part::Upper, RowSteps, ColumnSteps, Rows, Cols>();
  check_mask<Part::StrictUpper, RowSteps, ColumnSteps, Rows, Cols>();
}

template <int Rows, int Cols> static void check_column_mask() {
  for (int64_t columns :
       {int64_t(-1), int64_t(0), int64_t(1), int64_t(Cols / 2 + 3),
        int64_t(Cols), int64_t(1) << 32}) {
    std::vector<double> x, want;
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < Cols; ++j) {
        x.push_back(j < columns ? i + 0.01 * j : NAN);
        want.push_back(j < columns ? double(float(i + 0.01 * j)) : -5);
      }
    Buffer<float> in(convert<float>(x)), out(x.size());
    launch(masked_columns<Rows, Cols>, Rows * 2, 0, in.data(), out.data(),
           columns);
    compare("mask from column " + std::to_string(columns) + " of " +
                std::to_string(Rows) + "x" + std::to_string(Cols),
            out.values(), want);
  }
}

template <int Rows, int Cols> static void check_identity() {
  for (int64_t diagonal :
       {int64_t(0), int64_t(1), int64_t(-17), int64_t(Cols - 1), int64_t(Cols),
        int64_t(1) << 32}) {
    std::vector<double> want;
    for (int i = 0; i < Rows; ++i)
      for (int j = 0; j < Cols; ++j)
        want.push_back(j - i == diagonal);
    Buffer<float> out(want.size());
    launch(diagonals<Rows, Cols>, Rows * 2, 0, out.data(), diagonal);
    compare("identity " + std::to_string(Rows) + "x" + std::to_string(Cols) +
                " diagonal " + std::to_string(diagonal),
            out.values(), want);
  }
}

template <int Rows, int Cols> static void check_slices() {
  Random random(Rows * Cols);
  std::vector<double> x(Rows * Cols), sums, maxima, columns, arithmetic;
  for (double &v : x)
    v = random.integer(-100, 100);
  x[3] = NAN; // stays in its row
  for (int i = 0; i < Rows; ++i) {
    double sum = 0, high = -INFINITY;
    for (int j = 0; j < Cols; ++j) {
      const double v = x[i * Cols + j];
      sum += v;
      high = std::isnan(v) || v > high ? v : high;
    }
    for (int j = 0; j < Cols; ++j) {
      sums.push_back(sum);
      maxima.push_back(high);
      columns.push_back(3 * j);
      arithmetic.push_back(x[i * Cols + j] * (high * 0.5 - high));
    }
  }
  Buffer<float> in(convert<float>(x)), a(x.size()), b(x.size()), c(x.size()),
      d(x.size());
  launch(slices<Rows, Cols>, Rows * 2, 0, in.data(), a.data(), b.data(),
         c.data(), d.data());
  const std::string name = std::to_string(Rows) + "x" + std::to_string(Cols);
  compare("reduce_add_rows " + name, a.values(), sums);
  compare("reduce_max_rows " + name, b.values(), maxima);
  compare("spread_columns " + name, c.values(), columns);
  compare("spread_rows arithmetic " + name, d.values(), arithmetic);
}

template <int Rows> static void check_own() {
  std::vector<double> x(Rows * Rows, NAN), want;
  for (int i = 0; i < Rows; ++i) {
    x[i * Rows + i] = i + 1;
    want.insert(want.end(), Rows, i + 1);
  }
  Buffer<float> in(convert<float>(x)), out(x.size());
  launch(own<Rows>, Rows * 2, 0, in.data(), out.data());
  compare("diagonal " + std::to_string(Rows), out.values(), want);
}

template <class T> static void check_moves() {
  for (int64_t rows : {0, 1, 17, 32})
    check_move<T, 32, 64>(rows, 64);
  for (int64_t rows : {0, 1, 40, 64})
    check_move<T, 64, 128>(rows, 128);
  check_move<T, 64, 64>(64, 60);
  check_move<T, 64, 64>(33, 1);
  check_move<T, 128, 128>(100, 100);
}

int main() {
  check_layout<16, 16>();
  check_layout<32, 64>();
  check_layout<64, 128>();
  check_layout<128, 64>();
  check_moves<float>();
  check_moves<bf16>();
  check_moves<half_t>();
  check_column_mask<16, 32>();
  check_column_mask<64, 64>();
  for (int64_t rows : {0, 1, 33, 128})
    check_pairs<128, 16>(rows);
  check_pairs<64, 64>(64);
  check_masks<1, 1, 64, 64>();
  check_masks<1, 1, 32, 32>();
  check_masks<1, 2, 32, 64>();
  check_masks<1, 3, 32, 64>();
  check_masks<2, 1, 64, 32>();
  check_masks<2, 2, 64, 64>();
  check_masks<3, 3, 64, 64>();
  check_identity<64, 128>();
  check_identity<32, 16>();
  check_slices<32, 32>();
  check_slices<64, 64>();
  check_slices<64, 128>();
  check_own<32>();
  check_own<64>();
  check_own<128>();
  return finish();
}
