//===- Final.cpp - from the tile value form to CUDA kernels -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes, and why they stand in this order. Behind `tile-place-barriers`
/// nothing may move: position is meaning.
///
//===----------------------------------------------------------------------===//

#include "delta/Pipelines/Final.h"

#include "delta/Conversion/Passes.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void delta::buildTileFinalPipeline(OpPassManager &pm) {
  // Index arithmetic of a loop that its iterations share: copies ahead would
  // clone it.
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(tile::createPlace());
  // What is left in registers now is; it is carried by loops that get layouts.
  pm.addPass(tile::createPrefetchLoads());
  // Layouts follow from places: a right operand has none any more.
  pm.addPass(tile::createAssignLayouts());
  pm.addPass(tile::createLowerConverts());
  // In kernels of warpgroups the roles are what runs ahead; in the others one
  // role is pipelined.
  pm.addPass(tile::createSplitRoles());
  // Needs to see every copy; clones index arithmetic, of which much is shared.
  pm.addPass(tile::createPipeline());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  // Left operands first: what is made in front of a product may then be made
  // behind another one.
  pm.addPass(tile::createRotateLoop());
  pm.addPass(tile::createStartProducts());
  // Before lifetimes and barriers are known by position.
  pm.addPass(tile::createOrderProducts());
  // Offsets before barriers: bytes that two buffers share need barriers too.
  pm.addPass(tile::createPlanShared());
  pm.addPass(tile::createPlaceBarriers());
  pm.addPass(tile::createPlaceWaits());
  // Needs the bytes of shared memory to tell how many CTAs an SM holds.
  pm.addPass(tile::createBudgetRegisters());
  // Knows kernels as they are launched.
  pm.addPass(tile::createOverlapLaunches());
  pm.addPass(tile::createVerifyTileFinal());
}

void delta::buildCudaPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTileToCuda());
}

void delta::registerFinalPipelines() {
  PassPipelineRegistration<>("delta-tile-final-pipeline",
                             "From kernels in value form to the final form",
                             [](OpPassManager &pm) {
                               // What comes from outside may be of any phase.
                               pm.addPass(tile::createVerifyTileValue());
                               buildTileFinalPipeline(pm);
                             });
  PassPipelineRegistration<>("delta-cuda-pipeline",
                             "From kernels in value form to kernels in CUDA",
                             [](OpPassManager &pm) {
                               // What comes from outside may be of any phase.
                               pm.addPass(tile::createVerifyTileValue());
                               buildTileFinalPipeline(pm);
                               buildCudaPipeline(pm);
                             });
}
