//===- Launcher.cpp - the functions of a launcher ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that a caller sees. What the host function computes is
/// translated twice (HostTranslator.h): for the size of the workspace and for
/// the launches.
///
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "HostTranslator.h"
#include "KernelParameters.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace {

class LauncherBuilder {
public:
  LauncherBuilder(HostProgram &program, OpBuilder &builder)
      : program(program), name(program.function.getName()),
        code(builder, program.function.getLoc()), index(builder.getIndexType()),
        statusType(code.opaque("int")), errorType(code.opaque("cudaError_t")),
        args(code.pointerTo((name + "_args").str(), /*isConst=*/true)) {}

  void buildWorkspaceSize();
  void buildLaunch();
  void buildStatusString();

private:
  Value enumerator(Status status) {
    return code.builtin(getEnumerator(name, status), statusType);
  }
  void refuse(Value condition, Status status) {
    code.when(condition, [&] { code.ret(enumerator(status)); });
  }
  /// `if (status != NAME_success) return status;`
  void passOn(Value status) {
    code.when(code.binary(BinaryKind::Ne, status, enumerator(Status::Success)),
              [&] { code.ret(status); });
  }
  void passOnCuda(Value error) {
    code.when(code.binary(BinaryKind::Ne, error,
                          code.builtin("cudaSuccess", errorType)),
              [&] {
                code.ret(code.call("cuda_status", error, statusType, "",
                                   /*pure=*/true));
              });
  }
  void checkArrays(HostTranslator &host, Value args);
  void checkWorkspace(Value workspace, Value bytes);
  void makePointers(HostTranslator &host, Value args, Value workspace);
  /// One variable for each array and box, whichever launches use it.
  void makeTensorMaps(HostTranslator &host);
  void makeTensorMap(HostTranslator &host, Value array, TensorMapAttr map);
  void clearBuffers(HostTranslator &host, Value stream);
  Value getBlocks(HostTranslator &host, HostLaunch &launch);
  SmallVector<Value> getKernelArguments(HostTranslator &host,
                                        HostLaunch &launch);
  void buildKernelLaunch(HostTranslator &host, HostLaunch &launch, Value blocks,
                         Value stream);

  HostProgram &program;
  StringRef name;
  CodeBuilder code;
  Type index, statusType, errorType, args;
  /// Of arrays and buffers.
  llvm::DenseMap<Value, Value> pointers;
  /// Tensor maps of arrays and views, by box.
  llvm::DenseMap<std::pair<Value, ArrayRef<int64_t>>, Value> maps;
  /// Whether a launch of this call came before; null where nothing asks.
  Value launched;
};

} // namespace

std::string cuda::getFunctionName(const HostProgram &program,
                                  StringRef function) {
  if (program.set.empty()) {
    func::FuncOp host = program.function;
    return (host.getName() + "_" + function).str();
  }
  return (function + "_" + program.set).str();
}

void LauncherBuilder::buildWorkspaceSize() {
  auto function = buildFunction(
      code, getFunctionName(program, "workspace_size"), {{args, "args"}},
      code.opaque("size_t"), "", [&](ValueRange arguments) {
        Value status = code.call("check_sizes", arguments[0], statusType, "",
                                 /*pure=*/true);
        code.when(
            code.binary(BinaryKind::Ne, status, enumerator(Status::Success)),
            [&] { code.ret(code.cast(code.index(0), code.opaque("size_t"))); });
        HostTranslator host(program, code, arguments[0]);
        host.translateSizes();
        code.ret(code.cast(host.layOutBuffers(), code.opaque("size_t")));
      });
  function.setExternC(program.set.empty());
}

void LauncherBuilder::checkArrays(HostTranslator &host, Value args) {
  code.comment("Arrays.");
  Type integers = code.pointerTo(index, /*isConst=*/true);
  for (const HostArray &array : program.arrays) {
    int64_t rank = array.type.getRank();
    SmallVector<Value> extents;
    for (int64_t axis = 0; axis < rank; ++axis)
      extents.push_back(host.getDim(array.argument, axis));
    Type arrayType = code.arrayOf(rank, index);
    Value sizes = code.declare(arrayType, extents, array.field + "_sizes");
    Value data = code.member(args, array.field,
                             code.pointerTo("void", !array.isWritten()));
    Value strides = code.member(args, array.field + "_strides", integers);
    passOn(code.call("check_array",
                     {data, code.read(sizes), strides, code.index(rank)},
                     statusType, array.field + "_status"));
  }
}

