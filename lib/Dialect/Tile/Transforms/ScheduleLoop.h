//===- ScheduleLoop.h - order of a loop with products in flight -*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The part of `tile-order-products` for loops with products in flight.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULELOOP_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULELOOP_H

#include "delta/Dialect/Plan/IR/Plan.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace delta::tile {

/// Orders the body of a loop for one warp that issues in order. With `cut`, a
/// product that the next state does not need may be cut in two along k. Leaves
/// a loop alone if it has nested regions, barriers, or two slots of one ring in
/// an iteration.
void scheduleLoop(mlir::scf::ForOp loop, const plan::IssueCycles &cycles,
                  bool cut);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_SCHEDULELOOP_H
