//===- DeltaChunkInterfaces.h - what named ops are --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the interfaces of dialects/Delta/DeltaChunkInterfaces.td, through
/// which passes ask what a named op on one chunk is.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_IR_DELTACHUNKINTERFACES_H
#define DELTA_DIALECT_DELTA_IR_DELTACHUNKINTERFACES_H

#include "delta/Dialect/Delta/IR/DeltaDialect.h"

#include "mlir/IR/OpDefinition.h"

namespace delta {

/// An operand that a product multiplies, and whether the product takes it as
/// two numbers, rounded and rest (ProductOpInterface).
struct ProductFactor {
  mlir::OpOperand *operand;
  bool isSplit = false;
};

/// What a product takes an operand as: numbers of a 16-bit type, or these and
/// the rests that they leave. No type: as it is.
struct OperandRounding {
  mlir::Type type;
  bool leavesRests = false;

  bool operator==(const OperandRounding &other) const {
    return type == other.type && leavesRests == other.leavesRests;
  }
};

/// Where factors of the rows of an operand may go (RowScaleOpInterface).
struct RowFactorPlace {
  /// The operand whose rows they may multiply; null: they multiply the result,
  /// along `axis`.
  mlir::OpOperand *operand = nullptr;
  int64_t axis = 0;
};

} // namespace delta

#include "delta/Dialect/Delta/IR/DeltaChunkInterfaces.h.inc"

namespace delta {

/// What the op of `use` takes it as: no type where the op does not multiply or
/// does not round it.
OperandRounding getRounding(mlir::OpOperand &use);

/// Whether no user of `value` sees what it holds outside of `part`, of `steps`
/// columns a row (PartReaderOpInterface).
bool isIgnoredOutside(mlir::Value value, Part part, int64_t steps);

} // namespace delta

#endif // DELTA_DIALECT_DELTA_IR_DELTACHUNKINTERFACES_H
