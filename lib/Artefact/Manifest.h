//===- Manifest.h - the description of an artefact --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// NAME.json: what a program that loads the artefact needs to know and cannot
/// read from a C header. docs/output.md lists the keys.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_ARTEFACT_MANIFEST_H
#define DELTA_LIB_ARTEFACT_MANIFEST_H

#include "Nvcc.h"
#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include <optional>

namespace delta {

/// What the manifest says beyond the IR.
struct BuildRecord {
  /// SHA-256 of the input as delta prints it, in hexadecimal digits.
  std::string specHash;
  /// Of the binaries; nothing where none were built.
  std::optional<std::string> nvccVersion;
  std::vector<KernelResources> resources;
};

/// A .cu and the targets that it is for.
struct KernelFile {
  cuda::FileOp file;
  std::vector<std::string> targets;
};

/// The text of the manifest of what the file `launcher` launches.
std::string printManifest(cuda::FileOp launcher,
                          llvm::ArrayRef<KernelFile> kernels,
                          const BuildRecord &record);

} // namespace delta

#endif // DELTA_LIB_ARTEFACT_MANIFEST_H
