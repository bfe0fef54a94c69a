//===- Nvcc.cpp - compile CUDA text -----------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Runs nvcc as a child process.
///
//===----------------------------------------------------------------------===//

#include "Nvcc.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

Expected<delta::Nvcc> delta::Nvcc::find() {
  if (std::optional<std::string> path = sys::Process::GetEnv("DELTA_NVCC")) {
    if (sys::fs::can_execute(*path))
      return Nvcc(*path);
    return createStringError("DELTA_NVCC names '" + *path +
                             "', which is no program");
  }
  if (sys::fs::can_execute(DELTA_CMAKE_NVCC))
    return Nvcc(DELTA_CMAKE_NVCC);
  if (ErrorOr<std::string> path = sys::findProgramByName("nvcc"))
    return Nvcc(*path);
  return createStringError(
      "cannot find nvcc, which compiles the emitted text: put it on PATH or "
      "name it in the environment variable DELTA_NVCC");
}

/// `arguments` as a line for a shell.
static std::string quote(ArrayRef<StringRef> arguments) {
  std::string line;
  raw_string_ostream os(line);
  ListSeparator separator(" ");
  for (StringRef argument : arguments) {
    os << separator;
    sys::printArg(os, argument, /*Quote=*/false);
  }
  return line;
}

Expected<std::string>
delta::Nvcc::run(const std::vector<std::string> &arguments) const {
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  std::string logPath = *folder / "log";
  SmallVector<StringRef> command = {path};
  command.append(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(logPath),
                                          StringRef(logPath)};
  std::string message;
  int status =
      sys::ExecuteAndWait(path, command, std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  std::string log;
  if (Expected<std::string> contents = readFile(logPath))
    log = *contents;
  else
    consumeError(contents.takeError());
  if (status == 0)
    return log;
  if (message.empty())
    message = "exit status " + std::to_string(status);
  return createStringError("nvcc failed: " + message + "\n" + log +
                           "reproduce with: " + quote(command));
}

Expected<std::string> delta::Nvcc::getVersion() const {
  Expected<std::string> log = run({"--version"});
  if (!log)
    return log.takeError();
  StringRef version = StringRef(*log).split("release ").second;
  return version.take_while([](char c) { return c != ','; }).str();
}

Expected<std::string> delta::findDeviceIncludeDirectory() {
  // The address only says which program this is.
  std::string tool = sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findDeviceIncludeDirectory));
  SmallString<128> installed = sys::path::parent_path(tool);
  sys::path::append(installed, "..", "include");
  for (StringRef directory :
       {StringRef(installed), StringRef(DELTA_SOURCE_INCLUDE)}) {
    SmallString<128> header = directory;
    sys::path::append(header, "delta", "Device", "Base.cuh");
    if (sys::fs::exists(header))
      return directory.str();
  }
  return createStringError("cannot find the device headers delta/Device, "
                           "neither in '" +
                           installed + "' nor in '" DELTA_SOURCE_INCLUDE "'");
}

/// The number that stands before `unit` in `line`; 0 if none does.
static int64_t getNumberBefore(StringRef line, StringRef unit) {
  size_t end = line.find((" " + unit).str());
  if (end == StringRef::npos)
    return 0;
  StringRef before = line.take_front(end);
  int64_t number = 0;
  before.substr(before.find_last_not_of("0123456789") + 1)
      .getAsInteger(10, number);
  return number;
}

std::vector<delta::KernelResources> delta::parseResources(StringRef log) {
  std::vector<KernelResources> kernels;
  while (!log.empty()) {
    StringRef line;
    std::tie(line, log) = log.split('\n');
    if (line.contains("Compiling entry function")) {
      SmallVector<StringRef> parts;
      line.split(parts, '\'');
      if (parts.size() < 4)
        continue;
      KernelResources kernel;
      kernel.kernel = parts[1].str();
      kernel.target = parts[3].str();
      kernels.push_back(kernel);
    } else if (kernels.empty()) {
      continue;
    } else if (line.contains("bytes stack frame")) {
      kernels.back().stackFrame = getNumberBefore(line, "bytes stack frame");
      kernels.back().spillStores = getNumberBefore(line, "bytes spill stores");
      kernels.back().spillLoads = getNumberBefore(line, "bytes spill loads");
    } else if (line.contains("Used ")) {
      kernels.back().registers = getNumberBefore(line, "registers");
      kernels.back().staticShared = getNumberBefore(line, "bytes smem");
    }
  }
  return kernels;
}
