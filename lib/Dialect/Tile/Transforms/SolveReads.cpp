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
/// so a + P u = a + G r.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta::tile {
#define GEN_PASS_DEF_SOLVEREADS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

namespace {

/// The ops of a block's solution, by the letters of the pass's description.
struct Solution {
  TriInverseOp inverse;
  /// P, f repeated along rows, and f.
  Value weights, rows, factors;
  /// v and a.
  Value values, carried;
  DotOp solved;
  /// Null where nobody reads with the query that writes.
  DotOp read;
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

/// `op`, if it drops the diagonal of a matrix and what is above; else null.
static MaskOp getStrictlyLower(Operation *op) {
  auto mask = dyn_cast_or_null<MaskOp>(op);
  bool isIt = mask && mask.getPart() == Part::StrictLower &&
              mask.getRowSteps() == 1 && mask.getColSteps() == 1 &&
              mask.getFill().isZero();
  return isIt ? mask : MaskOp();
}

/// Whether what `value` holds on and above its diagonal is known to be 0.
static bool isStrictlyLower(Value value) {
  if (auto product = value.getDefiningOp<arith::MulFOp>())
    return llvm::any_of(product->getOperands(), isStrictlyLower);
  return bool(getStrictlyLower(value.getDefiningOp()));
}

/// The product that reads with `weights`, null where there is none; fails where
/// it may read more of them than an inverse sees, which is what is below the
/// diagonal.
static FailureOr<DotOp> findRead(Value weights) {
  if (DotOp read = findProduct(weights)) {
    if (isStrictlyLower(weights))
      return read;
    return failure();
  }
  for (Operation *user : weights.getUsers())
    if (MaskOp lower = getStrictlyLower(user))
      if (DotOp read = findProduct(lower.getResult()))
        return read;
  return DotOp();
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
  if (!difference || !subtracted ||
      subtracted->second.getInput() != rows.getInput())
    return std::nullopt;
  Value carried = subtracted->first;
  FailureOr<DotOp> found = findRead(weights);
  if (failed(found))
    return std::nullopt;
  DotOp read = *found;
  if (read &&
      (read.getAcc() != carried || getUnrounded(read.getB()) != solved.getD()))
    return std::nullopt;
  return Solution{inverse,
                  weights,
                  subtracted->second.getResult(),
                  rows.getInput(),
                  difference.getLhs(),
                  carried,
                  solved,
                  read};
}

/// Everything behind the product that the rows were: `read` stood behind its
/// uses, and its operands in front of them.
static void rewrite(Solution solution) {
  ImplicitLocOpBuilder b(solution.inverse.getLoc(), solution.inverse);
  auto named = [&](StringRef name, Location loc) {
    b.setLoc(NameLoc::get(b.getStringAttr(name), loc));
  };
  Value weights = solution.weights;
  if (!isStrictlyLower(weights))
    weights = MaskOp::create(b, weights.getType(), weights,
                             /*columns=*/Value(), Part::StrictLower,
                             /*row_steps=*/1, /*col_steps=*/1,
                             /*fill=*/APFloat(0.0f));
  named("G", solution.inverse.getLoc());
  Value solve = TriSolveOp::create(b, weights.getType(), weights,
                                   solution.factors, /*scratch=*/Value());
  Type operand = solution.solved.getA().getType();
  named("G_a", solution.inverse.getLoc());
  b.setInsertionPoint(solution.solved.getA().getDefiningOp());
  Value rounded = arith::TruncFOp::create(b, operand, solve);
  b.setInsertionPoint(solution.solved);
  if (solution.read)
    b.setLoc(solution.read.getLoc());
  else
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
  if (solution.read) {
    solution.read.replaceAllUsesWith(read);
    solution.read.erase();
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
