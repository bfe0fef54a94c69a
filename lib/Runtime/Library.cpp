//===- Library.cpp - call a compiled artefact -------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The struct needs no padding: two 32-bit words, then only 64-bit words.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Library.h"

#include <cstring>
#include <dlfcn.h>
#include <type_traits>

using namespace delta::runtime;

static_assert(sizeof(void *) == 8, "the struct's pointers are 64-bit words");

std::vector<std::byte>
delta::runtime::packArguments(int64_t batch, int64_t length,
                              const std::vector<LibraryArray> &arrays) {
  size_t size = 2 * sizeof(uint32_t) + 2 * sizeof(int64_t);
  for (const LibraryArray &array : arrays)
    size += sizeof(void *) + array.rank * sizeof(int64_t);
  std::vector<std::byte> bytes(size);
  size_t at = 0;
  auto append = [&](auto value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
    at += sizeof(value);
  };
  append(static_cast<uint32_t>(size));
  append(kArgumentsVersion);
  append(batch);
  append(length);
  for (const LibraryArray &array : arrays) {
    append(array.data);
    at += array.rank * sizeof(int64_t); // strides of 0: contiguous
  }
  return bytes;
}

Result<Library> Library::open(const std::string &path,
                              const std::string &name) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Error{"cannot load the library of '" + name + "': " + dlerror()};
  Library library(name);
  MaybeError missing;
  auto find = [&](auto &entry, const char *suffix) {
    entry = reinterpret_cast<std::decay_t<decltype(entry)>>(
        dlsym(handle, (name + suffix).c_str()));
    if (!entry && !missing)
      missing = Error{"the library of '" + name + "' has no function '" + name +
                      suffix + "'"};
  };
  find(library.getWorkspaceSize, "_workspace_size");
  find(library.start, "_launch");
  find(library.getStatusString, "_status_string");
  if (missing) {
    dlclose(handle);
    return *missing;
  }
  return library;
}

MaybeError Library::launch(const std::vector<std::byte> &arguments,
                           void *workspace, void *stream) const {
  const int status = start(arguments.data(), workspace, stream);
  if (status == 0)
    return std::nullopt;
  return Error{"the launch of '" + name + "' returned " +
               std::to_string(status) + ": " + getStatusString(status)};
}
