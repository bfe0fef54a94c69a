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
#include "delta/Support/Target.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void delta::buildTileFinalPipeline(OpPassManager &pm,
                                   const FinalOptions &options) {
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
  tile::SplitRolesOptions roles;
  roles.stages = options.stages;
  pm.addPass(tile::createSplitRoles(roles));
  // Needs to see every copy; clones index arithmetic, of which much is shared.
  tile::PipelineOptions pipeline;
  pipeline.stages = options.stages;
  pm.addPass(tile::createPipeline(pipeline));
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  // Left operands first: what is made in front of a product may then be made
  // behind another one.
  pm.addPass(tile::createRotateLoop());
  pm.addPass(tile::createStartProducts());
  // Before lifetimes and barriers are known by position.
  pm.addPass(tile::createOrderProducts());
  // Offsets before barriers: bytes that two buffers share need barriers too.
  tile::PlanSharedOptions shared;
  shared.target = options.target;
  pm.addPass(tile::createPlanShared(shared));
  pm.addPass(tile::createPlaceBarriers());
  pm.addPass(tile::createPlaceWaits());
  // Needs the bytes of shared memory to tell how many CTAs an SM holds.
  tile::BudgetRegistersOptions registers;
  registers.target = options.target;
  pm.addPass(tile::createBudgetRegisters(registers));
  // Knows kernels as they are launched.
  const Target *gpu = lookupTarget(options.target);
  if (gpu && gpu->hasWarpgroups)
    pm.addPass(tile::createOverlapLaunches());
  tile::VerifyTileFinalOptions verify;
  verify.target = options.target;
  pm.addPass(tile::createVerifyTileFinal(verify));
}

void delta::buildCudaPipeline(OpPassManager &pm) {
  pm.addPass(createConvertTileToCuda());
}

namespace {

struct FinalPipelineOptions : public PassPipelineOptions<FinalPipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the GPU whose limits hold"),
                             llvm::cl::init("sm_80")};
  Option<int64_t> stages{*this, "stages",
                         llvm::cl::desc("slots of a ring; 0: as scheduled"),
                         llvm::cl::init(0)};

  delta::FinalOptions get() const { return {target, stages}; }
};

} // namespace

void delta::registerFinalPipelines() {
  PassPipelineRegistration<FinalPipelineOptions>(
      "delta-tile-final-pipeline",
      "From kernels in value form to the final form",
      [](OpPassManager &pm, const FinalPipelineOptions &options) {
        // What comes from outside may be of any phase.
        pm.addPass(tile::createVerifyTileValue());
        buildTileFinalPipeline(pm, options.get());
      });
  PassPipelineRegistration<FinalPipelineOptions>(
      "delta-cuda-pipeline", "From kernels in value form to kernels in CUDA",
      [](OpPassManager &pm, const FinalPipelineOptions &options) {
        // What comes from outside may be of any phase.
        pm.addPass(tile::createVerifyTileValue());
        buildTileFinalPipeline(pm, options.get());
        buildCudaPipeline(pm);
      });
}
