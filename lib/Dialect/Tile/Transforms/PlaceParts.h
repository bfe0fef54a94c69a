//===- PlaceParts.h - pieces of tile-place ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Pieces of `tile-place`: buffers, copies of boxes between global and shared
/// memory (PlaceCopies.cpp), and what products of warpgroups ask for
/// (PlaceWarpgroups.cpp).
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_PLACEPARTS_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_PLACEPARTS_H

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace delta::tile {

/// Bytes that the asynchronous copies and the wide stores move at once.
inline constexpr int64_t kPieceBytes = 16;

inline mlir::RankedTensorType tileType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// A shared buffer of `kernel`, without an offset.
mlir::Value allocBuffer(KernelOp kernel, mlir::MemRefType type,
                        mlir::Location loc);

/// Reports at `op` that no shared buffer holds a tile of `shape`.
mlir::LogicalResult refuseBuffer(mlir::Operation *op,
                                 llvm::ArrayRef<int64_t> shape);

/// The box of an array in global memory that a load or a store moves.
struct Box {
  mlir::Operation *op;
  mlir::Value array;
  mlir::ValueRange indices;
  llvm::ArrayRef<int64_t> dims;
  mlir::Value bound; // null: the box has no bound
  int64_t boundAxis;
  bool toGlobal;

  explicit Box(LoadOp load);
  explicit Box(StoreOp store);

  /// Whether the array has the axes of the tile in the other order.
  bool isTransposed() const { return dims.size() == 2 && dims[0] > dims[1]; }
};

/// Reports boxes of matrices that no cooperative copy can move: rows lie along
/// the outer of the two axes, in pieces of `kPieceBytes`.
mlir::LogicalResult checkBox(const Box &box);

/// A copy of `box` from or to `buffer` and its await, in the order of the
/// array, where `b` stands; a copy to shared memory further up where that is
/// possible. In a kernel that will have roles it is one of a tensor map (a
/// matrix) or of pieces of memory (a vector); boxes that these cannot move are
/// reported.
mlir::LogicalResult copyBox(mlir::OpBuilder &b, const Box &box,
                            mlir::Value buffer, bool hasRoles);

/// Moves a copy to global memory and its await down to the next product or
/// store, so that what is written for several stores needs one barrier.
void storeLate(CopyOp copy);

/// Reports what wgmma asks of a product of `kernel` beyond what every product
/// must have (F2 checks the same of the final form).
mlir::LogicalResult checkWarpgroup(KernelOp kernel, DotOp dot);

/// A left operand that is known before `solve` and needed behind it waits in
/// shared memory, where the registers do not hold it beside the solution and
/// the product's accumulator.
mlir::LogicalResult parkLeftOperands(KernelOp kernel, TriSolveOp solve);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_PLACEPARTS_H
