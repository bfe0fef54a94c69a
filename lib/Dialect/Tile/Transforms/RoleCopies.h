//===- RoleCopies.h - what roles take from a kernel -------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Tile/Transforms. What `tile-split-roles` takes apart,
/// and everything that it refuses of a kernel. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_ROLECOPIES_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_ROLECOPIES_H

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace delta::tile {

/// The copies of a kernel and the one loop that has any, in the order of the
/// text.
struct RoleCopies {
  mlir::scf::ForOp loop;
  /// Into shared memory; out of it.
  llvm::SmallVector<CopyOp> loads, stores;
};

/// What the roles of `kernel` copy. The loop runs from 0 in steps of 1. Copies,
/// and ops that wait for flags or set them, stand directly in the kernel or in
/// the loop, at addresses that any role can compute. Each copy is awaited
/// alone; each buffer is filled by one load and read beside it, or is written
/// once and taken out by one store. Flags alone order what one role does with
/// global memory after what another role does. Fails, with a diagnostic, where
/// the kernel is not of this form.
mlir::FailureOr<RoleCopies> findRoleCopies(KernelOp kernel);

/// Whether every role can compute `value`: from the kernel's arguments, the
/// CTA's ticket and the number of an iteration of `loop`, by ops without
/// effects.
bool isIndexArithmetic(mlir::Value value, mlir::scf::ForOp loop);

/// Whether `copy` moves columns of one chain of several in a CTA.
bool isPerChain(KernelOp kernel, CopyOp copy);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_ROLECOPIES_H