void LauncherBuilder::checkWorkspace(Value workspace, Value bytes) {
  Type address = code.opaque("uintptr_t");
  code.comment("Workspace.");
  code.when(code.binary(BinaryKind::Gt, bytes, code.index(0)), [&] {
    refuse(code.binary(BinaryKind::Eq, workspace,
                       code.builtin("nullptr", workspace.getType())),
           Status::Workspace);
    Value rest = code.binary(BinaryKind::Rem, code.cast(workspace, address),
                             code.integer(workspaceAlignment));
    refuse(code.binary(BinaryKind::Ne, rest, code.integer(0)),
           Status::Workspace);
  });
}

void LauncherBuilder::makePointers(HostTranslator &host, Value args,
                                   Value workspace) {
  for (const HostArray &array : program.arrays) {
    Value data = code.member(args, array.field,
                             code.pointerTo("void", !array.isWritten()));
    pointers[array.argument] = code.cast(
        data, code.pointerTo(array.type.getElementType(), !array.isWritten()),
        array.field);
  }
  if (program.buffers.empty())
    return;
  Value base = code.cast(workspace, code.pointerTo("char"), "workspace_start");
  for (HostBuffer &buffer : program.buffers) {
    Value offset = host.getOffset(buffer);
    pointers[buffer.op] = code.cast(
        offset ? code.add(base, offset) : base,
        code.pointerTo(buffer.op.getType().getElementType()), buffer.name);
  }
}

void LauncherBuilder::clearBuffers(HostTranslator &host, Value stream) {
  for (HostBuffer &buffer : program.buffers) {
    if (!buffer.isCleared)
      continue;
    // In the stream, so that a graph that captures the launches replays it too.
    MemRefType type = buffer.op.getType();
    Value bytes = host.getElements(buffer.op.getResult(), 0,
                                   type.getElementTypeBitWidth() / 8);
    bytes = code.cast(bytes, code.opaque("size_t"));
    passOnCuda(
        code.call("cudaMemsetAsync",
                  {pointers.lookup(buffer.op), code.integer(0), bytes, stream},
                  errorType, buffer.name + "_clear_error"));
  }
}

Value LauncherBuilder::getBlocks(HostTranslator &host, HostLaunch &launch) {
  Value blocks;
  for (Value extent : launch.op.getGrid()) {
    if (matchPattern(extent, m_One()))
      continue;
    Value next = host.getSize(extent);
    blocks = blocks ? code.mul(blocks, next) : next;
  }
  if (!blocks)
    blocks = code.index(1);
  // An extent alone may be a variable already.
  if (launch.condition.empty() && launch.op.getGrid().size() == 1)
    return blocks;
  // No block where the branches around the launch are not taken.
  return code.giveName(host.select(launch.condition, blocks),
                       launch.name + "_blocks");
}

/// `{extents[0], ..}` as a variable.
static Value declareArray(CodeBuilder &code, ArrayRef<Value> elements,
                          const Twine &name) {
  Type type = code.arrayOf(elements.size(), code.builder.getIndexType());
  return code.read(code.declare(type, elements, name.str()));
}

void LauncherBuilder::makeTensorMaps(HostTranslator &host) {
  for (HostLaunch &launch : program.launches)
    for (const KernelParameter &parameter : getParameters(launch))
      if (parameter.kind == KernelParameter::TensorMap)
        makeTensorMap(host, launch.op.getInputs()[parameter.input],
                      parameter.map);
}

