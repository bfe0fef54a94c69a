//===- LauncherHeader.cpp - the C header of an artefact ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// NAME.h: the argument struct, the statuses, three functions. Needs no CUDA.
///
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include <fmt/format.h>

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

ArrayRef<StatusEntry> cuda::getStatuses() {
  static const StatusEntry entries[] = {
      {Status::Success, "success", 0, "success"},
      {Status::NullArgs, "error_null_args", 1, "the argument struct is null"},
      {Status::Version, "error_version", 2,
       "size or version of the argument struct is another's"},
      {Status::Size, "error_size", 3,
       "batch or length is negative or not what was compiled in"},
      {Status::TooLarge, "error_too_large", 4,
       "batch times length is too large"},
      {Status::NullPointer, "error_null_pointer", 5,
       "the pointer to an array that is not empty is null"},
      {Status::Alignment, "error_alignment", 6,
       "an array is not aligned to 16 bytes"},
      {Status::Strides, "error_strides", 7, "an array is not contiguous"},
      {Status::Workspace, "error_workspace", 8,
       "the workspace is null or not aligned to 256 bytes"},
      {Status::Device, "error_device", 9,
       "no kernel here runs on the current device"},
      {Status::Cuda, "error_cuda", 1000,
       "a CUDA call failed; the status is 1000 plus the cudaError_t"},
  };
  return entries;
}

std::string cuda::getEnumerator(StringRef name, Status status) {
  for (const StatusEntry &entry : getStatuses())
    if (entry.status == status)
      return (name + "_" + entry.suffix).str();
  llvm_unreachable("all statuses are listed");
}

std::string cuda::getNamespace(StringRef name) {
  return ("delta::" + name + "_artefact").str();
}

/// `[batch, length, 16, 128]`.
static std::string describeShape(MemRefType type) {
  std::string text = "[";
  for (int64_t axis = 0; axis < type.getRank(); ++axis) {
    if (axis)
      text += ", ";
    if (type.isDynamicDim(axis))
      text += axis == BatchAxis ? "batch" : "length";
    else
      text += std::to_string(type.getDimSize(axis));
  }
  return text + "]";
}

static StringRef describeDtype(MemRefType type) {
  if (type.getElementType().isF32())
    return "float";
  if (type.getElementType().isInteger(64))
    return "int64_t";
  return type.getElementType().isBF16() ? "bfloat16" : "float16";
}

static void buildStruct(HostProgram &program, CodeBuilder &code) {
  std::string name = program.function.getName().str();
  OpBuilder &builder = code.builder;
  auto op = StructOp::create(
      builder, code.loc, name + "_args",
      fmt::format("The arguments of {0}_launch. Set size to sizeof({0}_args) "
                  "and version to {0}_args_version; set everything that is not "
                  "used to 0. Arrays are row-major. Strides count elements; "
                  "all 0 means contiguous, and other arrays than contiguous "
                  "ones are refused so far. An array without elements may be "
                  "null, every other must be aligned to 16 bytes.",
                  name));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getBody().front());
  auto field = [&](const Twine &fieldName, Type type, const Twine &doc = "") {
    std::string text = doc.str();
    FieldOp::create(builder, code.loc, builder.getStringAttr(fieldName),
                    TypeAttr::get(type),
                    text.empty() ? StringAttr() : builder.getStringAttr(text));
  };
  Type word = builder.getIntegerType(32, /*isSigned=*/false);
  field("size", word);
  field("version", word);
  auto describeFixed = [](std::optional<int64_t> fixed) {
    return fixed ? "; compiled for " + std::to_string(*fixed) : std::string();
  };
  field("batch", builder.getIndexType(),
        "Sequences" + describeFixed(program.batch));
  bool hasCache = llvm::any_of(
      program.arrays, [](const HostArray &array) { return array.isUpdated; });
  field("length", builder.getIndexType(),
        (hasCache ? "Tokens that a cache has room for"
                  : "Tokens of each sequence") +
            describeFixed(program.length));
  for (const HostArray &array : program.arrays) {
    field(array.field, code.pointerTo("void", /*isConst=*/!array.isWritten()),
          StringRef(array.isResult    ? "Result: "
                    : array.isUpdated ? "Updated in place: "
                                      : "") +
              describeDtype(array.type) + " " + describeShape(array.type));
    if (array.type.getRank())
      field(array.field + "_strides",
            code.arrayOf(array.type.getRank(), builder.getIndexType()));
  }
}

