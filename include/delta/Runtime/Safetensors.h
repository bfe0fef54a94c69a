//===- Safetensors.h - named tensors in a file ------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Reader and writer of the safetensors format, version of the public
/// description at https://huggingface.co/docs/safetensors: a little-endian u64
/// header length, a JSON header, then the tensors' bytes without gaps. The
/// reader trusts nothing in the file; it refuses everything that the format
/// forbids, and element types that the runtime does not have.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_SAFETENSORS_H
#define DELTA_RUNTIME_SAFETENSORS_H

#include "delta/Runtime/Tensor.h"

#include <map>

namespace delta::runtime {

/// Named tensors and the free-text entries of "__metadata__".
struct TensorFile {
  std::map<std::string, HostTensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Reads a whole file. Errors name the file and, if possible, the tensor.
Result<TensorFile> readSafetensors(const std::string &path);

/// Writes a file: under a temporary name in the same folder, synced, then
/// renamed, so that \p path is either the old file or the whole new one. Every
/// tensor starts at a multiple of its element size. The name "__metadata__" is
/// refused.
MaybeError writeSafetensors(const std::string &path, const TensorFile &file);

} // namespace delta::runtime

#endif // DELTA_RUNTIME_SAFETENSORS_H
