//===- gdn_chain_sm90a.cu - the hand-written chain on Hopper ----*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state pass of test/Device/gdn_chain_sm90a.cu against the token recurrence
// of Gated DeltaNet (2412.06464, eq. 10) in f64, with the results of its
// prepare kernel computed here: keys and queries of any length whose norms are
// in the factors, lengths that fill no chunk, shared key heads, several
// sequences, one and two column tiles a CTA. Then the time of a launch:
// `gdn_chain_sm90a time`.
//
// REQUIRES: nvcc, gpu, sm_90a
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a \
// RUN:   -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#ifndef CHAIN
#define CHAIN "../../../Device/gdn_chain_sm90a.cu"
#endif
#include CHAIN
#include "Inputs/check.h"
#include "delta/Device/TensorMap.h"

#include <algorithm>

using namespace test;

namespace {

struct Problem {
  int batch, key_heads, group;
  int64_t length;
  int value_heads() const { return key_heads * group; }
  int64_t chunks() const { return (length + 63) / 64; }
  int64_t tokens() const { return batch * length; }
  int64_t records() const { return batch * chunks() * value_heads(); }
};

/// The arrays of a launch in device memory.
struct Arrays {
  Buffer<bf16> q, k, v, t, p, o;
  Buffer<float> e_in, e_read, e_out, e_chunk, s0, s1;
};

/// The map of an array [batch, tokens, heads, 128].
CUtensorMap token_map(const Buffer<bf16> &x, const Problem &p, int heads) {
  CUtensorMap map;
  const int64_t extents[4] = {128, heads, p.length, p.batch};
  const int64_t strides[4] = {1, 128, 128 * heads, 128 * heads * p.length};
  require(make_tensor_map(&map, x.data(), extents, strides, 64, 64, 2),
          "make_tensor_map");
  return map;
}

/// The map of an array [batch, chunks, heads, 64, 64].
CUtensorMap record_map(const Buffer<bf16> &x, const Problem &p) {
  CUtensorMap map;
  const int64_t heads = p.value_heads();
  const int64_t extents[5] = {64, 64, heads, p.chunks(), p.batch};
  const int64_t strides[5] = {1, 64, 4096, 4096 * heads,
                              4096 * heads * p.chunks()};
  require(make_tensor_map(&map, x.data(), extents, strides, 64, 64, 1),
          "make_tensor_map");
  return map;
}

/// Runs the kernel `runs` times and returns the milliseconds of the median of
/// 11 such batches (of the only one if runs is 1).
template <int ColumnTiles>
float run(const Problem &p, const Arrays &a, int runs) {
  const CUtensorMap q = token_map(a.q, p, p.key_heads),
                    k = token_map(a.k, p, p.key_heads),
                    v = token_map(a.v, p, p.value_heads()),
                    o = token_map(a.o, p, p.value_heads()),
                    t = record_map(a.t, p), pp = record_map(a.p, p);
  const gdn_chain_args args{a.e_in.data(),    a.e_read.data(), a.e_out.data(),
                            a.e_chunk.data(), a.s0.data(),     a.s1.data(),
                            p.chunks(),       p.value_heads(), p.group};
  constexpr int shared = gdn_chain_shared<ColumnTiles>();
  require(cudaFuncSetAttribute(gdn_chain<ColumnTiles>,
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared),
          "cudaFuncSetAttribute");
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<float> times(runs == 1 ? 1 : 11);
  for (float &time : times) {
    require(cudaEventRecord(start), "cudaEventRecord");
    for (int i = 0; i < runs; ++i)
      gdn_chain<ColumnTiles>
          <<<2 / ColumnTiles * p.value_heads() * p.batch,
             ColumnTiles == 1 ? 192 : 384, shared>>>(q, k, v, t, pp, o, args);
    require(cudaGetLastError(), "launch");
    require(cudaEventRecord(stop), "cudaEventRecord");
    require(cudaDeviceSynchronize(), "gdn_chain");
    require(cudaEventElapsedTime(&time, start, stop), "elapsed time");
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2] / runs;
}

/// (I + A)^-1 diag(beta) for the strictly lower triangular A; rows >= count are
/// those of the identity.
void invert(const double (&a)[64][64], const double (&beta)[64],
            double (&t)[64][64]) {
  for (int j = 0; j < 64; ++j)
    for (int i = 0; i < 64; ++i) {
      double sum = i == j ? beta[j] : 0;
      for (int l = j; l < i; ++l)
        sum -= a[i][l] * t[l][j];
      t[i][j] = i < j ? 0 : sum;
    }
}

template <int ColumnTiles> void check(const Problem &p) {
  Random random(p.length + 7 * p.key_heads + ColumnTiles);
  const auto draw = [&](int64_t n, double size) {
    std::vector<double> x(n);
    for (double &y : x)
      y = rounded<bf16>(random.normal() * size);
    return x;
  };
  const int heads = p.value_heads();
  const double scale = 0.08838834764831845; // 128^-1/2
  std::vector<double> q = draw(p.tokens() * p.key_heads * 128, 0.3),
                      k = draw(p.tokens() * p.key_heads * 128, 2),
                      v = draw(p.tokens() * heads * 128, 1);
  std::vector<double> s0(p.batch * heads * 16384), s = s0, o(v.size());
  for (double &x : s0)
    x = float(random.normal());
  s = s0;
  std::vector<double> t(p.records() * 4096), pp(t.size());
  std::vector<double> e_in(p.records() * 64), e_read(e_in), e_out(e_in),
      e_chunk(p.records() * 4, NAN);
  for (int b = 0; b < p.batch; ++b)
    for (int h = 0; h < heads; ++h) {
      double *state = s.data() + (b * heads + h) * 16384;
      for (int64_t c = 0; c < p.chunks(); ++c) {
        const int64_t record = (b * p.chunks() + c) * heads + h;
        double key[64][128] = {}, query[64][128] = {}, r_k[64] = {},
               r_q[64] = {}, beta[64] = {}, gate[64], sum = 0;
        for (int i = 0; i < 64; ++i) {
          const int64_t token = 64 * c + i;
          gate[i] = sum;
          if (token >= p.length)
            continue;
          const double g = -random.uniform(0, 0.2);
          gate[i] = sum += g;
          beta[i] = random.uniform(0, 1);
          const int64_t row =
              ((b * p.length + token) * p.key_heads + h / p.group) * 128;
          const int64_t place = ((b * p.length + token) * heads + h) * 128;
          for (int d = 0; d < 128; ++d) {
            r_k[i] += k[row + d] * k[row + d];
            r_q[i] += q[row + d] * q[row + d];
          }
          r_k[i] = 1 / std::sqrt(r_k[i]);
          r_q[i] = 1 / std::sqrt(r_q[i]);
          for (int d = 0; d < 128; ++d) {
            key[i][d] = k[row + d] * r_k[i];
            query[i][d] = q[row + d] * r_q[i];
          }
          // The token recurrence.
          for (int col = 0; col < 128; ++col) {
            double read = 0, out = 0;
            for (int d = 0; d < 128; ++d)
              read += (state[d * 128 + col] *= std::exp(g)) * key[i][d];
            const double u = beta[i] * (v[place + col] - read);
            for (int d = 0; d < 128; ++d)
              out += (state[d * 128 + col] += u * key[i][d]) * query[i][d];
            o[place + col] = scale * out;
          }
        }
        // The arrays that the prepare kernel writes.
        double a[64][64], inverse[64][64];
        for (int i = 0; i < 64; ++i) {
          e_in[record * 64 + i] = std::exp(gate[i]) * r_k[i];
          e_read[record * 64 + i] = scale * std::exp(gate[i]) * r_q[i];
          e_out[record * 64 + i] = std::exp(sum - gate[i]) * r_k[i];
          for (int j = 0; j < 64; ++j) {
            double kk = 0, qk = 0;
            for (int d = 0; d < 128; ++d) {
              kk += key[i][d] * key[j][d];
              qk += query[i][d] * key[j][d];
            }
            const double decay = j <= i ? std::exp(gate[i] - gate[j]) : 0;
            a[i][j] = j < i ? beta[i] * decay * kk : 0;
            pp[record * 4096 + i * 64 + j] = scale * decay * qk;
          }
        }
        e_chunk[record * 4] = std::exp(sum);
        invert(a, beta, inverse);
        for (int i = 0; i < 64; ++i)
          for (int j = 0; j < 64; ++j)
            t[record * 4096 + i * 64 + j] = inverse[i][j];
      }
    }
  const Arrays arrays{Buffer<bf16>(test::convert<bf16>(q)),
                      Buffer<bf16>(test::convert<bf16>(k)),
                      Buffer<bf16>(test::convert<bf16>(v)),
                      Buffer<bf16>(test::convert<bf16>(t)),
                      Buffer<bf16>(test::convert<bf16>(pp)),
                      Buffer<bf16>(o.size()),
                      Buffer<float>(test::convert<float>(e_in)),
                      Buffer<float>(test::convert<float>(e_read)),
                      Buffer<float>(test::convert<float>(e_out)),
                      Buffer<float>(test::convert<float>(e_chunk)),
                      Buffer<float>(test::convert<float>(s0)),
                      Buffer<float>(s0.size())};
  run<ColumnTiles>(p, arrays, 1);
  char name[120];
  std::snprintf(name, sizeof name,
                "gdn_chain<%d> batch %d heads %d/%d length %lld", ColumnTiles,
                p.batch, p.key_heads, heads, static_cast<long long>(p.length));
  compare_norm(std::string(name) + " o", arrays.o.values(), o, 6e-3);
  compare_norm(std::string(name) + " s", arrays.s1.values(), s, 5e-3);
  report(arrays.o.guards_intact() && arrays.s1.guards_intact(),
         std::string(name) + " writes nothing else");
}

/// Prints the time of a launch on values of realistic size.
void time(const Problem &p) {
  const int heads = p.value_heads();
  const auto narrow = [&](int64_t n, double size) {
    Random random(n);
    bf16 few[4096];
    for (bf16 &x : few)
      x = from_double<bf16>(random.normal() * size);
    std::vector<bf16> values(n);
    for (int64_t i = 0; i < n; ++i)
      values[i] = few[i & 4095];
    return Buffer<bf16>(values);
  };
  const auto wide = [&](int64_t n, float value) {
    return Buffer<float>(std::vector<float>(n, value));
  };
  const Arrays arrays{narrow(p.tokens() * p.key_heads * 128, 0.09),
                      narrow(p.tokens() * p.key_heads * 128, 0.09),
                      narrow(p.tokens() * heads * 128, 1),
                      narrow(p.records() * 4096, 0.05),
                      narrow(p.records() * 4096, 0.05),
                      Buffer<bf16>(p.tokens() * heads * 128),
                      wide(p.records() * 64, 0.5f),
                      wide(p.records() * 64, 0.5f),
                      wide(p.records() * 64, 0.5f),
                      wide(p.records() * 4, 0.3f),
                      wide(int64_t(p.batch) * heads * 16384, 0),
                      Buffer<float>(int64_t(p.batch) * heads * 16384)};
  const auto line = [&](int tiles, float milliseconds) {
    std::printf("TIME batch %d heads %d/%d length %lld column tiles %d: %.4f ms"
                ", %.3f us a chunk\n",
                p.batch, p.key_heads, heads, static_cast<long long>(p.length),
                tiles, milliseconds, milliseconds * 1000 / p.chunks());
  };
  for (int round = 0; round < 2; ++round) {
    line(1, run<1>(p, arrays, 10));
    line(2, run<2>(p, arrays, 10));
  }
}

} // namespace

int main(int count, char **words) {
  if (count > 1 && std::string(words[1]) == "time") {
    time({1, 16, 4, 8192});
    time({1, 16, 1, 8192});
    time({2, 16, 4, 4096});
    time({4, 16, 4, 2048});
    time({8, 16, 4, 1024});
    return 0;
  }
  for (int64_t length : {0, 1, 63, 64, 65, 200, 513}) {
    check<1>({2, 1, 2, length});
    check<2>({2, 1, 2, length});
  }
  check<1>({1, 2, 1, 130});
  check<2>({1, 2, 1, 130});
  return finish();
}
