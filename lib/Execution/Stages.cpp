//===- Stages.cpp - the ways to run a spec ----------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which passes lead to which stage, and how its code is called.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Stages.h"

#include "delta/Execution/Reference.h"
#include "delta/Runtime/Progress.h"

#include "llvm/ADT/StringExtras.h"

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

  FailureOr<std::vector<HostTensor>> run(const SpecDescription &spec,
                                         OperandSet &operands) override {
    runtime::ProgressLine progress("reference");
    runtime::Result<std::vector<HostTensor>> results =
        runReference(spec, operands, [&](int64_t done, int64_t total) {
          progress.update(done, total);
        });
    if (!results)
      return emitError(loc) << results.error();
    return std::move(*results);
  }

private:
  Location loc;
};

} // namespace

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

FailureOr<std::unique_ptr<StageRunner>>
delta::prepareStage(Stage stage, ModuleOp module, const SpecDescription &spec,
                    const StageOptions &options) {
  switch (stage) {
  case Stage::Reference:
    return std::unique_ptr<StageRunner>(new ReferenceRunner(module.getLoc()));
  case Stage::Chunked:
  case Stage::Tile:
  case Stage::Gpu:
    return module.emitError("stage ")
           << stageName(stage) << " is not built into this delta-run";
  }
  llvm_unreachable("unknown stage");
}
