//===- ImplicitRules.cpp - implicit features, chunked to tile ---*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Rules for the ops of implicit features (DeltaFormer, 2505.19488): online
/// softmax as in FlashAttention (2205.14135, algorithm 1), elementwise kernels,
/// and the flags between row blocks. Row statistics are vectors over the rows
/// of a fragment; no tile here is transposed.
///
//===----------------------------------------------------------------------===//

#include "TileBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace delta;

static constexpr Orientation kNatural = Orientation::Natural;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Kernels and sums over keys
//===----------------------------------------------------------------------===//

Value TileBody::applyKernel(FeatureKernel kernel, Value scores) {
  switch (kernel) {
  case FeatureKernel::Linear:
    return scores;
  case FeatureKernel::Exp:
    return math::ExpOp::create(b, scores);
  case FeatureKernel::Relu:
    return arith::MaximumFOp::create(b, scores, splat(tileType(scores), 0.0f));
  case FeatureKernel::Round:
    return math::RoundEvenOp::create(b, scores);
  case FeatureKernel::Softmax:
    break; // refused by the verifier of delta.gram
  }
  llvm_unreachable("not applied to one score at a time");
}

/// What `scores` are a positive multiple of, as `times` makes it, and the
/// factor.
static std::pair<Value, float> splitScale(Value scores) {
  auto scaled = scores.getDefiningOp<arith::MulFOp>();
  DenseElementsAttr factors;
  if (!scaled || !matchPattern(scaled.getLhs(), m_Constant(&factors)) ||
      !factors.isSplat())
    return {scores, 1.0f};
  float factor = factors.getSplatValue<APFloat>().convertToFloat();
  if (factor <= 0.0f)
    return {scores, 1.0f};
  return {scaled.getRhs(), factor};
}

/// The scores of a block, with what they are scaled by: those that do not count
/// are -infinity, whose exponential is 0 as maxima are finite.
std::pair<Value, float> TileBody::presentScores(Value scores, Part part,
                                                Value columns) {
  Location loc = b.getLoc();
  Value s = wide(scores, kNatural);
  b.setLoc(loc);
  auto [plain, factor] = splitScale(s);
  constexpr float none = -std::numeric_limits<float>::infinity();
  return {mask(plain, part, /*steps=*/1, kNatural, none, columns), factor};
}

Value TileBody::exponentials(Value scores, Value max, Part part,
                             Value columns) {
  // exp(c x - m) as exp2(c' x - m'): the exponent is one fused operation an
  // element, and the hardware's exponential has base 2.
  Location loc = b.getLoc();
  auto [present, factor] = presentScores(scores, part, columns);
  Value base = splat(tileType(max), llvm::numbers::log2ef);
  nameAs("m_log2", loc);
  Value scaledMax = arith::MulFOp::create(b, max, base);
  Value scale = splat(tileType(present), factor * llvm::numbers::log2ef);
  nameAs("s_log2", loc);
  Value exponent = arith::MulFOp::create(b, present, scale);
  nameAs("m_log2_i", loc);
  Value rows = spread(scaledMax, /*axis=*/0, scores, kNatural);
  nameAs("s_below_m", loc);
  Value below = arith::SubFOp::create(b, exponent, rows);
  b.setLoc(loc);
  return math::Exp2Op::create(b, below);
}

Value TileBody::inverseSums(Value sum) {
  // A row that has seen a score has l >= 1, as the largest score adds exp(0).
  Location loc = b.getLoc();
  Value ones = splat(tileType(sum), 1.0f);
  nameAs("l_clamped", loc);
  Value atLeast = arith::MaximumFOp::create(b, sum, ones);
  nameAs("l_rcp", loc);
  return arith::DivFOp::create(b, ones, atLeast);
}

