//===- Driver.cpp - one run of delta-run ------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The whole input is checked before anything is computed, and a stage is
/// compiled only after the previous stage has run.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Driver.h"

#include "Timing.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Execution/Explain.h"
#include "delta/Execution/Report.h"
#include "delta/InitAll.h"
#include "delta/Runtime/Gpu.h"
#include "delta/Support/Target.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

#include <fmt/format.h>

using namespace mlir;
using namespace delta;
using runtime::HostTensor;

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

/// Reports an error that has no location in the IR.
static LogicalResult reportError(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "delta-run") << message << "\n";
  return failure();
}

/// The stages to run, each once and in the order given. The reference comes
/// first if results are to be checked. Without a GPU the gpu stage is an error:
/// a run of another stage in its place would pass without any kernel.
static FailureOr<std::vector<Stage>> parseStages(const RunOptions &options) {
  std::vector<Stage> stages;
  auto add = [&](Stage stage) {
    if (!llvm::is_contained(stages, stage))
      stages.push_back(stage);
  };
  if (options.check)
    add(Stage::Reference);
  for (const std::string &name : options.stages) {
    std::optional<Stage> stage = parseStage(name);
    if (!stage)
      return reportError("unknown stage '" + name +
                         "', accepted: " + acceptedStages());
    if (stage == Stage::Gpu) {
      if (std::optional<std::string> reason = runtime::whyNoGpu())
        return reportError(*reason +
                           ": the gpu stage cannot run; the tile stage "
                           "computes the same on the CPU");
    }
    add(*stage);
  }
  return stages;
}

/// Parses the file and describes the function to run; on return the module
/// holds only that function, and it obeys the contract of the recurrent phase.
static FailureOr<SpecDescription> readSpec(const RunOptions &options,
                                           llvm::SourceMgr &sourceManager,
                                           MLIRContext &context,
                                           OwningOpRef<ModuleOp> &module) {
  module = parseSourceFile<ModuleOp>(sourceManager, &context);
  if (!module)
    return failure();
  FailureOr<func::FuncOp> function = selectFunction(*module, options.function);
  if (failed(function))
    return failure();
  for (Operation &op : llvm::make_early_inc_range(*module->getBody()))
    if (&op != function->getOperation())
      op.erase();
  PassManager verify(&context);
  verify.addPass(createVerifyRecurrent());
  if (failed(verify.run(*module)))
    return failure();
  return describeSpec(*function);
}

