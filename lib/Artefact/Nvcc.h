//===- Nvcc.h - compile CUDA text -------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds nvcc and the device headers, runs nvcc, and reads what ptxas says
/// about kernels. May not know what is compiled.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_ARTEFACT_NVCC_H
#define DELTA_LIB_ARTEFACT_NVCC_H

#include "Files.h"

namespace delta {

/// What a kernel needs on one target, as ptxas reports it.
struct KernelResources {
  std::string target;
  std::string kernel;
  int64_t registers = 0;
  /// Bytes a thread.
  int64_t stackFrame = 0, spillStores = 0, spillLoads = 0;
  /// Static shared memory, bytes.
  int64_t staticShared = 0;
};

class Nvcc {
public:
  /// nvcc is, in this order, what the environment variable DELTA_NVCC names,
  /// what CMake found, or the first on PATH.
  static llvm::Expected<Nvcc> find();

  /// Runs nvcc and returns its log. Where it fails, the error holds the log and
  /// the command that reproduces it.
  llvm::Expected<std::string>
  run(const std::vector<std::string> &arguments) const;

  /// `nvcc --version`'s release, "13.0".
  llvm::Expected<std::string> getVersion() const;

private:
  explicit Nvcc(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// The folder to name with -I for `#include "delta/Device/..."`: beside the
/// running tool (`../include`), or the source tree that it was built from.
llvm::Expected<std::string> findDeviceIncludeDirectory();

/// Reads the log of `ptxas -v`: one entry a kernel and target, in its order.
std::vector<KernelResources> parseResources(llvm::StringRef log);

} // namespace delta

#endif // DELTA_LIB_ARTEFACT_NVCC_H
