//===- Residual.h - residuals of hi/lo splits -------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the passes on the tile dialect. A hi/lo split gives a product two
/// numbers for each element of a tile, the rounded value and its residual. In
/// the IR the tile is rounded, extended again and subtracted from itself:
///
/// ```
/// %a    = arith.truncf %x
/// %back = arith.extf %a
/// %residual = arith.truncf (arith.subf %x, %back)
/// ```
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_RESIDUAL_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_RESIDUAL_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace delta::tile {

/// Whether `extend` only serves to compute a residual. Then it is computed
/// element by element and takes no registers as a whole tile.
inline bool feedsResidual(mlir::arith::ExtFOp extend) {
  if (!extend.getOut().hasOneUse())
    return false;
  auto difference =
      llvm::dyn_cast<mlir::arith::SubFOp>(*extend.getOut().user_begin());
  return difference && difference.getRhs() == extend.getOut() &&
         difference->getBlock() == extend->getBlock();
}

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_RESIDUAL_H
