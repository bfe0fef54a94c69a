//===- Launcher.cpp - the functions of a launcher ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Translates the host function, once for the size of the workspace and once
/// for the launches.
///
//===----------------------------------------------------------------------===//

#include "Launcher.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

namespace {

/// Translates the values of a host function into a body that is being built.
class HostTranslator {
public:
  HostTranslator(HostProgram &program, CodeBuilder &code, Value args)
      : program(program), code(code), index(code.builder.getIndexType()),
        batch(code.member(args, "batch", index, "batch")),
        length(code.member(args, "length", index, "length")) {}

  /// Translates every index that the function computes.
  void translateIndices();
  Value getIndex(Value value) { return indices.lookup(value); }
  /// The extent of axis `axis` of an array or a view.
  Value getDim(Value memref, int64_t axis);
  /// The product of the extents from `axis` on, times `factor`.
  Value getElements(Value memref, int64_t axis, int64_t factor = 1,
                    StringRef name = "");
  Value getBytes(Value memref, StringRef name) {
    auto type = cast<MemRefType>(memref.getType());
    return getElements(memref, 0, type.getElementTypeBitWidth() / 8, name);
  }
  /// The workspace: where each buffer starts. Returns the bytes in all.
  Value layOutBuffers();
  /// Where `buffer` starts, in bytes; nothing for the first one.
  Value getOffset(HostBuffer &buffer) {
    return offsets.lookup(buffer.op.getResult());
  }

private:
  Value translate(Operation *op);
  Value product(ArrayRef<Value> values, int64_t factor, StringRef name);

  HostProgram &program;
  CodeBuilder &code;
  Type index;
  Value batch, length;
  llvm::DenseMap<Value, Value> indices, offsets;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values of the host function
//===----------------------------------------------------------------------===//

Value HostTranslator::product(ArrayRef<Value> values, int64_t factor,
                              StringRef name) {
  Value result;
  for (auto [i, value] : llvm::enumerate(values)) {
    bool last = i + 1 == values.size() && factor == 1;
    result = result ? code.mul(result, value, last ? name : "") : value;
  }
  if (!result)
    return code.index(factor, name);
  return factor == 1 ? result : code.mul(result, code.index(factor), name);
}

Value HostTranslator::getDim(Value memref, int64_t axis) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(axis))
    return code.index(type.getDimSize(axis));
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return getDim(cast.getSource(), axis);
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    SmallVector<Value> extents;
    int64_t factor = 1;
    auto source = collapse.getSrcType();
    for (int64_t inner : collapse.getReassociationIndices()[axis])
      if (source.isDynamicDim(inner))
        extents.push_back(getDim(collapse.getSrc(), inner));
      else
        factor *= source.getDimSize(inner);
    return product(extents, factor, "");
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return getIndex(alloc.getDynamicSizes()[type.getDynamicDimIndex(axis)]);
  return axis == BatchAxis ? batch : length;
}

Value HostTranslator::getElements(Value memref, int64_t axis, int64_t factor,
                                  StringRef name) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> extents;
  for (; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      extents.push_back(getDim(memref, axis));
    else
      factor *= type.getDimSize(axis);
  return product(extents, factor, name);
}

/// The name that an index asks for: the location's, else that of what it
/// usually is.
static StringRef getIndexName(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return name.getName();
  // A chunked program rounds up to count chunks.
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op) ? "chunks" : "";
}

Value HostTranslator::translate(Operation *op) {
  auto operand = [&](unsigned i) { return getIndex(op->getOperand(i)); };
  StringRef name = getIndexName(op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantIndexOp op) { return code.index(op.value()); })
      .Case([&](memref::DimOp op) {
        return getDim(op.getSource(), *op.getConstantIndex());
      })
      .Case(
          [&](arith::AddIOp) { return code.add(operand(0), operand(1), name); })
      .Case(
          [&](arith::SubIOp) { return code.sub(operand(0), operand(1), name); })
      .Case(
          [&](arith::MulIOp) { return code.mul(operand(0), operand(1), name); })
      // Nothing here is negative, so that rounding has one direction.
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return code.div(operand(0), operand(1), name); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) {
        Value below = code.sub(operand(1), code.index(1));
        if (auto literal = operand(1).template getDefiningOp<LiteralOp>())
          below =
              code.index(cast<IntegerAttr>(literal.getValue()).getInt() - 1);
        return code.div(code.add(operand(0), below), operand(1), name);
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) {
        return code.binary(BinaryKind::Rem, operand(0), operand(1), name);
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) {
        return code.select(code.binary(BinaryKind::Lt, operand(0), operand(1)),
                           operand(0), operand(1), name);
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) {
        return code.select(code.binary(BinaryKind::Gt, operand(0), operand(1)),
                           operand(0), operand(1), name);
      });
}

void HostTranslator::translateIndices() {
  for (Operation &op : program.function.getBody().front())
    if (op.getNumResults() == 1 && op.getResult(0).getType().isIndex())
      indices[op.getResult(0)] = translate(&op);
}

