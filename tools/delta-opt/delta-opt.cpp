//===- delta-opt.cpp - driver of delta's passes -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parses a spec and either runs passes and prints the result, or with --emit
/// compiles it to files. Everything that it can do is registered by InitAll.
///
//===----------------------------------------------------------------------===//

#include "delta/Artefact/Emit.h"
#include "delta/InitAll.h"
#include "delta/Support/Version.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using delta::EmitKind;

/// Whether the command line names passes, which --emit would not run: it has an
/// order of its own.
static bool namesPasses() {
  mlir::MLIRContext context;
  mlir::PassManager manager(&context);
  // A pipeline that cannot be read is one too.
  return mlir::failed(
             mlir::MlirOptMainConfig::createFromCLOptions().setupPassPipeline(
                 manager)) ||
         !manager.empty();
}

int main(int argc, char **argv) {
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << delta::getVersionLine() << '\n'; });
  cl::list<EmitKind> kinds(
      "emit", cl::CommaSeparated, cl::desc("Compile to files in the folder -o"),
      cl::values(clEnumValN(EmitKind::Mlir, "mlir", "IR of the last phase"),
                 clEnumValN(EmitKind::Cuda, "cuda", "CUDA text, C header"),
                 clEnumValN(EmitKind::Cubin, "cubin", "and a cubin a target"),
                 clEnumValN(EmitKind::Library, "library", "and lib*.so"),
                 clEnumValN(EmitKind::Torch, "torch", "and a PyTorch op")));
  cl::list<std::string> targets(
      "target", cl::CommaSeparated, cl::value_desc("sm_80,sm_90a,..."),
      cl::desc("With --emit: what the binaries run on (default: sm_80)"));
  cl::opt<bool> amalgamate(
      "amalgamate",
      cl::desc("With --emit: put the device library into the .cu"));

  mlir::DialectRegistry registry;
  delta::registerAllDialects(registry);
  delta::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "delta: compiler for delta-rule recurrences\n", registry);
  if (kinds.empty())
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  if (namesPasses()) {
    llvm::errs()
        << "--emit runs every pass from the input's phase on: expected "
           "no pass beside it; two calls, the second on what the "
           "first prints, do both\n";
    return 1;
  }
  delta::EmitOptions options;
  options.kinds = kinds;
  if (!targets.empty())
    options.targets = targets;
  options.directory = output;
  options.amalgamate = amalgamate;
  return mlir::asMainReturnCode(delta::emitFile(input, options, registry));
}
