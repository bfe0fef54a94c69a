//===- Notation.h - a recurrence as its paper writes it ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/Transforms. The words for a reader of emitted
/// text: later phases carry them along and never look at them.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_TRANSFORMS_NOTATION_H
#define DELTA_LIB_DIALECT_DELTA_TRANSFORMS_NOTATION_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include <string>

namespace delta {

/// The equations of `op` for one sequence and value head, and what its operands
/// are. Lines that start with four spaces are equations.
std::string writeNotation(RecurrenceOp op);

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_TRANSFORMS_NOTATION_H
