//===- Emission.cpp - the last passes before text ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The order of the exit dialect's passes.
///
//===----------------------------------------------------------------------===//

#include "delta/Artefact/Emission.h"

#include "delta/Dialect/Cuda/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

void delta::buildEmissionPipeline(OpPassManager &manager) {
  manager.addPass(cuda::createPlanLauncher());
  // Before names: what is inline needs none.
  manager.addPass(cuda::createPlanExpressions());
  manager.addPass(cuda::createLegalizeNames());
  manager.addPass(cuda::createVerifyEmittable());
}
