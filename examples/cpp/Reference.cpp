//===- Reference.cpp - Gated DeltaNet in double precision -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Gated DeltaNet (2412.06464), equation 10, as a loop over tokens.
///
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include <cmath>
#include <cstring>

uint16_t toBfloat16(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

float fromBfloat16(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float x;
  std::memcpy(&x, &wide, sizeof(x));
  return x;
}

/// x / |x|, not rounded: the result of the spec's delta.l2norm is f32.
static void normalize(const uint16_t *row, double *out) {
  double sum = 1e-6;
  for (int64_t i = 0; i < headDim; ++i) {
    double x = fromBfloat16(row[i]);
    sum += x * x;
  }
  for (int64_t i = 0; i < headDim; ++i)
    out[i] = fromBfloat16(row[i]) / std::sqrt(sum);
}

void computeReference(const Arrays &arrays, std::vector<double> &o,
                      std::vector<double> &s) {
  constexpr int64_t group = valueHeads / keyHeads;
  const double scale = 1 / std::sqrt(static_cast<double>(headDim));
  o.assign(arrays.v.size(), 0);
  s.assign(arrays.s0.begin(), arrays.s0.end());
  std::vector<double> q(headDim), k(headDim), u(headDim);
  for (int64_t b = 0; b < arrays.batch; ++b)
    for (int64_t h = 0; h < valueHeads; ++h) {
      double *state = &s[(b * valueHeads + h) * headDim * headDim];
      for (int64_t t = 0; t < arrays.length; ++t) {
        int64_t token = b * arrays.length + t;
        int64_t keyRow = (token * keyHeads + h / group) * headDim;
        int64_t head = token * valueHeads + h;
        normalize(&arrays.q[keyRow], q.data());
        normalize(&arrays.k[keyRow], k.data());
        double beta = 1 / (1 + std::exp(-fromBfloat16(arrays.beta[head])));
        double decay = std::exp(static_cast<double>(arrays.g[head]));
        // S <- a S; u = beta (v - k S); S <- S + k^T u; o = scale q S.
        for (int64_t j = 0; j < headDim; ++j)
          u[j] = fromBfloat16(arrays.v[head * headDim + j]);
        for (int64_t i = 0; i < headDim; ++i)
          for (int64_t j = 0; j < headDim; ++j) {
            state[i * headDim + j] *= decay;
            u[j] -= k[i] * state[i * headDim + j];
          }
        double *out = &o[head * headDim];
        for (int64_t i = 0; i < headDim; ++i)
          for (int64_t j = 0; j < headDim; ++j) {
            state[i * headDim + j] += k[i] * beta * u[j];
            out[j] += scale * q[i] * state[i * headDim + j];
          }
      }
    }
}