template <> LogicalResult TileBody::lower(OnlineOp op) {
  Value max = vector(op.getMax()), sum = vector(op.getSum());
  Value columns =
      op.getColumns() ? map.lookupOrDefault(op.getColumns()) : Value();
  nameAs("s_part", op.getLoc());
  auto [present, factor] = presentScores(op.getScores(), op.getPart(), columns);
  RankedTensorType rowType = tileType(max);
  nameAs("m_block", op.getLoc());
  // A positive factor keeps the order: one product a row, not one an element.
  Value blockMax = tile::ReduceOp::create(b, rowType, present,
                                          tile::Combine::Max, /*axis=*/1);
  beginPhase(blockMax, "Online softmax: the new maximum m, weights p relative "
                       "to it, and by what older sums shrink.");
  if (factor != 1.0f)
    blockMax = arith::MulFOp::create(b, blockMax, splat(rowType, factor));
  nameAs("m", op.getLoc());
  Value newMax = arith::MaximumFOp::create(b, max, blockMax);
  nameAs("p", op.getLoc());
  Value weights = exponentials(op.getScores(), newMax, op.getPart(), columns);
  nameAs("rescale", op.getLoc());
  Value shrink = math::ExpOp::create(b, arith::SubFOp::create(b, max, newMax));
  nameAs("l_block", op.getLoc());
  Value blockSum = tile::ReduceOp::create(b, rowType, weights,
                                          tile::Combine::Add, /*axis=*/1);
  nameAs("l", op.getLoc());
  Value newSum =
      arith::AddFOp::create(b, arith::MulFOp::create(b, sum, shrink), blockSum);
  Value acc = wide(op.getAcc(), kNatural);
  nameAs("rescale", op.getLoc());
  Value rows = spread(shrink, /*axis=*/0, op.getNewAcc(), kNatural);
  nameAs("acc_rescaled", op.getLoc());
  Value newAcc = arith::MulFOp::create(b, acc, rows);
  if (op.getValues()) {
    FailureOr<FloatType> type = operandType(op);
    if (failed(type))
      return failure();
    nameAs("P_a", op.getLoc());
    Value rounded =
        arith::TruncFOp::create(b, tileType(weights).clone(*type), weights);
    Value values = narrow(op.getValues(), kNatural, *type);
    auto accumulate = [&](Value weights, Value values) {
      nameAs("acc", op.getLoc());
      newAcc = dot(typeOf(op.getNewAcc(), kNatural, b.getF32Type()), weights,
                   values, newAcc, /*axis=*/0);
    };
    // Rests first, as in `delta.apply`.
    if (op.getSplitValues())
      accumulate(rounded, remainder(op.getValues(), kNatural, *type));
    if (op.getSplitWeights()) {
      nameAs("P_rest", op.getLoc());
      accumulate(lost(weights, rounded), values);
    }
    accumulate(rounded, values);
  }
  define(op.getNewMax(), newMax, kNatural);
  define(op.getNewSum(), newSum, kNatural);
  define(op.getNewAcc(), newAcc, kNatural);
  return success();
}

template <> LogicalResult TileBody::lower(WeightsOp op) {
  Value max = vector(op.getMax());
  b.setLoc(op.getLoc());
  nameAs("p", op.getLoc());
  Value weights = exponentials(op.getScores(), max, op.getPart());
  Value factors = inverseSums(vector(op.getSum()));
  b.setLoc(op.getLoc());
  Value rows = spread(factors, /*axis=*/0, op.getResult(), kNatural);
  define(op.getResult(), arith::MulFOp::create(b, weights, rows), kNatural);
  return success();
}

template <> LogicalResult TileBody::lower(NormalizeOp op) {
  Value acc = wide(op.getAcc(), kNatural);
  b.setLoc(op.getLoc());
  Value factors = inverseSums(vector(op.getSum()));
  // Sums that were rescaled last: one factor a row, not two an element.
  if (auto rescaled = acc.getDefiningOp<arith::MulFOp>())
    if (auto rows = rescaled.getRhs().getDefiningOp<tile::SpreadOp>();
        rows && rows.getAxis() == 0) {
      acc = rescaled.getLhs();
      nameAs("rescale_over_l", op.getLoc());
      factors = arith::MulFOp::create(b, rows.getInput(), factors);
    }
  Value rows = spread(factors, /*axis=*/0, op.getResult(), kNatural);
  b.setLoc(op.getLoc());
  define(op.getResult(), arith::MulFOp::create(b, acc, rows), kNatural);
  return success();
}

Value TileBody::diagonalOfGram(Value lhs, Value rhs) {
  Value product = products.lookup({lhs, rhs});
  if (!product)
    return {};
  auto type = RankedTensorType::get(tileType(product).getShape().take_front(),
                                    b.getF32Type());
  return tile::DiagonalOp::create(b, type, product);
}

//===----------------------------------------------------------------------===//
// Between row blocks
//===----------------------------------------------------------------------===//

/// Blocks of a head finish in order, as each expects the one before it. So one
/// count tells which are finished, and `number + 1` is what it is behind block
/// `number`.
static Value finishedAfter(ImplicitLocOpBuilder &b, Value number) {
  Location loc = b.getLoc();
  Value one = arith::ConstantIndexOp::create(b, 1);
  b.setLoc(NameLoc::get(b.getStringAttr("finished_blocks"), loc));
  Value count = arith::AddIOp::create(b, number, one);
  count = arith::IndexCastOp::create(b, b.getI32Type(), count);
  b.setLoc(loc);
  return count;
}

void TileBody::expectBlock(LoadOp load) {
  auto earlier = cast<scf::ForOp>(load->getParentOp());
  Value number = map.lookup(earlier.getInductionVar());
  tile::ExpectOp::create(b, options.chain.flags, options.chain.flag,
                         finishedAfter(b, number));
}

void TileBody::signalBlock(StoreOp store) {
  scf::ForOp blocks = options.chain.blocks;
  Value number = map.lookup(blocks.getInductionVar());
  tile::SignalOp::create(b, options.chain.flags, options.chain.flag,
                         finishedAfter(b, number));
}

void delta::addImplicitRules(TileRules &rules) {
  rules.add<OnlineOp, WeightsOp, NormalizeOp>();
}
