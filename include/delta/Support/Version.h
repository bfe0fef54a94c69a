//===- Version.h - which delta this is --------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The version that tools print and that every artefact's manifest records.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_SUPPORT_VERSION_H
#define DELTA_SUPPORT_VERSION_H

#include <string>

namespace delta {

/// delta's own version, "0.1.0".
const char *getVersion();

/// The version of LLVM and MLIR that delta was built with, "22.1.8".
const char *getLLVMVersion();

/// Both, as `--version` prints them: "delta 0.1.0 (LLVM 22.1.8)".
std::string getVersionLine();

} // namespace delta

#endif // DELTA_SUPPORT_VERSION_H
