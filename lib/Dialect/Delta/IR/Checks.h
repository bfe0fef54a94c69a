//===- Checks.h - what verifiers have in common -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/IR. A check that does not hold has emitted a
/// diagnostic that names the operand.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_IR_CHECKS_H
#define DELTA_LIB_DIALECT_DELTA_IR_CHECKS_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"

namespace delta {

//===----------------------------------------------------------------------===//
// Tiles of the chunked phase
//===----------------------------------------------------------------------===//

/// The length of an axis of a tile.
int64_t extent(mlir::Value tile, unsigned axis);

mlir::LogicalResult expectRank(mlir::Operation *op, llvm::StringRef name,
                               mlir::Value tile, size_t rank);

mlir::LogicalResult expectShape(mlir::Operation *op, llvm::StringRef name,
                                mlir::Value tile,
                                llvm::ArrayRef<int64_t> shape);

/// N5: every column of a triangular part belongs to a row: with `steps = n`,
/// column j is a micro-step of token j / n.
mlir::LogicalResult expectTriangle(mlir::Operation *op, llvm::StringRef name,
                                   mlir::Value tile, Part part, int64_t steps);

mlir::LogicalResult expectFinite(mlir::Operation *op, llvm::StringRef name,
                                 const llvm::APFloat &value);

/// N22: only a product that rounds leaves rests. `split` has a name for each
/// operand that is split.
mlir::LogicalResult expectRounding(mlir::Operation *op,
                                   std::optional<PrecAttr> prec,
                                   llvm::ArrayRef<llvm::StringRef> split);

//===----------------------------------------------------------------------===//
// Arrays of the recurrent phase
//===----------------------------------------------------------------------===//

/// "[?, ?, 16, 128]".
std::string printShape(llvm::ArrayRef<int64_t> shape);

/// The float types that an array may have.
llvm::SmallVector<mlir::Type, 3> getFloatTypes(mlir::MLIRContext *context);

mlir::LogicalResult checkElementType(mlir::Operation *op, llvm::StringRef name,
                                     mlir::Value value,
                                     llvm::ArrayRef<mlir::Type> accepted);

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_IR_CHECKS_H
