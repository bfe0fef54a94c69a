//===- SharedAccess.h - who touches which shared buffer ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What passes that place and move accesses must agree on: which buffer a tile
/// gets, and which op touches which buffer and which array. Sizes are in
/// IR/SharedMemory.h.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TILE_TRANSFORMS_SHAREDACCESS_H
#define DELTA_DIALECT_TILE_TRANSFORMS_SHAREDACCESS_H

#include "delta/Dialect/Tile/IR/Tile.h"

namespace delta::tile {

/// The buffer for a tile of this shape and element type: 16-bit matrices
/// swizzled by the bytes of a panel's row, f32 vectors and matrices plain. Null
/// where the device library has no such buffer.
mlir::MemRefType getSharedType(llvm::ArrayRef<int64_t> shape,
                               mlir::Type elementType);

/// Attribute of ring_create, acquire and peek: the field's names of their
/// buffers, an array of strings. One op has one location, so they cannot travel
/// there.
inline llvm::StringRef getBufferNamesAttrName() { return "tile.buffers"; }

/// One op's use of a buffer in shared memory.
struct SharedAccess {
  /// Result of an alloc, acquire or peek.
  mlir::Value buffer;
  bool reads, writes;
};

/// The shared buffers that `op` itself touches; nothing for an op that only
/// carries regions. An `await` of a copy counts as the write that it completes.
llvm::SmallVector<SharedAccess> getSharedAccesses(mlir::Operation *op);

/// What an op does with memory outside of the CTA.
struct GlobalAccess {
  /// An argument of the kernel, or null: any memory. Different arguments are
  /// different memory where one of them is written.
  mlir::Value array;
  bool writes;

  bool conflictsWith(const GlobalAccess &other) const {
    return (writes || other.writes) &&
           (!array || !other.array || array == other.array);
  }
};

/// What `op` itself does with global memory, if it touches any. Ops that meet
/// other CTAs (`signal`, `expect`, `ticket`) write any memory.
std::optional<GlobalAccess> getGlobalAccess(mlir::Operation *op);

/// Whether the first element of a box of `array` lies on a boundary of `bytes`
/// bytes whatever the kernel is called with, given that the array does: all
/// strides but the last axis's are multiples of its static extent.
bool isAligned(mlir::Value array, mlir::ValueRange indices, int64_t bytes);

/// Whether every thread of the CTA passes a barrier inside `op` before it
/// touches what other threads wrote. Behind the last one it only reads.
bool containsBarrier(mlir::Operation *op);

/// The barrier at which the warps meet that run `op`: 0, the CTA's, outside of
/// roles; in a role the one behind those of the instances of roles in front.
/// Ops that have a barrier inside meet there too.
int64_t getRoleBarrier(mlir::Operation *op);

} // namespace delta::tile

#endif // DELTA_DIALECT_TILE_TRANSFORMS_SHAREDACCESS_H
