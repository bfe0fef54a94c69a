//===- Targets.h - from a spec to kernels for several GPUs ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// All phases of kernels, for each of several GPUs.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_PIPELINES_TARGETS_H
#define DELTA_PIPELINES_TARGETS_H

#include "llvm/ADT/ArrayRef.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace delta {

/// From the recurrent phase to `cuda.kernel`s and host functions with launches,
/// in one module for each kernel set (`delta-plan-targets`). \p targets are
/// names of delta/Support/Target.h.
void buildTargetsPipeline(mlir::OpPassManager &pm,
                          llvm::ArrayRef<std::string> targets);

} // namespace delta

#endif // DELTA_PIPELINES_TARGETS_H
