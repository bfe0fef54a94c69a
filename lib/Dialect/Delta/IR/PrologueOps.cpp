//===- PrologueOps.cpp - what stands before a recurrence --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Ops on whole arrays in the recurrent phase and on tiles in the chunked
/// phase. A check is marked with its label in docs/spec.md.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace delta;

/// What l2norm and sigmoid share.
static LogicalResult verifyPrologue(Operation *op) {
  Value input = op->getOperand(0), output = op->getResult(0);
  auto inputType = cast<RankedTensorType>(input.getType());
  auto outputType = cast<RankedTensorType>(output.getType());
  // C17
  if (inputType.getShape() != outputType.getShape())
    return op->emitOpError() << "output: expected the input's shape "
                             << printShape(inputType.getShape()) << ", got "
                             << printShape(outputType.getShape());
  // C18
  SmallVector<Type, 3> floats = getFloatTypes(op->getContext());
  if (failed(checkElementType(op, "input", input, floats)) ||
      failed(checkElementType(op, "output", output, floats)))
    return failure();
  return success();
}

LogicalResult L2NormOp::verify() {
  if (failed(verifyPrologue(*this)))
    return failure();
  // C19
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(getInput().getType()).getShape();
  if (shape.empty() || ShapedType::isDynamic(shape.back()))
    return emitOpError() << "input: expected a last axis of static size, got "
                         << printShape(shape);
  // C20
  APFloat eps = getEps();
  if (!eps.isFinite() || eps.isNegative() || eps.isZero())
    return emitOpError() << "eps: expected a positive finite number, got "
                         << getEpsAttr();
  return success();
}

Results L2NormOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  SmallVector<OpFoldResult> shape =
      tensor::getMixedSizes(b, getLoc(), getInput());
  AffineMap all = b.getMultiDimIdentityMap(shape.size());
  Value squares =
      b.reduceLast(getInput(), 0.0f, [](TileBuilder &b, ValueRange in) {
        Value x = b.extend(in[0]);
        return b.add(in[1], b.mul(x, x));
      });
  Type type = getOutput().getType().getElementType();
  float eps = getEps().convertToFloat();
  return results(b.elementwise(
      shape, type, {getInput(), squares},
      {all, all.dropResult(shape.size() - 1)},
      [&](TileBuilder &b, ValueRange in) {
        Value norm = math::RsqrtOp::create(b, b.add(in[1], b.f32(eps)));
        return b.round(b.mul(b.extend(in[0]), norm), type);
      }));
}

LogicalResult SigmoidOp::verify() {
  if (failed(verifyPrologue(*this)))
    return failure();
  // C21
  float range = getRange().convertToFloat();
  if (range != 1.0f && range != 2.0f)
    return emitOpError() << "range: expected 1.0 or 2.0, got "
                         << getRangeAttr();
  return success();
}

Results SigmoidOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  SmallVector<OpFoldResult> shape =
      tensor::getMixedSizes(b, getLoc(), getInput());
  Type type = getOutput().getType().getElementType();
  float range = getRange().convertToFloat();
  return results(b.elementwise(
      shape, type, getInput(), b.getMultiDimIdentityMap(shape.size()),
      [&](TileBuilder &b, ValueRange in) {
        Value negated = arith::NegFOp::create(b, b.extend(in[0]));
        Value below = b.add(b.f32(1.0f), b.exp(negated));
        return b.round(arith::DivFOp::create(b, b.f32(range), below), type);
      }));
}
