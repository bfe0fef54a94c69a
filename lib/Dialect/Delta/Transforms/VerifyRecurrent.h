//===- VerifyRecurrent.h - contract of the recurrent phase ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/Transforms: the check behind
/// `delta-verify-recurrent`, for the pass that ends the phase.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_TRANSFORMS_VERIFYRECURRENT_H
#define DELTA_LIB_DIALECT_DELTA_TRANSFORMS_VERIFYRECURRENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace delta {

/// Whether `function` keeps the contract of the recurrent phase (docs/spec.md,
/// R1 and on). Emits one diagnostic where it does not.
mlir::LogicalResult verifySpec(mlir::func::FuncOp function);

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_TRANSFORMS_VERIFYRECURRENT_H
