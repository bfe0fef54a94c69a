//===- MemoryRules.h - global memory in a kernel, both forms ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rules V2 and V5, which both contracts share. Private to their passes.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_MEMORYRULES_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_MEMORYRULES_H

#include "mlir/IR/Operation.h"

namespace delta::tile {

/// V2: a box of global memory that can pass a dynamic extent names where the
/// array ends, for `tile.load`, `tile.store` and `tile.copy` (where a tensor
/// map does not know it). Other ops pass.
mlir::LogicalResult verifyBounds(mlir::Operation *op);

/// V5: inside a kernel, global memory is touched by ops of the tile dialect
/// alone. An op of any other dialect must be free of effects itself (what it
/// contains is checked op by op), as address arithmetic is, or touch shared
/// memory alone.
mlir::LogicalResult verifyMemoryAccess(mlir::Operation *op);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_MEMORYRULES_H
