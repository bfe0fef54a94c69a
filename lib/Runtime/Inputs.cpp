//===- Inputs.cpp - seeded random operands ----------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A counter-based generator and the distributions of the operand roles. Must
/// be compiled without contraction to fused multiply-adds, because the bits of
/// a draw must not depend on the machine.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Inputs.h"

#include <cmath>

namespace delta::runtime {

namespace {

/// Random words addressed by a counter: word i of a stream has the same cost
/// for every i, and depends only on the name, the seed and i.
class Stream {
public:
  Stream(const std::string &name, uint64_t seed) {
    // FNV-1a over the name's bytes.
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char byte : name)
      hash = (hash ^ byte) * 0x100000001b3;
    key = mix(hash + mix(seed));
  }

  uint64_t word(uint64_t counter) const { return mix(key + mix(counter)); }

  /// Uniform in the open interval (0, 1), a multiple of 2^-53.
  double uniform(int64_t index) const {
    return (static_cast<double>(word(index) >> 12) + 0.5) * 0x1p-52;
  }

  /// Mean 0 and variance 1, nearly normal: twelve uniforms of 32 bits, summed
  /// as integers. Exact, unlike a transform through log and cos; no value is
  /// beyond 6.
  double normal(int64_t index) const {
    int64_t sum = 6 - (int64_t(6) << 32); // six half units centre the sum
    for (uint64_t i = 0; i < 6; ++i) {
      const uint64_t bits = word(6 * static_cast<uint64_t>(index) + i);
      sum += static_cast<int64_t>(bits >> 32) +
             static_cast<int64_t>(bits & 0xffffffff);
    }
    return static_cast<double>(sum) * 0x1p-32;
  }

private:
  /// The finaliser of SplitMix64 on a Weyl sequence.
  static uint64_t mix(uint64_t z) {
    z = (z + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  uint64_t key;
};

} // namespace

/// Scales a row to a norm; a zero row has no direction and is left alone.
static void scaleToNorm(std::vector<double> &row, double norm) {
  double sum = 0.0;
  for (double value : row)
    sum += value * value;
  if (sum == 0.0)
    return;
  const double factor = norm / std::sqrt(sum);
  for (double &value : row)
    value *= factor;
}

/// Rows of a query, key or write query.
static void drawRows(const InputRequest &request, const Stream &stream,
                     uint64_t seed, HostTensor &tensor) {
  const int64_t width = tensor.shape().back();
  const int64_t heads = tensor.rank() > 1 ? tensor.dim(tensor.rank() - 2) : 1;
  const Stream directions(request.name + "/direction", seed);
  const double common = std::sqrt(request.cosine);
  const double own = std::sqrt(1.0 - request.cosine);
  const double plainNorm = std::sqrt(static_cast<double>(width));
  std::vector<double> row(width), direction(width);

  for (int64_t begin = 0; begin < tensor.size(); begin += width) {
    for (int64_t i = 0; i < width; ++i)
      row[i] = stream.normal(begin + i);
    if (request.cosine > 0.0) {
      // Two unit vectors common * c + own * z, with independent z, have the
      // expected product common^2. They are scaled back to the size of plain
      // normals afterwards.
      const int64_t head = (begin / width) % heads;
      for (int64_t i = 0; i < width; ++i)
        direction[i] = directions.normal(head * width + i);
      scaleToNorm(direction, common);
      scaleToNorm(row, own);
      for (int64_t i = 0; i < width; ++i)
        row[i] = (row[i] + direction[i]) * plainNorm;
    }
    if (request.rowNorm)
      scaleToNorm(row, *request.rowNorm);
    tensor.write(begin, width, row.data());
  }
}

/// log(1 / (1 + exp(-x))) without overflow on either side.
static double logSigmoid(double x) {
  return x < 0.0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}

/// One element of the roles whose elements are independent.
static double drawElement(const InputRequest &request, const Stream &stream,
                          int64_t index) {
  switch (request.role) {
  case OperandRole::Query:
  case OperandRole::Key:
  case OperandRole::Write:
  case OperandRole::Value:
  case OperandRole::KeyCache:
  case OperandRole::UCache:
    return stream.normal(index);
  case OperandRole::Beta:
    return request.beforeSigmoid ? stream.normal(index)
                                 : request.betaMax * stream.uniform(index);
  case OperandRole::Decay:
    return logSigmoid(stream.normal(index));
  case OperandRole::Initial:
    return 0.1 * stream.normal(index);
  case OperandRole::Alpha:
    return 0.5 + stream.uniform(index);
  case OperandRole::Cached:
    return std::floor(static_cast<double>(request.countMax + 1) *
                      stream.uniform(index));
  }
  return 0.0;
}

HostTensor drawInput(const InputRequest &request, uint64_t seed) {
  assert(request.cosine >= 0.0 && request.cosine < 1.0 &&
         "a cosine of 1 leaves nothing to draw");
  HostTensor tensor(request.dtype, request.shape);
  const Stream stream(request.name, seed);
  const bool rows = request.role == OperandRole::Query ||
                    request.role == OperandRole::Key ||
                    request.role == OperandRole::Write ||
                    request.role == OperandRole::KeyCache;
  if (rows && tensor.rank() > 0) {
    drawRows(request, stream, seed, tensor);
    return tensor;
  }
  for (int64_t i = 0; i < tensor.size(); ++i)
    tensor.set(i, drawElement(request, stream, i));
  return tensor;
}

} // namespace delta::runtime
