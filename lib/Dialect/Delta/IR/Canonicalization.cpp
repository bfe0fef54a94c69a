//===- Canonicalization.cpp - canonical forms of named ops ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Factors of rows and columns gather in one vector an axis, so that a tile is
/// multiplied once and the vector can be computed elsewhere.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace delta;

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
    Operation *product = op.getInput().getDefiningOp();
    if (!product || !product->hasOneUse())
      return failure();
    auto takeOver = [&](auto typed) -> LogicalResult {
      APFloat scale = typed.getScale();
      if (scale == APFloat(1.0f))
        return failure();
      auto type = op.getFactors().getType();
      Location loc = op.getFactors().getLoc();
      Value constant = arith::ConstantOp::create(
          rewriter, loc, DenseElementsAttr::get(type, scale.convertToFloat()));
      Value factors =
          arith::MulFOp::create(rewriter, loc, op.getFactors(), constant);
      rewriter.modifyOpInPlace(typed, [&] { typed.setScale(APFloat(1.0f)); });
      rewriter.modifyOpInPlace(op,
                               [&] { op.getFactorsMutable().assign(factors); });
      return success();
    };
    if (auto read = dyn_cast<ReadOp>(product))
      return takeOver(read);
    if (auto gram = dyn_cast<GramOp>(product);
        gram && gram.getKernel() == FeatureKernel::Linear)
      return takeOver(gram);
    return failure();
  }
};

} // namespace

void ScaleOp::getCanonicalizationPatterns(RewritePatternSet &results,
                                          MLIRContext *context) {
  results.add<MergeFactors, TakeOverScale>(context);
}
