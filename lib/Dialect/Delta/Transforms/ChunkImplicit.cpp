//===- ChunkImplicit.cpp - chunked form of implicit features ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The chunked form of a recurrence without a state (DeltaFormer, 2505.19488,
/// section 3.3). Row block c, in order, with every earlier block of u known:
///
/// ```
/// a    = sum over earlier blocks j of kappa(s W K_j^T) U_j
/// P    = strict_lower(kappa(s W K^T))
/// U    = (I + diag(beta) P)^-1 (diag(alpha) V - diag(beta) a)
/// ubar = a + P U                                  what the write query reads
/// ```
/// A softmax runs over earlier blocks online and then takes in the diagonal
/// block's scores, whose u are unknown still; a and P are divided by the sum
/// that results, so the inverse cannot start before it. Other kernels have no
/// row statistics.
///
/// Tied reads. Where the read query and kernel are the write's
/// (`RecurrenceOp::isTied`), o_t differs from ubar_t by token t alone, and the
/// attention of the read is not computed at all. With s_t = s <q_t, k_t> and
/// the write's row statistics m and l (maximum; sum of exp(. - m)):
///
/// ```
/// softmax   o_t = rho_t ubar_t + (1 - rho_t) u_t,  rho_t = l / (l + exp(s_t -
/// m)) others    o_t = ubar_t + kappa(s_t) u_t
/// ```
/// Otherwise o is an ordinary attention over (K, U) that starts when u is
/// complete: its row blocks are independent, so they are a parallel loop of
/// their own and no part of the chain.
///
/// Keys with an l2 norm are normalised by a loop in front, into an array: every
/// later block of rows reads them.
///
/// The choice of the form is made here; which kernel computes what is not.
///
//===----------------------------------------------------------------------===//

#include "ChunkBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace delta;

/// Whether the function's own prologue proves |beta| <= 1. (The sigmoid's
/// rounding cannot leave its range.)
static bool hasUnitBeta(const CallerArrays &arrays) {
  auto sigmoid = dyn_cast_or_null<SigmoidOp>(arrays.beta.prologue);
  return sigmoid && sigmoid.getRange().convertToDouble() <= 1.0;
}

namespace {

/// A block of rows of one value head.
struct RowBlock {
  Value batch, head, keyHead;
  /// The block's number, its first token, and how many tokens it holds.
  Value number, first, count;
};

/// Sums over keys for the rows of a block: the weighted sum of u and, for a
/// softmax, the row maximum and the row sum that it is relative to (else null).
struct RowSums {
  Value max, sum, acc;
};

class ImplicitChunks {
public:
  explicit ImplicitChunks(ChunkBuilder &builder)
      : b(builder), op(builder.recurrence), rows(builder.chunk),
        scale(op.getScaleValue()), perRow(tile(rows)),
        square(tile({rows, rows})), values(tile({rows, op.getValueDim()})) {}

  void build();

private:
  /// An array of the function's own, of the shape of `like`.
  Value makeArray(StringRef name, Value like, Type element);
  /// The array that u is stored in.
  Value makeU();
  /// `keys` with its l2 norm applied, by a loop that is written here; as it is
  /// where it has none.
  CallerArray normaliseOnce(const CallerArray &keys);
  RowBlock makeBlock(Value batch, Value head, Value keyHead, Value number);
  /// u of one block, and its output where the read is tied.
  void write(const RowBlock &block);
  /// The output of one block, u being complete.
  void read(const RowBlock &block);

  /// The sums over every block before `block`. `isChain`: u is still being
  /// written, by the loop that `block` is an iteration of.
  RowSums earlierBlocks(const RowBlock &block, Value query,
                        FeatureKernel kernel, bool isChain);
  /// `sums` with one more block of keys; `known` are its u, null where they are
  /// not known yet (softmax: the row statistics alone advance).
  RowSums advance(const RowSums &sums, Value scores, Value known, Part part);
  /// What a row's own token adds to a tied read: 1 - rho is its share in a
  /// softmax, of which this is rho; else this is its weight.
  Value ownShare(const RowSums &sums, Value query, Value key);
  /// The output of a tied read. `weights` are those inside the block,
  /// `carried` is the weighted sum over the blocks before.
  Value tiedOutput(Value share, Value weights, Value carried, Value solved);

