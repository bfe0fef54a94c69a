//===- Tile.h - from a spec to the tile value form --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The order of the passes between a spec and kernels in value form.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_PIPELINES_TILE_H
#define DELTA_PIPELINES_TILE_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace delta {

/// From the recurrent to the chunked phase, both verified, with plans for the
/// GPU \p target, a name of delta/Support/Target.h. `pm` is anchored on
/// builtin.module, here and below.
void buildChunkedPipeline(mlir::OpPassManager &pm,
                          llvm::StringRef target = "sm_80");

/// From the verified chunked phase to the verified value form.
///
/// Input: functions as `delta-chunk` makes them, with a state. Output: for a
/// function f, kernels `f_prepare` (where something does not depend on the
/// state) and `f_chain`, and f itself as the host program: sizes, workspace
/// (`memref.alloc`), launches. Where the plan of `chain` has work `segments`
/// also kernels `f_transfer`, `f_combine` and `f_segments`; several plans make
/// one kernel each of a chain, `f_chain_by1` and so on.
///
/// A sequence that is split has at most \p segments segments; 0: by cost.
void buildTileValuePipeline(mlir::OpPassManager &pm, int64_t segments = 0);

/// Registers the two as `delta-chunked-pipeline` (recurrent to chunked) and
/// `delta-tile-value-pipeline` (recurrent to value form).
void registerTilePipelines();

} // namespace delta

#endif // DELTA_PIPELINES_TILE_H
