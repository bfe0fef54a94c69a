//===- Jit.h - run lowered functions in this process ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compiles a function of the chunked phase or of the tile value form for this
/// CPU and calls it on host tensors. Both forms have the same ABI: arrays of
/// the caller as memrefs, results last, no return value. Knows nothing of
/// recurrences.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_JIT_H
#define DELTA_EXECUTION_JIT_H

#include "delta/Runtime/Tensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Support/LLVM.h"

#include <memory>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace delta {

/// A compiled function. The code lives as long as the object.
class Jit {
public:
  /// Lowers \p module by delta::buildCpuPipeline and compiles it with LLVM's
  /// pipeline of \p optLevel (0 to 3). \p function must be a func.func of it
  /// that takes ranked memrefs of f32, bf16 or f16, with the identity layout
  /// and in the default memory space, and returns nothing. Fails with a
  /// diagnostic. The module is consumed.
  static mlir::FailureOr<Jit> compile(mlir::OwningOpRef<mlir::ModuleOp> module,
                                      llvm::StringRef function,
                                      unsigned optLevel);

  Jit(Jit &&);
  Jit &operator=(Jit &&);
  ~Jit();

  /// Calls the function; one tensor per argument. Fails with a diagnostic,
  /// before the call, if a tensor does not have the dtype and the static sizes
  /// of its argument. The function writes the tensors that are its results.
  mlir::LogicalResult call(llvm::ArrayRef<runtime::HostTensor *> arguments);

private:
  Jit(mlir::Location loc, std::vector<mlir::MemRefType> arguments,
      std::unique_ptr<mlir::ExecutionEngine> engine, void (*entry)(void **));

  mlir::LogicalResult
  checkArguments(llvm::ArrayRef<runtime::HostTensor *> arguments) const;

  mlir::Location loc;
  std::vector<mlir::MemRefType> parameters;
  std::unique_ptr<mlir::ExecutionEngine> engine;
  void (*entry)(void **);
};

} // namespace delta

#endif // DELTA_EXECUTION_JIT_H
