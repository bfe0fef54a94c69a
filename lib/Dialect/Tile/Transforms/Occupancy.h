//===- Occupancy.h - CTAs beside each other on an SM ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Tile/Transforms. What hides a kernel's latencies:
/// tiles of its own that are on their way, or other CTAs.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_OCCUPANCY_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_OCCUPANCY_H

#include "delta/Dialect/Tile/IR/Tile.h"

namespace delta::tile {

/// Warps of an SM that a kernel in which nothing overlaps asks for. Of 20, a
/// register prediction below 96, one kernel in three spilled.
inline constexpr int64_t kAloneWarps = 16;

/// Whether the plan of `kernel` says that a CTA waits for what it computes.
bool isAlone(KernelOp kernel);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_OCCUPANCY_H
