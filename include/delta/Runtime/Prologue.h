//===- Prologue.h - functions on operands -----------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The elementwise and row functions that a spec applies to operands before a
/// recurrence. Computed in float64, then rounded once to the result type: that
/// rounding is part of the meaning of a spec, in every phase.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_PROLOGUE_H
#define DELTA_RUNTIME_PROLOGUE_H

#include "delta/Runtime/Tensor.h"

namespace delta::runtime {

/// x * rsqrt(sum x^2 + eps) over the last axis, any rank >= 1. A zero row stays
/// zero if eps > 0.
HostTensor l2norm(const HostTensor &x, double eps, DType result);

/// range / (1 + exp(-x)), elementwise, any rank. A range of 2 gives the
/// negative eigenvalues of 2502.10297; only rounding reaches the end points 0
/// and range.
HostTensor sigmoid(const HostTensor &x, double range, DType result);

} // namespace delta::runtime

#endif // DELTA_RUNTIME_PROLOGUE_H
