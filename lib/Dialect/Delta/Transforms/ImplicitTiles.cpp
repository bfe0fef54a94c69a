//===- ImplicitTiles.cpp - row blocks of implicit features ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The equations of ImplicitTiles.h, one function each.
///
//===----------------------------------------------------------------------===//

#include "ImplicitTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace delta;

/// Whether the function's own prologue proves |beta| <= 1. (The sigmoid's
/// rounding cannot leave its range.)
static bool hasUnitBeta(const CallerArrays &arrays) {
  auto sigmoid = dyn_cast_or_null<SigmoidOp>(arrays.beta.prologue);
  return sigmoid && sigmoid.getRange().convertToDouble() <= 1.0;
}

/// What is applied to one score at a time; a softmax's exponential is the
/// business of the ops that know the row.
static FeatureKernel elementwisePart(FeatureKernel kernel) {
  return kernel == FeatureKernel::Softmax ? FeatureKernel::Linear : kernel;
}

ImplicitTiles::ImplicitTiles(ChunkBuilder &builder, int64_t rows)
    : b(builder), op(builder.recurrence), rows(rows), scale(op.getScaleValue()),
      perRow(tileType(b, rows)), values(tileType(b, {rows, op.getValueDim()})) {
}

static int64_t rowsOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getDimSize(0);
}

SmallVector<Value, 3> RowSums::pack() const {
  if (!max)
    return {acc};
  return {max, sum, acc};
}

