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
  void runOnOperation() override;

private:
  LogicalResult nameSets(MutableArrayRef<HostProgram> programs);
  void plan(MutableArrayRef<HostProgram> programs);
};

} // namespace

void PlanLauncher::runOnOperation() {
  // The kernel sets of a function have host functions of its name.
  llvm::MapVector<StringAttr, SmallVector<HostProgram, 1>> functions;
  WalkResult result = getOperation().walk([&](func::FuncOp function) {
    FailureOr<HostProgram> program = readHostProgram(function);
    if (failed(program))
      return WalkResult::interrupt();
    functions[function.getNameAttr()].push_back(std::move(*program));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return signalPassFailure();
  for (auto &[name, programs] : functions)
    if (failed(nameSets(programs)))
      return signalPassFailure();
  for (auto &[name, programs] : functions) {
    plan(programs);
    for (HostProgram &program : programs)
      program.function.erase();
  }
  for (auto module :
       llvm::make_early_inc_range(getOperation().getOps<ModuleOp>()))
    if (module.getBody()->empty())
      module.erase();
}

/// Reads which targets each set serves. Where there are several sets, each is
/// named after the first of its targets, and its kernels end in that name.
LogicalResult PlanLauncher::nameSets(MutableArrayRef<HostProgram> programs) {
  for (HostProgram &program : programs) {
    auto module = program.function->getParentOfType<ModuleOp>();
    if (auto targets = module->getAttrOfType<ArrayAttr>(plan::kTargetsAttr))
      llvm::append_range(program.targets,
                         targets.getAsRange<plan::MachineAttr>());
    if (programs.size() == 1)
      continue;
    if (program.targets.empty())
      return program.function.emitError()
             << "one of " << programs.size() << " kernel sets: expected '"
             << plan::kTargetsAttr << "' on its module";
    program.set = program.targets.front().getName().str();
    for (auto kernel : module.getOps<KernelOp>())
      kernel.setSymName((kernel.getName() + "_" + program.set).str());
  }
  return success();
}

/// What the manifest says of the C interface, which all kernel sets share, and
/// the files that hold their kernels.
static DictionaryAttr getInterface(const HostProgram &program,
                                   ArrayRef<StringRef> kernelFiles,
                                   Builder &builder) {
  SmallVector<Attribute> arrays;
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
  return builder.getDictionaryAttr(
      {entry("args_version", builder.getI32IntegerAttr(argsVersion)),
       entry("arrays", builder.getArrayAttr(arrays)),
       entry("workspace_alignment",
             builder.getI64IntegerAttr(workspaceAlignment)),
       entry("kernel_files", builder.getStrArrayAttr(kernelFiles))});
}

/// What the manifest says of a kernel set beside its kernels.
static DictionaryAttr getKernelSet(HostProgram &program, Builder &builder) {
  SmallVector<Attribute> workspace;
  HostDescription description;
  auto entry = [&](StringRef key, Attribute value) {
    return builder.getNamedAttr(key, value);
  };
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
      entry("definitions", builder.getArrayAttr(definitions)),
      entry("workspace", builder.getArrayAttr(workspace)),
      entry("launches", builder.getArrayAttr(launches))};
  if (!program.targets.empty())
    entries.push_back(
        entry("targets", builder.getArrayAttr(SmallVector<Attribute>(
                             program.targets.begin(), program.targets.end()))));
  if (Attribute plans = program.function->getAttr("delta.plans"))
    entries.push_back(entry("plans", plans));
  return builder.getDictionaryAttr(entries);
}

/// A file of a function with its comment, its header and, sorted, other
/// headers. Leaves `builder` in its namespace.
static FileOp startFile(HostProgram &program, const std::string &fileName,
                        const std::string &what,
                        const std::set<std::string> &includes,
                        ArrayRef<StringRef> systemIncludes,
                        OpBuilder &builder) {
  func::FuncOp function = program.function;
  Location loc = function.getLoc();
  std::string name = function.getName().str();
  auto file = FileOp::create(builder, loc, fileName);
  builder.setInsertionPointToStart(&file.getBody().front());
  CommentOp::create(builder, loc, writeBanner(program, fileName, what));
  IncludeOp::create(builder, loc, name + ".h", /*system=*/false);
  for (const std::string &path : includes)
    IncludeOp::create(builder, loc, path, /*system=*/false);
  for (StringRef path : systemIncludes)
    IncludeOp::create(builder, loc, path, /*system=*/true);
  auto scope = NamespaceOp::create(builder, loc, getNamespace(name));
  builder.setInsertionPointToStart(&scope.getBody().front());
  return file;
}

/// The headers that the kernels and the launcher of a set need.
static std::set<std::string> getIncludes(HostProgram &program) {
  std::set<std::string> includes;
  for (HostLaunch &launch : program.launches) {
    if (ArrayAttr paths = launch.kernel.getIncludesAttr())
      for (StringAttr path : paths.getAsRange<StringAttr>())
        includes.insert(path.str());
    if (launch.op.getOverlap())
      includes.insert("delta/Device/Launch.h");
    for (const KernelParameter &parameter : getParameters(launch))
      if (parameter.kind == KernelParameter::TensorMap)
        includes.insert("delta/Device/TensorMap.h");
  }
  program.function.walk([&](Operation *op) {
    if (isa<tile::MultiprocessorsOp>(op))
      includes.insert("delta/Device/Launch.h");
    else if (isa<tile::ChunkTimeOp, tile::ChooseSegmentsOp>(op))
      includes.insert("delta/Device/Segments.h");
  });
  return includes;
}

/// Writes what the launcher calls a function for as index arithmetic.
static void decomposeChoices(func::FuncOp function) {
  function.walk([](DecomposableOpInterface op) {
    if (!isa<tile::ChunkTimeOp, tile::ChooseSegmentsOp>(*op))
      return;
    OpBuilder builder(op);
    // Arithmetic alone: no case fails.
    op->replaceAllUsesWith(*op.decompose(builder));
    op->erase();
  });
}

/// NAME.cu, or NAME_sm_90a.cu where there are several sets.
static FileOp buildKernels(HostProgram &program, OpBuilder builder) {
  std::string name = program.function.getName().str();
  std::string fileName = name + ".cu";
  std::string what = "the kernels of " + name + " and their launcher.";
  if (!program.set.empty()) {
    fileName = name + "_" + program.set + ".cu";
    what = "the kernels of " + name + " for ";
    llvm::ListSeparator comma;
    for (plan::MachineAttr target : program.targets)
      what += (StringRef(comma) + target.getName()).str();
    what += ", and their launcher.";
  }
  FileOp file = startFile(program, fileName, what, getIncludes(program),
                          {"cuda_runtime.h"}, builder);
  Block &body = *builder.getInsertionBlock();
  // A kernel may be launched more than once.
  for (HostLaunch &launch : program.launches)
    if (launch.kernel->getBlock() != &body)
      launch.kernel->moveBefore(&body, body.end());
  builder.setInsertionPointToEnd(&body);
  buildChecks(program, builder);
  buildLauncher(program, builder);
  if (program.set.empty())
    buildStatusString(program, builder);
  // Who reads the manifest has the arithmetic, not the device library.
  decomposeChoices(program.function);
  file->setAttr(CudaDialect::getKernelSetAttrName(),
                getKernelSet(program, builder));
  auto banner = cast<CommentOp>(file.getBody().front().front());
  banner.setText((banner.getText() + writeKernelBanner(program)).str());
  return file;
}

/// NAME.cpp, which stands before several kernel sets.
static FileOp buildChoiceFile(MutableArrayRef<HostProgram> programs,
                              OpBuilder builder) {
  HostProgram &first = programs.front();
  std::string name = first.function.getName().str();
  FileOp file = startFile(
      first, name + ".cpp",
      "launches the kernels of " + name + " for the device at hand.",
      {"delta/Device/Launch.h"}, {"algorithm", "cuda_runtime.h"}, builder);
  buildChoice(programs, builder);
  buildStatusString(first, builder);
  return file;
}

void PlanLauncher::plan(MutableArrayRef<HostProgram> programs) {
  auto builder = OpBuilder::atBlockEnd(getOperation().getBody());
  HostProgram &first = programs.front();
  buildHeader(first, builder);
  buildTorchOperator(first, builder);
  SmallVector<FileOp> kernels;
  for (HostProgram &program : programs)
    kernels.push_back(buildKernels(program, builder));
  FileOp launcher = kernels.size() == 1 ? kernels.front()
                                        : buildChoiceFile(programs, builder);
  SmallVector<StringRef> names;
  for (FileOp file : kernels)
    names.push_back(file.getName());
  launcher->setAttr(CudaDialect::getInterfaceAttrName(),
                    getInterface(first, names, builder));
}
