//===- GlobalMemory.h - who may touch memory in a kernel --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rule V5, which both contracts share.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TILE_TRANSFORMS_GLOBALMEMORY_H
#define DELTA_DIALECT_TILE_TRANSFORMS_GLOBALMEMORY_H

#include "mlir/IR/Operation.h"

namespace delta::tile {

/// V5: inside a kernel, memory is touched by ops of the tile dialect alone.
/// An op of any other dialect must be free of effects itself (what it contains
/// is checked op by op); address arithmetic such as `memref.subview` is. Emits
/// one diagnostic on `op` where it is not.
mlir::LogicalResult verifyMemoryAccess(mlir::Operation *op);

} // namespace delta::tile

#endif // DELTA_DIALECT_TILE_TRANSFORMS_GLOBALMEMORY_H