RowSums RowSums::unpack(ValueRange values) {
  if (values.size() == 1)
    return {{}, {}, values[0]};
  return {values[0], values[1], values[2]};
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Value ImplicitTiles::loadKeys(const CallerArray &array, const RowBlock &block,
                              int64_t count) {
  return b.load(array, at(block, block.keyHead), block.count, {1, 3},
                {count, op.getKeyDim()});
}

Value ImplicitTiles::loadFactors(const CallerArray &array,
                                 const RowBlock &block) {
  return b.load(array, {block.batch, block.first, block.head}, block.count, {1},
                {rows});
}

WriteTiles ImplicitTiles::loadWrite(const RowBlock &block) {
  // Rows past the sequence are zero in every tile here but have weights all the
  // same (exp(0) is 1). No row of the sequence reads them, as every product
  // inside a block is triangular, and they are not stored.
  WriteTiles tiles;
  b.name(b.arrays.write ? "W" : "Q");
  tiles.query = loadKeys(writeQuery(), block, rows);
  b.name("K");
  tiles.key = loadKeys(b.arrays.key, block, rows);
  b.name("V");
  tiles.value = b.load(b.arrays.value, at(block, block.head), block.count,
                       {1, 3}, values.getShape());
  b.name("beta");
  tiles.beta = loadFactors(b.arrays.beta, block);
  if (b.arrays.alpha) {
    b.name("alpha");
    tiles.alpha = loadFactors(b.arrays.alpha, block);
  }
  return tiles;
}

Value ImplicitTiles::gram(Value query, Value key, FeatureKernel kernel,
                          Part part) {
  return GramOp::create(b, tileType(b, {rowsOf(query), rowsOf(key)}), query,
                        key, part, /*steps=*/1, scale, elementwisePart(kernel),
                        b.prec);
}

Value ImplicitTiles::apply(Value weights, Value input, Value accumulator,
                           Part part, Split split) {
  return ApplyOp::create(b, tileType(b, {rowsOf(weights), op.getValueDim()}),
                         weights, input, accumulator, part,
                         /*steps=*/1, /*transpose=*/false, b.prec,
                         split.weights, split.values);
}

Value ImplicitTiles::scaleRows(Value input, Value factors) {
  return ScaleOp::create(b, input, factors, /*axis=*/0);
}

//===----------------------------------------------------------------------===//
// Sums over keys
//===----------------------------------------------------------------------===//

RowSums ImplicitTiles::noSums(FeatureKernel kernel, int64_t count) {
  RowSums none;
  if (isNormalised(kernel)) {
    auto noScore =
        DenseElementsAttr::get(tileType(b, count), OnlineOp::kNoScore);
    b.name("m");
    none.max = arith::ConstantOp::create(b, noScore);
    b.name("l");
    none.sum = b.zeros(count);
  }
  b.name("acc");
  none.acc = b.zeros({count, op.getValueDim()});
  return none;
}

RowSums ImplicitTiles::advance(FeatureKernel kernel, const RowSums &sums,
                               Value scores, Value known, Part part,
                               Value columns, bool areRounded) {
  Split split = {splitsWeights(kernel), sumsCancel() && !areRounded};
  // A key that does not exist is a zero row, and so is its u.
  if (!sums.max)
    return {{}, {}, apply(scores, known, sums.acc, part, split)};
  auto next = OnlineOp::create(b, sums.max.getType(), sums.sum.getType(),
                               sums.acc.getType(), sums.max, sums.sum, sums.acc,
                               scores, known, columns, part, b.prec,
                               known && split.weights, known && split.values);
  return {next.getNewMax(), next.getNewSum(), next.getNewAcc()};
}

//===----------------------------------------------------------------------===//
// The block itself
//===----------------------------------------------------------------------===//

Value ImplicitTiles::ownShare(const RowSums &sums, Value own) {
  // A row without earlier tokens has l = 0 and m far below s: the exponential
  // is infinite and rho is 0. Elsewhere l >= 1, so rho is a number for every s.
  b.name("own_weight");
  Value above = arith::SubFOp::create(b, own, sums.max);
  Value ownWeight = math::ExpOp::create(b, above);
  b.name("l_all");
  Value all = arith::AddFOp::create(b, sums.sum, ownWeight);
  b.name("rho");
  return arith::DivFOp::create(b, sums.sum, all);
}

SolvedTiles ImplicitTiles::solve(const WriteTiles &tiles, RowSums sums) {
  FeatureKernel kernel = op.getKernel().getWrite();
  Value weights, share, writeLse, readLse, carried = sums.acc;
  if (isNormalised(kernel)) {
    b.name("s");
    Value scores = gram(tiles.query, tiles.key, kernel, Part::StrictLower);
    // While the scores are at hand; weights take their place.
    b.name("s_own");
    Value own = op.isTied()
                    ? RowDotOp::create(b, perRow, tiles.query, tiles.key, scale)
                          .getResult()
                    : Value();
    sums = advance(kernel, sums, scores, /*known=*/Value(), Part::StrictLower);
    b.name("P");
    weights =
        WeightsOp::create(b, scores, sums.max, sums.sum, Part::StrictLower);
    b.name("a");
    carried = NormalizeOp::create(b, sums.acc, sums.sum);
    // Need no u: known before the blocks that this one waits for.
    share = op.isTied() ? ownShare(sums, own) : Value();
    if (b.arrays.writeLse)
      writeLse = logSum(sums.max, sums.sum);
    if (b.arrays.readLse && op.isTied())
      readLse = logSumTied(sums, own);
  } else {
    // The inverse ignores the diagonal, a tied read's own tokens.
    b.name("P");
    weights = gram(tiles.query, tiles.key, kernel, readPart());
  }

  // Weights of a softmax sum to at most 1 in a row, and so do beta times them.
  bool isRowStochastic = isNormalised(kernel) && hasUnitBeta(b.arrays);
  b.name("A");
  Value scaled = scaleRows(weights, tiles.beta);
  b.name("M");
  Value inverse = TriInverseOp::create(b, scaled, /*entry_bound=*/FloatAttr(),
                                       isRowStochastic);
  b.name("aV");
  Value value = tiles.alpha ? scaleRows(tiles.value, tiles.alpha) : tiles.value;
  b.name("beta_a");
  Value known = scaleRows(carried, tiles.beta);
  b.name("R");
  Value residual = arith::SubFOp::create(b, value, known);
  b.name("U");
  Value solved = apply(inverse, residual, /*accumulator=*/Value(), Part::Lower,
                       {sumsCancel(), sumsCancel()});
  return {solved, weights, carried, share, writeLse, readLse};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Value ImplicitTiles::readOwn(const SolvedTiles &solved, Value weights,
                             Part part) {
  return apply(weights, solved.u, solved.carried, part,
               {sumsCancel(), sumsCancel()});
}

Value ImplicitTiles::readUbar(const WriteTiles &tiles,
                              const SolvedTiles &solved) {
  Value weights = solved.weights;
  if (readPart() != Part::StrictLower) {
    b.name("P");
    weights = gram(tiles.query, tiles.key, op.getKernel().getWrite(),
                   Part::StrictLower);
  }
  b.name("ubar");
  return readOwn(solved, weights, Part::StrictLower);
}

Value ImplicitTiles::readTied(const SolvedTiles &solved, Value ubar) {
  b.name("O");
  if (!solved.share)
    return readOwn(solved, solved.weights, readPart());
  Value difference = arith::SubFOp::create(b, ubar, solved.u);
  return arith::AddFOp::create(b, solved.u,
                               scaleRows(difference, solved.share));
}

Value ImplicitTiles::logSum(Value max, Value sum) {
  b.name("lse");
  return arith::AddFOp::create(b, max, math::LogOp::create(b, sum));
}

Value ImplicitTiles::logSumTied(const RowSums &sums, Value own) {
  b.name("n");
  Value max = arith::MaximumFOp::create(b, sums.max, own);
  auto relative = [&](Value exponent) -> Value {
    return math::ExpOp::create(b, arith::SubFOp::create(b, exponent, max));
  };
  Value earlier = arith::MulFOp::create(b, sums.sum, relative(sums.max));
  b.name("l_all");
  return logSum(max, arith::AddFOp::create(b, earlier, relative(own)));
}

void ImplicitTiles::storeFactors(Value factors, Value dest,
                                 const RowBlock &block) {
  b.store(factors, dest, {block.batch, block.first, block.head}, block.count,
          {1});
}

void ImplicitTiles::storeSolved(const WriteTiles &tiles,
                                const SolvedTiles &solved,
                                const RowBlock &block) {
  SmallVector<Value> here = at(block, block.head);
  Value ubar =
      solved.share || b.arrays.ubar ? readUbar(tiles, solved) : Value();
  if (op.isTied())
    b.store(readTied(solved, ubar), b.arrays.output, here, block.count, {1, 3});
  if (b.arrays.ubar)
    b.store(ubar, b.arrays.ubar, here, block.count, {1, 3});
  if (solved.writeLse)
    storeFactors(solved.writeLse, b.arrays.writeLse, block);
  if (solved.readLse)
    storeFactors(solved.readLse, b.arrays.readLse, block);
}

RowSums ImplicitTiles::addOwn(Value query, Value key, Value known,
                              const RowSums &sums) {
  FeatureKernel kernel = op.getKernel().getRead();
  b.name(isNormalised(kernel) ? "s" : "P");
  Value scores = gram(query, key, kernel, Part::Lower);
  b.name("acc");
  return advance(kernel, sums, scores, known, Part::Lower);
}

void ImplicitTiles::storeRead(const RowSums &sums, const RowBlock &block) {
  b.name("O");
  Value output = sums.sum
                     ? NormalizeOp::create(b, sums.acc, sums.sum).getResult()
                     : sums.acc;
  b.store(output, b.arrays.output, at(block, block.head), block.count, {1, 3});
  if (b.arrays.readLse)
    storeFactors(logSum(sums.max, sums.sum), b.arrays.readLse, block);
}
