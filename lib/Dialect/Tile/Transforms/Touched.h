//===- Touched.h - memory that an op touches --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What passes that reorder ops compare to see whether two of them may be
/// exchanged.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_TOUCHED_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_TOUCHED_H

#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {

/// The buffer behind a view of shared memory.
inline mlir::Value getBuffer(mlir::Value view) {
  while (auto op = view.getDefiningOp<mlir::ViewLikeOpInterface>())
    view = op.getViewSource();
  return view;
}

/// Memory that an op touches, with all that is nested in it.
struct Touched {
  llvm::SetVector<mlir::Value> reads, writes;
  llvm::SmallVector<GlobalAccess> arrays;

  explicit Touched(mlir::Operation *op) {
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
  bool conflictsWith(const Touched &later) const {
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

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_TOUCHED_H
