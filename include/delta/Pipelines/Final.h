//===- Final.h - from the tile value form to CUDA kernels -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The last two phases of kernels. The host program and the files are not made
/// here.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_PIPELINES_FINAL_H
#define DELTA_PIPELINES_FINAL_H

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace delta {

struct FinalOptions {
  /// The GPU whose limits hold, a name of Target.h.
  std::string target = "sm_80";
  /// Slots of a ring; 0: as the kernel's schedule says.
  int64_t stages = 0;
};

/// From kernels in value form (`verify-tile-value`) to kernels in final form:
/// every tile has a place and a layout, copies run ahead in rings, barriers
/// stand where they must, shared memory is laid out and registers are budgeted.
/// Kernels with `column_tiles` get roles and products in flight (sm_90a), and
/// their launches count CTAs; the others are of the sm_80 family, and host
/// functions are left as they are. A kernel that does not fit the target is
/// refused.
void buildTileFinalPipeline(mlir::OpPassManager &pm,
                            const FinalOptions &options);

/// From kernels in final form to `cuda.kernel`s that call the device library.
void buildCudaPipeline(mlir::OpPassManager &pm);

/// Registers `delta-tile-final-pipeline` and `delta-cuda-pipeline`, which start
/// from the value form.
void registerFinalPipelines();

} // namespace delta

#endif // DELTA_PIPELINES_FINAL_H
