//===- SharedAccess.h - accesses to shared buffers --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Shared by passes that place and move accesses: the type of a tile's buffer,
/// and the buffers and arrays that an op accesses. IR/SharedMemory.h has the
/// sizes.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TILE_TRANSFORMS_SHAREDACCESS_H
#define DELTA_DIALECT_TILE_TRANSFORMS_SHAREDACCESS_H

#include "delta/Dialect/Tile/IR/Tile.h"

namespace delta::tile {

/// The buffer for a tile of this shape and element type: 16-bit matrices
/// swizzled by the bytes of a panel's row, f32 vectors and matrices plain. Null
/// if the device library has no such buffer.
mlir::MemRefType getSharedType(llvm::ArrayRef<int64_t> shape,
                               mlir::Type elementType);

/// Attribute of ring_create, acquire and peek: an array of strings with the
/// names of their buffers. An op has only one location, which cannot hold them.
inline llvm::StringRef getBufferNamesAttrName() { return "tile.buffers"; }

/// One op's use of a buffer in shared memory.
struct SharedAccess {
  /// Result of an alloc, acquire or peek.
  mlir::Value buffer;
  bool reads, writes;
};

/// The shared buffers that `op` itself accesses; none for an op that only has
/// regions. An `await` of a copy counts as the write that it completes.
llvm::SmallVector<SharedAccess> getSharedAccesses(mlir::Operation *op);

/// The access of an op to memory outside of the CTA.
struct GlobalAccess {
  /// An argument of the kernel; null means any memory. Different arguments
  /// count as different memory if one of them is written.
  mlir::Value array;
  bool writes;

  bool conflictsWith(const GlobalAccess &other) const {
    return (writes || other.writes) &&
           (!array || !other.array || array == other.array);
  }
};

/// The access of `op` itself to global memory, if it has one. Ops that
/// synchronise with other CTAs (`signal`, `expect`, `ticket`) write any memory.
std::optional<GlobalAccess> getGlobalAccess(mlir::Operation *op);

/// Whether the first element of a box of `array` is aligned to `bytes` bytes
/// for all arguments of the kernel, given that the array is: every stride
/// except that of the last axis is a multiple of the last axis's static extent.
bool isAligned(mlir::Value array, mlir::ValueRange indices, int64_t bytes);

/// Whether every thread of the CTA passes a barrier inside `op` before it
/// accesses memory that other threads wrote. After the last barrier `op` only
/// reads.
bool containsBarrier(mlir::Operation *op);

/// The barrier at which the warps that run `op` meet. Outside of roles it is 0,
/// the CTA's. In a role it is the first one after the barriers of all instances
/// of the preceding roles. Ops with a barrier inside use it too.
int64_t getRoleBarrier(mlir::Operation *op);

} // namespace delta::tile

#endif // DELTA_DIALECT_TILE_TRANSFORMS_SHAREDACCESS_H
