//===- GpuStage.cpp - run the compiled kernels ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each result and the workspace start with all bits set, a NaN in every
/// floating-point dtype, so that neither an element that the kernels forget to
/// write nor one that they read too early can pass for a value.
///
//===----------------------------------------------------------------------===//

#include "GpuStage.h"

#include "Heartbeat.h"
#include "Timing.h"
#include "delta/Artefact/Emit.h"
#include "delta/Runtime/Gpu.h"
#include "delta/Runtime/Library.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace delta;
using runtime::Gpu;
using runtime::GpuBuffer;
using runtime::HostTensor;
using runtime::Library;
using runtime::MaybeError;
using runtime::Result;

namespace {

constexpr unsigned char kPoison = 0xff;

/// Calls an artefact with arrays in device memory.
class GpuRunner : public StageRunner {
public:
  GpuRunner(Location loc, Gpu gpu, Library library)
      : loc(loc), gpu(std::move(gpu)), library(std::move(library)) {}

  FailureOr<StageRun> run(const SpecDescription &spec, OperandSet &operands,
                          bool repeat) override;

private:
  /// Passes a runtime's error on as a diagnostic.
  LogicalResult check(const MaybeError &error) const {
    return error ? LogicalResult(emitError(loc) << error->message) : success();
  }

  /// Adds device memory of \p bytes that holds \p contents, or poison if \p
  /// contents is null.
  LogicalResult addBuffer(std::vector<GpuBuffer> &buffers, size_t bytes,
                          const void *contents) const;

  Location loc;
  Gpu gpu;
  Library library;
};

} // namespace

LogicalResult GpuRunner::addBuffer(std::vector<GpuBuffer> &buffers,
                                   size_t bytes, const void *contents) const {
  Result<GpuBuffer> buffer = GpuBuffer::allocate(gpu, bytes);
  if (!buffer)
    return emitError(loc) << buffer.error();
  buffers.push_back(std::move(*buffer));
  return check(contents ? buffers.back().upload(contents)
                        : buffers.back().fill(kPoison));
}

FailureOr<StageRun> GpuRunner::run(const SpecDescription &spec,
                                   OperandSet &operands, bool repeat) {
  Heartbeat heartbeat(stageName(Stage::Gpu).str());
  StageRun run;
  std::vector<GpuBuffer> buffers;
  for (const HostTensor &argument : operands.arguments)
    if (failed(addBuffer(buffers, argument.sizeInBytes(), argument.data())))
      return failure();
  std::vector<size_t> bufferOfResult;
  for (const ResultDescription &result : spec.results) {
    run.results.emplace_back(result.dtype, result.shapeFor(operands.sizes));
    bufferOfResult.push_back(result.updates.value_or(buffers.size()));
    if (!result.updates &&
        failed(addBuffer(buffers, run.results.back().sizeInBytes(), nullptr)))
      return failure();
  }

  std::vector<runtime::LibraryArray> arrays;
  for (auto [buffer, argument] : llvm::zip(buffers, operands.arguments))
    arrays.push_back({buffer.data(), static_cast<size_t>(argument.rank())});
  for (auto [i, result] : llvm::enumerate(run.results))
    if (!spec.results[i].updates)
      arrays.push_back({buffers[bufferOfResult[i]].data(),
                        static_cast<size_t>(result.rank())});
  const std::vector<std::byte> arguments = runtime::packArguments(
      operands.sizes.batch, operands.sizes.length, arrays);
  if (failed(addBuffer(buffers, library.workspaceSize(arguments), nullptr)))
    return failure();
  void *workspace = buffers.back().data();

  FailureOr<double> seconds = measure(repeat, [&]() -> FailureOr<double> {
    Result<double> time = gpu.time(
        [&] { return library.launch(arguments, workspace, gpu.stream()); });
    if (!time)
      return emitError(loc) << time.error();
    return *time;
  });
  if (failed(seconds))
    return failure();
  run.seconds = *seconds;

  for (auto [number, result] : llvm::zip(bufferOfResult, run.results))
    if (failed(check(buffers[number].download(result.data()))))
      return failure();
  return run;
}

FailureOr<std::unique_ptr<StageRunner>>
delta::prepareGpuStage(ModuleOp module, const SpecDescription &spec,
                       StringRef target) {
  Location loc = module.getLoc();
  Result<Gpu> gpu = Gpu::open();
  if (!gpu)
    return emitError(loc) << gpu.error();

  llvm::SmallString<128> folder;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("delta-run", folder))
    return emitError(loc) << "cannot create a temporary folder: "
                          << error.message();
  // A loaded library no longer needs its file.
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  EmitOptions options;
  options.kinds = {EmitKind::Library};
  options.targets = {target.empty() ? gpu->architecture() : target.str()};
  options.directory = folder.str().str();
  OwningOpRef<ModuleOp> copy(module.clone());
  if (failed(emit(*copy, options)))
    return failure();

  llvm::SmallString<128> path = folder;
  llvm::sys::path::append(path, "lib" + spec.function + ".so");
  Result<Library> library = Library::open(path.str().str(), spec.function);
  if (!library)
    return emitError(loc) << library.error();
  return std::unique_ptr<StageRunner>(
      new GpuRunner(loc, std::move(*gpu), std::move(*library)));
}
