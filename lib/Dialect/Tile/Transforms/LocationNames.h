//===- LocationNames.h - locations without their names ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The location of a loop holds the names of the values that the loop carries.
/// An op that a pass inserts next to the loop takes the loop's location, but
/// not those names.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_LOCATIONNAMES_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_LOCATIONNAMES_H

#include "mlir/IR/Location.h"

namespace delta::tile {

/// `loc` without the names around it.
inline mlir::Location withoutNames(mlir::Location loc) {
  while (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
    loc = name.getChildLoc();
  return loc;
}

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_LOCATIONNAMES_H
