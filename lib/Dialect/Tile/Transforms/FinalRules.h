//===- FinalRules.h - the rules of the final form ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rules F1 to F10 of docs/tile-dialect.md, one function per rule. Each emits
/// at most one diagnostic and never changes the IR. Private to
/// `verify-tile-final`.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_FINALRULES_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_FINALRULES_H

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Support/Target.h"

namespace delta::tile {

/// The warps that run an op: one instance of a role, or the whole CTA.
struct Role {
  /// Null outside roles.
  RoleAttr attribute;
  /// The role's region, or outside roles the kernel's. Two ops have the same
  /// role if these regions are equal.
  mlir::Region *region;
  /// The number of warps that run one instance.
  int64_t warps;

  int64_t getInstances() const {
    return attribute ? attribute.getInstances() : 1;
  }
};

/// The role that runs `op`, an op of `kernel`.
Role getRole(KernelOp kernel, mlir::Operation *op);

/// A kernel and its GPU.
struct KernelScope {
  KernelOp kernel;
  const Target &target;
};

/// F1: every register tile has a layout that holds it, for the warps that run
/// the op; every memref is in shared memory or a view of an argument.
mlir::LogicalResult verifyPlacement(const KernelScope &scope);
/// F2: the instruction exists and accepts the layouts, spaces, swizzles and
/// sizes.
mlir::LogicalResult verifyInstructions(const KernelScope &scope);
/// F3: a value in flight has one consumer.
mlir::LogicalResult verifyConsumers(const KernelScope &scope);
/// F4: nothing in flight crosses a region's boundary.
mlir::LogicalResult verifyRegions(const KernelScope &scope);
/// F5: buffers of a slot are used while the slot is open.
mlir::LogicalResult verifySlotUses(const KernelScope &scope);
/// F6: an asynchronous access to a slot ends before the slot is closed.
mlir::LogicalResult verifySlotAwaits(const KernelScope &scope);
/// F7: a ring has one producer role and one consumer role, in step.
mlir::LogicalResult verifyRings(const KernelScope &scope);
/// F8: roles' warps and register caps fit the CTA and its warpgroups.
mlir::LogicalResult verifyRoles(const KernelScope &scope);
/// F9: shared memory fits the target, and planned buffers do not overlap.
mlir::LogicalResult verifySharedMemory(const KernelScope &scope);
/// F10: each barrier belongs to one role.
mlir::LogicalResult verifyBarriers(const KernelScope &scope);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_FINALRULES_H
