//===- LinearLayout.cpp - register layouts as bit maps ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements LinearLayout.h. May not include any header of MLIR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

using namespace delta::tile;

LinearLayout::LinearLayout(unsigned rank, Bases registers, Bases lanes,
                           Bases warps)
    : rank(rank),
      bases{std::move(registers), std::move(lanes), std::move(warps)} {
  for (const Bases &dimension : bases)
    for (const Basis &basis : dimension) {
      (void)basis;
      assert(basis.size() == rank && "one coordinate for each axis");
    }
}

LinearLayout::Basis LinearLayout::apply(int64_t reg, int64_t lane,
                                        int64_t warp) const {
  Basis coordinates(rank, 0);
  std::array<int64_t, numDimensions> indices = {reg, lane, warp};
  for (unsigned dimension = 0; dimension < numDimensions; ++dimension) {
    assert(indices[dimension] >> bases[dimension].size() == 0 &&
           "nothing is held there");
    for (auto [bit, basis] : llvm::enumerate(bases[dimension]))
      if (indices[dimension] >> bit & 1)
        for (unsigned axis = 0; axis < rank; ++axis)
          coordinates[axis] ^= basis[axis];
  }
  return coordinates;
}

LinearLayout LinearLayout::project(unsigned axis) const {
  assert(axis < rank && "no such axis");
  std::array<Bases, numDimensions> projected;
  for (unsigned dimension = 0; dimension < numDimensions; ++dimension)
    for (const Basis &basis : bases[dimension])
      if (dimension != Register || basis[axis] != 0)
        projected[dimension].push_back({basis[axis]});
  return LinearLayout(1, projected[Register], projected[Lane], projected[Warp]);
}

void LinearLayout::print(llvm::raw_ostream &os) const {
  static constexpr std::array<const char *, numDimensions> names = {
      "register", "lane", "warp"};
  for (unsigned dimension = 0; dimension < numDimensions; ++dimension) {
    os << (dimension ? " " : "") << names[dimension];
    for (const Basis &basis : bases[dimension]) {
      os << " (";
      llvm::interleave(basis, os, ",");
      os << ')';
    }
  }
}

llvm::raw_ostream &delta::tile::operator<<(llvm::raw_ostream &os,
                                           const LinearLayout &layout) {
  layout.print(os);
  return os;
}
