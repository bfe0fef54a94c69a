//===- SharedMemory.h - sizes of shared buffers -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Bytes and alignment of buffers and rings in shared memory. Only this file
/// knows how `#tile.smem` stores a tile, so that the planner of shared memory,
/// its verifier and the device library agree. Decides no offset.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TILE_IR_SHAREDMEMORY_H
#define DELTA_DIALECT_TILE_IR_SHAREDMEMORY_H

#include "delta/Dialect/Tile/IR/Tile.h"

namespace delta::tile {

/// Checks that `type` is a buffer that shared memory can hold: a static shape
/// of rank 1 to 3 in `#tile.smem`; with a swizzle, 16-bit elements and rows of
/// a multiple of `swizzle` bytes. `emitError` may be null.
mlir::LogicalResult
verifySharedBuffer(mlir::MemRefType type,
                   llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// Bytes of a buffer that `verifySharedBuffer` accepts.
int64_t getSharedBytes(mlir::MemRefType type);

/// The alignment of such a buffer in bytes: 1024 with a swizzle (its pattern
/// repeats after eight rows of at most 128 bytes), else 128 for a matrix (all
/// banks) and 16 for a vector.
int64_t getSharedAlignment(mlir::MemRefType type);

/// Where each buffer of one slot of a ring starts, from the slot's start.
llvm::SmallVector<int64_t> getSlotOffsets(RingType ring);

/// Bytes from one slot of a ring to the next: a multiple of the alignment.
int64_t getSlotBytes(RingType ring);

/// Alignment of a slot: that of its most demanding buffer.
int64_t getSlotAlignment(RingType ring);

/// The number of copies of a ring: one for each instance of the role that fills
/// it (F7), which is the role of its acquires.
int64_t getRingCopies(RingCreateOp ring);

/// Bytes of the slots of all copies of a ring.
int64_t getRingSlotBytes(RingCreateOp ring);

/// The offset of the mbarriers of a ring's first copy. They start after the
/// slots of all copies, counted from the start of the ring, or at `barriers`,
/// counted from the start of shared memory. Each copy has `getBarrierBytes`
/// bytes of them. Only rings of protocol `mbarrier` have any.
int64_t getBarrierOffset(RingCreateOp ring);

/// Bytes of the mbarriers of one copy of a ring: two per slot, "full" ones
/// first.
int64_t getBarrierBytes(RingType ring);

/// Bytes of a ring: the slots of its copies, then their mbarriers, unless they
/// lie apart.
int64_t getRingBytes(RingCreateOp ring);

} // namespace delta::tile

#endif // DELTA_DIALECT_TILE_IR_SHAREDMEMORY_H
