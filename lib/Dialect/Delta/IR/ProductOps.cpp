//===- ProductOps.cpp - products inside a chunk -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products of tiles, factors of their rows and columns, sums and the
/// triangular inverse.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace delta;

/// N9: a softmax weight needs the whole row.
static LogicalResult expectElementwise(Operation *op, FeatureKernel kernel) {
  if (kernel != FeatureKernel::Softmax)
    return success();
  return op->emitOpError(
      "kernel: expected linear, exp, relu or round, got softmax");
}

LogicalResult GramOp::verify() {
  // N8
  if (failed(expectRank(*this, "lhs", getLhs(), 2)) ||
      failed(expectRank(*this, "rhs", getRhs(), 2)) ||
      failed(expectShape(*this, "rhs", getRhs(),
                         {extent(getRhs(), 0), extent(getLhs(), 1)})) ||
      failed(expectShape(*this, "result", getResult(),
                         {extent(getLhs(), 0), extent(getRhs(), 0)})) ||
      failed(expectTriangle(*this, "lhs", getResult(), getPart(), getSteps())))
    return failure();
  if (failed(expectElementwise(*this, getKernel())))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

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

SmallVector<ProductFactor, 2> GramOp::getFactors() {
  return {{&getLhsMutable()}, {&getRhsMutable()}};
}

std::optional<RowFactorPlace> GramOp::getRowFactorPlace(OpOperand &x) {
  if (!scalesResult())
    return std::nullopt;
  return RowFactorPlace{nullptr, &x == &getLhsMutable() ? 0 : 1};
}

bool GramOp::scalesResult() { return getKernel() == FeatureKernel::Linear; }

LogicalResult RowDotOp::verify() {
  // N18
  if (failed(expectRank(*this, "lhs", getLhs(), 2)) ||
      failed(expectShape(*this, "result", getResult(), extent(getLhs(), 0))))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

Results RowDotOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value products = b.elementwise(
      getTileShape(getLhs()), {getLhs(), getRhs()},
      {b.elements(), b.elements()},
      [](TileBuilder &b, ValueRange in) { return b.mul(in[0], in[1]); });
  float scale = getScale().convertToFloat();
  return results(b.elementwise(getTileShape(getResult()), b.rowSum(products),
                               b.getMultiDimIdentityMap(1),
                               [&](TileBuilder &b, ValueRange in) {
                                 return b.mul(in[0], b.f32(scale));
                               }));
}

SmallVector<ProductFactor, 2> RowDotOp::getFactors() {
  return {{&getLhsMutable()}, {&getRhsMutable()}};
}

/// That of the gram on whose diagonal the scores stand.
PrecAttr RowDotOp::getPrecAttr() {
  for (Operation *user : getLhs().getUsers())
    if (auto gram = dyn_cast<GramOp>(user);
        gram && gram.getLhs() == getLhs() && gram.getRhs() == getRhs())
      return gram.getPrecAttr();
  return {};
}

LogicalResult RowSumOp::verify() {
  // N13
  if (failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  return expectShape(*this, "result", getResult(), extent(getInput(), 0));
}

Results RowSumOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.rowSum(getInput()));
}

LogicalResult ApplyOp::verify() {
  // N12
  if (failed(expectRank(*this, "matrix", getMatrix(), 2)) ||
      failed(expectRank(*this, "input", getInput(), 2)) ||
      failed(
          expectTriangle(*this, "matrix", getMatrix(), getPart(), getSteps())))
    return failure();
  int64_t rows = extent(getMatrix(), 0), columns = extent(getMatrix(), 1);
  if (getTranspose())
    std::swap(rows, columns);
  int64_t width = extent(getInput(), 1);
  if (failed(expectShape(*this, "input", getInput(), {columns, width})) ||
      failed(expectShape(*this, "result", getResult(), {rows, width})))
    return failure();
  if (getAccumulator() && failed(expectShape(*this, "accumulator",
                                             getAccumulator(), {rows, width})))
    return failure();
  SmallVector<StringRef, 2> split;
  if (getSplitMatrix())
    split.push_back("split_matrix");
  if (getSplitInput())
    split.push_back("split_input");
  return expectRounding(*this, getPrec(), split);
}

