//===- Library.h - call a compiled artefact ---------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The C interface of libNAME.so (docs/output.md) for a program that was not
/// compiled against NAME.h: the argument struct byte by byte, and the three
/// functions by name. Allocates no device memory. Needs neither MLIR nor fmt.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_LIBRARY_H
#define DELTA_RUNTIME_LIBRARY_H

#include "delta/Runtime/Result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace delta::runtime {

/// NAME_args_version of the struct that is built here.
inline constexpr uint32_t kArgumentsVersion = 1;

/// An array of the spec: contiguous, row-major, in device memory, aligned to 16
/// bytes. Null is for an array without elements.
struct LibraryArray {
  void *data;
  size_t rank;
};

/// A NAME_args: size, version, batch, length, then each array, results last.
std::vector<std::byte> packArguments(int64_t batch, int64_t length,
                                     const std::vector<LibraryArray> &arrays);

/// A loaded artefact.
class Library {
public:
  /// Loads \p path, which stays loaded: the CUDA runtime inside it registers
  /// its kernels with the driver until the process ends. An error if it cannot
  /// be loaded or lacks a function of \p name.
  static Result<Library> open(const std::string &path, const std::string &name);

  /// Bytes of workspace, to be aligned to 256; 0 also if launch() would refuse
  /// the sizes. Reads no pointer of the arguments.
  size_t workspaceSize(const std::vector<std::byte> &arguments) const {
    return getWorkspaceSize(arguments.data());
  }

  /// Puts the kernels into \p stream, a cudaStream_t of the current device. If
  /// the status is not success, returns an error that explains it.
  MaybeError launch(const std::vector<std::byte> &arguments, void *workspace,
                    void *stream) const;

private:
  explicit Library(std::string name) : name(std::move(name)) {}

  std::string name;
  size_t (*getWorkspaceSize)(const void *arguments) = nullptr;
  int (*start)(const void *arguments, void *workspace, void *stream) = nullptr;
  const char *(*getStatusString)(int status) = nullptr;
};

} // namespace delta::runtime

#endif // DELTA_RUNTIME_LIBRARY_H
