//===- TileBuilder.cpp - upstream ops on tiles ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// linalg, arith and math for the decompositions. Knows no op of delta.
///
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace delta;

using utils::IteratorType;

ArrayRef<int64_t> delta::getTileShape(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value TileBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value TileBuilder::f32(float value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value TileBuilder::extend(Value value) {
  if (value.getType().isF32())
    return value;
  return arith::ExtFOp::create(*this, getF32Type(), value);
}

Value TileBuilder::round(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::TruncFOp::create(*this, type, value);
}

Value TileBuilder::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(*this, lhs, rhs);
}

Value TileBuilder::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(*this, lhs, rhs);
}

Value TileBuilder::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(*this, lhs, rhs);
}

Value TileBuilder::exp(Value x) { return math::ExpOp::create(*this, x); }

Value TileBuilder::orZero(Value condition, Value value) {
  return arith::SelectOp::create(*this, condition, value, f32(0.0f));
}

Value TileBuilder::onPart(Value i, Value j, Part part, int64_t steps) {
  if (part == Part::Full)
    return {};
  Value end =
      part == Part::Lower ? arith::AddIOp::create(*this, i, index(1)) : i;
  if (steps > 1)
    end = arith::MulIOp::create(*this, end, index(steps));
  return arith::CmpIOp::create(*this, arith::CmpIPredicate::ult, j, end);
}

Value TileBuilder::coordinate(int64_t axis) {
  return linalg::IndexOp::create(*this, axis);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

AffineMap TileBuilder::map(unsigned dims, ArrayRef<unsigned> axes) {
  SmallVector<AffineExpr> results;
  for (unsigned axis : axes)
    results.push_back(getAffineDimExpr(axis));
  return AffineMap::get(dims, /*symbolCount=*/0, results, getContext());
}

Value TileBuilder::filled(ArrayRef<OpFoldResult> shape, float value) {
  Value empty = tensor::EmptyOp::create(*this, shape, getF32Type());
  return linalg::FillOp::create(*this, f32(value), empty).getResult(0);
}

Value TileBuilder::filled(ArrayRef<int64_t> shape, float value) {
  return filled(getAsIndexOpFoldResult(getContext(), shape), value);
}

/// linalg.generic whose body is computed by `body`.
static Value generic(TileBuilder &b, ValueRange inputs, Value init,
                     ArrayRef<AffineMap> maps, ArrayRef<IteratorType> loops,
                     bool readsInit, TileBuilder::Body body) {
  return linalg::GenericOp::create(
             b, init.getType(), inputs, init, maps, loops,
             [&](OpBuilder &inner, Location loc, ValueRange elements) {
               TileBuilder scalars(loc, inner);
               Value result =
                   body(scalars, readsInit ? elements : elements.drop_back());
               linalg::YieldOp::create(scalars, result);
             })
      .getResult(0);
}

Value TileBuilder::elementwise(ArrayRef<OpFoldResult> shape, Type element,
                               ValueRange inputs, ArrayRef<AffineMap> maps,
                               Body body) {
  Value init = tensor::EmptyOp::create(*this, shape, element);
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(getMultiDimIdentityMap(shape.size()));
  SmallVector<IteratorType> loops(shape.size(), IteratorType::parallel);
  return generic(*this, inputs, init, allMaps, loops, /*readsInit=*/false,
                 body);
}

Value TileBuilder::elementwise(ArrayRef<int64_t> shape, ValueRange inputs,
                               ArrayRef<AffineMap> maps, Body body) {
  return elementwise(getAsIndexOpFoldResult(getContext(), shape), getF32Type(),
                     inputs, maps, body);
}

Value TileBuilder::reduceLast(Value input, float init, Body body) {
  SmallVector<OpFoldResult> shape =
      tensor::getMixedSizes(*this, getLoc(), input);
  unsigned rank = shape.size();
  shape.pop_back();
  AffineMap all = getMultiDimIdentityMap(rank);
  SmallVector<IteratorType> loops(rank, IteratorType::parallel);
  loops.back() = IteratorType::reduction;
  return generic(*this, input, filled(shape, init),
                 {all, all.dropResult(rank - 1)}, loops, /*readsInit=*/true,
                 body);
}

Value TileBuilder::rowSum(Value matrix) {
  return reduceLast(matrix, 0.0f, [](TileBuilder &b, ValueRange in) {
    return b.add(in[1], in[0]);
  });
}

Value TileBuilder::accumulator(Value init, Value like) {
  if (!init)
    return filled(getTileShape(like), 0.0f);
  return elementwise(getTileShape(init), init, elements(),
                     [](TileBuilder &, ValueRange in) { return in[0]; });
}

Value TileBuilder::transpose(Value matrix) {
  ArrayRef<int64_t> shape = getTileShape(matrix);
  return elementwise({shape[1], shape[0]}, matrix, map(2, {1, 0}),
                     [](TileBuilder &, ValueRange in) { return in[0]; });
}

Value TileBuilder::multiply(Value lhs, Value rhs, Value init,
                            bool transposeLhs) {
  AffineMap left = transposeLhs ? map(3, {1, 0}) : map(3, {0, 1});
  return generic(
      *this, {lhs, rhs}, init, {left, map(3, {1, 2}), map(3, {0, 2})},
      {IteratorType::parallel, IteratorType::reduction, IteratorType::parallel},
      /*readsInit=*/true, [](TileBuilder &b, ValueRange in) {
        return b.add(in[2], b.mul(in[0], in[1]));
      });
}
