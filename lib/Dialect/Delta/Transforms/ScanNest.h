//===- ScanNest.h - nests that pass a state through chunks ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/Transforms. The parts of a nest of kind `scan`
/// as `delta-chunk` builds it.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_TRANSFORMS_SCANNEST_H
#define DELTA_LIB_DIALECT_DELTA_TRANSFORMS_SCANNEST_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Nests.h"

namespace delta {

/// A loop over chunks that carries a state, inside a nest over (batch, head).
struct ScanNest {
  mlir::scf::ForallOp heads;
  mlir::scf::ForOp chunks;

  mlir::Value batch() { return heads.getInductionVars()[0]; }
  mlir::Value head() { return heads.getInductionVars()[1]; }
  mlir::Value chunk() { return chunks.getInductionVar(); }
};

/// The scans of `func`. Fails, with a diagnostic, where a nest that says that
/// it is a scan has not the form of one: over two axes, with one loop that
/// carries one matrix.
inline mlir::FailureOr<llvm::SmallVector<ScanNest>>
findScans(mlir::Operation *root) {
  llvm::SmallVector<ScanNest> scans;
  mlir::WalkResult result = root->walk([&](mlir::scf::ForallOp heads) {
    if (!isNest(heads, NestKind::Scan))
      return mlir::WalkResult::advance();
    auto loops = llvm::to_vector(heads.getBody()->getOps<mlir::scf::ForOp>());
    if (heads.getRank() == 2 && loops.size() == 1 &&
        loops.front().getNumRegionIterArgs() == 1 &&
        mlir::isa<mlir::RankedTensorType>(
            loops.front().getRegionIterArg(0).getType())) {
      scans.push_back({heads, loops.front()});
      return mlir::WalkResult::advance();
    }
    heads.emitError("nest of kind scan: expected axes (batch, head) around one "
                    "loop over chunks that carries the state");
    return mlir::WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return mlir::failure();
  return scans;
}

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_TRANSFORMS_SCANNEST_H