static FailureOr<OperandSet> makeOperands(const SpecDescription &spec,
                                          const RunOptions &options) {
  if (options.inputsFile.empty()) {
    runtime::Result<OperandSet> drawn =
        drawOperands(spec, options.sizes, options.draw);
    if (!drawn)
      return reportError(drawn.error());
    return std::move(*drawn);
  }
  runtime::Result<runtime::TensorFile> file =
      runtime::readSafetensors(options.inputsFile);
  if (!file)
    return reportError(file.error());
  runtime::Result<OperandSet> taken =
      takeOperands(spec, options.sizes, std::move(*file));
  if (!taken)
    return reportError(options.inputsFile + ": " + taken.error());
  return std::move(*taken);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Compares every result of a stage with the reference and with expected
/// values.
static std::vector<ResultReport>
reportResults(Stage stage, const SpecDescription &spec,
              const OperandSet &operands, const CheckContext *context,
              ArrayRef<HostTensor> reference, ArrayRef<HostTensor> results) {
  std::vector<ResultReport> reports;
  for (size_t i = 0; i < spec.results.size(); ++i) {
    const ResultDescription &result = spec.results[i];
    ResultReport report{result.name, results[i].shape(), std::nullopt};
    if (context && stage != Stage::Reference)
      report.outcome = checkAgainstReference(stage, result, reference[i],
                                             results[i], *context);
    reports.push_back(report);
    const auto expected = operands.expected.find(result.name);
    if (!context || expected == operands.expected.end())
      continue;
    report.outcome = checkExactly(expected->second, results[i]);
    reports.push_back(std::move(report));
  }
  return reports;
}

static LogicalResult writeResults(const SpecDescription &spec,
                                  const std::string &path,
                                  std::vector<HostTensor> results) {
  runtime::TensorFile file;
  for (auto [description, tensor] : llvm::zip(spec.results, results))
    file.tensors.emplace(description.name, std::move(tensor));
  if (runtime::MaybeError error = runtime::writeSafetensors(path, file))
    return reportError(error->message);
  return success();
}

/// Compiles and runs one stage, and compares its results.
static FailureOr<StageReport>
runStage(Stage stage, const RunOptions &options, ModuleOp module,
         const SpecDescription &spec, OperandSet &operands,
         const CheckContext *check, ArrayRef<HostTensor> reference,
         std::vector<HostTensor> &results) {
  const Clock::time_point start = Clock::now();
  FailureOr<std::unique_ptr<StageRunner>> runner =
      prepareStage(stage, module, spec,
                   {options.optLevel, options.target, options.segments});
  if (failed(runner))
    return failure();
  StageReport report{stage, secondsSince(start), 0.0, {}};
  FailureOr<StageRun> run = (*runner)->run(spec, operands, options.time);
  if (failed(run))
    return failure();
  report.runSeconds = run->seconds;
  results = std::move(run->results);
  report.results =
      reportResults(stage, spec, operands, check, reference, results);
  return report;
}

LogicalResult delta::runSpec(const RunOptions &options, llvm::raw_ostream &os) {
  if (options.optLevel > 3)
    return reportError("the optimisation level must be 0 to 3, got " +
                       llvm::Twine(options.optLevel));
  if (!options.target.empty() && !lookupTarget(options.target))
    return reportError("unknown target '" + options.target +
                       "', expected one of " + StringRef(getTargetNames()));
  FailureOr<std::vector<Stage>> stages = parseStages(options);
  if (failed(stages))
    return failure();

  std::string openError;
  std::unique_ptr<llvm::MemoryBuffer> buffer =
      openInputFile(options.specFile, &openError);
  if (!buffer)
    return reportError(openError);
  llvm::SourceMgr sourceManager;
  sourceManager.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // A diagnostic shows the line with the user's mistake, and no printed IR.
  context.printOpOnDiagnostic(false);
  SourceMgrDiagnosticHandler diagnostics(sourceManager, &context);

  OwningOpRef<ModuleOp> module;
  FailureOr<SpecDescription> spec =
      readSpec(options, sourceManager, context, module);
  if (failed(spec))
    return failure();
  FailureOr<OperandSet> operands = makeOperands(*spec, options);
  if (failed(operands))
    return failure();

  os << fmt::format("{}: batch {}, length {}\n", spec->function,
                    operands->sizes.batch, operands->sizes.length);
  std::optional<CheckContext> check;
  if (options.check)
    check = makeCheckContext(*spec, *operands, options.draw.keyCosine > 0.0);
  std::vector<StageReport> reports;
  std::vector<HostTensor> reference, results;
  bool allRan = true;
  for (Stage stage : *stages) {
    FailureOr<StageReport> report =
        runStage(stage, options, *module, *spec, *operands,
                 check ? &*check : nullptr, reference, results);
    if (failed(report)) {
      // The table still shows the stages that ran.
      allRan = false;
      break;
    }
    reports.push_back(std::move(*report));
    if (stage == Stage::Reference && check)
      for (const HostTensor &result : results)
        reference.push_back(result.clone());
  }

  if (!reports.empty())
    printReport(reports, options.check, os);
  if (!allRan)
    return failure();
  if (!options.outputsFile.empty() &&
      failed(writeResults(*spec, options.outputsFile, std::move(results))))
    return failure();
  if (llvm::all_of(reports, [](const StageReport &r) { return r.passed(); }))
    return success();
  for (const std::string &reason : explainFailure(*spec, *operands, reference))
    llvm::WithColor::note(llvm::errs(), "delta-run") << reason << "\n";
  return failure();
}
