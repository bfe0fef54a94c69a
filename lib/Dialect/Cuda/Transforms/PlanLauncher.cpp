//===- PlanLauncher.cpp - host functions to files ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Makes the files and moves kernels into them. What is in the launcher is
/// decided in Launcher*.cpp.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/Transforms/Passes.h"

#include "KernelParameters.h"
#include "Launcher.h"
#include "delta/Dialect/Cuda/Transforms/Names.h"
#include <set>

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace delta::cuda {
#define GEN_PASS_DEF_PLANLAUNCHER
#include "delta/Dialect/Cuda/IR/CudaPasses.h.inc"
} // namespace delta::cuda

namespace {

struct PlanLauncher : public cuda::impl::PlanLauncherBase<PlanLauncher> {
  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      FailureOr<HostProgram> program = readHostProgram(function);
      if (failed(program))
        return signalPassFailure();
      plan(*program);
      function.erase();
    }
  }

private:
  void plan(HostProgram &program);
  DictionaryAttr getInterface(HostProgram &program, Builder &builder);
};

} // namespace

/// What the manifest says of the host function.
DictionaryAttr PlanLauncher::getInterface(HostProgram &program,
                                          Builder &builder) {
  SmallVector<Attribute> arrays, workspace;
  HostDescription description;
  auto entry = [&](StringRef key, Attribute value) {
    return builder.getNamedAttr(key, value);
  };
  for (const HostArray &array : program.arrays) {
    SmallVector<NamedAttribute> entries = {
        entry("name", builder.getStringAttr(array.name)),
        entry("field", builder.getStringAttr(array.field)),
        entry("type", TypeAttr::get(array.type))};
    if (array.isResult)
      entries.push_back(entry("result", builder.getUnitAttr()));
    if (array.isUpdated)
      entries.push_back(entry("updated", builder.getUnitAttr()));
    arrays.push_back(builder.getDictionaryAttr(entries));
  }
  for (HostBuffer &buffer : program.buffers) {
    memref::AllocOp op = buffer.op;
    MemRefType type = op.getType();
    int64_t known = 1;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (!type.isDynamicDim(axis))
        known *= type.getDimSize(axis);
    std::string elements = description.describeProduct(op.getDynamicSizes());
    if (op.getDynamicSizes().empty())
      elements = std::to_string(known);
    else if (known != 1)
      elements += " * " + std::to_string(known);
    workspace.push_back(builder.getDictionaryAttr(
        {entry("name", builder.getStringAttr(buffer.name)),
         entry("type", TypeAttr::get(type)),
         entry("elements", builder.getStringAttr(elements))}));
  }
  SmallVector<Attribute> launches;
  for (HostLaunch &launch : program.launches) {
    SmallVector<NamedAttribute> entries = {
        entry("kernel", builder.getStringAttr(launch.kernel.getName())),
        entry("grid", builder.getStringAttr(
                          description.describeProduct(launch.op.getGrid())))};
    if (!launch.condition.empty())
      entries.push_back(
          entry("condition",
                builder.getStringAttr(description.describe(launch.condition))));
    if (launch.op.getOverlap())
      entries.push_back(entry("overlap", builder.getUnitAttr()));
    launches.push_back(builder.getDictionaryAttr(entries));
  }
  SmallVector<Attribute> definitions;
  for (const auto &[name, value] : description.getDefinitions())
    definitions.push_back(builder.getDictionaryAttr(
        {entry("name", builder.getStringAttr(name)),
         entry("value", builder.getStringAttr(value))}));
  SmallVector<NamedAttribute> entries = {
      entry("args_version", builder.getI32IntegerAttr(argsVersion)),
      entry("arrays", builder.getArrayAttr(arrays)),
      entry("definitions", builder.getArrayAttr(definitions)),
      entry("workspace", builder.getArrayAttr(workspace)),
      entry("workspace_alignment",
            builder.getI64IntegerAttr(workspaceAlignment)),
      entry("launches", builder.getArrayAttr(launches))};
  if (Attribute plans = program.function->getAttr("delta.plans"))
    entries.push_back(entry("plans", plans));
  return builder.getDictionaryAttr(entries);
}

void PlanLauncher::plan(HostProgram &program) {
  func::FuncOp function = program.function;
  Location loc = function.getLoc();
  std::string name = function.getName().str();
  OpBuilder builder(function);
  buildHeader(program, builder);
  buildTorchOperator(program, builder);

  auto file = FileOp::create(builder, loc, name + ".cu");
  file->setAttr("cuda.interface", getInterface(program, builder));
  builder.setInsertionPointToStart(&file.getBody().front());
  CommentOp::create(builder, loc,
                    name + ".cu: the kernels of " + name +
                        " and their launcher.\nGenerated by delta from " +
                        name + ".");
  IncludeOp::create(builder, loc, name + ".h", /*system=*/false);
  // Sorted, each once.
  std::set<std::string> includes;
  for (HostLaunch &launch : program.launches)
    if (ArrayAttr paths = launch.kernel.getIncludesAttr())
      for (StringAttr path : paths.getAsRange<StringAttr>())
        includes.insert(path.str());
  for (HostLaunch &launch : program.launches) {
    if (launch.op.getOverlap())
      includes.insert("delta/Device/Launch.h");
    for (const KernelParameter &parameter : getParameters(launch))
      if (parameter.kind == KernelParameter::TensorMap)
        includes.insert("delta/Device/TensorMap.h");
  }
  program.function.walk([&](tile::MultiprocessorsOp) {
    includes.insert("delta/Device/Launch.h");
  });
  for (const std::string &path : includes)
    IncludeOp::create(builder, loc, path, /*system=*/false);
  IncludeOp::create(builder, loc, "cuda_runtime.h", /*system=*/true);

  auto scope = NamespaceOp::create(builder, loc, getNamespace(name));
  Block &body = scope.getBody().front();
  builder.setInsertionPointToStart(&body);
  // A kernel may be launched more than once.
  for (HostLaunch &launch : program.launches)
    if (launch.kernel->getBlock() != &body)
      launch.kernel->moveBefore(&body, body.end());
  builder.setInsertionPointToEnd(&body);
  buildChecks(program, builder);
  buildLauncher(program, builder);
}
