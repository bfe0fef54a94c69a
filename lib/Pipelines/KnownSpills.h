//===- KnownSpills.h - what only ptxas tells --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Pipelines. Kernels that fit the register budget and spill in
/// their loops all the same. The list is the only place that knows of them.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_PIPELINES_KNOWNSPILLS_H
#define DELTA_LIB_PIPELINES_KNOWNSPILLS_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"

namespace delta {

/// What spills where the kernels of `op` have the plan `plan`; empty where
/// nothing is known to.
std::string findKnownSpills(RecurrenceOp op, plan::KernelPlanAttr plan);

} // namespace delta

#endif // DELTA_LIB_PIPELINES_KNOWNSPILLS_H
