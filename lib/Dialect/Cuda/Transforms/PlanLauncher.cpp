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
      if (failed(program) || failed(checkLaunches(*program)))
        return signalPassFailure();
      plan(*program);
      function.erase();
    }
  }

private:
  LogicalResult checkLaunches(HostProgram &program);
  void plan(HostProgram &program);
  DictionaryAttr getInterface(HostProgram &program, Builder &builder);
};

} // namespace

/// What cuda.kernel documents as its parameters, against what it has.
static LogicalResult checkParameters(HostLaunch &launch) {
  SmallVector<Type> wanted;
  Builder builder(launch.kernel.getContext());
  for (Type input : launch.op.getInputs().getTypes()) {
    auto type = dyn_cast<MemRefType>(input);
    if (!type) {
      wanted.push_back(builder.getIndexType());
      continue;
    }
    wanted.push_back(cuda::PointerType::get(type.getElementType()));
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (llvm::any_of(type.getShape().drop_front(axis + 1),
                       ShapedType::isDynamic))
        wanted.push_back(builder.getIndexType());
  }
  ArrayRef<int64_t> grid = *launch.kernel.getGrid();
  for (int64_t extent : grid.drop_back(grid.empty() ? 0 : 1))
    if (extent == -1)
      wanted.push_back(builder.getIndexType());

  ArrayRef<Type> given = launch.kernel.getArgumentTypes();
  auto matches = [](Type wanted, Type given) {
    auto pointer = dyn_cast<cuda::PointerType>(given);
    return wanted == given ||
           (pointer && cuda::PointerType::get(pointer.getPointee()) == wanted);
  };
  if (wanted.size() == given.size() &&
      llvm::all_of(llvm::zip(wanted, given), [&](auto pair) {
        return matches(std::get<0>(pair), std::get<1>(pair));
      }))
    return success();
  InFlightDiagnostic diagnostic =
      launch.op.emitError()
      << "kernel " << launch.op.getKernelAttr() << " must have parameters ("
      << TypeRange(wanted) << "), got (" << TypeRange(given) << ")";
  diagnostic.attachNote(launch.kernel.getLoc()) << "the kernel is here";
  return diagnostic;
}

LogicalResult PlanLauncher::checkLaunches(HostProgram &program) {
  for (HostLaunch &launch : program.launches)
    if (failed(checkParameters(launch)))
      return failure();
  return success();
}

/// What the manifest says of the host function.
DictionaryAttr PlanLauncher::getInterface(HostProgram &program,
                                          Builder &builder) {
  SmallVector<Attribute> arrays, workspace;
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
    arrays.push_back(builder.getDictionaryAttr(entries));
  }
  for (HostBuffer &buffer : program.buffers) {
    memref::AllocOp op = buffer.op;
    MemRefType type = op.getType();
    int64_t known = 1;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (!type.isDynamicDim(axis))
        known *= type.getDimSize(axis);
    std::string elements = describeProduct(op.getDynamicSizes());
    if (op.getDynamicSizes().empty())
      elements = std::to_string(known);
    else if (known != 1)
      elements += " * " + std::to_string(known);
    workspace.push_back(builder.getDictionaryAttr(
        {entry("name", builder.getStringAttr(buffer.name)),
         entry("type", TypeAttr::get(type)),
         entry("elements", builder.getStringAttr(elements))}));
  }
  SmallVector<NamedAttribute> grids;
  for (HostLaunch &launch : program.launches) {
    std::string grid = describeProduct(launch.op.getGrid());
    grids.push_back(
        entry(launch.kernel.getName(), builder.getStringAttr(grid)));
  }
  SmallVector<NamedAttribute> entries = {
      entry("arrays", builder.getArrayAttr(arrays)),
      entry("workspace", builder.getArrayAttr(workspace)),
      entry("grids", builder.getDictionaryAttr(grids))};
  if (Attribute schedule = program.function->getAttr("delta.schedule"))
    entries.push_back(entry("schedule", schedule));
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
  for (const std::string &path : includes)
    IncludeOp::create(builder, loc, path, /*system=*/false);
  IncludeOp::create(builder, loc, "cuda_runtime.h", /*system=*/true);

  auto scope = NamespaceOp::create(builder, loc, "delta::" + name);
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
