//===- Amalgamate.cpp - one file instead of includes ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Works on lines. Headers of delta include each other unconditionally, so that
/// no condition need be understood.
///
//===----------------------------------------------------------------------===//

#include "Amalgamate.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace {

class Amalgamator {
public:
  Amalgamator(const std::vector<delta::OutputFile> &generated,
              StringRef includeDirectory)
      : generated(generated), includeDirectory(includeDirectory) {}

  Error add(StringRef text);
  std::string result;

private:
  Expected<std::string> find(StringRef path);

  const std::vector<delta::OutputFile> &generated;
  StringRef includeDirectory;
  StringSet<> seen;
};

} // namespace

Expected<std::string> Amalgamator::find(StringRef path) {
  for (const delta::OutputFile &file : generated)
    if (file.name == path)
      return file.contents;
  SmallString<128> full(includeDirectory);
  sys::path::append(full, path);
  return delta::readFile(full);
}

Error Amalgamator::add(StringRef text) {
  while (!text.empty()) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    StringRef directive = line.trim();
    if (directive == "#pragma once")
      continue;
    if (!directive.consume_front("#include \"")) {
      result += line.str() + "\n";
      continue;
    }
    StringRef path = directive.take_until([](char c) { return c == '"'; });
    if (!seen.insert(path).second)
      continue;
    Expected<std::string> contents = find(path);
    if (!contents)
      return contents.takeError();
    if (Error error = add(*contents))
      return error;
  }
  return Error::success();
}

Expected<std::string>
delta::amalgamate(StringRef text, const std::vector<OutputFile> &generated,
                  StringRef includeDirectory) {
  Amalgamator amalgamator(generated, includeDirectory);
  if (Error error = amalgamator.add(text))
    return std::move(error);
  return amalgamator.result;
}
