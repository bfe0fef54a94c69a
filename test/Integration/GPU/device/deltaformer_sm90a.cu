//===- deltaformer_sm90a.cu - hand-written DeltaFormer on Hopper *- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel of test/Device/deltaformer_sm90a.cu against DeltaFormer's token
// recurrence (2505.19488) in f64, its output by a softmax of its own over the
// token and those before: heads of 64 and 128, lengths that fill no block,
// several sequences, sharp rows, beta of 1 and of both signs, and fewer CTAs
// than blocks. Then the time of a launch: `deltaformer_sm90a time`.
//
// REQUIRES: nvcc, gpu, sm_90a
// RUN: %nvcc -std=c++17 -O2 -gencode arch=compute_90a,code=sm_90a \
// RUN:   -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#ifndef KERNEL
#define KERNEL "../../../Device/deltaformer_sm90a.cu"
#endif
#include KERNEL
#include "Inputs/check.h"
#include "delta/Device/TensorMap.h"

#include <algorithm>
#include <chrono>
#include <thread>

using namespace test;

namespace {

struct Problem {
  int batch, heads;
  int64_t tokens;
  int64_t rows() const { return batch * tokens * heads; }
  size_t counters() const { return 32 * (1 + batch * heads); }
};

/// The arrays of a launch in device memory, [batch, tokens, heads, D].
struct Arrays {
  Buffer<bf16> q, k, v, u, o;
  Buffer<float> beta;
};

template <int D>
CUtensorMap map(const Buffer<bf16> &x, const Problem &p, int rows) {
  CUtensorMap map;
  const int64_t extents[4] = {D, p.heads, p.tokens, p.batch};
  const int64_t strides[4] = {1, D, D * p.heads, D * p.heads * p.tokens};
  require(make_tensor_map(&map, x.data(), extents, strides, 64, rows, 2),
          "make_tensor_map");
  return map;
}

/// Runs the kernel on `ctas` CTAs, `runs` times one after another, and returns
/// the milliseconds of one run: the median of 11 such batches with a pause
/// before each (of the only one if runs is 1).
template <int D>
float run(const Problem &p, const Arrays &a, int ctas, int runs) {
  const CUtensorMap q = map<D>(a.q, p, 64), k = map<D>(a.k, p, 64),
                    k_wide = map<D>(a.k, p, 128), v = map<D>(a.v, p, 64),
                    u = map<D>(a.u, p, 64), u_wide = map<D>(a.u, p, 128),
                    o = map<D>(a.o, p, 64);
  const Buffer<int32_t> counters(p.counters());
  const deltaformer_args args{
      a.beta.data(),
      counters.data(),
      p.tokens,
      p.batch,
      p.heads,
      static_cast<float>(1.4426950408889634 / std::sqrt(double(D)))};
  constexpr int shared = deltaformer_shared_bytes<D>();
  require(cudaFuncSetAttribute(deltaformer<D>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared),
          "cudaFuncSetAttribute");
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<float> times(runs == 1 ? 1 : 11);
  for (float &time : times) {
    if (runs > 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    require(cudaEventRecord(start), "cudaEventRecord");
    for (int i = 0; i < runs; ++i) {
      require(
          cudaMemsetAsync(counters.data(), 0, p.counters() * sizeof(int32_t)),
          "cudaMemsetAsync");
      deltaformer<D>
          <<<ctas, 384, shared>>>(q, k, k_wide, v, u, u_wide, o, args);
    }
    require(cudaGetLastError(), "launch");
    require(cudaEventRecord(stop), "cudaEventRecord");
    require(cudaDeviceSynchronize(), "deltaformer");
    require(cudaEventElapsedTime(&time, start, stop), "elapsed time");
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] / runs;
}

/// Rows of q of size `sharpness`, beta in [low, high).
template <int D>
void check(const Problem &p, int ctas, double sharpness, double low,
           double high) {
  Random random(p.tokens + 7 * p.heads + D);
  const auto draw = [&](double size) {
    std::vector<double> x(p.rows() * D);
    for (double &y : x)
      y = rounded<bf16>(random.normal() * size);
    return x;
  };
  const std::vector<double> q = draw(sharpness), k = draw(1), v = draw(1);
  std::vector<double> beta(p.rows()), u(v.size()), o(v.size());
  for (double &x : beta)
    x = float(random.uniform(low, high));
  const double scale = 1 / std::sqrt(double(D));
  std::vector<double> weight(p.tokens);
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < p.heads; ++h)
      for (int64_t t = 0; t < p.tokens; ++t) {
        const auto row = [&](int64_t s) {
          return (b * p.tokens + s) * p.heads + h;
        };
        const double *query = q.data() + row(t) * D;
        for (int64_t s = 0; s <= t; ++s) {
          const double *key = k.data() + row(s) * D;
          double sum = 0;
          for (int d = 0; d < D; ++d)
            sum += query[d] * key[d];
          weight[s] = scale * sum;
        }
        // The softmax over tokens before `end`, applied to rows of u.
        const auto read = [&](int64_t end, double (&out)[D]) {
          std::fill(out, out + D, 0.0);
          if (end == 0)
            return;
          const double top =
              *std::max_element(weight.begin(), weight.begin() + end);
          double sum = 0;
          for (int64_t s = 0; s < end; ++s) {
            const double e = std::exp(weight[s] - top);
            sum += e;
            for (int d = 0; d < D; ++d)
              out[d] += e * u[row(s) * D + d];
          }
          for (double &x : out)
            x /= sum;
        };
        double before[D], all[D];
        read(t, before);
        for (int d = 0; d < D; ++d)
          u[row(t) * D + d] = v[row(t) * D + d] - beta[row(t)] * before[d];
        read(t + 1, all);
        std::copy(all, all + D, o.begin() + row(t) * D);
      }
  const Arrays arrays{Buffer<bf16>(test::convert<bf16>(q)),
                      Buffer<bf16>(test::convert<bf16>(k)),
                      Buffer<bf16>(test::convert<bf16>(v)),
                      Buffer<bf16>(v.size()),
                      Buffer<bf16>(v.size()),
                      Buffer<float>(test::convert<float>(beta))};
  run<D>(p, arrays, ctas, 1);
  char name[160];
  std::snprintf(name, sizeof name,
                "deltaformer<%d> batch %d heads %d tokens %lld ctas %d q x %g "
                "beta %g .. %g",
                D, p.batch, p.heads, static_cast<long long>(p.tokens), ctas,
                sharpness, low, high);
  compare_norm(std::string(name) + " u", arrays.u.values(), u, 5e-3);
  compare_norm(std::string(name) + " o", arrays.o.values(), o, 5e-3);
  report(arrays.u.guards_intact() && arrays.o.guards_intact(),
         std::string(name) + " writes nothing else");
}

/// Prints the time of a launch on random values, and half the rate of the same
/// number of attention products.
template <int D> void time(const Problem &p) {
  const auto narrow = [&](int seed) {
    Random random(seed);
    std::vector<bf16> values(p.rows() * D), few(65521);
    for (bf16 &x : few)
      x = from_double<bf16>(random.normal());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = few[i % few.size()];
    return Buffer<bf16>(values);
  };
  const Arrays arrays{narrow(1),
                      narrow(2),
                      narrow(3),
                      Buffer<bf16>(p.rows() * D),
                      Buffer<bf16>(p.rows() * D),
                      Buffer<float>(std::vector<float>(p.rows(), 0.5f))};
  int ctas;
  require(cudaDeviceGetAttribute(&ctas, cudaDevAttrMultiProcessorCount, 0),
          "cudaDeviceGetAttribute");
  const float milliseconds = run<D>(p, arrays, ctas, 4);
  std::printf(
      "TIME batch %d heads %d tokens %lld D %d: %.4f ms, %.0f TFLOP/s\n",
      p.batch, p.heads, static_cast<long long>(p.tokens), D, milliseconds,
      2.0 * p.tokens * p.rows() * D / milliseconds * 1e-9);
}

template <int D> void check_all() {
  for (int64_t tokens : {0, 1, 63, 64, 65, 127, 128, 129, 256, 300, 700})
    check<D>({2, 3, tokens}, 132, 1, 0, 1);
  check<D>({1, 1, 2048}, 132, 1, 0, 1);
  check<D>({1, 3, 700}, 1, 1, 0, 1);
  check<D>({1, 3, 700}, 4, 1, 0, 1);
  check<D>({1, 2, 700}, 132, 6, 1, 1);
  check<D>({1, 2, 700}, 132, 1, -1, 1);
}

} // namespace

int main(int count, char **words) {
  if (count > 1 && std::string(words[1]) == "time") {
    time<128>({1, 16, 8192});
    time<64>({4, 16, 4096});
    time<128>({1, 16, 4096});
    time<128>({8, 16, 2048});
    time<128>({1, 4, 8192});
    time<128>({1, 1, 8192});
    time<128>({1, 16, 16384});
    time<128>({1, 16, 8192});
    return 0;
  }
  check_all<64>();
  check_all<128>();
  return finish();
}
