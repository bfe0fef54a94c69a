//===- Rings.h - rings instead of single buffers ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Tile/Transforms. What passes need that put the slots
/// of a ring where copies had a buffer each: `tile-split-roles` and
/// `tile-pipeline`.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_RINGS_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_RINGS_H

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Builders.h"

namespace delta::tile {

/// Whether `copy`, into shared memory, alone fills its buffer, which nothing
/// outside of the loop (or kernel) around the copy touches.
bool isFilledBy(CopyOp copy);

/// The copies of one slot by falling alignment of their buffers: matrices
/// first. So the slot has no holes.
llvm::SmallVector<CopyOp> orderForSlot(llvm::ArrayRef<CopyOp> copies);

/// A ring whose slots have one buffer for each of `copies`, of `types`; the
/// buffers keep the field's names, and hold zeros in rows that no copy fills.
RingCreateOp createRing(mlir::OpBuilder &b, mlir::Location loc,
                        llvm::StringRef name, Protocol protocol, int64_t slots,
                        llvm::ArrayRef<CopyOp> copies,
                        llvm::ArrayRef<mlir::MemRefType> types,
                        int64_t consumers = 1);

/// Opens slot `index` to fill it (acquire) or to use what is in it (peek): its
/// results are the slot and the buffers, under the field's names.
mlir::Operation *openSlot(mlir::OpBuilder &b, mlir::Location loc,
                          RingCreateOp ring, mlir::Value index, bool fills);

/// Closes the slot that `open` opened, once the copies `inflight` are done.
void closeSlot(mlir::OpBuilder &b, mlir::Operation *open,
               mlir::ValueRange inflight = {});

/// Puts `buffer`, of a slot, where `copy` and its readers or writer had a
/// buffer of their own. Erases the copy, its await and the old buffer.
void replaceBuffer(CopyOp copy, mlir::Value buffer);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_RINGS_H
