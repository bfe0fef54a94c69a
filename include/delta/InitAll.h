//===- InitAll.h - register everything that delta uses ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The two calls that every tool makes before it parses a file. Only what delta
/// uses is registered: all of MLIR's dialects and passes would cost most of a
/// build.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_INITALL_H
#define DELTA_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace delta {

/// Adds delta's dialects, the upstream dialects that its phases are made of,
/// and their external interface models to `registry`.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers delta's passes and pipelines, and the upstream passes that are
/// useful between them, by name. Call once a process.
void registerAllPasses();

} // namespace delta

#endif // DELTA_INITALL_H