Results ApplyOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.multiply(getMatrix(), getInput(),
                            b.accumulator(getAccumulator(), getResult()),
                            getTranspose()));
}

SmallVector<ProductFactor, 2> ApplyOp::getFactors() {
  return {{&getMatrixMutable(), getSplitMatrix()},
          {&getInputMutable(), getSplitInput()}};
}

SmallVector<Value, 2> ApplyOp::getLinearOperands() {
  SmallVector<Value, 2> operands = {getInput()};
  if (getAccumulator())
    operands.push_back(getAccumulator());
  return operands;
}

LogicalResult TriInverseOp::verify() {
  // N11
  if (failed(expectRank(*this, "input", getInput(), 2)) ||
      failed(expectShape(*this, "input", getInput(),
                         {extent(getInput(), 0), extent(getInput(), 0)})))
    return failure();
  std::optional<APFloat> bound = getEntryBound();
  if (bound && !(bound->isFinite() && !bound->isNegative() && !bound->isZero()))
    return emitOpError() << "entry_bound: expected a positive finite number, "
                         << "got " << bound->convertToDouble();
  return success();
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

/// The input is read below its diagonal alone.
bool TriInverseOp::ignoresOutside(OpOperand &, Part part, int64_t steps) {
  return part != Part::Full && steps == 1;
}

LogicalResult ScaleOp::verify() {
  // N10
  if (failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  return expectShape(*this, "factors", getFactors(),
                     extent(getInput(), getAxis()));
}

Results ScaleOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(
      getTileShape(getInput()), {getInput(), getFactors()},
      {b.elements(), getAxis() ? b.columns() : b.rows()},
      [](TileBuilder &b, ValueRange in) { return b.mul(in[0], in[1]); }));
}

/// Factors of columns differ from column to column.
SmallVector<Value, 2> ScaleOp::getLinearOperands() {
  if (getAxis() != 0)
    return {};
  return {getInput()};
}

bool ScaleOp::ignoresOutside(OpOperand &x, Part part, int64_t steps) {
  return &x == &getInputMutable() && isIgnoredOutside(getResult(), part, steps);
}

// Factors of rows and columns gather in one vector an axis, so that a tile is
// multiplied once and the vector can be computed elsewhere.
namespace {

/// scale(scale(x, v), w) of one axis is scale(x, v w). A scale of the other
/// axis in between does not matter.
struct MergeFactors : OpRewritePattern<ScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScaleOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<ScaleOp>();
    while (inner && inner->hasOneUse() && inner.getAxis() != op.getAxis())
      inner = inner.getInput().getDefiningOp<ScaleOp>();
    if (!inner || !inner->hasOneUse() || inner.getAxis() != op.getAxis())
      return failure();
    rewriter.setInsertionPoint(op);
    Value factors = arith::MulFOp::create(rewriter, op.getFactors().getLoc(),
                                          inner.getFactors(), op.getFactors());
    rewriter.modifyOpInPlace(op,
                             [&] { op.getFactorsMutable().assign(factors); });
    rewriter.replaceOp(inner, inner.getInput());
    return success();
  }
};

/// scale(product {scale = s}, v) is scale(product, s v): a multiplication a row
/// instead of one an element.
struct TakeOverScale : OpRewritePattern<ScaleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScaleOp op,
                                PatternRewriter &rewriter) const override {
    auto product = op.getInput().getDefiningOp<RowScaleOpInterface>();
    if (!product || !product->hasOneUse() || !product.scalesResult() ||
        product.getScale() == APFloat(1.0f))
      return failure();
    auto type = op.getFactors().getType();
    Location loc = op.getFactors().getLoc();
    Value constant = arith::ConstantOp::create(
        rewriter, loc,
        DenseElementsAttr::get(type, product.getScale().convertToFloat()));
    Value factors =
        arith::MulFOp::create(rewriter, loc, op.getFactors(), constant);
    rewriter.modifyOpInPlace(product, [&] { product.setScale(APFloat(1.0f)); });
    rewriter.modifyOpInPlace(op,
                             [&] { op.getFactorsMutable().assign(factors); });
    return success();
  }
};

} // namespace

void ScaleOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                          MLIRContext *context) {
  results.add<MergeFactors, TakeOverScale>(context);
}
