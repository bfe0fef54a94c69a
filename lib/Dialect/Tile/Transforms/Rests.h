//===- Rests.h - what rounding leaves of a tile -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the tile dialect's passes. A tile that is given to products as
/// two numbers an element is rounded, extended again and subtracted from
/// itself:
///
/// ```
/// %a    = arith.truncf %x
/// %back = arith.extf %a
/// %rest = arith.truncf (arith.subf %x, %back)
/// ```
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_RESTS_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_RESTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace delta::tile {

/// Whether `extend` exists for a rest alone: element by element, never whole.
inline bool makesRest(mlir::arith::ExtFOp extend) {
  if (!extend.getOut().hasOneUse())
    return false;
  auto difference =
      llvm::dyn_cast<mlir::arith::SubFOp>(*extend.getOut().user_begin());
  return difference && difference.getRhs() == extend.getOut() &&
         difference->getBlock() == extend->getBlock();
}

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_RESTS_H
