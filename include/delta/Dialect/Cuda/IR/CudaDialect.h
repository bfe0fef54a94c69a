//===- CudaDialect.h - the exit dialect, its types and enums ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the dialect class, the types and attributes of dialects/Cuda, the
/// operator enums, and the interface that expressions share. No op is declared
/// here.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_CUDA_IR_CUDADIALECT_H
#define DELTA_DIALECT_CUDA_IR_CUDADIALECT_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

namespace delta::cuda {

/// When an expression may be evaluated.
enum class Evaluation {
  /// Anywhere, any number of times: a literal, a builtin.
  Constant,
  /// Wherever its operands are available.
  Pure,
  /// As Pure, but not across a write to the memory that it reads.
  Read,
  /// Exactly where it stands, once.
  Effect,
};

} // namespace delta::cuda

#include "delta/Dialect/Cuda/IR/CudaDialect.h.inc"

#include "delta/Dialect/Cuda/IR/CudaEnums.h.inc"

#include "delta/Dialect/Cuda/IR/CudaInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Cuda/IR/CudaAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "delta/Dialect/Cuda/IR/CudaTypes.h.inc"

#endif // DELTA_DIALECT_CUDA_IR_CUDADIALECT_H
