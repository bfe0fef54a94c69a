//===- KernelParameters.cpp - what a launch passes to a kernel --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The order of the parameters is here alone: the check and the launcher both
/// follow it.
///
//===----------------------------------------------------------------------===//

#include "KernelParameters.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

/// What argument `index` of `kernel` maps, if it is a tensor map.
static TensorMapAttr getTensorMap(KernelOp kernel, unsigned index) {
  if (index >= kernel.getNumArguments())
    return {};
  return kernel.getArgAttrOfType<TensorMapAttr>(
      index, CudaDialect::getTensorMapAttrName());
}

SmallVector<KernelParameter> cuda::getParameters(const HostLaunch &launch) {
  tile::LaunchOp op = launch.op;
  KernelOp kernel = launch.kernel;
  SmallVector<KernelParameter> parameters;
  for (auto [position, value] : llvm::enumerate(op.getInputs())) {
    unsigned input = position;
    auto type = dyn_cast<MemRefType>(value.getType());
    if (!type) {
      parameters.push_back({KernelParameter::Size, input});
      continue;
    }
    auto getMap = [&] {
      TensorMapAttr map = getTensorMap(kernel, parameters.size());
      return map && map.getInput() == input ? map : TensorMapAttr();
    };
    if (!getMap()) {
      parameters.push_back({KernelParameter::Pointer, input});
      for (int64_t axis = 0; axis < type.getRank(); ++axis)
        if (llvm::any_of(type.getShape().drop_front(axis + 1),
                         ShapedType::isDynamic))
          parameters.push_back({KernelParameter::Stride, input, axis});
    }
    while (TensorMapAttr map = getMap())
      parameters.push_back({KernelParameter::TensorMap, input, 0, map});
  }
  ArrayRef<int64_t> grid = *kernel.getGrid();
  for (auto [axis, extent] :
       llvm::enumerate(grid.drop_back(grid.empty() ? 0 : 1)))
    if (extent == -1)
      parameters.push_back({KernelParameter::Extent, 0, int64_t(axis)});
  return parameters;
}

/// Whether a map of an array of `type` can be made: a box is columns of 32, 64
/// or 128 bytes by rows of one other axis.
static LogicalResult checkMap(const HostLaunch &launch, TensorMapAttr map,
                              MemRefType type) {
  ArrayRef<int64_t> box = map.getBox();
  int64_t columns = box.front();
  bool isPanel = columns == 16 || columns == 32 || columns == 64;
  bool isPlane = llvm::count_if(box.drop_front(), [](int64_t extent) {
                   return extent != 1;
                 }) <= 1;
  if (type.getElementTypeBitWidth() == 16 && type.getRank() >= 2 &&
      int64_t(box.size()) == type.getRank() && isPanel && isPlane)
    return success();
  tile::LaunchOp op = launch.op;
  return op.emitError()
         << "input " << map.getInput()
         << ": expected a 16-bit array with an axis for each of the box's, of "
            "16, 32 or 64 columns by rows of one other axis, got "
         << type << " and " << map;
}

LogicalResult cuda::checkParameters(const HostLaunch &launch) {
  tile::LaunchOp op = launch.op;
  KernelOp kernel = launch.kernel;
  Builder builder(kernel.getContext());
  SmallVector<Type> wanted;
  for (const KernelParameter &parameter : getParameters(launch)) {
    Type type = builder.getIndexType();
    if (parameter.kind == KernelParameter::TensorMap) {
      type = cuda::OpaqueType::get(kernel.getContext(), "CUtensorMap");
      auto array = cast<MemRefType>(op.getInputs()[parameter.input].getType());
      if (failed(checkMap(launch, parameter.map, array)))
        return failure();
    } else if (parameter.kind == KernelParameter::Pointer) {
      auto array = cast<MemRefType>(op.getInputs()[parameter.input].getType());
      type = cuda::PointerType::get(array.getElementType());
    }
    wanted.push_back(type);
  }

  ArrayRef<Type> given = kernel.getArgumentTypes();
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
      op.emitError() << "kernel " << op.getKernelAttr()
                     << " must have parameters (" << TypeRange(wanted)
                     << "), got (" << TypeRange(given) << ")";
  diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
  return diagnostic;
}
