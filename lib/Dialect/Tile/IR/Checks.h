//===- Checks.h - checks that several verifiers share -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks that ops of both forms share. Each emits one diagnostic on the op
/// that names the operand, the expected and the actual value. Private to the
/// verifiers of the dialect.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_IR_CHECKS_H
#define DELTA_LIB_DIALECT_TILE_IR_CHECKS_H

#include "delta/Dialect/Tile/IR/Tile.h"

namespace delta::tile {

/// The shaped type (tensor or memref) of a value; for `!tile.async<T>` that of
/// T; null for any other type.
mlir::ShapedType getShapedType(mlir::Type type);

mlir::LogicalResult expectRank(mlir::Operation *op, llvm::StringRef name,
                               mlir::ShapedType type, int64_t rank);

mlir::LogicalResult expectShape(mlir::Operation *op, llvm::StringRef name,
                                mlir::ShapedType type,
                                llvm::ArrayRef<int64_t> shape);

mlir::LogicalResult expectElement(mlir::Operation *op, llvm::StringRef name,
                                  mlir::ShapedType type, mlir::Type element);

/// A box of `array`, one extent of `shape` along each axis of `dims`, starting
/// at `indices` indices: their number, distinct axes in range, an extent that a
/// static axis holds, and equal element types. Along tile axis `boundAxis`, if
/// any, a bound limits the access, so the box may be longer than the array.
mlir::LogicalResult expectBox(mlir::Operation *op, llvm::StringRef name,
                              mlir::MemRefType array, mlir::ShapedType tile,
                              size_t indices, llvm::ArrayRef<int64_t> dims,
                              std::optional<int64_t> boundAxis);

/// Rule V1 for `tile.dot` and `tile.dot_start`.
mlir::LogicalResult expectProduct(mlir::Operation *op, mlir::Type a,
                                  mlir::Type b, mlir::Type result,
                                  llvm::ArrayRef<int64_t> contract);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_IR_CHECKS_H
