//===- PlaceParts.h - pieces of tile-place ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Pieces of `tile-place`: buffers, copies of boxes between global and shared
/// memory (PlaceCopies.cpp), and the operands of wgmma products
/// (PlaceWarpgroups.cpp).
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_PLACEPARTS_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_PLACEPARTS_H

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

namespace delta::tile {

/// Bytes that one asynchronous copy or one wide store of a thread moves.
inline constexpr int64_t kPieceBytes = 16;

inline mlir::RankedTensorType tileType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// A shared buffer of `kernel`, without an offset.
mlir::Value allocBuffer(KernelOp kernel, mlir::MemRefType type,
                        mlir::Location loc);

/// Emits an error at `op`: no shared buffer holds a tile of `shape`.
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

  /// Whether the array orders the two axes of the tile the other way round.
  bool isTransposed() const { return dims.size() == 2 && dims[0] > dims[1]; }
};

/// Emits an error if no cooperative copy can move the box of a matrix. Such a
/// copy takes rows along the outer of the two axes, in pieces of `kPieceBytes`.
mlir::LogicalResult checkBox(const Box &box);

/// Creates at `b` a copy of `box` from or to `buffer`, and its await; axes are
/// in the order of the array. A copy to shared memory moves up as far as
/// possible. In a kernel that will have roles, a matrix moves by a tensor map
/// and a vector by a bulk copy; boxes that these cannot move are errors.
mlir::LogicalResult copyBox(mlir::OpBuilder &b, const Box &box,
                            mlir::Value buffer, bool hasRoles);

/// Moves a copy to global memory and its await down to the next product or
/// store, so that the writes to the buffers of several stores need one barrier.
void storeLate(CopyOp copy);

/// Emits an error if `dot` breaks a rule that wgmma adds to those for every
/// product. F2 checks the same in the final form.
mlir::LogicalResult checkWarpgroup(KernelOp kernel, DotOp dot);

/// Spills to shared memory each left operand that is live across `solve`, if
/// registers cannot hold it next to the solution and the product's accumulator.
mlir::LogicalResult spillLeftOperands(KernelOp kernel, TriSolveOp solve);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_PLACEPARTS_H