void LauncherBuilder::makeTensorMap(HostTranslator &host, Value array,
                                    TensorMapAttr map) {
  Value &variable = maps[{array, map.getBox()}];
  if (variable)
    return;
  if (maps.size() == 1)
    code.comment("How copies find their boxes.");
  Value pointer = pointers.lookup(getUnderlyingArray(array));
  std::string arrayName =
      cast<ExpressionOpInterface>(pointer.getDefiningOp()).getName()->str();
  // Innermost first.
  SmallVector<Value> extents, strides;
  for (int64_t axis = cast<MemRefType>(array.getType()).getRank();
       axis-- > 0;) {
    extents.push_back(host.getDim(array, axis));
    strides.push_back(host.getElements(array, axis + 1));
  }
  Value sizes = declareArray(code, extents, arrayName + "_extents");
  Value steps = declareArray(code, strides, arrayName + "_steps");
  variable = code.declare(code.opaque("CUtensorMap"), {}, arrayName + "_map");
  ArrayRef<int64_t> box = map.getBox();
  // All extents but one and the innermost are 1: rows of that axis.
  unsigned rowAxis = 1;
  for (auto [axis, extent] : llvm::enumerate(box))
    if (axis > 0 && extent != 1)
      rowAxis = axis;
  passOnCuda(code.call("make_tensor_map",
                       {code.addressOf(variable), pointer, sizes, steps,
                        code.integer(box.front()), code.integer(box[rowAxis]),
                        code.integer(rowAxis)},
                       errorType, arrayName + "_map_error"));
}

SmallVector<Value> LauncherBuilder::getKernelArguments(HostTranslator &host,
                                                       HostLaunch &launch) {
  SmallVector<Value> arguments;
  ArrayRef<Type> types = launch.kernel.getArgumentTypes();
  for (const KernelParameter &parameter : getParameters(launch)) {
    if (parameter.kind == KernelParameter::Extent) {
      arguments.push_back(host.getSize(launch.op.getGrid()[parameter.axis]));
      continue;
    }
    Value input = launch.op.getInputs()[parameter.input];
    switch (parameter.kind) {
    case KernelParameter::Pointer: {
      Value pointer = pointers.lookup(getUnderlyingArray(input));
      // A kernel that only reads takes a pointer to const.
      if (types[arguments.size()] != pointer.getType())
        pointer = code.cast(pointer, types[arguments.size()]);
      arguments.push_back(pointer);
      break;
    }
    case KernelParameter::Stride:
      arguments.push_back(host.getElements(input, parameter.axis + 1));
      break;
    case KernelParameter::TensorMap:
      arguments.push_back(
          code.read(maps.lookup({input, parameter.map.getBox()})));
      break;
    case KernelParameter::Size:
    case KernelParameter::Extent:
      arguments.push_back(host.getSize(input));
      break;
    }
  }
  return arguments;
}

static bool overlaps(HostLaunch &launch) { return launch.op.getOverlap(); }

void LauncherBuilder::buildKernelLaunch(HostTranslator &host,
                                        HostLaunch &launch, Value blocks,
                                        Value stream) {
  KernelOp kernel = launch.kernel;
  // cudaFuncSetAttribute is not needed up to here.
  constexpr int64_t sharedWithoutRequest = 48 * 1024;
  auto build = [&] {
    int64_t shared = kernel.getSharedBytes();
    if (shared > sharedWithoutRequest) {
      Value function =
          SymbolOp::create(code.builder, code.loc, code.opaque("void (*)(...)"),
                           kernel.getName(), StringAttr(), false);
      passOnCuda(
          code.call("cudaFuncSetAttribute",
                    {function,
                     code.builtin("cudaFuncAttributeMaxDynamicSharedMemorySize",
                                  code.opaque("cudaFuncAttribute")),
                     code.integer(shared)},
                    errorType, launch.name + "_shared_error"));
    }
    Type dim3 = code.opaque("dim3");
    Type word = code.builder.getIntegerType(32, /*isSigned=*/false);
    Value grid = code.call("dim3", code.cast(blocks, word), dim3, "", true);
    Value block =
        code.call("dim3", code.integer(kernel.getThreads()), dim3, "", true);
    SmallVector<Value> fields = {grid, block, code.integer(shared), stream};
    if (launch.op.getOverlap()) {
      // The first launch of a call waits for whatever was there before.
      Type attribute = code.opaque("cudaLaunchAttribute");
      Value overlap = code.declare(
          attribute, code.call("overlap_attribute", {}, attribute, "", true),
          launch.name + "_overlap");
      fields.append(
          {code.addressOf(overlap), code.cast(code.read(launched), word)});
    }
    Value config = code.declare(code.opaque("cudaLaunchConfig_t"), fields,
                                launch.name + "_config");
    Value address = code.addressOf(config);
    SmallVector<Value> arguments = getKernelArguments(host, launch);
    Value error = LaunchOp::create(
        code.builder, code.loc, errorType, kernel.getName(), address, arguments,
        code.builder.getStringAttr(launch.name + "_error"), false);
    passOnCuda(error);
    HostLaunch *next = &launch + 1;
    if (llvm::any_of(llvm::make_range(next, program.launches.end()), overlaps))
      code.assign(launched, code.truth(true));
  };
  code.comment(kernel.getName());
  code.when(code.binary(BinaryKind::Gt, blocks, code.index(0)), build);
}

