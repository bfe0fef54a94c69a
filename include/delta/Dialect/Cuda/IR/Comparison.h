//===- Comparison.h - comparisons of integers in C++ ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How C++ spells a comparison of the arith dialect: the one thing that kernels
/// and launchers have in common with it.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_CUDA_IR_COMPARISON_H
#define DELTA_DIALECT_CUDA_IR_COMPARISON_H

#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace delta::cuda {

/// The operator of `predicate`. The sizes and indices that delta compares are
/// not negative, so that signed and unsigned predicates are one.
inline BinaryKind getComparison(mlir::arith::CmpIPredicate predicate) {
  using mlir::arith::CmpIPredicate;
  switch (predicate) {
  case CmpIPredicate::eq:
    return BinaryKind::Eq;
  case CmpIPredicate::ne:
    return BinaryKind::Ne;
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    return BinaryKind::Lt;
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    return BinaryKind::Le;
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    return BinaryKind::Gt;
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    return BinaryKind::Ge;
  }
  llvm_unreachable("covered switch");
}

} // namespace delta::cuda

#endif // DELTA_DIALECT_CUDA_IR_COMPARISON_H
