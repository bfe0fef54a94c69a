//===- Reference.h - the float64 meaning of a spec --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The only execution of the recurrent phase: prologues, then the oracle. All
/// other stages are compared with its results.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_REFERENCE_H
#define DELTA_EXECUTION_REFERENCE_H

#include "delta/Execution/Operands.h"
#include "delta/Runtime/Oracle.h"

namespace delta {

/// Runs prologues in f64, rounded to their result's dtype as the spec says,
/// then the recurrence. Returns f64 tensors, one per result of the spec, in
/// order: outputs are not rounded to the spec's dtype.
runtime::Result<std::vector<runtime::HostTensor>>
runReference(const SpecDescription &spec, const OperandSet &operands,
             const runtime::OracleProgress &progress = {});

} // namespace delta

#endif // DELTA_EXECUTION_REFERENCE_H
