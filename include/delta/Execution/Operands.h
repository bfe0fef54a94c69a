//===- Operands.h - the arguments of one run --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Values for the arguments of a spec: drawn from a seed or taken from a file.
/// Both determine the open sizes of the spec, and their operands fit the spec.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_OPERANDS_H
#define DELTA_EXECUTION_OPERANDS_H

#include "delta/Execution/SpecDescription.h"
#include "delta/Runtime/Safetensors.h"

namespace delta {

/// Sizes as the user gave them.
struct RequestedSizes {
  std::optional<int64_t> batch;
  std::optional<int64_t> length;
};

/// The arguments of one run.
struct OperandSet {
  SpecSizes sizes;
  /// One per argument, in order.
  std::vector<runtime::HostTensor> arguments;
  /// Exact values of results by name, if the file has `expected.NAME`.
  std::map<std::string, runtime::HostTensor> expected;
};

/// How operands are drawn.
struct DrawOptions {
  uint64_t seed = 0;
  /// The expected cosine of two keys of one head, in [0, 1).
  double keyCosine = 0.0;
};

/// Draws every argument by its role (Runtime/Inputs.h). In the linear family,
/// keys, queries and write queries without an l2 norm have rows of norm 1, so
/// that |k|^2 beta <= 2 holds. Keys and write queries of an unnormalised write
/// kernel are so small that u stays bounded over the length. An error if an
/// open size was not given, is negative, or contradicts the spec.
runtime::Result<OperandSet> drawOperands(const SpecDescription &spec,
                                         RequestedSizes requested,
                                         const DrawOptions &options);

/// Takes every argument from a file, by name. The file gives the open sizes. An
/// error if an argument is missing, has another dtype or does not fit, or if a
/// tensor of the file is neither an argument nor `expected.RESULT`.
runtime::Result<OperandSet> takeOperands(const SpecDescription &spec,
                                         RequestedSizes requested,
                                         runtime::TensorFile file);

} // namespace delta

#endif // DELTA_EXECUTION_OPERANDS_H
