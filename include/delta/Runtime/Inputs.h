//===- Inputs.h - seeded random operands ------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operands drawn from a seed. The random stream of an operand depends only on
/// its name and the seed, and an element only on its index in the stream, so
/// adding an operand changes no other operand. Normal variates are sums of
/// uniform integers and use no function of the C library: they are the same
/// bits on every machine. Decays go through std::exp and std::log1p, which two
/// C libraries may round differently in the last bit of a double; after
/// rounding to f32, about one element in 10^8 differs.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_INPUTS_H
#define DELTA_RUNTIME_INPUTS_H

#include "delta/Runtime/Tensor.h"

#include <optional>

namespace delta::runtime {

/// The role of an operand in its recurrence.
enum class OperandRole {
  Query,
  Key,
  Value,
  Beta,
  Decay,
  Initial,
  Write,
  Alpha,
  KeyCache,
  UCache,
  Cached,
};

/// One operand to draw.
struct InputRequest {
  std::string name;
  OperandRole role = OperandRole::Query;
  DType dtype = DType::F32;
  std::vector<int64_t> shape;

  /// Query, key, write, key cache: scale every row (last axis) to this norm, in
  /// float64 before rounding. Absent: plain normals of variance 1, which suit
  /// operands before an l2 norm or a softmax kernel. Un-normalised keys of a
  /// linear kernel need |k|^2 * beta <= 2, or the state explodes.
  std::optional<double> rowNorm;

  /// Key, only with rowNorm or before an l2 norm: the expected cosine of any
  /// two rows of one head (the axis before the last), in [0, 1). A cosine near
  /// 1 makes the inverse of a chunk hard to compute.
  double cosine = 0.0;

  /// Beta: normals, because a sigmoid follows. Otherwise uniform in
  /// (0, betaMax).
  bool beforeSigmoid = false;
  double betaMax = 1.0;

  /// Cached: the largest count.
  int64_t countMax = 0;
};

/// Draws an operand:
///   query, key, write, key cache
///                      normal, see rowNorm and cosine
///   value, u cache     normal
///   cached             uniform in 0 to countMax
///   beta               uniform in (0, betaMax), or normal before a sigmoid
///   decay              log(sigmoid(normal)), negative
///   initial            normal, times 0.1
///   alpha              uniform in (0.5, 1.5)
/// rounded to its dtype. The shape must be one that countElements() accepts.
HostTensor drawInput(const InputRequest &request, uint64_t seed);

} // namespace delta::runtime

#endif // DELTA_RUNTIME_INPUTS_H
