//===- LauncherChecks.cpp - checks of a launcher's arguments ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The static functions of NAME.cu that refuse arguments. Each returns a
/// status.
///
//===----------------------------------------------------------------------===//

#include "Launcher.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

FunctionOp cuda::buildFunction(CodeBuilder &code, StringRef name,
                               ArrayRef<std::pair<Type, StringRef>> parameters,
                               Type result, StringRef doc,
                               llvm::function_ref<void(ValueRange)> body) {
  OpBuilder &builder = code.builder;
  SmallVector<Type> types;
  SmallVector<StringRef> names;
  for (auto [type, parameter] : parameters) {
    types.push_back(type);
    names.push_back(parameter);
  }
  auto function = FunctionOp::create(
      builder, code.loc, name,
      builder.getFunctionType(types, result ? TypeRange(result) : TypeRange()),
      names);
  if (!doc.empty())
    function.setDoc(doc);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getBody().front());
  body(function.getArguments());
  return function;
}

namespace {

/// Shared by the functions below.
struct CheckBuilder {
  CheckBuilder(HostProgram &program, OpBuilder &builder)
      : program(program), name(program.function.getName()),
        code(builder, program.function.getLoc()), index(builder.getIndexType()),
        statusType(code.opaque("int")), errorType(code.opaque("cudaError_t")) {}

  void buildCudaStatus();
  void buildSizes();
  void buildArray();
  void buildDevice();

  /// `if (condition) return status;`
  void refuse(Value condition, Status status) {
    code.when(condition, [&] { ret(status); });
  }
  void ret(Status status) {
    code.ret(code.builtin(getEnumerator(name, status), statusType));
  }
  Value isNull(Value pointer) {
    return code.binary(BinaryKind::Eq, pointer,
                       code.builtin("nullptr", pointer.getType()));
  }
  Value is(BinaryKind kind, Value lhs, Value rhs) {
    return code.binary(kind, lhs, rhs);
  }
  void buildInternal(StringRef function,
                     ArrayRef<std::pair<Type, StringRef>> parameters,
                     StringRef doc, llvm::function_ref<void(ValueRange)> body) {
    buildFunction(code, function, parameters, statusType, doc, body)
        .setInternal(true);
  }

  HostProgram &program;
  StringRef name;
  CodeBuilder code;
  Type index, statusType, errorType;
};

} // namespace

void CheckBuilder::buildCudaStatus() {
  buildInternal(
      "cuda_status", {{errorType, "error"}}, "The status for an error of CUDA.",
      [&](ValueRange arguments) {
        for (StringRef missing : {"cudaErrorNoKernelImageForDevice",
                                  "cudaErrorInvalidDeviceFunction"})
          refuse(is(BinaryKind::Eq, arguments[0],
                    code.builtin(missing, errorType)),
                 Status::Device);
        code.ret(code.add(
            code.builtin(getEnumerator(name, Status::Cuda), statusType),
            code.cast(arguments[0], statusType)));
      });
}

void CheckBuilder::buildSizes() {
  Type args = code.pointerTo((name + "_args").str(), /*isConst=*/true);
  Type word = code.builder.getIntegerType(32, /*isSigned=*/false);
  buildInternal(
      "check_sizes", {{args, "args"}},
      "Whether the struct is the one of the header and its sizes can be worked "
      "with. Then no size in bytes and no number of blocks overflows.",
      [&](ValueRange arguments) {
        Value args = arguments[0];
        refuse(isNull(args), Status::NullArgs);
        refuse(is(BinaryKind::Or,
                  is(BinaryKind::Ne, code.member(args, "size", word),
                     code.builtin(("sizeof(" + name + "_args)").str(), word)),
                  is(BinaryKind::Ne, code.member(args, "version", word),
                     code.builtin((name + "_args_version").str(), word))),
               Status::Version);
        Value batch = code.member(args, "batch", index, "batch");
        Value length = code.member(args, "length", index, "length");
        refuse(is(BinaryKind::Or, is(BinaryKind::Lt, batch, code.index(0)),
                  is(BinaryKind::Lt, length, code.index(0))),
               Status::Size);
        if (program.batch)
          refuse(is(BinaryKind::Ne, batch, code.index(*program.batch)),
                 Status::Size);
        if (program.length)
          refuse(is(BinaryKind::Ne, length, code.index(*program.length)),
                 Status::Size);
        Value limit = code.index(program.rowLimit, "most_tokens");
        Value rows = code.select(is(BinaryKind::Gt, length, code.index(1)),
                                 length, code.index(1), "tokens");
        refuse(is(BinaryKind::Or, is(BinaryKind::Gt, rows, limit),
                  is(BinaryKind::Gt, batch, code.div(limit, rows))),
               Status::TooLarge);
        ret(Status::Success);
      });
}

