//===- Decompositions.cpp - ops in terms of upstream ops --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What each executable op that maps tiles to tiles is in upstream dialects:
/// the equations of its documentation, in f32, without regard to `prec`. Loads
/// and stores are in MemoryDecompositions.cpp.
///
//===----------------------------------------------------------------------===//

#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace delta;

using Results = FailureOr<SmallVector<Value>>;

static Results results(ValueRange values) { return SmallVector<Value>(values); }

//===----------------------------------------------------------------------===//
// Prologues
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Decay
//===----------------------------------------------------------------------===//

Results GatePrefixOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value empty =
      tensor::EmptyOp::create(b, getTileShape(getDecay()), b.getF32Type());
  auto loop = scf::ForOp::create(
      b, b.index(0), b.index(getTileShape(getDecay())[0]), b.index(1),
      {b.f32(0.0f), empty},
      [&](OpBuilder &inner, Location loc, Value row, ValueRange carried) {
        TileBuilder b(loc, inner);
        Value decay = tensor::ExtractOp::create(b, getDecay(), row);
        Value sum = b.add(carried[0], decay);
        Value prefix = tensor::InsertOp::create(b, sum, carried[1], row);
        scf::YieldOp::create(b, ValueRange{sum, prefix});
      });
  return results(loop.getResult(1));
}

Results DecayOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(
      getTileShape(getInput()), {getInput(), getRows(), getColumns()},
      {b.elements(), b.rows(), b.columns()},
      [&](TileBuilder &b, ValueRange in) {
        Value kept =
            b.onPart(b.coordinate(0), b.coordinate(1), getPart(), getSteps());
        return b.orZero(kept, b.mul(in[0], b.exp(b.sub(in[1], in[2]))));
      }));
}

/// exp(G_i) for role `read`, exp(G_R - G_i) for role `write`; G_R is `last`.
static Value decayFactor(TileBuilder &b, ReadRole role, Value prefix,
                         Value last) {
  return b.exp(role == ReadRole::Read ? prefix : b.sub(last, prefix));
}

static Value lastElement(TileBuilder &b, Value vector) {
  return tensor::ExtractOp::create(b, vector,
                                   b.index(getTileShape(vector)[0] - 1));
}

//===----------------------------------------------------------------------===//
// Products inside a chunk
//===----------------------------------------------------------------------===//

/// The elementwise function of a scaled score. `softmax` is refused by the
/// verifier.
static Value applyKernel(TileBuilder &b, FeatureKernel kernel, Value score) {
  switch (kernel) {
  case FeatureKernel::Linear:
    return score;
  case FeatureKernel::Exp:
    return b.exp(score);
  case FeatureKernel::Relu:
    return arith::MaximumFOp::create(b, score, b.f32(0.0f));
  case FeatureKernel::Round:
    return math::RoundEvenOp::create(b, score);
  case FeatureKernel::Softmax:
    break;
  }
  llvm_unreachable("not an elementwise kernel");
}

Results GramOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  ArrayRef<int64_t> shape = getTileShape(getResult());
  Value product =
      b.multiply(getLhs(), b.transpose(getRhs()), b.filled(shape, 0.0f));
  float scale = getScale().convertToFloat();
  return results(b.elementwise(
      shape, product, b.elements(), [&](TileBuilder &b, ValueRange in) {
        Value score = applyKernel(b, getKernel(), b.mul(in[0], b.f32(scale)));
        Value kept =
            b.onPart(b.coordinate(0), b.coordinate(1), getPart(), getSteps());
        return kept ? b.orZero(kept, score) : score;
      }));
}

Results ScaleOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(
      getTileShape(getInput()), {getInput(), getFactors()},
      {b.elements(), getAxis() ? b.columns() : b.rows()},
      [](TileBuilder &b, ValueRange in) { return b.mul(in[0], in[1]); }));
}

/// Forward substitution: row i of M is e_i - A[i, :i] M[:i, :]. Reads A below
/// the diagonal alone.
Results TriInverseOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  int64_t extent = getTileShape(getInput())[0];
  auto loop = scf::ForOp::create(
      b, b.index(0), b.index(extent), b.index(1),
      b.filled({extent, extent}, 0.0f),
      [&](OpBuilder &inner, Location loc, Value i, ValueRange carried) {
        TileBuilder b(loc, inner);
        Value inverse = carried[0];
        OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
        OpFoldResult all = b.getIndexAttr(extent);
        auto dynamic = [&](ArrayRef<int64_t> shape) {
          return RankedTensorType::get(shape, b.getF32Type());
        };
        Value left = tensor::ExtractSliceOp::create(
            b, dynamic({1, ShapedType::kDynamic}), getInput(), {i, zero},
            {one, i}, {one, one});
        Value above = tensor::ExtractSliceOp::create(
            b, dynamic({ShapedType::kDynamic, extent}), inverse, {zero, zero},
            {i, all}, {one, one});
        Value sum = b.multiply(left, above, b.filled({1, extent}, 0.0f));
        Value solved = b.elementwise(
            {1, extent}, sum, b.elements(), [&](TileBuilder &b, ValueRange in) {
              Value onDiagonal = arith::CmpIOp::create(
                  b, arith::CmpIPredicate::eq, b.coordinate(1), i);
              return b.sub(b.orZero(onDiagonal, b.f32(1.0f)), in[0]);
            });
        Value next = tensor::InsertSliceOp::create(
            b, solved, inverse, {i, zero}, {one, all}, {one, one});
        scf::YieldOp::create(b, next);
      });
  return results(loop.getResult(0));
}