Value HostTranslator::layOutBuffers() {
  Value end;
  for (auto [i, buffer] : llvm::enumerate(program.buffers)) {
    if (end)
      offsets[buffer.op] = end;
    Value bytes = getBytes(buffer.op.getResult(), buffer.name + "_bytes");
    // Up to where the next buffer may start.
    Value alignment = code.index(workspaceAlignment);
    Value rounded =
        code.mul(code.div(code.add(bytes, code.index(workspaceAlignment - 1)),
                          alignment),
                 alignment);
    bool last = i + 1 == program.buffers.size();
    end = code.giveName(end ? code.add(end, rounded) : rounded,
                        last ? "workspace_bytes"
                             : program.buffers[i + 1].name + "_offset");
  }
  return end ? end : code.index(0);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

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
};

} // namespace

void LauncherBuilder::buildWorkspaceSize() {
  auto function = buildFunction(
      code, (name + "_workspace_size").str(), {{args, "args"}},
      code.opaque("size_t"), "", [&](ValueRange arguments) {
        Value status = code.call("check_sizes", arguments[0], statusType, "",
                                 /*pure=*/true);
        code.when(
            code.binary(BinaryKind::Ne, status, enumerator(Status::Success)),
            [&] { code.ret(code.cast(code.index(0), code.opaque("size_t"))); });
        HostTranslator host(program, code, arguments[0]);
        host.translateIndices();
        code.ret(code.cast(host.layOutBuffers(), code.opaque("size_t")));
      });
  function.setExternC(true);
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
    Value data =
        code.member(args, array.field, code.pointerTo("void", !array.isResult));
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
    Value data =
        code.member(args, array.field, code.pointerTo("void", !array.isResult));
    pointers[array.argument] = code.cast(
        data, code.pointerTo(array.type.getElementType(), !array.isResult),
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

Value LauncherBuilder::getBlocks(HostTranslator &host, HostLaunch &launch) {
  Value blocks;
  for (Value extent : launch.op.getGrid()) {
    Value next = host.getIndex(extent);
    blocks = blocks ? code.mul(blocks, next) : next;
  }
  if (!blocks)
    blocks = code.index(1);
  // An extent alone may be a variable already.
  return launch.op.getGrid().size() == 1
             ? blocks
             : code.giveName(blocks, launch.name + "_blocks");
}

SmallVector<Value> LauncherBuilder::getKernelArguments(HostTranslator &host,
                                                       HostLaunch &launch) {
  SmallVector<Value> arguments;
  ArrayRef<Type> types = launch.kernel.getArgumentTypes();
  for (Value input : launch.op.getInputs()) {
    auto type = dyn_cast<MemRefType>(input.getType());
    if (!type) {
      arguments.push_back(host.getIndex(input));
      continue;
    }
    Value pointer = pointers.lookup(getUnderlyingArray(input));
    // A kernel that only reads takes a pointer to const.
    if (arguments.size() < types.size() &&
        types[arguments.size()] != pointer.getType())
      pointer = code.cast(pointer, types[arguments.size()]);
    arguments.push_back(pointer);
    // The strides that the type does not say.
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      if (llvm::any_of(llvm::seq(axis + 1, type.getRank()),
                       [&](int64_t inner) { return type.isDynamicDim(inner); }))
        arguments.push_back(host.getElements(input, axis + 1));
  }
  ArrayRef<int64_t> extents = *launch.kernel.getGrid();
  for (auto [extent, value] : llvm::zip(
           extents.drop_back(extents.empty() ? 0 : 1), launch.op.getGrid()))
    if (extent == -1)
      arguments.push_back(host.getIndex(value));
  return arguments;
}

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
    Value config = code.declare(code.opaque("cudaLaunchConfig_t"),
                                {grid, block, code.integer(shared), stream},
                                launch.name + "_config");
    Value address = code.addressOf(config);
    SmallVector<Value> arguments = getKernelArguments(host, launch);
    Value error = LaunchOp::create(
        code.builder, code.loc, errorType, kernel.getName(), address, arguments,
        code.builder.getStringAttr(launch.name + "_error"), false);
    passOnCuda(error);
  };
  code.comment(kernel.getName());
  code.when(code.binary(BinaryKind::Gt, blocks, code.index(0)), build);
}

void LauncherBuilder::buildLaunch() {
  auto function = buildFunction(
      code, (name + "_launch").str(),
      {{args, "args"},
       {code.pointerTo("void"), "workspace"},
       {code.opaque("cudaStream_t"), "stream"}},
      statusType, "", [&](ValueRange arguments) {
        Value args = arguments[0], workspace = arguments[1];
        passOn(code.call("check_sizes", args, statusType, "sizes_status"));
        HostTranslator host(program, code, args);
        host.translateIndices();
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
        for (auto [launch, count] : llvm::zip(program.launches, blocks))
          buildKernelLaunch(host, launch, count, arguments[2]);
        code.ret(enumerator(Status::Success));
      });
  function.setExternC(true);
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
  launcher.buildStatusString();
}
