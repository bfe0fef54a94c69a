//===- ChunkLoop.h - the loop that roles divide -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What `tile-split-roles` takes apart, and everything that it refuses of a
/// kernel. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_CHUNKLOOP_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_CHUNKLOOP_H

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace delta::tile {

/// The value-axis columns of one chain: the rows of a warpgroup's products.
inline constexpr int64_t kChainColumns = 64;

/// The loop of a kernel over chunks, with its copies.
struct ChunkLoop {
  mlir::scf::ForOp loop;
  /// Into shared memory, matrices first; out of it.
  llvm::SmallVector<CopyOp> loads, stores;
};

/// The one loop of a kernel of chains that copies to or from shared
/// memory, from 0 in steps of 1; `over` is what it goes over, for diagnostics.
/// Fails, with a diagnostic, where there is none or more.
mlir::FailureOr<mlir::scf::ForOp> findCopyingLoop(KernelOp kernel,
                                                  llvm::StringRef over);

/// The loop over chunks of a kernel of chains. Each copy stands
/// directly in it, is awaited alone, and has addresses that any role can
/// compute; what it touches of global memory no other role does; each buffer is
/// filled by one load and read in the loop, or is written once and taken out by
/// one store. Fails, with a diagnostic, where the
/// kernel is not of this form.
mlir::FailureOr<ChunkLoop> findChunkLoop(KernelOp kernel);

/// Whether `copy` moves columns of one chain, by grid index 0.
bool isPerChain(KernelOp kernel, CopyOp copy);

/// The write that fills the buffer that `copy` takes out; null where anything
/// else touches it.
WriteOp findWrite(CopyOp copy);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_CHUNKLOOP_H
