//===- GpuStage.h - run the compiled kernels --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The gpu stage: loads and calls the library that `delta-opt --emit=library`
/// writes.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_EXECUTION_GPUSTAGE_H
#define DELTA_LIB_EXECUTION_GPUSTAGE_H

#include "delta/Execution/Stages.h"

namespace delta {

/// Compiles a copy of \p module for \p target, or for the GPU's own
/// architecture if \p target is empty, and loads the library. Fails with a
/// diagnostic if there is no GPU or delta::emit fails.
mlir::FailureOr<std::unique_ptr<StageRunner>>
prepareGpuStage(mlir::ModuleOp module, const SpecDescription &spec,
                llvm::StringRef target);

} // namespace delta

#endif // DELTA_LIB_EXECUTION_GPUSTAGE_H
