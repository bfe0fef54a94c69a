//===- SolveReads.cpp - solve for the values that rows read -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-solve-reads`. From (I + diag(f) P) u = r with r = v - f o a follows
/// u = v - f o (a + P u), and P (I + diag(f) P)^-1 = (I + P diag(f))^-1 P = G,
/// so a + P u = a + G r. Rows that also read themselves, with weights d on the
/// diagonal, add d o u.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

namespace delta::tile {
#define GEN_PASS_DEF_SOLVEREADS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

namespace {

/// A product of two f32 matrices. Each operand is rounded to 16 bits, or split
/// into a high part and its residual; then several ops add up to the product.
struct Product {
  /// In order: each one accumulates onto the one before it.
  SmallVector<DotOp, 3> dots;

  Value getAcc() { return dots.front().getAcc(); }
  Value getResult() { return dots.back().getD(); }
};

/// A product with the weights. `lower` is null unless the weights have a
/// diagonal, with which rows read themselves.
struct Read {
  Product product;
  MaskOp lower;
};

/// The ops that solve a query block, named as in the description of the pass.
struct Solution {
  TriInverseOp inverse;
  /// P = s times `weights`, f repeated along rows, and f.
  Value weights;
  float scale;
  Value rows, factors;
  /// v and a.
  Value values, carried;
  Product solved;
  /// Empty if no read uses the query that writes.
  SmallVector<Read, 2> reads;
};

} // namespace

static SpreadOp getRowSpread(Value value) {
  auto spread = value.getDefiningOp<SpreadOp>();
  return spread && spread.getAxis() == 0 ? spread : SpreadOp();
}

/// `value` = matrix * (a vector repeated along rows): both factors.
static std::optional<std::pair<Value, SpreadOp>> matchScaled(Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  if (SpreadOp rows = getRowSpread(product.getRhs()))
    return std::pair(product.getLhs(), rows);
  if (SpreadOp rows = getRowSpread(product.getLhs()))
    return std::pair(product.getRhs(), rows);
  return std::nullopt;
}

/// The number s such that `value` = s times `vector`; none if the ops do not
/// show it.
static std::optional<float> matchMultiple(Value value, Value vector) {
  if (value == vector)
    return 1.0f;
  auto product = value.getDefiningOp<arith::MulFOp>();
  DenseElementsAttr factors;
  if (product && product.getLhs() == vector &&
      matchPattern(product.getRhs(), m_Constant(&factors)) && factors.isSplat())
    return factors.getSplatValue<float>();
  return std::nullopt;
}

/// The f32 value of which `value` is the high part or the residual
/// (Residual.h).
static Value getUnrounded(Value value) {
  auto round = value.getDefiningOp<arith::TruncFOp>();
  if (!round)
    return {};
  auto residual = round.getIn().getDefiningOp<arith::SubFOp>();
  auto back = residual ? residual.getRhs().getDefiningOp<arith::ExtFOp>()
                       : arith::ExtFOp();
  auto whole =
      back ? back.getIn().getDefiningOp<arith::TruncFOp>() : arith::TruncFOp();
  return whole && whole.getIn() == residual.getLhs() ? residual.getLhs()
                                                     : round.getIn();
}

/// Whether the two products contract the same axes of the same operands.
static bool isSameProduct(DotOp a, DotOp b) {
  return a.getContract() == b.getContract() &&
         getUnrounded(a.getA()) == getUnrounded(b.getA()) &&
         getUnrounded(a.getB()) == getUnrounded(b.getB());
}

/// The only product with `left` as its left operand. None if there is no such
/// product, or if `left` has other uses that are rounded.
static std::optional<Product> findProduct(Value left) {
  SmallVector<DotOp, 3> dots;
  auto collect = [&](Operation *round) {
    for (Operation *user : round->getUsers())
      if (auto dot = dyn_cast<DotOp>(user);
          dot && dot.getContract() == ArrayRef<int64_t>{1, 0} &&
          getUnrounded(dot.getA()) == left)
        dots.push_back(dot);
  };
  for (Operation *user : left.getUsers()) {
    if (isa<arith::TruncFOp>(user))
      collect(user);
    else if (isa<arith::SubFOp>(user))
      llvm::for_each(user->getUsers(), collect);
  }
  llvm::sort(dots, [](DotOp a, DotOp b) { return a->isBeforeInBlock(b); });
  for (size_t i = 1; i < dots.size(); ++i)
    if (dots[i].getAcc() != dots[i - 1].getD() ||
        !dots[i - 1].getD().hasOneUse() || !isSameProduct(dots[i], dots[i - 1]))
      return std::nullopt;
  return dots.empty() ? std::nullopt : std::optional(Product{dots});
}

/// `op` if it is a mask that keeps `part` of a matrix, with steps of one row
/// and any fill; else null.
static MaskOp getFilled(Operation *op, Part part) {
  auto mask = dyn_cast_or_null<MaskOp>(op);
  bool isIt = mask && mask.getPart() == part && mask.getRowSteps() == 1 &&
              mask.getColSteps() == 1;
  return isIt ? mask : MaskOp();
}

/// The same, if the mask fills with 0.
static MaskOp getMask(Operation *op, Part part) {
  MaskOp mask = getFilled(op, part);
  return mask && mask.getFill().isZero() ? mask : MaskOp();
}

/// Whether `value` is -infinity on and above its diagonal. Accepts masked
/// scores, times a positive number, minus row statistics, which are finite.
static bool isMinusInfinity(Value value) {
  Operation *def = value.getDefiningOp();
  if (auto mask = getFilled(def, Part::StrictLower))
    return mask.getFill().isInfinity() && mask.getFill().isNegative();
  if (auto difference = dyn_cast_or_null<arith::SubFOp>(def))
    return difference.getRhs().getDefiningOp<SpreadOp>() &&
           isMinusInfinity(difference.getLhs());
  auto product = dyn_cast_or_null<arith::MulFOp>(def);
  DenseElementsAttr factor;
  return product && matchPattern(product.getRhs(), m_Constant(&factor)) &&
         factor.isSplat() && factor.getSplatValue<APFloat>().isNormal() &&
         !factor.getSplatValue<APFloat>().isNegative() &&
         isMinusInfinity(product.getLhs());
}

/// Whether `value` is known to be 0 on and above its diagonal.
static bool isStrictlyLower(Value value) {
  if (auto product = value.getDefiningOp<arith::MulFOp>())
    return llvm::any_of(product->getOperands(), isStrictlyLower);
  if (auto weights = value.getDefiningOp<math::Exp2Op>())
    return isMinusInfinity(weights.getOperand());
  return bool(getMask(value.getDefiningOp(), Part::StrictLower));
}

/// The matrix of which `weights` is a lower triangle.
static Value getUnmasked(Value weights) {
  for (Part part : {Part::Lower, Part::StrictLower})
    if (MaskOp mask = getMask(weights.getDefiningOp(), part))
      return mask.getInput();
  return weights;
}

/// Appends the products that read with `weights`, or with another triangle of
/// the same matrix. Fails if one may read elements above the diagonal, which an
/// inverse ignores.
static LogicalResult findReads(Value weights, SmallVectorImpl<Read> &reads) {
  Value all = getUnmasked(weights);
  if (std::optional<Product> product = findProduct(all)) {
    if (!isStrictlyLower(all))
      return failure();
    reads.push_back({*product, MaskOp()});
  }
  for (Operation *user : all.getUsers())
    for (Part part : {Part::Lower, Part::StrictLower})
      if (MaskOp mask = getMask(user, part))
        if (std::optional<Product> product = findProduct(mask.getResult()))
          reads.push_back({*product, part == Part::Lower ? mask : MaskOp()});
  return success();
}

/// Matches the solution whose matrix is `inverse`.
static std::optional<Solution> match(TriInverseOp inverse) {
  if (inverse.getTransposed())
    return std::nullopt;
  auto scaled = matchScaled(inverse.getInput());
  if (!scaled)
    return std::nullopt;
  auto [weights, rows] = *scaled;
  std::optional<Product> solved = findProduct(inverse.getResult());
  if (!solved || solved->getAcc())
    return std::nullopt;
  Value right = getUnrounded(solved->dots.front().getB());
  auto difference =
      right ? right.getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  auto subtracted = difference ? matchScaled(difference.getRhs()) : scaled;
  if (!difference || !subtracted)
    return std::nullopt;
  Value carried = subtracted->first, factors = subtracted->second.getInput();
  // If no product reads the weights, `delta.scale` may have scaled the factors
  // of the rows instead.
  std::optional<float> scale = matchMultiple(rows.getInput(), factors);
  if (!scale)
    return std::nullopt;
  SmallVector<Read, 2> reads;
  if (failed(findReads(weights, reads)))
    return std::nullopt;
  for (Read &read : reads)
    if (scale != 1.0f || read.product.getAcc() != carried ||
        getUnrounded(read.product.dots.front().getB()) != solved->getResult())
      return std::nullopt;
  return Solution{inverse, weights,
                  *scale,  subtracted->second.getResult(),
                  factors, difference.getLhs(),
                  carried, *solved,
                  reads};
}

/// Rewrites the solution. All new ops follow the product that gave the rows,
/// because the reads came after its uses. Diagonals are the exception: they are
/// taken while the weights are live.
static void rewrite(Solution solution) {
  ImplicitLocOpBuilder b(solution.inverse.getLoc(), solution.inverse);
  auto named = [&](StringRef name, Location loc) {
    return NameLoc::get(b.getStringAttr(name), loc);
  };
  Value weights = solution.weights;
  SmallVector<Value, 2> diagonals;
  for (Read &read : solution.reads) {
    b.setLoc(named("own_weight", read.product.getResult().getLoc()));
    diagonals.push_back(read.lower
                            ? DiagonalOp::create(b, solution.factors.getType(),
                                                 read.lower.getInput())
                                  .getResult()
                            : Value());
  }
  b.setLoc(solution.inverse.getLoc());
  auto type = cast<RankedTensorType>(weights.getType());
  if (solution.scale != 1.0f) {
    Value factors = arith::ConstantOp::create(
        b, DenseElementsAttr::get(type, solution.scale));
    weights = arith::MulFOp::create(b, factors, weights);
  }
  if (!isStrictlyLower(weights))
    weights = MaskOp::create(b, type, getUnmasked(weights),
                             /*columns=*/Value(), Part::StrictLower,
                             /*row_steps=*/1, /*col_steps=*/1,
                             /*fill=*/APFloat(0.0f));
  b.setLoc(named("G", solution.inverse.getLoc()));
  Value solve = TriSolveOp::create(b, type, weights, solution.factors,
                                   /*scratch=*/Value());
  // With G in place of M, the product that gave the rows gives what the rows
  // read.
  solution.inverse.replaceAllUsesWith(solve);
  Value rows = solution.solved.getResult();
  Location loc = rows.getLoc();
  for (DotOp dot : solution.solved.dots) {
    Operation *round = dot.getA().getDefiningOp();
    bool isWhole = round->getOperand(0) == solve;
    round->setLoc(named(isWhole ? "G_a" : "G_rest", solve.getLoc()));
    dot->setLoc(named("ubar", loc));
  }
  solution.solved.dots.front().getAccMutable().assign(solution.carried);
  Value read = solution.solved.getResult();
  b.setLoc(named("beta_ubar", loc));
  b.setInsertionPointAfterValue(read);
  auto scaled = arith::MulFOp::create(b, read, solution.rows);
  b.setLoc(loc);
  rows = arith::SubFOp::create(b, solution.values, scaled);
  read.replaceAllUsesExcept(rows, scaled);
  for (auto [own, diagonal] : llvm::zip_equal(solution.reads, diagonals)) {
    Value all = read;
    if (diagonal) {
      b.setLoc(own.product.getResult().getLoc());
      b.setInsertionPoint(own.product.dots.front());
      Value repeated =
          SpreadOp::create(b, rows.getType(), diagonal, /*axis=*/0);
      all = arith::AddFOp::create(b, read,
                                  arith::MulFOp::create(b, rows, repeated));
    }
    own.product.getResult().replaceAllUsesWith(all);
    for (DotOp dot : llvm::reverse(own.product.dots))
      dot.erase();
  }
}

namespace {

struct SolveReadsPass
    : public delta::tile::impl::SolveReadsBase<SolveReadsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (!kernel.usesWgmma())
        continue;
      SmallVector<TriInverseOp> inverses;
      kernel.walk([&](TriInverseOp inverse) { inverses.push_back(inverse); });
      for (TriInverseOp inverse : inverses)
        if (std::optional<Solution> solution = match(inverse))
          rewrite(*solution);
    }
  }
};

} // namespace
