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

/// Why kernels of `op` with such products are left out; empty where they are
/// not.
std::string findKnownSpills(RecurrenceOp op, plan::Products products);

} // namespace delta

#endif // DELTA_LIB_PIPELINES_KNOWNSPILLS_H
