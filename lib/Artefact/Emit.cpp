//===- Emit.cpp - write the artefact of a module ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Order of work: lower, print, compile, and only then write, so that a failure
/// leaves the folder as it was.
///
//===----------------------------------------------------------------------===//

#include "delta/Artefact/Emit.h"

#include "Amalgamate.h"
#include "Manifest.h"
#include "Nvcc.h"
#include "delta/Artefact/Emission.h"
#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Pipelines/Final.h"
#include "delta/Pipelines/Tile.h"
#include "delta/Support/Target.h"
#include "delta/Target/Cuda/PrintCuda.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace delta;

namespace {

class Emitter {
public:
  Emitter(ModuleOp module, const EmitOptions &options)
      : module(module), options(options) {}
  LogicalResult emit();

private:
  bool wants(EmitKind kind) const {
    return llvm::is_contained(options.kinds, kind);
  }
  bool wantsBinaries() const {
    return wants(EmitKind::Cubin) || wants(EmitKind::Library);
  }
  LogicalResult check(llvm::Error error);
  LogicalResult checkOptions();
  LogicalResult lower();
  LogicalResult printFiles();
  llvm::Error printSource(cuda::FileOp file, const OutputFile &source);
  llvm::Error compile(StringRef source, BuildRecord &record);
  llvm::Error write();

  ModuleOp module;
  const EmitOptions &options;
  std::string specHash;
  /// Files as printed, then binaries.
  std::vector<OutputFile> files;
};

} // namespace

LogicalResult Emitter::check(llvm::Error error) {
  if (!error)
    return success();
  return module.emitError() << llvm::toString(std::move(error));
}

LogicalResult Emitter::checkOptions() {
  for (const std::string &target : options.targets)
    if (!lookupTarget(target))
      return module.emitError() << "unknown target '" << target
                                << "', expected one of " << getTargetNames();
  if (options.directory == "-" && wantsBinaries())
    return module.emitError(
        "binaries need a folder to be written to: give one with -o");
  return success();
}

/// The input's hash is that of its canonical text, as `delta-opt` prints it, so
/// that comments and white space do not count.
static std::string hash(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os);
  os << '\n';
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true);
}

