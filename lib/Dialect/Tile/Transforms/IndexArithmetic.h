//===- IndexArithmetic.h - indices as sums ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Facts about the addresses of copies: how one index depends on another, and
/// whether a bound is the end of the array. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_INDEXARITHMETIC_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_INDEXARITHMETIC_H

#include "delta/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/MapVector.h"

namespace delta::tile {

/// An index value as `constant` + the sum of coefficient * value. Sums,
/// differences and multiples are split up; any other value is a term.
struct LinearIndex {
  int64_t constant = 0;
  llvm::SmallMapVector<mlir::Value, int64_t, 4> terms;

  explicit LinearIndex(mlir::Value index) { add(index, 1); }

  /// Adds `factor` times `index`. Terms that vanish are left out.
  void add(mlir::Value index, int64_t factor);
};

/// Whether `value` is `other`, or computed from it.
bool dependsOn(mlir::Value value, mlir::Value other);

/// The largest number of rows that a copy by a tensor map moves, for a box of
/// `tileRows` rows from `start` along axis `rowAxis` of `array` that stops at
/// `bound` (null: no bound). A tensor map ends where the array ends and cannot
/// end earlier, so the bound must be min(extent - start, constant), or a
/// multiple of such a minimum if each Householder step is a row; the constant
/// is then the number of rows. Fails for any other bound, with a diagnostic at
/// `op`.
///
/// An index argument of the kernel counts as an extent if every launch passes
/// one. All arrays of the function's interface have the same batch (axis 0) and
/// the same length (axis 1).
mlir::FailureOr<int64_t> getMappedRows(mlir::Operation *op, mlir::Value array,
                                       mlir::Value start, int64_t rowAxis,
                                       mlir::Value bound, int64_t tileRows);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_INDEXARITHMETIC_H
