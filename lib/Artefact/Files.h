//===- Files.h - write files whole or not at all ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Collects the files of an artefact and puts them into a folder. May not know
/// what is in them.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_ARTEFACT_FILES_H
#define DELTA_LIB_ARTEFACT_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace delta {

/// A file to be written: a name without a folder, and its bytes.
struct OutputFile {
  std::string name;
  std::string contents;
};

/// A new folder for intermediate files, removed with what is in it at the end
/// of its life.
class TemporaryFolder {
public:
  static llvm::Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder &&other) : path(std::move(other.path)) {
    other.path.clear();
  }
  ~TemporaryFolder();

  /// Leaves the folder to whoever looks for a mistake in its files.
  void keep() { path.clear(); }

  /// The path of `name` in the folder.
  std::string operator/(llvm::StringRef name) const;

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// Writes `contents` to `path` under another name first and renames it then.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef contents);

/// Creates `directory` and writes `files` into it.
llvm::Error writeFiles(llvm::StringRef directory,
                       const std::vector<OutputFile> &files);

/// The bytes of the file at `path`.
llvm::Expected<std::string> readFile(llvm::StringRef path);

} // namespace delta

#endif // DELTA_LIB_ARTEFACT_FILES_H
