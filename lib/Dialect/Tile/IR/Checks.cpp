//===- Checks.cpp - checks that several verifiers share ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements Checks.h.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"

using namespace mlir;
using namespace delta;

ShapedType tile::getShapedType(Type type) {
  if (auto async = dyn_cast<AsyncType>(type))
    type = async.getValue();
  return dyn_cast<ShapedType>(type);
}

LogicalResult tile::expectRank(Operation *op, StringRef name, ShapedType type,
                               int64_t rank) {
  if (type.getRank() == rank)
    return success();
  return op->emitOpError() << name << ": expected rank " << rank << ", got "
                           << type.getRank();
}

LogicalResult tile::expectShape(Operation *op, StringRef name, ShapedType type,
                                ArrayRef<int64_t> shape) {
  if (type.getShape() == shape)
    return success();
  return op->emitOpError() << name << ": expected shape [" << shape
                           << "], got [" << type.getShape() << "]";
}

LogicalResult tile::expectElement(Operation *op, StringRef name,
                                  ShapedType type, Type element) {
  if (type.getElementType() == element)
    return success();
  return op->emitOpError() << name << ": expected elements of " << element
                           << ", got " << type.getElementType();
}

LogicalResult tile::expectBox(Operation *op, StringRef name, MemRefType array,
                              ShapedType tile, size_t indices,
                              ArrayRef<int64_t> dims,
                              std::optional<int64_t> boundAxis) {
  int64_t rank = array.getRank();
  if (indices != static_cast<size_t>(rank))
    return op->emitOpError() << "indices: expected one for each of the " << rank
                             << " axes of " << name << ", got " << indices;
  if (tile.getRank() < 1 || tile.getRank() > 2)
    return op->emitOpError()
           << "tile: expected rank 1 or 2, got " << tile.getRank();
  if (dims.size() != static_cast<size_t>(tile.getRank()))
    return op->emitOpError()
           << "dims: expected one axis for each of the " << tile.getRank()
           << " axes of the tile, got " << dims.size();
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank ||
        llvm::is_contained(dims.take_front(axis), dim))
      return op->emitOpError() << "dims: expected distinct axes of " << name
                               << " below " << rank << ", got [" << dims << "]";
    int64_t extent = array.getDimSize(dim);
    if (!ShapedType::isDynamic(extent) && boundAxis != int64_t(axis) &&
        tile.getDimSize(axis) > extent)
      return op->emitOpError()
             << "tile: expected at most the " << extent << " elements of axis "
             << dim << " of " << name << ", got " << tile.getDimSize(axis);
  }
  return expectElement(op, "tile", tile, array.getElementType());
}

LogicalResult tile::expectProduct(Operation *op, Type a, Type b, Type result,
                                  ArrayRef<int64_t> contract) {
  auto aType = dyn_cast<ShapedType>(a), bType = dyn_cast<ShapedType>(b);
  if (!isa<RankedTensorType, MemRefType>(a))
    return op->emitOpError() << "a: expected a tensor or a memref, got " << a;
  if (!isa<RankedTensorType, MemRefType>(b))
    return op->emitOpError() << "b: expected a tensor or a memref, got " << b;
  if (failed(expectRank(op, "a", aType, 2)) ||
      failed(expectRank(op, "b", bType, 2)))
    return failure();
  if (contract.size() != 2 || contract[0] < 0 || contract[0] > 1 ||
      contract[1] < 0 || contract[1] > 1)
    return op->emitOpError()
           << "contract: expected an axis (0 or 1) of a and one of b, got ["
           << contract << "]";
  int64_t extent = aType.getDimSize(contract[0]);
  if (bType.getDimSize(contract[1]) != extent)
    return op->emitOpError()
           << "b: expected " << extent << " elements along axis " << contract[1]
           << ", got " << bType.getDimSize(contract[1]);
  Type element = aType.getElementType();
  if (!element.isBF16() && !element.isF16() && !element.isF32())
    return op->emitOpError()
           << "a: expected elements of bf16, f16 or f32, got " << element;
  ShapedType resultType = getShapedType(result);
  if (!resultType)
    return op->emitOpError()
           << "result: expected a tensor in flight, got " << result;
  if (failed(expectElement(op, "b", bType, element)) ||
      failed(expectElement(op, "result", resultType,
                           Float32Type::get(op->getContext()))))
    return failure();
  return expectShape(
      op, "result", resultType,
      {aType.getDimSize(1 - contract[0]), bType.getDimSize(1 - contract[1])});
}
