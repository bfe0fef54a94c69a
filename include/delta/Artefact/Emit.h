//===- Emit.h - write the artefact of a module ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From a module to files: CUDA text, header and manifest, cubins, a shared
/// library, a PyTorch operator. What the files say is decided in the IR; this
/// library finds compilers and writes files.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_ARTEFACT_EMIT_H
#define DELTA_ARTEFACT_EMIT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include <functional>
#include <string>
#include <vector>

namespace mlir {
class DialectRegistry;
class PassManager;
} // namespace mlir

namespace delta {

/// What `emit` writes. Each kind includes the CUDA text that it is made from,
/// except `Mlir`.
enum class EmitKind {
  /// NAME.mlir: the module as it is printed, in the exit dialect.
  Mlir,
  /// NAME.cu, NAME.h, NAME.json. Of several kernel sets NAME.cpp and a
  /// NAME_TARGET.cu each.
  Cuda,
  /// NAME.TARGET.cubin, for each target.
  Cubin,
  /// libNAME.so, with code for all targets.
  Library,
  /// NAME_torch.cpp.
  Torch
};

struct EmitOptions {
  std::vector<EmitKind> kinds;
  /// Names of real architectures, "sm_80", "sm_90a", each of which gets kernels
  /// of its own where they are better ones. Empty: those that the files of the
  /// module are for, else sm_80.
  std::vector<std::string> targets;
  /// Created if absent. "-" prints text to the standard output instead.
  std::string directory = ".";
  /// Writes the device headers into the .cu, so that it compiles alone.
  bool amalgamate = false;
  /// Called with the passes that lower the module, before they run: to print
  /// the IR between them, to time them. Where this fails, `emit` does.
  std::function<llvm::LogicalResult(mlir::PassManager &)> inspectPasses;
};

/// Lowers `module` from whichever phase it is in to the exit dialect and writes
/// the files. Each file appears whole or not at all. Fails after one
/// diagnostic: a phase's, an unknown target or one that the files of the module
/// are not for, no nvcc, nvcc's own (with its log
/// and the command that reproduces it), a folder that cannot be written. Warns
/// of each kernel that spills registers on a target of the binaries.
llvm::LogicalResult emit(mlir::ModuleOp module, const EmitOptions &options);

/// The whole of `delta-opt --emit`: parses `inputFilename` ("-": standard
/// input) and emits it. Diagnostics go to the standard error output.
llvm::LogicalResult emitFile(llvm::StringRef inputFilename,
                             const EmitOptions &options,
                             mlir::DialectRegistry &registry);

} // namespace delta

#endif // DELTA_ARTEFACT_EMIT_H
