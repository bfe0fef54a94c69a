//===- KernelMachine.h - the machine of a kernel ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Tile/Transforms. Passes take the limits of the
/// machine from the plan of each kernel.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_KERNELMACHINE_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_KERNELMACHINE_H

#include "delta/Dialect/Tile/IR/Tile.h"

namespace delta::tile {

/// The limits of the machine for which `kernel` is planned; null, with an error
/// at the kernel, if it has no plan.
inline const Target *requireMachine(KernelOp kernel) {
  if (std::optional<plan::KernelPlanAttr> plan = kernel.getPlan())
    return &plan->getMachine().getTarget();
  kernel.emitError("expected a plan, which says the machine");
  return nullptr;
}

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_KERNELMACHINE_H
