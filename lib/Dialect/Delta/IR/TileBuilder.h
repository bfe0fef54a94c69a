//===- TileBuilder.h - upstream ops on tiles --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/IR. What the decompositions are written in: f32
/// arithmetic on tensors through linalg. Every method makes a new tensor and
/// none writes into an operand, so that a decomposition outlined into a
/// function never overwrites what its caller passed.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_IR_TILEBUILDER_H
#define DELTA_LIB_DIALECT_DELTA_IR_TILEBUILDER_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {

class TileBuilder : public mlir::ImplicitLocOpBuilder {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  /// Computes one element; `b` builds scalars, `in` are the inputs' elements
  /// and, last, the initial element of the result where there is one.
  using Body = llvm::function_ref<Value(TileBuilder &b, ValueRange in)>;

  TileBuilder(mlir::Location loc, mlir::OpBuilder &builder)
      : ImplicitLocOpBuilder(loc, builder) {}

  // Scalars.
  Value index(int64_t value);
  Value f32(float value);
  /// To f32 from a narrower float type, and from f32 to `type`.
  Value extend(Value value);
  Value round(Value value, mlir::Type type);
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value exp(Value x);
  /// `value`, or 0 where the condition does not hold.
  Value orZero(Value condition, Value value);

  // Affine maps of (d0, d1): an element of a matrix, of a vector of rows, of a
  // vector of columns.
  mlir::AffineMap elements() { return getMultiDimIdentityMap(2); }
  mlir::AffineMap rows() { return map(2, {0}); }
  mlir::AffineMap columns() { return map(2, {1}); }
  /// (d0, .., d<n-1>) -> (d<axes[0]>, ..).
  mlir::AffineMap map(unsigned dims, llvm::ArrayRef<unsigned> axes);

  // Tensors.
  Value filled(llvm::ArrayRef<mlir::OpFoldResult> shape, float value);
  Value filled(llvm::ArrayRef<int64_t> shape, float value);

  /// One element of the result for each index of `shape`.
  Value elementwise(llvm::ArrayRef<mlir::OpFoldResult> shape,
                    mlir::Type element, ValueRange inputs,
                    llvm::ArrayRef<mlir::AffineMap> maps, Body body);
  Value elementwise(llvm::ArrayRef<int64_t> shape, ValueRange inputs,
                    llvm::ArrayRef<mlir::AffineMap> maps, Body body);

  /// Folds the last axis of `input` into `init`, which it does not overwrite.
  Value reduceLast(Value input, float init, Body body);

  /// Sum of each row.
  Value rowSum(Value matrix);

  Value transpose(Value matrix);

  /// A tensor of its own to accumulate into: a copy of `init`, or zeros of the
  /// shape of `like`.
  Value accumulator(Value init, Value like);

  /// init + lhs rhs, or init + lhs^T rhs; `init` must be a tensor that nothing
  /// else reads. The loops run over (row, contraction, column), so that the
  /// innermost one walks rows of the right operand and of the result.
  Value multiply(Value lhs, Value rhs, Value init, bool transposeLhs = false);

  /// Whether element (i, j) lies on `part`: with `steps = n`, column j is a
  /// micro-step of token j / n. Null for `full`. Compares products instead of
  /// dividing: j / n <= i is j < (i + 1) n.
  Value onPart(Value i, Value j, Part part, int64_t steps);

  /// The indices of the element that a body computes.
  Value coordinate(int64_t axis);
};

/// What a decomposition returns.
using Results = mlir::FailureOr<llvm::SmallVector<mlir::Value>>;
inline Results results(mlir::ValueRange values) {
  return llvm::SmallVector<mlir::Value>(values);
}

/// The static shape of a tile.
llvm::ArrayRef<int64_t> getTileShape(mlir::Value tile);

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_IR_TILEBUILDER_H
