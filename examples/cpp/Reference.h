//===- Reference.h - Gated DeltaNet in double precision ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The recurrence that the kernels are compared with, token by token, and the
/// 16-bit numbers of its inputs.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXAMPLES_CPP_REFERENCE_H
#define DELTA_EXAMPLES_CPP_REFERENCE_H

#include <cstdint>
#include <vector>

/// What examples/specs/gated_deltanet.mlir fixes.
constexpr int64_t keyHeads = 16, valueHeads = 32, headDim = 128;

/// Round to nearest even, to the upper half of a float's bits.
uint16_t toBfloat16(float x);
float fromBfloat16(uint16_t bits);

/// Row-major arrays: q and k [batch, length, keyHeads, headDim], v and o
/// [batch, length, valueHeads, headDim], beta and g [batch, length,
/// valueHeads], states [batch, valueHeads, headDim, headDim], keys first.
struct Arrays {
  int64_t batch, length;
  std::vector<uint16_t> q, k, v, beta;
  std::vector<float> g, s0;
};

/// o and the final state, in double precision throughout but for the rounding
/// of normalised queries and keys to bfloat16, which the spec asks for.
void computeReference(const Arrays &arrays, std::vector<double> &o,
                      std::vector<double> &s);

#endif // DELTA_EXAMPLES_CPP_REFERENCE_H
