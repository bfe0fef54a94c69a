//===- MemoryRules.h - global memory in a kernel, both forms ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rules V2 and V5, which both contracts share. Private to the two verifying
/// passes.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_MEMORYRULES_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_MEMORYRULES_H

#include "mlir/IR/Operation.h"

namespace delta::tile {

/// V2: if a box of a `tile.load`, `tile.store` or `tile.copy` can exceed a
/// dynamic extent of the array, the op names the end of the array, unless a
/// tensor map knows it. Other ops pass.
mlir::LogicalResult verifyBounds(mlir::Operation *op);

/// V5: inside a kernel, only ops of the tile dialect access global memory. An
/// op of any other dialect must have no memory effects itself, like address
/// arithmetic, or access shared memory only. Ops inside it are checked one by
/// one.
mlir::LogicalResult verifyMemoryAccess(mlir::Operation *op);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_MEMORYRULES_H
