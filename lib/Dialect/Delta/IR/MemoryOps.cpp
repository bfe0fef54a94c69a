//===- MemoryOps.cpp - rows of the caller's arrays --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loads and stores of the chunked phase: verifiers, and their meaning element
/// by element. Rows outside are neither read nor written, so arrays need no
/// padding. No other decomposition touches the caller's arrays.
///
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace delta;

/// What `delta.load` and `delta.store` have in common.
static LogicalResult verifyAccess(Operation *op, StringRef name, Value array,
                                  Value tile, size_t indices,
                                  ArrayRef<int64_t> dims) {
  auto type = cast<MemRefType>(array.getType());
  auto rank = type.getRank();
  // N1
  if (!type.getElementType().isBF16() && !type.getElementType().isF16() &&
      !type.getElementType().isF32())
    return op->emitOpError() << name << ": expected elements of bf16, f16 or "
                             << "f32, got " << type.getElementType();
  // N2
  if (indices != static_cast<size_t>(rank))
    return op->emitOpError() << "indices: expected one for each of the " << rank
                             << " axes of " << name << ", got " << indices;
  // N3
  ArrayRef<int64_t> shape = getTileShape(tile);
  if (dims.empty() || dims.size() != shape.size())
    return op->emitOpError()
           << "dims: expected one axis for each of the " << shape.size()
           << " axes of the tile, got " << dims.size();
  for (auto [i, axis] : llvm::enumerate(dims)) {
    if (axis < 0 || axis >= rank || (i > 0 && axis <= dims[i - 1]))
      return op->emitOpError() << "dims: expected increasing axes of " << name
                               << " below " << rank << ", got [" << dims << "]";
    // N4: rows may pass the array's end (`rows` bounds them), columns may not.
    if (i > 0 && (type.isDynamicDim(axis) || shape[i] > type.getDimSize(axis)))
      return op->emitOpError()
             << "tile: expected an extent that axis " << axis << " of " << name
             << " holds, got " << shape[i] << " for " << type;
  }
  return success();
}

/// N23: what 16 bits lose of the elements of an array has 16 bits itself.
static LogicalResult verifyRest(Operation *op, StringRef name, Value array,
                                Value rest) {
  if (!rest)
    return success();
  auto type = cast<MemRefType>(array.getType());
  if (type.getElementType().isF32())
    return op->emitOpError() << "rest: expected none of " << name
                             << " in f32, got " << rest.getType();
  if (rest.getType() == type)
    return success();
  return op->emitOpError() << "rest: expected the type of " << name << ", "
                           << type << ", got " << rest.getType();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, "source", getSource(), getTile(),
                          getIndices().size(), getDims())))
    return failure();
  return verifyRest(*this, "source", getSource(), getRest());
}

LogicalResult LoadIndexOp::verify() {
  // N21
  auto type = cast<MemRefType>(getSource().getType());
  if (type.getRank() == 1 && type.getElementType().isInteger(64))
    return success();
  return emitOpError() << "source: expected a vector of i64, got " << type;
}

LogicalResult StoreOp::verify() {
  if (failed(verifyAccess(*this, "dest", getDest(), getTile(),
                          getIndices().size(), getDims())))
    return failure();
  return verifyRest(*this, "dest", getDest(), getRest());
}

/// The array's indices of tile element `element`.
static SmallVector<Value> arrayIndices(TileBuilder &b, ValueRange start,
                                       ArrayRef<int64_t> dims,
                                       ValueRange element) {
  SmallVector<Value> indices(start);
  for (auto [axis, offset] : llvm::zip(dims, element))
    indices[axis] = arith::AddIOp::create(b, indices[axis], offset);
  return indices;
}

Results LoadOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  auto readElement = [&](TileBuilder &b, ValueRange element) -> Value {
    SmallVector<Value> indices =
        arrayIndices(b, getIndices(), getDims(), element);
    Value value = b.extend(memref::LoadOp::create(b, getSource(), indices));
    if (!getRest())
      return value;
    return b.add(value,
                 b.extend(memref::LoadOp::create(b, getRest(), indices)));
  };
  Value tile = tensor::GenerateOp::create(
      b, getTile().getType(), ValueRange(),
      [&](OpBuilder &inner, Location loc, ValueRange coordinates) {
        TileBuilder b(loc, inner);
        SmallVector<Value> element(coordinates);
        Value present;
        if (getSteps() > 1) {
          Value steps = b.index(getSteps());
          Value step = arith::RemUIOp::create(b, element[0], steps);
          element[0] = arith::DivUIOp::create(b, element[0], steps);
          present = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, step,
                                          b.index(0));
        }
        if (getRows()) {
          Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                               element[0], getRows());
          present =
              present ? arith::AndIOp::create(b, present, inside) : inside;
        }
        if (!present) {
          tensor::YieldOp::create(b, readElement(b, element));
          return;
        }
        auto choice = scf::IfOp::create(
            b, present,
            [&](OpBuilder &inner, Location loc) {
              TileBuilder b(loc, inner);
              scf::YieldOp::create(b, readElement(b, element));
            },
            [&](OpBuilder &inner, Location loc) {
              TileBuilder b(loc, inner);
              scf::YieldOp::create(b, b.f32(0.0f));
            });
        tensor::YieldOp::create(b, choice.getResult(0));
      });
  return results(tile);
}

Results LoadIndexOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value count = memref::LoadOp::create(b, getSource(), getPosition());
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), count);
  return results(index);
}

Results StoreOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  ArrayRef<int64_t> shape = getTileShape(getTile());
  SmallVector<Value> lower(shape.size(), b.index(0));
  SmallVector<Value> step(shape.size(), b.index(1));
  SmallVector<Value> upper;
  for (int64_t extent : shape)
    upper.push_back(b.index(extent));
  if (getRows())
    upper[0] = arith::MinUIOp::create(b, upper[0], getRows());
  scf::buildLoopNest(
      b, getLoc(), lower, upper, step,
      [&](OpBuilder &inner, Location loc, ValueRange element) {
        TileBuilder b(loc, inner);
        Value value = tensor::ExtractOp::create(b, getTile(), element);
        Type type = getDest().getType().getElementType();
        SmallVector<Value> indices =
            arrayIndices(b, getIndices(), getDims(), element);
        Value rounded = b.round(value, type);
        memref::StoreOp::create(b, rounded, getDest(), indices);
        if (!getRest())
          return;
        Value lost = b.sub(value, b.extend(rounded));
        memref::StoreOp::create(b, b.round(lost, type), getRest(), indices);
      });
  return results({});
}