/// In the recurrent phase: compiled from the start. Other modules hold kernels
/// of the exit dialect already.
static bool isSpec(ModuleOp module) {
  return module.walk([](RecurrenceOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// The target whose limits and instructions every other one has: one source
/// serves all.
static std::string smallestTarget(ArrayRef<std::string> targets) {
  const Target *smallest = nullptr;
  auto rank = [](const Target &target) {
    return std::pair(target.hasWarpgroups, target.sharedBytes);
  };
  for (const std::string &name : targets)
    if (const Target *target = lookupTarget(name);
        target && (!smallest || rank(*target) < rank(*smallest)))
      smallest = target;
  return smallest ? std::string(smallest->name) : "sm_80";
}

/// The first target with warpgroups that runs on the GPUs of one of `targets`:
/// sm_90a for itself and for sm_90. Null where there is none.
static const Target *findWarpgroups(ArrayRef<std::string> targets) {
  for (const std::string &name : targets)
    for (const Target *target : {lookupTarget(name), lookupTarget(name + "a")})
      if (target && target->hasWarpgroups)
        return target;
  return nullptr;
}

/// Where the functions of a spec are that get kernels of family sm_90a when
/// compiled for `target` alone.
static SmallVector<Location> findWarpgroupKernels(ModuleOp module,
                                                  StringRef target) {
  OwningOpRef<ModuleOp> trial = module.clone();
  // What is wrong with the spec is said when it is compiled.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  PassManager manager(module.getContext());
  buildChunkedPipeline(manager, target);
  if (failed(manager.run(*trial)))
    return {};
  SmallVector<Location> found;
  for (auto func : trial->getOps<func::FuncOp>())
    for (NamedAttribute entry :
         func->getAttrOfType<DictionaryAttr>(kPlansAttr)
             ? func->getAttrOfType<DictionaryAttr>(kPlansAttr).getValue()
             : ArrayRef<NamedAttribute>())
      if (cast<plan::KernelPlanAttr>(cast<ArrayAttr>(entry.getValue())[0])
              .usesWgmma()) {
        found.push_back(func.getLoc());
        break;
      }
  return found;
}

LogicalResult Emitter::lower() {
  if (module.getBody()->empty())
    return module.emitError("expected a function, got an empty file");
  specHash = hash(module);
  PassManager manager(module.getContext());
  const Target *own = nullptr;
  SmallVector<Location> ownKernels;
  if (isSpec(module)) {
    const std::string smallest = smallestTarget(options.targets);
    own = findWarpgroups(options.targets);
    if (own && own->name != smallest)
      ownKernels = findWarpgroupKernels(module, own->name);
    buildChunkedPipeline(manager, smallest);
    buildTileValuePipeline(manager);
    buildTileFinalPipeline(manager);
    buildCudaPipeline(manager);
  }
  buildEmissionPipeline(manager);
  if (failed(manager.run(module)))
    return failure();
  for (Location location : ownKernels)
    emitRemark(location)
        << "kernels without warpgroups, which serve every target given ("
        << llvm::join(options.targets, ", ")
        << "); those with warpgroups come from --target="
        << StringRef(own->name) << " alone";
  return success();
}

LogicalResult Emitter::printFiles() {
  if (wants(EmitKind::Mlir)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    std::string name = "module.mlir";
    for (auto file : module.getOps<cuda::FileOp>())
      if (!file.isHeader())
        name = (llvm::sys::path::stem(file.getName()) + ".mlir").str();
    files.push_back({name, text + "\n"});
  }
  if (options.kinds.size() == 1 && wants(EmitKind::Mlir))
    return success();
  for (auto file : module.getOps<cuda::FileOp>()) {
    // The PyTorch operator is text of its own, wanted by few.
    if (file.getName().ends_with("_torch.cpp") && !wants(EmitKind::Torch))
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    if (failed(cuda::printFile(file, os)))
      return failure();
    files.push_back({file.getName().str(), text});
  }
  std::vector<OutputFile> printed = files;
  for (auto file : module.getOps<cuda::FileOp>())
    for (const OutputFile &source : printed)
      if (source.name == file.getName() && file.getName().ends_with(".cu"))
        if (failed(check(printSource(file, source))))
          return failure();
  return success();
}

/// One warning a kernel and target, at what the kernel was made from.
static void warnOfSpills(cuda::FileOp file, const BuildRecord &record) {
  file.walk([&](cuda::KernelOp kernel) {
    for (const KernelResources &entry : record.resources)
      if (entry.kernel == kernel.getName() &&
          entry.spillStores + entry.spillLoads > 0)
        kernel.emitWarning()
            << "kernel '" << entry.kernel << "' spills registers on "
            << entry.target << ": a thread stores " << entry.spillStores
            << " bytes and loads " << entry.spillLoads;
  });
}

/// Everything that is made from one .cu: its one-file form, binaries, manifest.
llvm::Error Emitter::printSource(cuda::FileOp file, const OutputFile &source) {
  if (options.amalgamate) {
    llvm::Expected<std::string> includes = findDeviceIncludeDirectory();
    if (!includes)
      return includes.takeError();
    llvm::Expected<std::string> text =
        amalgamate(source.contents, files, *includes);
    if (!text)
      return text.takeError();
    for (OutputFile &output : files)
      if (output.name == source.name)
        output.contents = *text;
  }
  BuildRecord record;
  record.specHash = specHash;
  if (wantsBinaries())
    if (llvm::Error error = compile(source.name, record))
      return error;
  warnOfSpills(file, record);
  std::string stem = llvm::sys::path::stem(source.name).str();
  files.push_back({stem + ".json", printManifest(file, record)});
  return llvm::Error::success();
}

/// `sm_90a` as nvcc wants it: code for that target alone, no PTX. A device
/// without code gets a status, not a compiler at run time.
static std::string getGencode(StringRef target) {
  return ("-gencode=arch=compute_" + target.drop_front(3) + ",code=" + target)
      .str();
}

llvm::Error Emitter::compile(StringRef source, BuildRecord &record) {
  llvm::Expected<Nvcc> nvcc = Nvcc::find();
  if (!nvcc)
    return nvcc.takeError();
  llvm::Expected<std::string> version = nvcc->getVersion();
  if (!version)
    return version.takeError();
  record.nvccVersion = *version;
  record.targets = options.targets;
  llvm::Expected<std::string> includes = findDeviceIncludeDirectory();
  if (!includes)
    return includes.takeError();
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.takeError();
  // What is compiled is what is written.
  for (const OutputFile &file : files)
    if (llvm::Error error = writeFile(*folder / file.name, file.contents))
      return error;
  std::string stem = llvm::sys::path::stem(source).str();
  auto build = [&](const std::string &output,
                   std::vector<std::string> arguments) -> llvm::Error {
    arguments.insert(arguments.end(),
                     {"-std=c++17", "-O3", "-Xptxas", "-v", "-I", *includes,
                      "-o", *folder / output, *folder / source});
    llvm::Expected<std::string> log = nvcc->run(arguments);
    if (!log) {
      // The command in the error names files in it.
      folder->keep();
      return log.takeError();
    }
    llvm::Expected<std::string> contents = readFile(*folder / output);
    if (!contents)
      return contents.takeError();
    files.push_back({output, *contents});
    for (KernelResources &entry : parseResources(*log))
      if (llvm::none_of(record.resources, [&](const KernelResources &other) {
            return other.kernel == entry.kernel && other.target == entry.target;
          }))
        record.resources.push_back(entry);
    return llvm::Error::success();
  };
  if (wants(EmitKind::Cubin))
    for (const std::string &target : options.targets)
      if (llvm::Error error = build(stem + "." + target + ".cubin",
                                    {"-cubin", getGencode(target)}))
        return error;
  if (!wants(EmitKind::Library))
    return llvm::Error::success();
  // Local symbols hold the names of intermediate files, which differ each time.
  std::vector<std::string> arguments = {"-shared", "-Xcompiler", "-fPIC",
                                        "-Xlinker", "--strip-all"};
  for (const std::string &target : options.targets)
    arguments.push_back(getGencode(target));
  return build("lib" + stem + ".so", arguments);
}

llvm::Error Emitter::write() {
  if (options.directory != "-")
    return writeFiles(options.directory, files);
  for (const OutputFile &file : files) {
    if (files.size() > 1)
      llvm::outs() << "//===- " << file.name << " -===//\n";
    llvm::outs() << file.contents;
  }
  return llvm::Error::success();
}

LogicalResult Emitter::emit() {
  if (failed(checkOptions()) || failed(lower()) || failed(printFiles()))
    return failure();
  return check(write());
}

LogicalResult delta::emit(ModuleOp module, const EmitOptions &options) {
  return Emitter(module, options).emit();
}

LogicalResult delta::emitFile(StringRef inputFilename,
                              const EmitOptions &options,
                              DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input =
      openInputFile(inputFilename, &message);
  if (!input) {
    llvm::errs() << message << "\n";
    return failure();
  }
  MLIRContext context(registry);
  // The user wrote a spec: what it has become says nothing about the mistake.
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return failure();
  return emit(*module, options);
}
