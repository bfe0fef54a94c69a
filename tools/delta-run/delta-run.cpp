//===- delta-run.cpp - run a spec -------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The command line of delta::runSpec, and nothing else.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Driver.h"
#include "delta/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

namespace cl = llvm::cl;

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  delta::RunOptions run;
  cl::OptionCategory category("delta-run options");
  cl::opt<std::string, true> spec(cl::Positional, cl::desc("spec.mlir"),
                                  cl::location(run.specFile), cl::init("-"),
                                  cl::cat(category));
  cl::list<std::string> stages(
      "stage", cl::desc("reference, chunked, tile, gpu; one or more"),
      cl::CommaSeparated, cl::OneOrMore, cl::cat(category));
  cl::opt<std::string, true> function(
      "function", cl::desc("the function, where the file has several"),
      cl::location(run.function), cl::cat(category));
  cl::opt<int64_t> batch("batch", cl::desc("sequences"), cl::cat(category));
  cl::opt<int64_t> length("length", cl::desc("tokens"), cl::cat(category));
  cl::opt<uint64_t, true> seed("seed", cl::desc("seed of drawn inputs"),
                               cl::location(run.draw.seed), cl::cat(category));
  cl::opt<double, true> cosine(
      "key-cosine", cl::desc("expected cosine of two drawn keys, [0, 1)"),
      cl::location(run.draw.keyCosine), cl::cat(category));
  cl::opt<std::string, true> inputs(
      "inputs", cl::desc("read the arguments from this .safetensors file"),
      cl::location(run.inputsFile), cl::cat(category));
  cl::opt<std::string, true> outputs(
      "outputs", cl::desc("write the last stage's results to this file"),
      cl::location(run.outputsFile), cl::cat(category));
  cl::opt<bool, true> check(
      "check", cl::desc("compare with the f64 oracle and with expected.*"),
      cl::location(run.check), cl::cat(category));
  cl::opt<bool, true> time("time",
                           cl::desc("report the median of several runs"),
                           cl::location(run.time), cl::cat(category));
  cl::opt<unsigned, true> level(
      "O", cl::Prefix, cl::desc("optimisation level on the CPU, 0 to 3"),
      cl::location(run.optLevel), cl::cat(category));
  cl::opt<std::string, true> target(
      "target",
      cl::desc("architecture of the tile and gpu stages, by default "
               "sm_80 and that of the GPU"),
      cl::location(run.target), cl::cat(category));
  cl::opt<int64_t, true> segments(
      "segments",
      cl::desc("largest number of segments in the tile stage, if the "
               "plan splits sequences; 0: by cost"),
      cl::location(run.segments), cl::cat(category));
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter(
      [](llvm::raw_ostream &os) { os << delta::getVersionLine() << "\n"; });
  cl::ParseCommandLineOptions(argc, argv, "delta: run a recurrence\n");

  run.stages = stages;
  if (batch.getNumOccurrences())
    run.sizes.batch = batch;
  if (length.getNumOccurrences())
    run.sizes.length = length;
  return mlir::succeeded(delta::runSpec(run, llvm::outs())) ? 0 : 1;
}
