//===- PrintCuda.h - exit dialect to text -----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The printer of the exit dialect. It spells ops and breaks lines at 100
/// columns; it decides nothing and never changes the IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_TARGET_CUDA_PRINTCUDA_H
#define DELTA_TARGET_CUDA_PRINTCUDA_H

#include "delta/Dialect/Cuda/IR/CudaOps.h"

namespace delta::cuda {

/// Writes the text of `file` to `os`. The module must have passed
/// cuda-verify-emittable. Ops that this pass refuses give one diagnostic here
/// too, and nothing is written.
llvm::LogicalResult printFile(FileOp file, llvm::raw_ostream &os);

/// The C++ spelling of `type`: `const bf16 *` for !cuda.pointer<bf16, const>.
/// Empty for types that have none (see docs/cuda-dialect.md, E4).
std::string spellType(mlir::Type type);

} // namespace delta::cuda

#endif // DELTA_TARGET_CUDA_PRINTCUDA_H
