//===- FoldNorms.cpp - norms as factors of rows -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta-fold-norms`. A product rounds its operands, so moving a factor of
/// rows past it only moves a rounding: relative errors stay what they were as
/// long as nothing leaves the range of the 16-bit type.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {
#define GEN_PASS_DEF_FOLDNORMS
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

/// Whether the op of `use` rounds the operand to `type`, and factors of its
/// rows may move past that.
static bool movesFactors(OpOperand &use, Type type) {
  auto op = dyn_cast<RowScaleOpInterface>(use.getOwner());
  return op && op.getRowFactorPlace(use) && getRounding(use).type == type;
}

static bool isFoldable(L2NormOp norm) {
  auto load = norm.getInput().getDefiningOp<LoadOp>();
  if (!load || !norm.getOutput().getType().getElementType().isF32())
    return false;
  // f16 keeps its copy: a factor times an update may fall below its range.
  Type stored = getElementTypeOrSelf(load.getSource());
  return stored.isBF16() && llvm::all_of(norm->getUses(), [&](OpOperand &use) {
           return movesFactors(use, stored);
         });
}

/// rsqrt(x . x + eps) of each row.
static Value inverseNorms(ImplicitLocOpBuilder &b, L2NormOp norm) {
  auto rows = cast<RankedTensorType>(norm.getInput().getType());
  auto type = RankedTensorType::get(rows.getShape()[0], b.getF32Type());
  Value squares = RowDotOp::create(b, type, norm.getInput(), norm.getInput(),
                                   APFloat(1.0f));
  Value eps = arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, norm.getEps().convertToFloat()));
  return math::RsqrtOp::create(b, arith::AddFOp::create(b, squares, eps));
}

static Value scaled(ImplicitLocOpBuilder &b, Value tile, Value factors,
                    int64_t axis) {
  return ScaleOp::create(b, tile.getType(), tile, factors, axis);
}

/// Scales the result of `product` for all of its users.
static void scaleResult(ImplicitLocOpBuilder &b, Value product, Value factors,
                        int64_t axis) {
  b.setInsertionPointAfterValue(product);
  b.setLoc(product.getLoc());
  Value result = scaled(b, product, factors, axis);
  product.replaceAllUsesExcept(result, result.getDefiningOp());
}

static void fold(L2NormOp norm) {
  ImplicitLocOpBuilder b(norm.getLoc(), norm);
  if (auto name = dyn_cast<NameLoc>(norm.getLoc()))
    b.setLoc(NameLoc::get(b.getStringAttr(name.getName().getValue() + "_rnorm"),
                          name.getChildLoc()));
  Value factors = inverseNorms(b, norm);
  for (OpOperand &use : llvm::make_early_inc_range(norm->getUses())) {
    auto user = cast<RowScaleOpInterface>(use.getOwner());
    RowFactorPlace place = *user.getRowFactorPlace(use);
    use.set(norm.getInput());
    if (!place.operand) {
      scaleResult(b, user->getResult(0), factors, place.axis);
      continue;
    }
    Value tile = place.operand->get();
    b.setInsertionPoint(user);
    b.setLoc(tile.getLoc());
    place.operand->set(scaled(b, tile, factors, /*axis=*/0));
  }
  norm.erase();
}

namespace {

struct FoldNormsPass : public delta::impl::FoldNormsBase<FoldNormsPass> {
  void runOnOperation() override {
    SmallVector<L2NormOp> norms;
    getOperation().walk([&](L2NormOp norm) {
      if (isFoldable(norm))
        norms.push_back(norm);
    });
    llvm::for_each(norms, fold);
  }
};

} // namespace
