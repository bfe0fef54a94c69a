//===- Inlining.h - where an expression may be evaluated --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What cuda-plan-expressions obeys and cuda-verify-emittable checks (E3): an
/// expression that is written at its use is evaluated there, and must give what
/// it would have given where it stands in the IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_CUDA_TRANSFORMS_INLINING_H
#define DELTA_LIB_DIALECT_CUDA_TRANSFORMS_INLINING_H

#include "delta/Dialect/Cuda/IR/CudaOps.h"

namespace delta::cuda {

/// The statements in whose text `op` would stand if it were written at its
/// uses: its users or, where those are inlined themselves, theirs.
llvm::SmallVector<mlir::Operation *> getStatements(ExpressionOpInterface op);

/// Whether `op` gives the same value when evaluated by `statement`, one of its
/// statements.
bool mayEvaluateAt(ExpressionOpInterface op, mlir::Operation *statement);

/// Whether C++ would compute `op` in another type if its integer literal was
/// written out: `64 * 64` and `1 << n` are an int's.
bool needsTypedOperand(LiteralOp op);

} // namespace delta::cuda

#endif // DELTA_LIB_DIALECT_CUDA_TRANSFORMS_INLINING_H
