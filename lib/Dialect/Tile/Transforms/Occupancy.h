//===- Occupancy.h - CTAs that share an SM ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Tile/Transforms. A kernel's latencies are hidden
/// either by its own tiles in flight or by other CTAs on the SM.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_OCCUPANCY_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_OCCUPANCY_H

#include "delta/Dialect/Tile/IR/Tile.h"

namespace delta::tile {

/// The number of warps on an SM that a kernel in which nothing overlaps asks
/// for. With 20, a register prediction below 96, one kernel in three spilled.
inline constexpr int64_t kAloneWarps = 16;

/// Whether, by the plan of `kernel`, a CTA waits for each of its results, so
/// that nothing inside it overlaps.
bool isAlone(KernelOp kernel);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_OCCUPANCY_H
