//===- ImplicitOps.cpp - softmax without a state ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Online softmax and the weights that it gives.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

/// x / sum, and 0 where no score was seen.
static Value divideBySum(TileBuilder &b, Value x, Value sum) {
  Value seen =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, sum, b.f32(0.0f));
  return b.orZero(seen, arith::DivFOp::create(b, x, sum));
}

LogicalResult OnlineOp::verify() {
  // N16
  if (failed(expectRank(*this, "scores", getScores(), 2)) ||
      failed(expectRank(*this, "acc", getAcc(), 2)) ||
      failed(
          expectTriangle(*this, "scores", getScores(), getPart(), /*steps=*/1)))
    return failure();
  int64_t rows = extent(getScores(), 0), columns = extent(getScores(), 1);
  int64_t width = extent(getAcc(), 1);
  if (failed(expectShape(*this, "acc", getAcc(), {rows, width})) ||
      failed(expectShape(*this, "max", getMax(), rows)) ||
      failed(expectShape(*this, "sum", getSum(), rows)) ||
      failed(expectShape(*this, "new_max", getNewMax(), rows)) ||
      failed(expectShape(*this, "new_sum", getNewSum(), rows)) ||
      failed(expectShape(*this, "new_acc", getNewAcc(), {rows, width})))
    return failure();
  if (getValues() &&
      failed(expectShape(*this, "values", getValues(), {columns, width})))
    return failure();
  SmallVector<StringRef, 2> split;
  if (getSplitWeights())
    split.push_back("split_weights");
  if (getSplitValues())
    split.push_back("split_values");
  if (!split.empty() && !getValues())
    return emitOpError() << split.front() << ": expected values, got none";
  return expectRounding(*this, getPrec(), split);
}

Results OnlineOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  ArrayRef<int64_t> shape = getTileShape(getScores());
  // Whether the score that a body computes exists; null where all do.
  auto exists = [&](TileBuilder &b) -> Value {
    Value onPart =
        b.onPart(b.coordinate(0), b.coordinate(1), getPart(), /*steps=*/1);
    if (!getColumns())
      return onPart;
    Value inside = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                         b.coordinate(1), getColumns());
    return onPart ? Value(arith::AndIOp::create(b, onPart, inside)) : inside;
  };
  Value scores = b.elementwise(
      shape, getScores(), b.elements(), [&](TileBuilder &b, ValueRange in) {
        Value kept = exists(b);
        return kept ? Value(arith::SelectOp::create(b, kept, in[0],
                                                    b.f32(OnlineOp::kNoScore)))
                    : in[0];
      });
  Value blockMax = b.reduceLast(
      scores, OnlineOp::kNoScore, [](TileBuilder &b, ValueRange in) -> Value {
        return arith::MaximumFOp::create(b, in[1], in[0]);
      });
  AffineMap vector = b.getMultiDimIdentityMap(1);
  Value newMax =
      b.elementwise(shape[0], {getMax(), blockMax}, {vector, vector},
                    [](TileBuilder &b, ValueRange in) -> Value {
                      return arith::MaximumFOp::create(b, in[0], in[1]);
                    });
  Value weights =
      b.elementwise(shape, {getScores(), newMax}, {b.elements(), b.rows()},
                    [&](TileBuilder &b, ValueRange in) {
                      // Masked after the exponential: in a row without scores
                      // it is exp(0).
                      Value kept = exists(b);
                      Value weight = b.exp(b.sub(in[0], in[1]));
                      return kept ? b.orZero(kept, weight) : weight;
                    });
  Value newSum = b.elementwise(
      shape[0], {getSum(), getMax(), newMax, b.rowSum(weights)},
      {vector, vector, vector, vector}, [](TileBuilder &b, ValueRange in) {
        return b.add(b.mul(in[0], b.exp(b.sub(in[1], in[2]))), in[3]);
      });
  Value acc = b.elementwise(
      getTileShape(getAcc()), {getAcc(), getMax(), newMax},
      {b.elements(), b.rows(), b.rows()}, [](TileBuilder &b, ValueRange in) {
        return b.mul(in[0], b.exp(b.sub(in[1], in[2])));
      });
  if (getValues())
    acc = b.multiply(weights, getValues(), acc);
  return results({newMax, newSum, acc});
}

SmallVector<ProductFactor, 2> OnlineOp::getFactors() {
  SmallVector<ProductFactor, 2> factors;
  for (OpOperand &values : getValuesMutable())
    factors.push_back({&values, getSplitValues()});
  return factors;
}

SmallVector<Value, 2> OnlineOp::getLinearOperands() {
  SmallVector<Value, 2> operands = {getAcc()};
  if (getValues())
    operands.push_back(getValues());
  return operands;
}

Value OnlineOp::getLinearResult() { return getNewAcc(); }

bool OnlineOp::ignoresOutside(OpOperand &x, Part part, int64_t steps) {
  return &x == &getScoresMutable() && part == getPart() && steps == 1;
}

LogicalResult NormalizeOp::verify() {
  // N19
  if (failed(expectRank(*this, "acc", getAcc(), 2)))
    return failure();
  return expectShape(*this, "sum", getSum(), extent(getAcc(), 0));
}

Results NormalizeOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(getTileShape(getAcc()), {getAcc(), getSum()},
                               {b.elements(), b.rows()},
                               [](TileBuilder &b, ValueRange in) {
                                 return divideBySum(b, in[0], in[1]);
                               }));
}

SmallVector<Value, 2> NormalizeOp::getLinearOperands() { return {getAcc()}; }

LogicalResult WeightsOp::verify() {
  // N17
  if (failed(expectRank(*this, "scores", getScores(), 2)) ||
      failed(
          expectTriangle(*this, "scores", getScores(), getPart(), /*steps=*/1)))
    return failure();
  int64_t rows = extent(getScores(), 0);
  if (failed(expectShape(*this, "max", getMax(), rows)))
    return failure();
  return expectShape(*this, "sum", getSum(), rows);
}

Results WeightsOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(
      getTileShape(getScores()), {getScores(), getMax(), getSum()},
      {b.elements(), b.rows(), b.rows()}, [&](TileBuilder &b, ValueRange in) {
        Value weight = divideBySum(b, b.exp(b.sub(in[0], in[1])), in[2]);
        Value kept = b.onPart(b.coordinate(0), b.coordinate(1), getPart(),
                              /*steps=*/1);
        return kept ? b.orZero(kept, weight) : weight;
      }));
}

bool WeightsOp::ignoresOutside(OpOperand &x, Part part, int64_t steps) {
  return &x == &getScoresMutable() && part == getPart() && steps == 1;
}
