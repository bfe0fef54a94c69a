//===- Stages.cpp - the ways to run a spec ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes that lead to each stage, and the calls of its code. Results start
/// as NaN, so that an element that a stage forgets to write cannot pass for a
/// value.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Stages.h"

#include "GpuStage.h"
#include "Heartbeat.h"
#include "Timing.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Execution/Jit.h"
#include "delta/Execution/Reference.h"
#include "delta/Pipelines/Tile.h"
#include "delta/Runtime/Progress.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace mlir;
using namespace delta;
using runtime::HostTensor;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static constexpr std::pair<Stage, llvm::StringLiteral> kStageNames[] = {
    {Stage::Reference, "reference"},
    {Stage::Chunked, "chunked"},
    {Stage::Tile, "tile"},
    {Stage::Gpu, "gpu"}};

StringRef delta::stageName(Stage stage) {
  for (const auto &[value, name] : kStageNames)
    if (value == stage)
      return name;
  llvm_unreachable("unknown stage");
}

std::optional<Stage> delta::parseStage(StringRef name) {
  for (const auto &[value, spelling] : kStageNames)
    if (spelling == name)
      return value;
  return std::nullopt;
}

std::string delta::acceptedStages() {
  std::vector<StringRef> names;
  for (const auto &entry : kStageNames)
    names.push_back(entry.second);
  return llvm::join(names, ", ");
}

//===----------------------------------------------------------------------===//
// Runners
//===----------------------------------------------------------------------===//

StageRunner::~StageRunner() = default;

namespace {

/// Calls the oracle.
class ReferenceRunner : public StageRunner {
public:
  explicit ReferenceRunner(Location loc) : loc(loc) {}

  FailureOr<StageRun> run(const SpecDescription &spec, OperandSet &operands,
                          bool repeat) override {
    StageRun run;
    FailureOr<double> seconds = measure(repeat, [&]() -> FailureOr<double> {
      const Clock::time_point start = Clock::now();
      runtime::ProgressLine progress("reference");
      runtime::Result<std::vector<HostTensor>> results =
          runReference(spec, operands, [&](int64_t done, int64_t total) {
            progress.update(done, total);
          });
      if (!results)
        return emitError(loc) << results.error();
      run.results = std::move(*results);
      return secondsSince(start);
    });
    if (failed(seconds))
      return failure();
    run.seconds = *seconds;
    return run;
  }

private:
  Location loc;
};

/// Calls code compiled in this process.
class JitRunner : public StageRunner {
public:
  JitRunner(Stage stage, Jit jit)
      : label(stageName(stage).str()), jit(std::move(jit)) {}

  FailureOr<StageRun> run(const SpecDescription &spec, OperandSet &operands,
                          bool repeat) override {
    StageRun run;
    FailureOr<double> seconds = measure(repeat, [&]() -> FailureOr<double> {
      const Clock::time_point start = Clock::now();
      FailureOr<std::vector<HostTensor>> results = call(spec, operands);
      if (failed(results))
        return failure();
      run.results = std::move(*results);
      return secondsSince(start);
    });
    if (failed(seconds))
      return failure();
    run.seconds = *seconds;
    return run;
  }

private:
  FailureOr<std::vector<HostTensor>> call(const SpecDescription &spec,
                                          OperandSet &operands) {
    std::vector<HostTensor> results;
    SmallVector<HostTensor *> arguments;
    for (HostTensor &argument : operands.arguments)
      arguments.push_back(&argument);
    results.reserve(spec.results.size());
    for (const ResultDescription &result : spec.results) {
      if (result.updates) {
        // The result is written in place, and other stages need the operand:
        // copy it.
        results.push_back(operands.arguments[*result.updates].clone());
        arguments[*result.updates] = &results.back();
        continue;
      }
      results.emplace_back(result.dtype, result.shapeFor(operands.sizes));
      // All bits set is a NaN in every floating-point dtype.
      std::memset(results.back().data(), 0xff, results.back().sizeInBytes());
      arguments.push_back(&results.back());
    }
    Heartbeat heartbeat(label);
    if (failed(jit.call(arguments)))
      return failure();
    return results;
  }

  std::string label;
  Jit jit;
};

} // namespace

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// The passes from the recurrent phase to the input of the Jit.
static void buildLowering(Stage stage, const StageOptions &options,
                          OpPassManager &pipeline) {
  const std::string target = options.target.empty() ? "sm_80" : options.target;
  buildChunkedPipeline(pipeline, target);
  if (stage == Stage::Tile) {
    buildTileValuePipeline(pipeline, options.segments);
    pipeline.addPass(tile::createKernelsToFunctions());
  }
}

FailureOr<std::unique_ptr<StageRunner>>
delta::prepareStage(Stage stage, ModuleOp module, const SpecDescription &spec,
                    const StageOptions &options) {
  switch (stage) {
  case Stage::Reference:
    return std::unique_ptr<StageRunner>(new ReferenceRunner(module.getLoc()));
  case Stage::Chunked:
  case Stage::Tile:
  case Stage::Gpu:
    break;
  }

  Heartbeat heartbeat((stageName(stage) + ": compiling").str());
  if (stage == Stage::Gpu)
    return prepareGpuStage(module, spec, options.target);
  OwningOpRef<ModuleOp> copy(module.clone());
  PassManager pipeline(module.getContext());
  buildLowering(stage, options, pipeline);
  if (failed(pipeline.run(*copy)))
    return failure();
  FailureOr<Jit> jit =
      Jit::compile(std::move(copy), spec.function, options.optLevel);
  if (failed(jit))
    return failure();
  return std::unique_ptr<StageRunner>(new JitRunner(stage, std::move(*jit)));
}
