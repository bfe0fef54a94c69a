//===- Passes.h - passes on the exit dialect --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes of dialects/Cuda/CudaPasses.td: one `createX()` a pass
/// and `registerCudaPasses()`. What a pass does is said there and nowhere else.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_CUDA_TRANSFORMS_PASSES_H
#define DELTA_DIALECT_CUDA_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace delta::cuda {

#define GEN_PASS_DECL
#include "delta/Dialect/Cuda/IR/CudaPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "delta/Dialect/Cuda/IR/CudaPasses.h.inc"

} // namespace delta::cuda

#endif // DELTA_DIALECT_CUDA_TRANSFORMS_PASSES_H
