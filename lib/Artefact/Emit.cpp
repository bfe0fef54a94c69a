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
#include "delta/Dialect/Plan/IR/Plan.h"
#include "delta/Pipelines/Targets.h"
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

/// What one function becomes: the file that defines its launcher, and those
/// with its kernels, of which the former may be one.
struct Artefact {
  cuda::FileOp launcher;
  SmallVector<KernelFile> kernels;

  /// The files that a compiler takes, with the targets of the kernels in each.
  SmallVector<KernelFile> getSources() const {
    SmallVector<KernelFile> sources = kernels;
    if (llvm::none_of(kernels, [&](const KernelFile &kernel) {
          return kernel.file == launcher;
        }))
      sources.push_back({launcher, {}});
    return sources;
  }
  std::string getName() const {
    cuda::FileOp file = launcher;
    return llvm::sys::path::stem(file.getName()).str();
  }
};

class Emitter {
public:
  Emitter(ModuleOp module, const EmitOptions &options)
      : module(module), options(options), targets(options.targets) {
    if (targets.empty())
      targets.push_back("sm_80");
  }
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
  LogicalResult findArtefacts();
  llvm::Error finish(const Artefact &artefact);
  llvm::Error amalgamateFiles(const Artefact &artefact);
  llvm::Error compile(const Artefact &artefact, BuildRecord &record);
  llvm::Error write();

