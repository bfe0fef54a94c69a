//===- SharedEffects.h - memory effects of an op ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Passes that reorder ops compare the memory effects of two ops to see whether
/// they may be exchanged.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_SHAREDEFFECTS_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_SHAREDEFFECTS_H

#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {

/// The buffer that `view` is a view of.
inline mlir::Value getBuffer(mlir::Value view) {
  while (auto op = view.getDefiningOp<mlir::ViewLikeOpInterface>())
    view = op.getViewSource();
  return view;
}

/// The memory that an op and the ops nested in it access.
struct SharedEffects {
  llvm::SetVector<mlir::Value> reads, writes;
  llvm::SmallVector<GlobalAccess> arrays;

  explicit SharedEffects(mlir::Operation *op) {
    op->walk([&](mlir::Operation *inner) {
      for (const SharedAccess &access : getSharedAccesses(inner)) {
        if (access.reads)
          reads.insert(getBuffer(access.buffer));
        if (access.writes)
          writes.insert(getBuffer(access.buffer));
      }
      if (std::optional<GlobalAccess> access = getGlobalAccess(inner))
        arrays.push_back(*access);
    });
  }
  bool conflictsWith(const SharedEffects &later) const {
    auto meets = [](const llvm::SetVector<mlir::Value> &a,
                    const llvm::SetVector<mlir::Value> &b) {
      return llvm::any_of(a,
                          [&](mlir::Value value) { return b.contains(value); });
    };
    bool onArrays = llvm::any_of(arrays, [&](const GlobalAccess &access) {
      return llvm::any_of(later.arrays, [&](const GlobalAccess &other) {
        return access.conflictsWith(other);
      });
    });
    return onArrays || meets(writes, later.reads) ||
           meets(writes, later.writes) || meets(reads, later.writes);
  }
};

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_SHAREDEFFECTS_H
