//===- Manifest.cpp - the description of an artefact ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Writes `cuda.interface` and `cuda.kernel_set`, which cuda-plan-launcher
/// leaves on files, and the kernels' attributes as JSON. Keys keep the order in
/// which they are written here, so that equal inputs give equal bytes.
///
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "delta/Support/Version.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace delta;

/// Spells `type`'s elements as the frameworks do.
static std::string getDtype(MemRefType type) {
  if (type.getElementType().isBF16())
    return "bfloat16";
  if (type.getElementType().isInteger(32))
    return "int32";
  if (type.getElementType().isInteger(64))
    return "int64";
  return type.getElementType().isF16() ? "float16" : "float32";
}

static std::string toString(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// An array of the caller: sizes that the spec leaves open are the names of
/// the fields that hold them.
static void printArray(DictionaryAttr array, llvm::json::OStream &json) {
  auto type = cast<MemRefType>(array.getAs<TypeAttr>("type").getValue());
  json.object([&] {
    json.attribute("name", array.getAs<StringAttr>("name").getValue());
    json.attribute("field", array.getAs<StringAttr>("field").getValue());
    json.attribute("role", array.contains("result")    ? "result"
                           : array.contains("updated") ? "updated"
                                                       : "argument");
    json.attribute("dtype", getDtype(type));
    json.attributeArray("shape", [&] {
      for (int64_t axis = 0; axis < type.getRank(); ++axis)
        if (type.isDynamicDim(axis))
          json.value(axis == 0 ? "batch" : "length");
        else
          json.value(type.getDimSize(axis));
    });
    json.attribute("strides", "contiguous");
    json.attribute("alignment", 16);
  });
}

static void printResources(StringRef kernel, const BuildRecord &record,
                           llvm::json::OStream &json) {
  json.attributeObject("resources", [&] {
    for (const KernelResources &entry : record.resources) {
      if (entry.kernel != kernel)
        continue;
      json.attributeObject(entry.target, [&] {
        json.attribute("registers", entry.registers);
        json.attribute("stack_frame", entry.stackFrame);
        json.attribute("spill_stores", entry.spillStores);
        json.attribute("spill_loads", entry.spillLoads);
        json.attribute("static_shared_bytes", entry.staticShared);
      });
    }
  });
}

/// A launch: where its condition holds, with that many CTAs.
static void printLaunch(DictionaryAttr launch, llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("kernel", launch.getAs<StringAttr>("kernel").getValue());
    json.attributeArray("grid", [&] {
      json.value(launch.getAs<StringAttr>("grid").getValue());
      json.value(1);
      json.value(1);
    });
    if (auto condition = launch.getAs<StringAttr>("condition"))
      json.attribute("condition", condition.getValue());
    json.attribute("overlap", launch.contains("overlap"));
  });
}

static void printKernel(cuda::KernelOp kernel, const BuildRecord &record,
                        llvm::json::OStream &json) {
  json.object([&] {
    json.attribute("name", kernel.getName());
    json.attributeArray("block", [&] {
      json.value(kernel.getThreads());
      json.value(1);
      json.value(1);
    });
    json.attribute("dynamic_shared_bytes", kernel.getSharedBytes());
    json.attribute("min_capability", kernel.getCapability());
    if (!record.resources.empty())
      printResources(kernel.getName(), record, json);
  });
}

/// A part of the workspace.
static void printBuffer(DictionaryAttr buffer, llvm::json::OStream &json) {
  auto type = cast<MemRefType>(buffer.getAs<TypeAttr>("type").getValue());
  json.object([&] {
    json.attribute("name", buffer.getAs<StringAttr>("name").getValue());
    json.attribute("dtype", getDtype(type));
    json.attribute("elements", buffer.getAs<StringAttr>("elements").getValue());
  });
}

static void printDefinition(DictionaryAttr definition,
                            llvm::json::OStream &json) {
  json.object([&] {
    for (StringRef key : {"name", "value"})
      json.attribute(key, definition.getAs<StringAttr>(key).getValue());
  });
}

/// The dictionaries of `array` under `key`, each by `print`.
static void printAll(StringRef key, ArrayAttr array,
                     void (*print)(DictionaryAttr, llvm::json::OStream &),
                     llvm::json::OStream &json) {
  json.attributeArray(key, [&] {
    for (auto entry : array.getAsRange<DictionaryAttr>())
      print(entry, json);
  });
}

static void printKernelSet(const KernelFile &kernels, const BuildRecord &record,
                           llvm::json::OStream &json) {
  cuda::FileOp file = kernels.file;
  auto set = file->getAttrOfType<DictionaryAttr>(
      cuda::CudaDialect::getKernelSetAttrName());
  auto printAllOf = [&](StringRef key, auto print) {
    if (set)
      printAll(key, set.getAs<ArrayAttr>(key), print, json);
  };
  json.object([&] {
    json.attribute("source", file.getName());
    json.attributeArray("targets", [&] {
      for (const std::string &target : kernels.targets)
        json.value(target);
    });
    if (Attribute plans = set ? set.get("plans") : Attribute())
      json.attribute("plans", toString(plans));
    printAllOf("definitions", printDefinition);
    printAllOf("workspace", printBuffer);
    json.attributeArray("kernels", [&] {
      file.walk(
          [&](cuda::KernelOp kernel) { printKernel(kernel, record, json); });
    });
    printAllOf("launches", printLaunch);
  });
}

std::string delta::printManifest(cuda::FileOp launcher,
                                 ArrayRef<KernelFile> kernels,
                                 const BuildRecord &record) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("name", llvm::sys::path::stem(launcher.getName()));
    json.attribute("launcher", launcher.getName());
    json.attribute("delta_version", getVersion());
    json.attribute("llvm_version", getLLVMVersion());
    if (record.nvccVersion)
      json.attribute("nvcc_version", *record.nvccVersion);
    json.attribute("spec_sha256", record.specHash);
    if (auto interface = launcher->getAttrOfType<DictionaryAttr>(
            cuda::CudaDialect::getInterfaceAttrName())) {
      json.attribute("args_version",
                     interface.getAs<IntegerAttr>("args_version").getInt());
      printAll("arrays", interface.getAs<ArrayAttr>("arrays"), printArray,
               json);
      json.attribute(
          "workspace_alignment",
          interface.getAs<IntegerAttr>("workspace_alignment").getInt());
    }
    json.attributeArray("kernel_sets", [&] {
      for (const KernelFile &file : kernels)
        printKernelSet(file, record, json);
    });
  });
  return text + "\n";
}