  ModuleOp module;
  const EmitOptions &options;
  /// Of kernels that do not say what they are for.
  std::vector<std::string> targets;
  std::string specHash;
  SmallVector<Artefact> artefacts;
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

LogicalResult Emitter::lower() {
  if (module.getBody()->empty())
    return module.emitError("expected a function, got an empty file");
  specHash = hash(module);
  auto manager = PassManager::on<ModuleOp>(module.getContext());
  if (isSpec(module))
    buildTargetsPipeline(manager, targets);
  buildEmissionPipeline(manager);
  if (options.inspectPasses && failed(options.inspectPasses(manager)))
    return failure();
  if (failed(manager.run(module)))
    return failure();
  return findArtefacts();
}

/// A file of kernels that names no launcher is an artefact of its own.
LogicalResult Emitter::findArtefacts() {
  auto getSet = [](cuda::FileOp file) {
    return file->getAttrOfType<DictionaryAttr>(
        cuda::CudaDialect::getKernelSetAttrName());
  };
  auto getKernels = [&](cuda::FileOp file) -> KernelFile {
    DictionaryAttr set = getSet(file);
    auto machines = set ? set.getAs<ArrayAttr>("targets") : ArrayAttr();
    if (!machines)
      return {file, targets};
    KernelFile kernels{file, {}};
    for (auto target : machines.getAsRange<plan::MachineAttr>())
      kernels.targets.push_back(target.getName().str());
    return kernels;
  };
  auto all = llvm::to_vector(module.getOps<cuda::FileOp>());
  for (cuda::FileOp file : all) {
    auto interface = file->getAttrOfType<DictionaryAttr>(
        cuda::CudaDialect::getInterfaceAttrName());
    if (!interface) {
      if (file.getName().ends_with(".cu") && !getSet(file))
        artefacts.push_back({file, {getKernels(file)}});
      continue;
    }
    Artefact &artefact = artefacts.emplace_back(Artefact{file, {}});
    for (auto name :
         interface.getAs<ArrayAttr>("kernel_files").getAsRange<StringAttr>()) {
      auto found = llvm::find_if(
          all, [&](cuda::FileOp other) { return other.getNameAttr() == name; });
      if (found == all.end())
        return file.emitError() << "kernel_files: no file is called " << name;
      artefact.kernels.push_back(getKernels(*found));
    }
    for (const std::string &target : options.targets)
      if (llvm::none_of(artefact.kernels, [&](const KernelFile &kernels) {
            return llvm::is_contained(kernels.targets, target);
          }))
        return file.emitError()
               << "holds no kernels for target '" << target << "'";
  }
  return success();
}

LogicalResult Emitter::printFiles() {
  if (wants(EmitKind::Mlir)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module.print(os);
    std::string name =
        artefacts.empty() ? "module" : artefacts.back().getName();
    files.push_back({name + ".mlir", text + "\n"});
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
  for (const Artefact &artefact : artefacts)
    if (failed(check(finish(artefact))))
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

/// Everything that is made from an artefact's files: their one-file forms,
/// binaries, the manifest.
llvm::Error Emitter::finish(const Artefact &artefact) {
  if (options.amalgamate)
    if (llvm::Error error = amalgamateFiles(artefact))
      return error;
  BuildRecord record;
  record.specHash = specHash;
  if (wantsBinaries())
    if (llvm::Error error = compile(artefact, record))
      return error;
  for (const KernelFile &kernels : artefact.kernels)
    warnOfSpills(kernels.file, record);
  files.push_back({artefact.getName() + ".json",
                   printManifest(artefact.launcher, artefact.kernels, record)});
  return llvm::Error::success();
}

llvm::Error Emitter::amalgamateFiles(const Artefact &artefact) {
  llvm::Expected<std::string> includes = findDeviceIncludeDirectory();
  if (!includes)
    return includes.takeError();
  for (KernelFile source : artefact.getSources())
    for (OutputFile &output : files) {
      if (output.name != source.file.getName())
        continue;
      llvm::Expected<std::string> text =
          amalgamate(output.contents, files, *includes);
      if (!text)
        return text.takeError();
      output.contents = *text;
    }
  return llvm::Error::success();
}

/// `sm_90a` as nvcc wants it: code for that target alone, no PTX. A device
/// without code gets a status, not a compiler at run time.
static std::string getGencode(StringRef target) {
  return ("-gencode=arch=compute_" + target.drop_front(3) + ",code=" + target)
      .str();
}

llvm::Error Emitter::compile(const Artefact &artefact, BuildRecord &record) {
  llvm::Expected<Nvcc> nvcc = Nvcc::find();
  if (!nvcc)
    return nvcc.takeError();
  llvm::Expected<std::string> version = nvcc->getVersion();
  if (!version)
    return version.takeError();
  record.nvccVersion = *version;
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
  auto run = [&](std::vector<std::string> arguments,
                 const std::string &output) -> llvm::Error {
    arguments.insert(arguments.end(), {"-o", *folder / output});
    llvm::Expected<std::string> log = nvcc->run(arguments);
    if (!log) {
      // The command in the error names files in it.
      folder->keep();
      return log.takeError();
    }
    for (KernelResources &entry : parseResources(*log))
      if (llvm::none_of(record.resources, [&](const KernelResources &other) {
            return other.kernel == entry.kernel && other.target == entry.target;
          }))
        record.resources.push_back(entry);
    return llvm::Error::success();
  };
  auto build = [&](std::vector<std::string> arguments, cuda::FileOp source,
                   const std::string &output) {
    arguments.insert(arguments.end(),
                     {"-std=c++17", "-O3", "-Xptxas", "-v", "-I", *includes,
                      *folder / source.getName()});
    return run(arguments, output);
  };
  auto keep = [&](const std::string &output) -> llvm::Error {
    llvm::Expected<std::string> contents = readFile(*folder / output);
    if (!contents)
      return contents.takeError();
    files.push_back({output, *contents});
    return llvm::Error::success();
  };
  if (wants(EmitKind::Cubin))
    for (const KernelFile &kernels : artefact.kernels)
      for (const std::string &target : kernels.targets) {
        std::string output = artefact.getName() + "." + target + ".cubin";
        if (llvm::Error error =
                build({"-cubin", getGencode(target)}, kernels.file, output))
          return error;
        if (llvm::Error error = keep(output))
          return error;
      }
  if (!wants(EmitKind::Library))
    return llvm::Error::success();
  // Local symbols hold the names of intermediate files, which differ each time.
  // No kernel calls another file's: linking them would add code for nvcc's
  // default target.
  std::vector<std::string> link = {"-shared", "--no-device-link", "-Xlinker",
                                   "--strip-all"};
  for (KernelFile source : artefact.getSources()) {
    std::vector<std::string> arguments = {"-c", "-Xcompiler", "-fPIC"};
    for (const std::string &target : source.targets)
      arguments.push_back(getGencode(target));
    std::string object = (source.file.getName() + ".o").str();
    if (llvm::Error error = build(arguments, source.file, object))
      return error;
    link.push_back(*folder / object);
  }
  std::string library = "lib" + artefact.getName() + ".so";
  if (llvm::Error error = run(link, library))
    return error;
  return keep(library);
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