void CheckBuilder::buildArray() {
  Type bytes = code.pointerTo("void", /*isConst=*/true);
  Type integers = code.pointerTo(index, /*isConst=*/true);
  buildInternal(
      "check_array",
      {{bytes, "data"},
       {integers, "sizes"},
       {integers, "strides"},
       {index, "rank"}},
      "Whether an array is there, aligned, and contiguous. Strides that are "
      "all 0 say contiguous; those of axes of one element do not count.",
      [&](ValueRange arguments) {
        Value data = arguments[0], sizes = arguments[1];
        Value strides = arguments[2], rank = arguments[3];
        Type flag = code.builder.getI1Type();
        Value elements = code.declare(index, code.index(1), "elements");
        Value given = code.declare(flag, code.truth(false), "given");
        Value packed = code.declare(flag, code.truth(true), "packed");
        code.loop(rank, "i", [&](Value i) {
          Value axis = code.sub(code.sub(rank, code.index(1)), i, "axis");
          Value stride = code.element(strides, axis, index, "stride");
          Value size = code.element(sizes, axis, index, "size");
          code.when(is(BinaryKind::Ne, stride, code.index(0)),
                    [&] { code.assign(given, code.truth(true)); });
          code.when(is(BinaryKind::And, is(BinaryKind::Gt, size, code.index(1)),
                       is(BinaryKind::Ne, stride, code.read(elements))),
                    [&] { code.assign(packed, code.truth(false)); });
          code.assign(elements, code.mul(code.read(elements), size));
        });
        refuse(is(BinaryKind::Eq, code.read(elements), code.index(0)),
               Status::Success);
        refuse(isNull(data), Status::NullPointer);
        Type address = code.opaque("uintptr_t");
        refuse(is(BinaryKind::Ne,
                  is(BinaryKind::Rem, code.cast(data, address),
                     code.integer(arrayAlignment)),
                  code.integer(0)),
               Status::Alignment);
        Value isPacked = code.read(packed);
        refuse(is(BinaryKind::And, code.read(given),
                  UnaryOp::create(code.builder, code.loc, flag, UnaryKind::Not,
                                  isPacked, StringAttr(), false)),
               Status::Strides);
        ret(Status::Success);
      });
}

void CheckBuilder::buildDevice() {
  int64_t capability = 0, shared = 0;
  for (HostLaunch &launch : program.launches) {
    capability = std::max<int64_t>(capability, launch.kernel.getCapability());
    shared = std::max<int64_t>(shared, launch.kernel.getSharedBytes());
  }
  buildInternal(
      "check_device", {}, "Whether the current device runs the kernels.",
      [&](ValueRange) {
        Value device = code.declare(statusType, code.integer(0), "device");
        Value error = code.call("cudaGetDevice", code.addressOf(device),
                                errorType, "error");
        code.when(
            is(BinaryKind::Ne, error, code.builtin("cudaSuccess", errorType)),
            [&] {
              code.ret(code.call("cuda_status", error, statusType, "",
                                 /*pure=*/true));
            });
        // An attribute that cannot be read stays 0 and is refused.
        auto query = [&](StringRef variable, StringRef attribute) {
          Value value = code.declare(statusType, code.integer(0), variable);
          code.callStatement(
              "cudaDeviceGetAttribute",
              {code.addressOf(value),
               code.builtin(attribute, code.opaque("cudaDeviceAttr")),
               code.read(device)});
          return value;
        };
        Value major =
            query("compute_major", "cudaDevAttrComputeCapabilityMajor");
        Value minor =
            query("compute_minor", "cudaDevAttrComputeCapabilityMinor");
        Value most =
            query("most_shared", "cudaDevAttrMaxSharedMemoryPerBlockOptin");
        Value tens = code.mul(code.read(major), code.integer(10));
        refuse(is(BinaryKind::Or,
                  is(BinaryKind::Lt, code.add(tens, code.read(minor)),
                     code.integer(capability)),
                  is(BinaryKind::Lt, code.read(most), code.integer(shared))),
               Status::Device);
        ret(Status::Success);
      });
}

void cuda::buildChecks(HostProgram &program, OpBuilder &builder) {
  CheckBuilder checks(program, builder);
  checks.buildCudaStatus();
  checks.buildSizes();
  checks.buildArray();
  checks.buildDevice();
}
