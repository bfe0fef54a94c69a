//===- delta-opt.cpp - driver of delta's passes -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parses a spec and either runs passes and prints the result, or with --emit
/// compiles it to files. InitAll registers all dialects and passes.
///
//===----------------------------------------------------------------------===//

#include "delta/Artefact/Emit.h"
#include "delta/InitAll.h"
#include "delta/Support/Version.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

namespace cl = llvm::cl;
using delta::EmitKind;

/// Whether the command line names passes. --emit has its own order of passes
/// and would ignore them.
static bool namesPasses() {
  mlir::MLIRContext context;
  mlir::PassManager manager(&context);
  // A pipeline that cannot be parsed counts, too.
  return mlir::failed(
             mlir::MlirOptMainConfig::createFromCLOptions().setupPassPipeline(
                 manager)) ||
         !manager.empty();
}

static constexpr std::pair<EmitKind, llvm::StringLiteral> kKinds[] = {
    {EmitKind::Mlir, "mlir"},
    {EmitKind::Cuda, "cuda"},
    {EmitKind::Cubin, "cubin"},
    {EmitKind::Library, "library"},
    {EmitKind::Torch, "torch"}};

/// The kinds with these names; on an unknown name an empty list, after a
/// message.
static std::vector<EmitKind> parseKinds(const cl::list<std::string> &names) {
  std::vector<EmitKind> kinds;
  for (const std::string &name : names) {
    const auto *known = llvm::find_if(
        kKinds, [&](const auto &kind) { return kind.second == name; });
    if (known == std::end(kKinds)) {
      auto &os = llvm::WithColor::error(llvm::errs(), "delta-opt")
                 << "unknown kind '" << name << "' to emit, expected one of ";
      llvm::interleaveComma(kKinds, os,
                            [&](const auto &kind) { os << kind.second; });
      os << "\n";
      return {};
    }
    kinds.push_back(known->first);
  }
  return kinds;
}

/// Registers the options of MLIR that --emit obeys: those of the context, of
/// printed IR, of the pass manager and of its timing.
static void registerOptionsOfEmit() {
  mlir::registerMLIRContextCLOptions();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
}

static llvm::SmallPtrSet<const cl::Option *, 0> getRegisteredOptions() {
  llvm::SmallPtrSet<const cl::Option *, 0> options;
  for (const auto &entry : cl::getRegisteredOptions())
    options.insert(entry.second);
  return options;
}

/// The first option of the command line that is not among `obeyed`; empty where
/// there is none. Passes are left to `namesPasses`.
static llvm::StringRef
findIgnored(const llvm::SmallPtrSetImpl<const cl::Option *> &obeyed) {
  std::vector<const cl::Option *> ignored;
  for (const auto &entry : cl::getRegisteredOptions())
    if (entry.second->getNumOccurrences() && entry.second->hasArgStr() &&
        entry.first != "o" && !obeyed.contains(entry.second))
      ignored.push_back(entry.second);
  if (ignored.empty())
    return "";
  return (*llvm::min_element(ignored,
                             [](const auto *left, const auto *right) {
                               return left->getPosition() <
                                      right->getPosition();
                             }))
      ->ArgStr;
}

/// Shows LLVM's own options, those of linked but unused code generators, only
/// in --help-hidden. Called before the options of delta and MLIR are created.
static void hideOptionsOfLlvm() {
  for (auto &entry : cl::getRegisteredOptions())
    if (llvm::is_contained(entry.second->Categories, &cl::getGeneralCategory()))
      entry.second->setHiddenFlag(cl::Hidden);
}

int main(int argc, char **argv) {
  hideOptionsOfLlvm();
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << delta::getVersionLine() << '\n'; });
  cl::list<std::string> kindNames(
      "emit", cl::CommaSeparated, cl::value_desc("cuda,library,..."),
      cl::desc("Compile to files in the folder -o: mlir (IR of the last "
               "phase), cuda (CUDA text, C header, manifest), cubin (and a "
               "cubin per target), library (and lib*.so), torch (and a PyTorch "
               "operator)"));
  cl::list<std::string> targets(
      "target", cl::CommaSeparated, cl::value_desc("sm_80,sm_90a,..."),
      cl::desc("With --emit: targets of the binaries (default: sm_80)"));
  cl::opt<bool> amalgamate(
      "amalgamate",
      cl::desc("With --emit: put the device library into the .cu"));

  // Options that name passes look them up when they are registered.
  delta::registerAllPasses();
  registerOptionsOfEmit();
  auto obeyed = getRegisteredOptions();
  // Diagnostics of --emit are about the spec, and show no op of a later phase.
  obeyed.erase(
      cl::getRegisteredOptions().lookup("mlir-print-op-on-diagnostic"));

  mlir::DialectRegistry registry;
  delta::registerAllDialects(registry);
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "delta: compiler for delta-rule recurrences\n", registry);
  if (!kindNames.getNumOccurrences()) {
    if (!targets.empty() || amalgamate) {
      llvm::WithColor::error(llvm::errs(), "delta-opt")
          << (targets.empty() ? "--amalgamate" : "--target")
          << " belongs to --emit; a pass or pipeline takes a target as "
             "--PASS=target=sm_90a\n";
      return EXIT_FAILURE;
    }
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  }
  if (namesPasses()) {
    llvm::WithColor::error(llvm::errs(), "delta-opt")
        << "--emit runs every pass from the input's phase on: expected "
           "no pass beside it; use two calls, the second on the output "
           "of the first\n";
    return EXIT_FAILURE;
  }
  if (llvm::StringRef ignored = findIgnored(obeyed); !ignored.empty()) {
    llvm::WithColor::error(llvm::errs(), "delta-opt")
        << "--" << ignored
        << " does not go with --emit, which takes MLIR's options of printing, "
           "timing, statistics and crash reproducers alone\n";
    return EXIT_FAILURE;
  }
  delta::EmitOptions options;
  options.kinds = parseKinds(kindNames);
  if (options.kinds.empty())
    return EXIT_FAILURE;
  if (!targets.empty())
    options.targets = targets;
  options.directory = output;
  options.amalgamate = amalgamate;
  options.inspectPasses = [](mlir::PassManager &manager) {
    mlir::applyDefaultTimingPassManagerCLOptions(manager);
    return mlir::applyPassManagerCLOptions(manager);
  };
  return mlir::asMainReturnCode(delta::emitFile(input, options, registry));
}
