//===- Targets.cpp - from a spec to kernels for several GPUs ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes of a module of kernel sets.
///
//===----------------------------------------------------------------------===//

#include "delta/Pipelines/Targets.h"

#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Pipelines/Final.h"
#include "delta/Pipelines/Plan.h"
#include "delta/Pipelines/Tile.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

void delta::buildTargetsPipeline(OpPassManager &pm,
                                 llvm::ArrayRef<std::string> targets) {
  // Before there is a copy of each function for each set: what is wrong with a
  // spec is said once.
  pm.addPass(createVerifyRecurrent());
  PlanTargetsOptions plan;
  plan.targets.assign(targets.begin(), targets.end());
  pm.addPass(createPlanTargets(plan));
  OpPassManager &set = pm.nest<ModuleOp>();
  set.addNestedPass<func::FuncOp>(createChunk());
  set.addNestedPass<func::FuncOp>(createVerifyChunked());
  buildTileValuePipeline(set);
  buildTileFinalPipeline(set);
  buildCudaPipeline(set);
}
