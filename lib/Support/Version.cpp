//===- Version.cpp - which delta this is ------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The version strings. CMake's project() is their only source.
///
//===----------------------------------------------------------------------===//

#include "delta/Support/Version.h"

#include "llvm/Config/llvm-config.h"

const char *delta::getVersion() { return DELTA_VERSION; }

const char *delta::getLLVMVersion() { return LLVM_VERSION_STRING; }

std::string delta::getVersionLine() {
  return std::string("delta ") + getVersion() + " (LLVM " + getLLVMVersion() +
         ")";
}
