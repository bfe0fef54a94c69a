//===- MemoryDecompositions.cpp - loads and stores of tiles -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta.load` and `delta.store` element by element: the only decompositions
/// that touch the caller's arrays. Rows outside are neither read nor written,
/// so arrays need no padding.
///
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace delta;

/// The array's indices of tile element `element`.
static SmallVector<Value> arrayIndices(TileBuilder &b, ValueRange start,
                                       ArrayRef<int64_t> dims,
                                       ValueRange element) {
  SmallVector<Value> indices(start);
  for (auto [axis, offset] : llvm::zip(dims, element))
    indices[axis] = arith::AddIOp::create(b, indices[axis], offset);
  return indices;
}

FailureOr<SmallVector<Value>> LoadOp::decompose(OpBuilder &builder) {
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
  return SmallVector<Value>{tile};
}

FailureOr<SmallVector<Value>> LoadIndexOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value count = memref::LoadOp::create(b, getSource(), getPosition());
  Value index = arith::IndexCastOp::create(b, b.getIndexType(), count);
  return SmallVector<Value>{index};
}

FailureOr<SmallVector<Value>> StoreOp::decompose(OpBuilder &builder) {
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
  return SmallVector<Value>();
}