static void buildEnums(StringRef name, CodeBuilder &code) {
  OpBuilder &builder = code.builder;
  auto enumerator = [&](const Twine &enumerator, int32_t value,
                        const char *doc) {
    EnumeratorOp::create(builder, code.loc, builder.getStringAttr(enumerator),
                         builder.getI32IntegerAttr(value),
                         doc ? builder.getStringAttr(doc) : StringAttr());
  };
  auto version = EnumOp::create(builder, code.loc, (name + "_version").str(),
                                "The version of the struct below.");
  auto status = EnumOp::create(builder, code.loc, (name + "_status").str(),
                               ("What " + name + "_launch returns.").str());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&version.getBody().front());
  enumerator(name + "_args_version", argsVersion, nullptr);
  builder.setInsertionPointToStart(&status.getBody().front());
  for (const StatusEntry &entry : getStatuses())
    enumerator(name + "_" + entry.suffix, entry.value, entry.message);
}

/// The declaration of a function with C linkage.
static void declare(CodeBuilder &code, const Twine &name,
                    ArrayRef<Type> parameters, ArrayRef<StringRef> names,
                    Type result, const Twine &doc) {
  auto op = FunctionOp::create(code.builder, code.loc, name.str(),
                               code.builder.getFunctionType(parameters, result),
                               names,
                               /*withBody=*/false);
  op.setDoc(doc.str());
}

void cuda::buildHeader(HostProgram &program, OpBuilder &builder) {
  StringRef name = program.function.getName();
  Location loc = program.function.getLoc();
  CodeBuilder code(builder, loc);
  auto file = FileOp::create(builder, loc, (name + ".h").str());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&file.getBody().front());
  code.comment(fmt::format("{0}.h: launches the kernels of {0}. C and C++; "
                           "CUDA's headers are not needed.\n"
                           "Generated by delta from {0}.",
                           name.str()));
  DirectiveOp::create(builder, loc, "pragma once");
  IncludeOp::create(builder, loc, "stddef.h", /*system=*/true);
  IncludeOp::create(builder, loc, "stdint.h", /*system=*/true);
  auto block = ExternCOp::create(builder, loc);
  builder.setInsertionPointToStart(&block.getBody().front());
  // What CUDA's own headers declare, so that either order of includes works.
  TypedefOp::create(builder, loc, "cudaStream_t",
                    code.pointerTo("struct CUstream_st"));
  buildEnums(name, code);
  buildStruct(program, code);
  Type args = code.pointerTo((name + "_args").str(), /*isConst=*/true);
  declare(code, name + "_workspace_size", {args}, {"args"},
          code.opaque("size_t"),
          "Bytes of workspace that " + name +
              "_launch needs for these sizes; 0 if it would refuse them. Reads "
              "no pointer.");
  declare(
      code, name + "_launch",
      {args, code.pointerTo("void"), code.opaque("cudaStream_t")},
      {"args", "workspace", "stream"}, code.opaque("int"),
      "Starts the kernels on `stream` of the current device and returns at "
      "once. `workspace` holds " +
          name +
          "_workspace_size(args) bytes, aligned to 256; what is in it "
          "before and after has no meaning, and launches that may run at "
          "the same time need one each. Allocates nothing, never waits, and "
          "may be captured into a CUDA graph. Returns a " +
          name + "_status, or " + name + "_error_cuda plus a cudaError_t.");
  declare(code, name + "_status_string", {code.opaque("int")}, {"status"},
          code.pointerTo("char", /*isConst=*/true),
          "What a status means; never null.");
}
