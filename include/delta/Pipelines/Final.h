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

/// From kernels in value form (`verify-tile-value`) to kernels in final form:
/// every tile has a place and a layout, copies run ahead in rings, barriers
/// stand where they must, shared memory is laid out and registers are budgeted.
/// Kernels whose plan copies by TMA get roles and products in flight, and their
/// launches count CTAs; host functions are left as they are. A kernel that does
/// not fit the machine in its plan is refused.
void buildTileFinalPipeline(mlir::OpPassManager &pm);

/// From kernels in final form to `cuda.kernel`s that call the device library.
void buildCudaPipeline(mlir::OpPassManager &pm);

/// Registers `delta-tile-final-pipeline` and `delta-cuda-pipeline`, which start
/// from the value form.
void registerFinalPipelines();

} // namespace delta

#endif // DELTA_PIPELINES_FINAL_H
