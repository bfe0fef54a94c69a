//===- LinearLayout.h - register layouts as bit maps ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A map from the place of a value (register, lane, warp) to the coordinates of
/// the tile element that it is, linear over GF(2). A map needs no MLIR context:
/// it knows nothing of attributes, types or instructions.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TILE_IR_LINEARLAYOUT_H
#define DELTA_DIALECT_TILE_IR_LINEARLAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace delta::tile {

/// The coordinates of the element at (register, lane, warp): the exclusive or
/// of one basis vector for each set bit of the three indices. A basis of 0
/// means that the element does not depend on the bit: two places that differ
/// only in this bit hold the same element. An index with a bit beyond the bases
/// of its dimension holds no element.
///
/// "Register" counts elements of one thread here; how many elements share a
/// 32-bit register is a matter of the element type.
class LinearLayout {
public:
  enum Dimension { Register = 0, Lane = 1, Warp = 2 };
  static constexpr unsigned numDimensions = 3;

  /// One coordinate for each axis of the tile.
  using Basis = llvm::SmallVector<int64_t, 2>;
  /// Basis i belongs to bit i of an index.
  using Bases = llvm::SmallVector<Basis, 8>;

  /// The map of a tile with `rank` axes; every basis must have `rank` entries.
  LinearLayout(unsigned rank, Bases registers, Bases lanes, Bases warps);

  unsigned getRank() const { return rank; }
  llvm::ArrayRef<Basis> getBases(Dimension dimension) const {
    return bases[dimension];
  }

  /// The number of indices of `dimension` that hold an element: a power of two.
  int64_t getExtent(Dimension dimension) const {
    return int64_t(1) << bases[dimension].size();
  }
  /// Elements that one thread holds.
  int64_t getElements() const { return getExtent(Register); }

  /// The element at a place; each index must be less than its extent.
  Basis apply(int64_t reg, int64_t lane, int64_t warp) const;

  /// The map to the coordinate along `axis` alone (rank 1). Register bits on
  /// which the coordinate does not depend are dropped, because one thread needs
  /// no second copy; those of lanes and warps stay.
  LinearLayout project(unsigned axis) const;

  /// Whether both maps put every element in the same places.
  bool operator==(const LinearLayout &other) const {
    return rank == other.rank && bases == other.bases;
  }
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }

  /// Prints `register (0,1) (8,0) lane (0,2) ... warp (16,0)`.
  void print(llvm::raw_ostream &os) const;

private:
  unsigned rank;
  std::array<Bases, numDimensions> bases;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const LinearLayout &layout);

} // namespace delta::tile

#endif // DELTA_DIALECT_TILE_IR_LINEARLAYOUT_H