/// A tensor of its own to accumulate into: a copy of `init`, or zeros.
static Value accumulator(TileBuilder &b, Value init, Value like) {
  if (!init)
    return b.filled(getTileShape(like), 0.0f);
  return b.elementwise(getTileShape(init), init, b.elements(),
                       [](TileBuilder &, ValueRange in) { return in[0]; });
}

Results ApplyOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.multiply(getMatrix(), getInput(),
                            accumulator(b, getAccumulator(), getResult()),
                            getTranspose()));
}

/// Sum of each row of `matrix`.
static Value rowSum(TileBuilder &b, Value matrix) {
  return b.reduceLast(matrix, 0.0f, [](TileBuilder &b, ValueRange in) {
    return b.add(in[1], in[0]);
  });
}

Results RowDotOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value products = b.elementwise(
      getTileShape(getLhs()), {getLhs(), getRhs()},
      {b.elements(), b.elements()},
      [](TileBuilder &b, ValueRange in) { return b.mul(in[0], in[1]); });
  float scale = getScale().convertToFloat();
  return results(b.elementwise(getTileShape(getResult()), rowSum(b, products),
                               b.getMultiDimIdentityMap(1),
                               [&](TileBuilder &b, ValueRange in) {
                                 return b.mul(in[0], b.f32(scale));
                               }));
}

Results RowSumOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(rowSum(b, getInput()));
}

//===----------------------------------------------------------------------===//
// The state
//===----------------------------------------------------------------------===//

Results ReadOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  ArrayRef<int64_t> shape = getTileShape(getResult());
  Value state = getTranspose() ? b.transpose(getState()) : Value(getState());
  Value product = b.multiply(getInput(), state, b.filled(shape, 0.0f));
  Value scale = b.f32(getScale().convertToFloat());
  if (!getDecay())
    return results(b.elementwise(
        shape, product, b.elements(),
        [&](TileBuilder &b, ValueRange in) { return b.mul(in[0], scale); }));
  Value last = lastElement(b, getDecay());
  return results(
      b.elementwise(shape, {product, getDecay()}, {b.elements(), b.rows()},
                    [&](TileBuilder &b, ValueRange in) {
                      Value factor = decayFactor(b, getRole(), in[1], last);
                      return b.mul(in[0], b.mul(scale, factor));
                    }));
}

Results UpdateOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value scale = b.f32(getScale().convertToFloat());
  if (!getDecay()) {
    Value keys = b.elementwise(
        getTileShape(getKey()), getKey(), b.elements(),
        [&](TileBuilder &b, ValueRange in) { return b.mul(in[0], scale); });
    return results(b.multiply(keys, getValue(),
                              accumulator(b, getState(), getState()),
                              /*transposeLhs=*/true));
  }
  Value last = lastElement(b, getDecay());
  Value keys = b.elementwise(
      getTileShape(getKey()), {getKey(), getDecay()}, {b.elements(), b.rows()},
      [&](TileBuilder &b, ValueRange in) {
        Value factor = decayFactor(b, getRole(), in[1], last);
        return b.mul(in[0], b.mul(scale, factor));
      });
  Value factor = b.exp(last);
  Value decayed = b.elementwise(
      getTileShape(getState()), getState(), b.elements(),
      [&](TileBuilder &b, ValueRange in) { return b.mul(in[0], factor); });
  return results(b.multiply(keys, getValue(), decayed, /*transposeLhs=*/true));
}

Results IdentityOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(
      getTileShape(getResult()), ValueRange(), {},
      [&](TileBuilder &b, ValueRange) {
        Value column = arith::AddIOp::create(b, b.coordinate(0), getDiagonal());
        Value on = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                         b.coordinate(1), column);
        return b.orZero(on, b.f32(1.0f));
      }));
}

//===----------------------------------------------------------------------===//
// Implicit features
//===----------------------------------------------------------------------===//

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
      shape[0], {getSum(), getMax(), newMax, rowSum(b, weights)},
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

/// x / sum, and 0 where no score was seen.
static Value divideBySum(TileBuilder &b, Value x, Value sum) {
  Value seen =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, sum, b.f32(0.0f));
  return b.orZero(seen, arith::DivFOp::create(b, x, sum));
}

Results NormalizeOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(getTileShape(getAcc()), {getAcc(), getSum()},
                               {b.elements(), b.rows()},
                               [](TileBuilder &b, ValueRange in) {
                                 return divideBySum(b, in[0], in[1]);
                               }));
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
