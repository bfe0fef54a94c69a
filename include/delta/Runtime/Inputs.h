//===- Inputs.h - seeded random operands ------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Operands drawn from a seed. The stream of an operand depends on its name
/// and the seed only, and an element on its index in it, so adding an operand
/// changes no other. Normal variates are sums of uniform integers and use no
/// function of the C library: they are the same bits on every machine. Decays
/// go through std::exp and std::log1p, which two C libraries may round
/// differently in the last bit of a double; after rounding to f32 that shows
/// about once in 10^8 elements.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_INPUTS_H
#define DELTA_RUNTIME_INPUTS_H

#include "delta/Runtime/Tensor.h"

#include <optional>

namespace delta::runtime {

/// What an operand is to its recurrence.
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
  /// float64 before rounding. Absent: plain normals of variance 1, right where
  /// an l2 norm follows or the kernel is a softmax. Un-normalised keys of a
  /// linear kernel need |k|^2 * beta <= 2, or the state explodes.
  std::optional<double> rowNorm;

  /// Key, only with rowNorm or before an l2 norm: the expected cosine of any
  /// two rows of one head (the axis before the last), in [0, 1). Near 1 it is
  /// hard data for the inverse of a chunk.
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
