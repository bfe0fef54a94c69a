//===- Files.cpp - write files whole or not at all --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Errors name the path and what the system says.
///
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static Error fail(const Twine &what, StringRef path, std::error_code error) {
  return createStringError(error, what + " '" + path + "': " + error.message());
}

Expected<delta::TemporaryFolder> delta::TemporaryFolder::create() {
  SmallString<128> path;
  if (std::error_code error = sys::fs::createUniqueDirectory("delta", path))
    return fail("cannot create a temporary folder", path, error);
  return TemporaryFolder(path.str().str());
}

delta::TemporaryFolder::~TemporaryFolder() {
  if (!path.empty())
    sys::fs::remove_directories(path);
}

std::string delta::TemporaryFolder::operator/(StringRef name) const {
  SmallString<128> result(path);
  sys::path::append(result, name);
  return result.str().str();
}

Error delta::writeFile(StringRef name, StringRef contents) {
  // Through links, to the file that they name; never in the place of a device.
  SmallString<128> path(name);
  if (sys::fs::exists(name)) {
    if (std::error_code error = sys::fs::real_path(name, path))
      return fail("cannot write", name, error);
    if (!sys::fs::is_regular_file(path))
      return fail("cannot write", name,
                  std::make_error_code(std::errc::invalid_argument));
  }
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(
      Twine(path) + ".%%%%%%%%", sys::fs::all_read | sys::fs::all_write);
  if (!file)
    return fail("cannot write", path, errorToErrorCode(file.takeError()));
  {
    raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
    stream << contents;
    stream.flush();
    if (std::error_code error = stream.error()) {
      stream.clear_error();
      consumeError(file->discard());
      return fail("cannot write", path, error);
    }
  }
  if (Error error = file->keep(path))
    return fail("cannot write", path, errorToErrorCode(std::move(error)));
  return Error::success();
}

Error delta::writeFiles(StringRef directory,
                        const std::vector<OutputFile> &files) {
  // LLVM's default keeps others out, whatever the umask says.
  if (std::error_code error = sys::fs::create_directories(
          directory, /*IgnoreExisting=*/true, sys::fs::all_all))
    return fail("cannot create folder", directory, error);
  for (const OutputFile &file : files) {
    SmallString<128> path(directory);
    sys::path::append(path, file.name);
    if (Error error = writeFile(path, file.contents))
      return error;
  }
  return Error::success();
}

Expected<std::string> delta::readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return fail("cannot read", path, buffer.getError());
  return (*buffer)->getBuffer().str();
}
