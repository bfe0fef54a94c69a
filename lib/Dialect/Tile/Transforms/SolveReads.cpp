//===- SolveReads.cpp - solve for what rows read ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-solve-reads`. From (I + diag(f) P) u = r with r = v - f o a follows
/// u = v - f o (a + P u), and P (I + diag(f) P)^-1 = (I + P diag(f))^-1 P = G,
/// so a + P u = a + G r. Rows that read themselves too, with weights d on the
/// diagonal, read d o u more.
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

/// A product with the weights. `lower`, else null: they have a diagonal, with
/// which rows read themselves.
struct Read {
  DotOp dot;
  MaskOp lower;
};

/// The ops of a block's solution, by the letters of the pass's description.
struct Solution {
  TriInverseOp inverse;
  /// P = s times `weights`, f repeated along rows, and f.
  Value weights;
  float scale;
  Value rows, factors;
  /// v and a.
  Value values, carried;
  DotOp solved;
  /// None where nobody reads with the query that writes.
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

/// The s with `value` = s times `vector`, where that is seen.
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

/// The value that `value` is the rounding of, or null.
static Value getUnrounded(Value value) {
  auto round = value.getDefiningOp<arith::TruncFOp>();
  return round ? round.getIn() : Value();
}

/// Whether `dot` multiplies its operands as they are written, the left one
/// rounded from `left`.
static bool isProductOf(DotOp dot, Value left) {
  return dot.getContract() == ArrayRef<int64_t>{1, 0} &&
         getUnrounded(dot.getA()) == left;
}

/// The only product that `value` is the rounded left operand of.
static DotOp findProduct(Value value) {
  for (Operation *user : value.getUsers())
    if (auto round = dyn_cast<arith::TruncFOp>(user))
      for (Operation *dot : round->getUsers())
        if (auto product = dyn_cast<DotOp>(dot);
            product && isProductOf(product, value))
          return product;
  return {};
}

/// `op`, if it keeps `part` of a matrix with one row a step, whatever it puts
/// elsewhere; else null.
static MaskOp getFilled(Operation *op, Part part) {
  auto mask = dyn_cast_or_null<MaskOp>(op);
  bool isIt = mask && mask.getPart() == part && mask.getRowSteps() == 1 &&
              mask.getColSteps() == 1;
  return isIt ? mask : MaskOp();
}

/// The same, if it drops the rest.
static MaskOp getMask(Operation *op, Part part) {
  MaskOp mask = getFilled(op, part);
  return mask && mask.getFill().isZero() ? mask : MaskOp();
}

/// Whether `value` is -infinity on and above its diagonal: masked scores, times
/// a positive number, less row statistics, which are finite.
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

/// Whether what `value` holds on and above its diagonal is known to be 0.
static bool isStrictlyLower(Value value) {
  if (auto product = value.getDefiningOp<arith::MulFOp>())
    return llvm::any_of(product->getOperands(), isStrictlyLower);
  if (auto weights = value.getDefiningOp<math::Exp2Op>())
    return isMinusInfinity(weights.getOperand());
  return bool(getMask(value.getDefiningOp(), Part::StrictLower));
}

/// What `weights` are a lower triangle of.
static Value getUnmasked(Value weights) {
  for (Part part : {Part::Lower, Part::StrictLower})
    if (MaskOp mask = getMask(weights.getDefiningOp(), part))
      return mask.getInput();
  return weights;
}

/// Appends the products that read with `weights`, or with another triangle of
/// the same matrix; fails where one may read what is above the diagonal, which
/// an inverse does not see.
static LogicalResult findReads(Value weights, SmallVectorImpl<Read> &reads) {
  Value all = getUnmasked(weights);
  if (DotOp dot = findProduct(all)) {
    if (!isStrictlyLower(all))
      return failure();
    reads.push_back({dot, MaskOp()});
  }
  for (Operation *user : all.getUsers())
    for (Part part : {Part::Lower, Part::StrictLower})
      if (MaskOp mask = getMask(user, part))
        if (DotOp dot = findProduct(mask.getResult()))
          reads.push_back({dot, part == Part::Lower ? mask : MaskOp()});
  return success();
}

/// Matches the solution that `inverse` is the matrix of.
static std::optional<Solution> match(TriInverseOp inverse) {
  if (inverse.getTransposed())
    return std::nullopt;
  auto scaled = matchScaled(inverse.getInput());
  if (!scaled)
    return std::nullopt;
  auto [weights, rows] = *scaled;
  DotOp solved = findProduct(inverse.getResult());
  if (!solved || solved.getAcc())
    return std::nullopt;
  Value right = getUnrounded(solved.getB());
  auto difference =
      right ? right.getDefiningOp<arith::SubFOp>() : arith::SubFOp();
  auto subtracted = difference ? matchScaled(difference.getRhs()) : scaled;
  if (!difference || !subtracted)
    return std::nullopt;
  Value carried = subtracted->first, factors = subtracted->second.getInput();
  // A scale of weights that nobody reads is a factor of rows (`delta.scale`).
  std::optional<float> scale = matchMultiple(rows.getInput(), factors);
  if (!scale)
    return std::nullopt;
  SmallVector<Read, 2> reads;
  if (failed(findReads(weights, reads)))
    return std::nullopt;
  for (Read &read : reads)
    if (scale != 1.0f || read.dot.getAcc() != carried ||
        getUnrounded(read.dot.getB()) != solved.getD())
      return std::nullopt;
  return Solution{inverse, weights,
                  *scale,  subtracted->second.getResult(),
                  factors, difference.getLhs(),
                  carried, solved,
                  reads};
}

/// What is on the diagonal of the lower triangle `weights`.
static Value makeDiagonal(ImplicitLocOpBuilder &b, MaskOp weights) {
  Value diagonal =
      MaskOp::create(b, weights.getType(), weights, /*columns=*/Value(),
                     Part::Upper, /*row_steps=*/1, /*col_steps=*/1,
                     /*fill=*/APFloat(0.0f));
  RankedTensorType type = weights.getType();
  return ReduceOp::create(
      b, RankedTensorType::get(type.getShape().take_front(), b.getF32Type()),
      diagonal, Combine::Add, /*axis=*/1);
}

/// Everything behind the product that the rows were: reads stood behind its
/// uses, and their operands in front of them. A diagonal is taken while the
/// weights are at hand.
static void rewrite(Solution solution) {
  ImplicitLocOpBuilder b(solution.inverse.getLoc(), solution.inverse);
  auto named = [&](StringRef name, Location loc) {
    b.setLoc(NameLoc::get(b.getStringAttr(name), loc));
  };
  Value weights = solution.weights;
  SmallVector<Value, 2> diagonals;
  for (Read &read : solution.reads) {
    named("own_weight", read.dot.getLoc());
    diagonals.push_back(read.lower ? makeDiagonal(b, read.lower) : Value());
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
  named("G", solution.inverse.getLoc());
  Value solve = TriSolveOp::create(b, type, weights, solution.factors,
                                   /*scratch=*/Value());
  Type operand = solution.solved.getA().getType();
  named("G_a", solution.inverse.getLoc());
  b.setInsertionPoint(solution.solved.getA().getDefiningOp());
  Value rounded = arith::TruncFOp::create(b, operand, solve);
  b.setInsertionPoint(solution.solved);
  named("ubar", solution.solved.getLoc());
  Value read = DotOp::create(b, solution.solved.getType(), rounded,
                             solution.solved.getB(), solution.carried,
                             b.getDenseI64ArrayAttr({1, 0}), Part::Full,
                             /*b_row_steps=*/1, /*b_col_steps=*/1,
                             /*instr=*/InstrAttr());
  b.setLoc(solution.solved.getLoc());
  Value scaled = arith::MulFOp::create(b, read, solution.rows);
  Value rows = arith::SubFOp::create(b, solution.values, scaled);
  solution.solved.replaceAllUsesWith(rows);
  for (auto [own, diagonal] : llvm::zip_equal(solution.reads, diagonals)) {
    Value all = read;
    if (diagonal) {
      b.setLoc(own.dot.getLoc());
      b.setInsertionPoint(own.dot);
      Value weights = SpreadOp::create(b, rows.getType(), diagonal, /*axis=*/0);
      all = arith::AddFOp::create(b, read,
                                  arith::MulFOp::create(b, rows, weights));
    }
    own.dot.replaceAllUsesWith(all);
    own.dot.erase();
  }
  solution.solved.erase();
}

namespace {

struct SolveReadsPass
    : public delta::tile::impl::SolveReadsBase<SolveReadsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (!kernel.getColumnTiles())
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
