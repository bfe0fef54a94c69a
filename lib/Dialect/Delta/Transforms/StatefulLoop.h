//===- StatefulLoop.h - loops that carry a state ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/Transforms. The loop nest of the linear kernel,
/// by which the passes behind `delta-chunk` recognise it.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_TRANSFORMS_STATEFULLOOP_H
#define DELTA_LIB_DIALECT_DELTA_TRANSFORMS_STATEFULLOOP_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace delta {

/// A loop over chunks that carries a state, inside a loop over (batch, head).
struct StatefulLoop {
  mlir::scf::ForallOp heads;
  mlir::scf::ForOp chunks;

  mlir::Value batch() { return heads.getInductionVars()[0]; }
  mlir::Value head() { return heads.getInductionVars()[1]; }
  mlir::Value chunk() { return chunks.getInductionVar(); }
};

/// All of them below `root`.
inline llvm::SmallVector<StatefulLoop>
findStatefulLoops(mlir::Operation *root) {
  llvm::SmallVector<StatefulLoop> loops;
  root->walk([&](mlir::scf::ForallOp heads) {
    for (auto chunks : heads.getBody()->getOps<mlir::scf::ForOp>())
      if (chunks.getNumRegionIterArgs() == 1 &&
          mlir::isa<mlir::RankedTensorType>(
              chunks.getRegionIterArg(0).getType()) &&
          heads.getRank() == 2 && !chunks.getBody()->getOps<UpdateOp>().empty())
        loops.push_back({heads, chunks});
  });
  return loops;
}

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_TRANSFORMS_STATEFULLOOP_H