void LauncherBuilder::buildLaunch() {
  auto function = buildFunction(
      code, getFunctionName(program, "launch"),
      {{args, "args"},
       {code.pointerTo("void"), "workspace"},
       {code.opaque("cudaStream_t"), "stream"}},
      statusType, "", [&](ValueRange arguments) {
        Value args = arguments[0], workspace = arguments[1];
        passOn(code.call("check_sizes", args, statusType, "sizes_status"));
        HostTranslator host(program, code, args);
        host.translateSizes();
        Value bytes = host.layOutBuffers();
        checkArrays(host, args);
        if (!program.buffers.empty())
          checkWorkspace(workspace, bytes);

        code.comment("Nothing is launched unless everything can be.");
        // gridDim.x.
        Value limit =
            code.index(std::numeric_limits<int32_t>::max(), "most_blocks");
        SmallVector<Value> blocks;
        Value empty;
        for (HostLaunch &launch : program.launches) {
          blocks.push_back(getBlocks(host, launch));
          refuse(code.binary(BinaryKind::Gt, blocks.back(), limit),
                 Status::TooLarge);
        }
        for (Value count : blocks) {
          Value none = code.binary(BinaryKind::Eq, count, code.index(0));
          empty = empty ? code.binary(BinaryKind::And, empty, none) : none;
        }
        if (empty)
          refuse(empty, Status::Success);
        passOn(code.call("check_device", {}, statusType, "device_status"));

        code.comment("Where everything is.");
        makePointers(host, args, workspace);
        makeTensorMaps(host);
        if (llvm::any_of(program.launches, overlaps))
          launched = code.declare(code.builder.getI1Type(), code.truth(false),
                                  "launched");
        clearBuffers(host, arguments[2]);
        for (auto [launch, count] : llvm::zip(program.launches, blocks))
          buildKernelLaunch(host, launch, count, arguments[2]);
        code.ret(enumerator(Status::Success));
      });
  function.setExternC(program.set.empty());
}

void LauncherBuilder::buildStatusString() {
  auto function = buildFunction(
      code, (name + "_status_string").str(), {{statusType, "status"}},
      code.pointerTo("char", /*isConst=*/true), "", [&](ValueRange arguments) {
        Value status = arguments[0];
        for (const StatusEntry &entry : getStatuses())
          if (entry.status != Status::Cuda)
            code.when(
                code.binary(BinaryKind::Eq, status, enumerator(entry.status)),
                [&] { code.ret(code.text(entry.message)); });
        code.when(
            code.binary(BinaryKind::Gt, status, enumerator(Status::Cuda)), [&] {
              Value error = code.cast(
                  code.sub(status, enumerator(Status::Cuda)), errorType);
              code.ret(code.call("cudaGetErrorString", error,
                                 code.pointerTo("char", /*isConst=*/true), "",
                                 /*pure=*/true));
            });
        code.ret(code.text("unknown status"));
      });
  function.setExternC(true);
}

void cuda::buildLauncher(HostProgram &program, OpBuilder &builder) {
  LauncherBuilder launcher(program, builder);
  launcher.buildWorkspaceSize();
  launcher.buildLaunch();
}

void cuda::buildStatusString(HostProgram &program, OpBuilder &builder) {
  LauncherBuilder(program, builder).buildStatusString();
}
