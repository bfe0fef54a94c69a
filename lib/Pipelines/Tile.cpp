//===- Tile.cpp - from a spec to the tile value form ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes, and why they stand in this order.
///
//===----------------------------------------------------------------------===//

#include "delta/Pipelines/Tile.h"

#include "delta/Conversion/Passes.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Pipelines/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void delta::buildChunkedPipeline(OpPassManager &pm, llvm::StringRef target) {
  pm.addPass(createVerifyRecurrent());
  // Chunks and the algebra depend on the plan.
  PlanKernelsOptions plan;
  plan.target = target.str();
  pm.addPass(createPlanKernels(plan));
  pm.addNestedPass<func::FuncOp>(createChunk());
  pm.addNestedPass<func::FuncOp>(createVerifyChunked());
}

void delta::buildTileValuePipeline(OpPassManager &pm, int64_t segments) {
  // What does not depend on the state must not hang on an op that does.
  pm.addNestedPass<func::FuncOp>(createFoldNorms());
  pm.addNestedPass<func::FuncOp>(createFactorDecay());
  // A value that two ops of the loop compute alike crosses the cut once.
  pm.addPass(createCSEPass());
  pm.addPass(createSplitKernels());
  SplitSequenceOptions split;
  split.segments = segments;
  pm.addPass(createSplitSequence(split));
  pm.addPass(createShareGroups());
  // Who reads an array is visible until kernels exist.
  pm.addPass(createRoundWorkspace());
  pm.addPass(createConvertDeltaToTile());
  // Decay factors are written where each rule needs them.
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  // Roundings are ops from here on.
  pm.addPass(tile::createSelectInversePrecision());
  // Before the wait for other CTAs is deferred: what comes first changes.
  pm.addPass(tile::createSolveReads());
  pm.addPass(createCanonicalizerPass());
  // Before places: which copies wait for other CTAs follows from it.
  pm.addPass(tile::createSkewLoops());
  pm.addPass(createCanonicalizerPass());
  // One body up to here: what is simplified is simplified once.
  pm.addPass(tile::createExpandVariants());
  // Choices share their arithmetic.
  pm.addPass(createCSEPass());
  pm.addPass(tile::createVerifyTileValue());
}

namespace {

struct TargetOptions : public PassPipelineOptions<TargetOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("the GPU that is planned for"),
                             llvm::cl::init("sm_80")};
};

} // namespace

void delta::registerTilePipelines() {
  PassPipelineRegistration<TargetOptions>(
      "delta-chunked-pipeline", "From the recurrent to the chunked phase",
      [](OpPassManager &pm, const TargetOptions &options) {
        buildChunkedPipeline(pm, options.target.getValue());
      });
  PassPipelineRegistration<TargetOptions>(
      "delta-tile-value-pipeline",
      "From the recurrent phase to kernels in value form",
      [](OpPassManager &pm, const TargetOptions &options) {
        buildChunkedPipeline(pm, options.target.getValue());
        buildTileValuePipeline(pm);
      });
}