  Value loadKeys(const CallerArray &array, const RowBlock &block);
  Value loadFactors(const CallerArray &array, const RowBlock &block);
  /// Scores of a block, with the kernel applied where it is elementwise.
  Value gram(Value query, Value key, FeatureKernel kernel, Part part);
  Value apply(Value matrix, Value input, Value accumulator, Part part);
  Value scaleRows(Value input, Value factors);

  Location named(StringRef name) {
    return NameLoc::get(b.getStringAttr(name), op.getLoc());
  }
  RankedTensorType tile(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getF32Type());
  }
  SmallVector<Value> at(const RowBlock &block, Value head) {
    return {block.batch, block.first, head, b.index(0)};
  }
  const CallerArray &writeQuery() {
    return b.arrays.write ? b.arrays.write : b.arrays.query;
  }

  ChunkBuilder &b;
  RecurrenceOp op;
  const int64_t rows;
  const APFloat scale;
  const RankedTensorType perRow, square, values;
  /// How many blocks a sequence has.
  Value blocks;
  /// [B, T, HV, V].
  Value u;
};

} // namespace

static bool isNormalised(FeatureKernel kernel) {
  return kernel == FeatureKernel::Softmax;
}

/// What is applied to one score at a time; a softmax's exponential is the
/// business of the ops that know the row.
static FeatureKernel elementwisePart(FeatureKernel kernel) {
  return isNormalised(kernel) ? FeatureKernel::Linear : kernel;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

RowBlock ImplicitChunks::makeBlock(Value batch, Value head, Value keyHead,
                                   Value number) {
  Value length = b.index(rows);
  b.name("first_row");
  Value first = arith::MulIOp::create(b, number, length);
  b.name("left");
  Value left = arith::SubIOp::create(b, b.tokens(), first);
  b.name("rows");
  Value count = arith::MinUIOp::create(b, left, length);
  return {batch, head, keyHead, number, first, count};
}

Value ImplicitChunks::loadKeys(const CallerArray &array,
                               const RowBlock &block) {
  return b.load(array, at(block, block.keyHead), block.count, {1, 3},
                {rows, op.getKeyDim()});
}

Value ImplicitChunks::loadFactors(const CallerArray &array,
                                  const RowBlock &block) {
  return b.load(array, {block.batch, block.first, block.head}, block.count, {1},
                {rows});
}

Value ImplicitChunks::gram(Value query, Value key, FeatureKernel kernel,
                           Part part) {
  return GramOp::create(b, square, query, key, part, /*steps=*/1, scale,
                        elementwisePart(kernel), b.prec);
}

Value ImplicitChunks::apply(Value matrix, Value input, Value accumulator,
                            Part part) {
  return ApplyOp::create(b, values, matrix, input, accumulator, part,
                         /*steps=*/1, /*transpose=*/false, b.prec);
}

Value ImplicitChunks::scaleRows(Value input, Value factors) {
  return ScaleOp::create(b, input, factors, /*axis=*/0);
}

//===----------------------------------------------------------------------===//
// Sums over keys
//===----------------------------------------------------------------------===//

RowSums ImplicitChunks::advance(const RowSums &sums, Value scores, Value known,
                                Part part) {
  if (!sums.max)
    return {{}, {}, apply(scores, known, sums.acc, part)};
  auto next = OnlineOp::create(b, perRow, perRow, values, sums.max, sums.sum,
                               sums.acc, scores, known, part, b.prec);
  return {next.getNewMax(), next.getNewSum(), next.getNewAcc()};
}

RowSums ImplicitChunks::earlierBlocks(const RowBlock &block, Value query,
                                      FeatureKernel kernel, bool isChain) {
  SmallVector<Value> none;
  if (isNormalised(kernel)) {
    auto noScore = DenseElementsAttr::get(perRow, OnlineOp::kNoScore);
    b.name("m");
    none.push_back(arith::ConstantOp::create(b, perRow, noScore));
    b.name("l");
    none.push_back(b.zeros(perRow.getShape()));
  }
  b.name("acc");
  none.push_back(b.zeros(values.getShape()));
  auto sums = [&](ValueRange carried) -> RowSums {
    if (carried.size() == 1)
      return {{}, {}, carried[0]};
    return {carried[0], carried[1], carried[2]};
  };

  auto loop = scf::ForOp::create(b, b.index(0), block.number, b.index(1), none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  loop.getInductionVar().setLoc(named("earlier"));
  // Only a sequence's last block is ragged, and that one is before no other.
  RowBlock earlier = block;
  earlier.number = loop.getInductionVar();
  earlier.count = b.index(rows);
  b.name("earlier_row");
  earlier.first = arith::MulIOp::create(b, earlier.number, earlier.count);
  b.name("K_j");
  Value key = loadKeys(b.arrays.key, earlier);
  b.name("U_j");
  Value known = LoadOp::create(b, values, u, at(earlier, block.head),
                               earlier.count, ArrayRef<int64_t>{1, 3},
                               /*steps=*/1, /*before=*/isChain);
  b.name("s_j");
  Value scores = gram(query, key, kernel, Part::Full);
  b.name("acc");
  RowSums next =
      advance(sums(loop.getRegionIterArgs()), scores, known, Part::Full);
  SmallVector<Value> carried;
  if (next.max)
    carried = {next.max, next.sum};
  carried.push_back(next.acc);
  scf::YieldOp::create(b, carried);
  return sums(loop.getResults());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value ImplicitChunks::ownShare(const RowSums &sums, Value query, Value key) {
  FeatureKernel kernel = op.getKernel().getRead();
  b.name("s_own");
  Value own =
      RowDotOp::create(b, perRow, query, key, scale, elementwisePart(kernel));
  if (!isNormalised(kernel))
    return own;
  // A row without earlier tokens has l = 0 and m far below s: the exponential
  // is infinite and rho is 0. Elsewhere l >= 1, so rho is a number for every s.
  Value above = arith::SubFOp::create(b, own, sums.max);
  b.name("own_weight");
  Value ownWeight = math::ExpOp::create(b, above);
  Value all = arith::AddFOp::create(b, sums.sum, ownWeight);
  b.name("rho");
  return arith::DivFOp::create(b, sums.sum, all);
}

Value ImplicitChunks::tiedOutput(Value share, Value weights, Value carried,
                                 Value solved) {
  b.name("ubar");
  Value ubar = apply(weights, solved, carried, Part::StrictLower);
  b.name("O");
  if (!isNormalised(op.getKernel().getRead()))
    return arith::AddFOp::create(b, ubar, scaleRows(solved, share));
  Value difference = arith::SubFOp::create(b, ubar, solved);
  return arith::AddFOp::create(b, solved, scaleRows(difference, share));
}

void ImplicitChunks::write(const RowBlock &block) {
  FeatureKernel kernel = op.getKernel().getWrite();
  // Rows past the sequence are zero in every tile here but have weights all the
  // same (exp(0) is 1). No row of the sequence reads them, as every product
  // inside a block is triangular, and they are not stored.
  b.name(b.arrays.write ? "W" : "Q");
  Value query = loadKeys(writeQuery(), block);
  b.name("K");
  Value key = loadKeys(b.arrays.key, block);
  b.name("V");
  Value value = b.load(b.arrays.value, at(block, block.head), block.count,
                       {1, 3}, values.getShape());
  b.name("beta");
  Value beta = loadFactors(b.arrays.beta, block);
  if (b.arrays.alpha) {
    b.name("alpha");
    Value alpha = loadFactors(b.arrays.alpha, block);
    b.name("aV");
    value = scaleRows(value, alpha);
  }

  RowSums sums = earlierBlocks(block, query, kernel, /*isChain=*/true);
  b.name(isNormalised(kernel) ? "s" : "P");
  Value weights = gram(query, key, kernel, Part::StrictLower);
  Value carried = sums.acc;
  if (isNormalised(kernel)) {
    Value scores = weights;
    sums = advance(sums, scores, /*known=*/Value(), Part::StrictLower);
    b.name("P");
    weights =
        WeightsOp::create(b, scores, sums.max, sums.sum, Part::StrictLower);
    b.name("a");
    carried = NormalizeOp::create(b, sums.acc, sums.sum);
  }

  // Needs no u: known before the blocks that this one waits for.
  Value share = op.isTied() ? ownShare(sums, query, key) : Value();
  // Weights of a softmax sum to at most 1 in a row, and so do beta times them.
  bool isRowStochastic = isNormalised(kernel) && hasUnitBeta(b.arrays);
  b.name("A");
  Value scaled = scaleRows(weights, beta);
  b.name("M");
  Value inverse = TriInverseOp::create(b, scaled, /*entry_bound=*/FloatAttr(),
                                       isRowStochastic);
  b.name("R");
  Value residual = arith::SubFOp::create(b, value, scaleRows(carried, beta));
  b.name("U");
  Value solved = apply(inverse, residual, /*accumulator=*/Value(), Part::Lower);
  b.store(solved, u, at(block, block.head), block.count, {1, 3});
  if (!op.isTied())
    return;
  Value output = tiedOutput(share, weights, carried, solved);
  b.store(output, b.arrays.output, at(block, block.head), block.count, {1, 3});
}

void ImplicitChunks::read(const RowBlock &block) {
  FeatureKernel kernel = op.getKernel().getRead();
  b.name("Q");
  Value query = loadKeys(b.arrays.query, block);
  RowSums sums = earlierBlocks(block, query, kernel, /*isChain=*/false);
  b.name("K");
  Value key = loadKeys(b.arrays.key, block);
  b.name("U");
  Value known = b.load({u}, at(block, block.head), block.count, {1, 3},
                       values.getShape());
  b.name(isNormalised(kernel) ? "s" : "P");
  Value scores = gram(query, key, kernel, Part::Lower);
  b.name("acc");
  sums = advance(sums, scores, known, Part::Lower);
  b.name("O");
  Value output = sums.sum
                     ? NormalizeOp::create(b, sums.acc, sums.sum).getResult()
                     : sums.acc;
  b.store(output, b.arrays.output, at(block, block.head), block.count, {1, 3});
}

Value ImplicitChunks::makeArray(StringRef name, Value like, Type element) {
  auto type =
      MemRefType::get(cast<MemRefType>(like.getType()).getShape(), element);
  SmallVector<Value> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      sizes.push_back(memref::DimOp::create(b, like, axis));
  auto array = memref::AllocOp::create(b, type, sizes);
  array->setAttr("delta.name", b.getStringAttr(name));
  return array;
}

Value ImplicitChunks::makeU() {
  if (b.arrays.u)
    return b.arrays.u;
  // f32: only a caller who asks for u in 16 bits also asks for its rounding.
  return makeArray("u", b.arrays.value.memref, b.getF32Type());
}

CallerArray ImplicitChunks::normaliseOnce(const CallerArray &keys) {
  auto norm = dyn_cast_or_null<L2NormOp>(keys.prologue);
  if (!norm)
    return keys;
  Value normalised = makeArray("k_normalised", keys.memref,
                               norm.getOutput().getType().getElementType());
  auto normalise = [&](Value batch, Value head, Value number) {
    RowBlock block = makeBlock(batch, head, head, number);
    b.name("K");
    Value rows = loadKeys(keys, block);
    b.store(rows, normalised, at(block, head), block.count, {1, 3});
  };
  b.forEachChunk(op.getKeyHeads(), blocks, normalise);
  return {normalised};
}

void ImplicitChunks::build() {
  blocks = arith::CeilDivUIOp::create(b, b.tokens(), b.index(rows));
  u = makeU();
  b.arrays.key = normaliseOnce(b.arrays.key);
  auto blockOf = [&](Value batch, Value head, Value number) {
    b.name("key_head");
    return makeBlock(batch, head, b.keyHead(head), number);
  };
  b.forEachValueHead([&](Value batch, Value head) {
    auto chain = scf::ForOp::create(b, b.index(0), blocks, b.index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(chain.getBody());
    write(blockOf(batch, head, chain.getInductionVar()));
  });
  if (op.isTied())
    return;
  b.forEachChunk(op.getValueHeads(), blocks,
                 [&](Value batch, Value head, Value number) {
                   read(blockOf(batch, head, number));
                 });
}

LogicalResult delta::buildImplicitChunks(ChunkBuilder &builder) {
  ImplicitChunks(builder).build();
  return success();
}
