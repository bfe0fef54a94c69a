//===- delta-opt.cpp - driver of delta's passes -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parses a spec, runs passes, prints the result. Everything that it can do is
/// registered by InitAll.
///
//===----------------------------------------------------------------------===//

#include "delta/InitAll.h"
#include "delta/Support/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  llvm::cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << delta::getVersionLine() << '\n'; });
  mlir::DialectRegistry registry;
  delta::registerAllDialects(registry);
  delta::registerAllPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "delta: compiler for delta-rule recurrences\n", registry));
}
