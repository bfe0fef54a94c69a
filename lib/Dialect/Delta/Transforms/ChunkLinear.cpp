//===- ChunkLinear.cpp - chunked form of the linear kernel ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The WY form of a chunk (DeltaNet, 2406.06484, section 3; with decay Gated
/// DeltaNet, 2412.06464, section 3.3; n Householder steps a token DeltaProduct,
/// 2502.10297), residual first:
///
/// ```
/// M  = (I + strict_lower(beta_i k_i . k_j exp(G_i - G_j)))^-1
/// U  = M diag(beta) (V - exp(G) K S)
/// O  = scale exp(G) Q S + lower(scale q_i . k_j exp(G_i - G_j)) U
/// S' = exp(G_R) S + (exp(G_R - G) K)^T U
/// ```
/// Rows are micro-steps (n a token), rows of q, o and of the read matrix are
/// tokens. The product order and the choice of the inverse are made here; which
/// kernel computes what, and what value heads share, is not.
///
//===----------------------------------------------------------------------===//

#include "ChunkBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace delta;

/// Rows of a matrix fragment. Tiles of tokens are rounded up to it, so that
/// every tile of the phase can be an operand of a 16 x 16 product.
static constexpr int64_t kFragmentRows = 16;

/// log2(exp) of the smallest normal f32 is -126: a decay of -87 and less is 0.
static constexpr float kLeastDecay = -87.0f;

/// A bound on the entries of (I + A)^-1 that the function's own prologues
/// prove, or nothing. Entries below the diagonal are
///   M_ij = -beta_i k_i (prod_{j<m<i} I - beta_m k_m^T k_m) k_j^T
/// (decays only shrink it), so |M_ij| <= b max(1, b - 1)^(rows - 2) where b
/// bounds beta |k|^2. l2norm gives |k| <= 1 before it rounds; a rounding of
/// relative size u leaves |k| <= 1 + u.
static std::optional<float> getEntryBound(const CallerArrays &arrays,
                                          int64_t rows) {
  auto norm = dyn_cast_or_null<L2NormOp>(arrays.key.prologue);
  auto sigmoid = dyn_cast_or_null<SigmoidOp>(arrays.beta.prologue);
  if (!norm || !sigmoid)
    return std::nullopt;
  auto type = cast<FloatType>(norm.getOutput().getType().getElementType());
  // An f32 result is not rounded beyond the f32 arithmetic of every op here.
  double unit =
      type.isF32() ? 0.0 : std::ldexp(1.0, -type.getFPMantissaWidth());
  double step = sigmoid.getRange().convertToDouble() * (1 + unit) * (1 + unit);
  double growth = std::pow(std::max(1.0, step - 1.0), rows - 2);
  return static_cast<float>(step * growth);
}

namespace {

/// Sizes of a chunk, and the values of one iteration that every product reads.
class LinearChunk {
public:
  explicit LinearChunk(ChunkBuilder &builder)
      : b(builder), op(builder.recurrence), steps(op.getSteps()),
        tokens(builder.chunk / steps), rows(builder.chunk),
        tokenRows(llvm::alignTo(tokens, kFragmentRows)) {}

  void build();

private:
  /// One axis of micro-steps in place of a token axis and a step axis.
  void collapseSteps(CallerArray &array);
  /// The state of (batch, head) before the first token.
  Value initialState(Value batch, Value head);
  /// One chunk from token `first` on: stores its outputs, returns its last
  /// state.
  Value chunkBody(Value batch, Value head, Value first, Value sequence,
                  Value state);
  /// Prefix sums of the decay over rows, and over tokens.
  void loadDecay(Value batch, Value head, Value first, Value count);
  /// D with U = D (V - K S): the inverse, with beta and the decay applied.
  Value writeMatrix(Value key, Value beta);

  RankedTensorType tile(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getF32Type());
  }

  ChunkBuilder &b;
  RecurrenceOp op;
  const int64_t steps;
  /// Whole tokens in a chunk, rows of a tile of micro-steps, and of tokens.
  const int64_t tokens, rows, tokenRows;
  /// G on rows and on tokens; null without decay.
  Value rowDecay, tokenDecay;
};

} // namespace

void LinearChunk::collapseSteps(CallerArray &array) {
  if (steps == 1)
    return;
  int64_t rank = cast<MemRefType>(array.memref.getType()).getRank();
  SmallVector<ReassociationIndices> groups = {{0}, {1, 2}};
  for (int64_t axis = 3; axis < rank; ++axis)
    groups.push_back({axis});
  array.memref = memref::CollapseShapeOp::create(b, array.memref, groups);
}

Value LinearChunk::initialState(Value batch, Value head) {
  SmallVector<int64_t> shape = {op.getKeyDim(), op.getValueDim()};
  if (!b.arrays.initial)
    return b.zeros(shape);
  Value zero = b.index(0);
  b.name("S");
  return b.load(b.arrays.initial, {batch, head, zero, zero}, /*rows=*/Value(),
                {2, 3}, shape);
}

void LinearChunk::loadDecay(Value batch, Value head, Value first, Value count) {
  if (!b.arrays.decay)
    return;
  auto prefix = [&](int64_t length, int64_t each) -> Value {
    b.name(length == rows ? "log_decay" : "log_decay_token");
    Value decay = b.load(b.arrays.decay, {batch, first, head}, count, {1},
                         {length}, each);
    // exp of less is not a normal f32. Without the bound one huge decay would
    // swallow the digits of all prefix sums behind it, and differences of sums
    // are what counts.
    Value least = arith::ConstantOp::create(
        b, DenseElementsAttr::get(cast<RankedTensorType>(decay.getType()),
                                  kLeastDecay));
    decay = arith::MaximumFOp::create(b, decay, least);
    b.name(length == rows ? "G" : "G_token");
    return GatePrefixOp::create(b, decay);
  };
  rowDecay = prefix(rows, steps);
  tokenDecay = steps == 1 ? rowDecay : prefix(tokenRows, /*each=*/1);
}

Value LinearChunk::writeMatrix(Value key, Value beta) {
  auto square = tile({rows, rows});
  APFloat one(1.0f);
  std::optional<float> bound = getEntryBound(b.arrays, rows);
  FloatAttr boundAttr = bound ? b.getF32FloatAttr(*bound) : FloatAttr();

  b.name("KK");
  Value gram = GramOp::create(b, square, key, key, Part::StrictLower, 1, one,
                              FeatureKernel::Linear, b.prec);
  b.name("A");
  Value a = ScaleOp::create(b, gram, beta, /*axis=*/0);
  // A scalar decay is a similarity, so it may be applied to A or to the
  // inverse. In front, it shrinks what is inverted, and the factors serve A and
  // the read matrix and are done with before the inverse begins.
  if (rowDecay)
    a = DecayOp::create(b, a, rowDecay, rowDecay, Part::StrictLower, 1);
  b.name("M");
  Value inverse = TriInverseOp::create(b, a, boundAttr,
                                       /*row_stochastic=*/false);
  b.name("T");
  return ScaleOp::create(b, inverse, beta, /*axis=*/1);
}

Value LinearChunk::chunkBody(Value batch, Value head, Value first,
                             Value sequence, Value state) {
  const CallerArrays &arrays = b.arrays;
  Value zero = b.index(0);
  b.name("key_head");
  Value keyHead = b.keyHead(head);
  APFloat one(1.0f);
  APFloat scale(op.getScaleValue());

  // Whole tokens of this chunk; the last one may hold fewer.
  b.name("left");
  Value left = arith::SubIOp::create(b, sequence, first);
  b.name("tokens");
  Value count = arith::MinUIOp::create(b, left, b.index(tokens));
  Value firstRow = first, rowCount = count;
  if (steps > 1) {
    b.name("first_row");
    firstRow = arith::MulIOp::create(b, first, b.index(steps));
    b.name("rows");
    rowCount = arith::MulIOp::create(b, count, b.index(steps));
  }

  auto keys = tile({rows, op.getKeyDim()});
  auto values = tile({rows, op.getValueDim()});
  auto tokenKeys = tile({tokenRows, op.getKeyDim()});
  auto tokenValues = tile({tokenRows, op.getValueDim()});
  b.name("K");
  Value key = b.load(arrays.key, {batch, firstRow, keyHead, zero}, rowCount,
                     {1, 3}, keys.getShape());
  b.name("Q");
  Value query = b.load(arrays.query, {batch, first, keyHead, zero}, count,
                       {1, 3}, tokenKeys.getShape());
  b.name("V");
  Value value = b.load(arrays.value, {batch, firstRow, head, zero}, rowCount,
                       {1, 3}, values.getShape());
  b.name("beta");
  Value beta =
      b.load(arrays.beta, {batch, firstRow, head}, rowCount, {1}, {rows});
  loadDecay(batch, head, first, count);

  // Without the state: these can be computed for all chunks at once. The read
  // matrix first: while the inverse is computed it need not be kept.
  b.name("P");
  Value read =
      GramOp::create(b, tile({tokenRows, rows}), query, key, Part::Lower, steps,
                     scale, FeatureKernel::Linear, b.prec);
  if (rowDecay)
    read = DecayOp::create(b, read, tokenDecay, rowDecay, Part::Lower, steps);
  Value write = writeMatrix(key, beta);

  // With the state.
  b.name("KS");
  Value known = ReadOp::create(b, values, key, state, rowDecay, ReadRole::Read,
                               one, /*transpose=*/false, b.prec);
  b.name("X");
  Value residual = arith::SubFOp::create(b, value, known);
  b.name("U");
  Value update = ApplyOp::create(b, values, write, residual,
                                 /*accumulator=*/Value(), Part::Lower, 1,
                                 /*transpose=*/false, b.prec);
  b.name("QS");
  Value carried =
      ReadOp::create(b, tokenValues, query, state, tokenDecay, ReadRole::Read,
                     scale, /*transpose=*/false, b.prec);
  b.name("O");
  Value output =
      ApplyOp::create(b, tokenValues, read, update, carried, Part::Lower, steps,
                      /*transpose=*/false, b.prec);
  b.store(output, arrays.output, {batch, first, head, zero}, count, {1, 3});
  b.name("S");
  return UpdateOp::create(b, state, key, update, rowDecay, ReadRole::Write, one,
                          b.prec);
}

void LinearChunk::build() {
  collapseSteps(b.arrays.key);
  collapseSteps(b.arrays.value);
  collapseSteps(b.arrays.beta);
  Value sequence = b.tokens();
  Value chunks = arith::CeilDivUIOp::create(b, sequence, b.index(tokens));
  auto nest = NestAttr::get(b.getContext(), NestKind::Scan, "chain",
                            {"batch", "head"}, Carries::State);
  StringRef comment =
      "Runs through the chunks of a sequence for one value head, from state to "
      "state: X = V - K S, U = T X, O = Q S + P U, S <- S + K^T U, each with "
      "its decay.";
  b.forEachValueHead(nest, comment, [&](Value batch, Value head) {
    Value zero = b.index(0);
    Value initial = initialState(batch, head);
    b.name("chunk");
    auto loop = scf::ForOp::create(b, zero, chunks, b.index(1), initial);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      b.name("first");
      Value first =
          arith::MulIOp::create(b, loop.getInductionVar(), b.index(tokens));
      Value next =
          chunkBody(batch, head, first, sequence, loop.getRegionIterArg(0));
      scf::YieldOp::create(b, next);
    }
    if (b.arrays.state)
      b.store(loop.getResult(0), b.arrays.state, {batch, head, zero, zero},
              /*rows=*/Value(), {2, 3});
  });
}

LogicalResult delta::buildLinearChunks(ChunkBuilder &builder) {
  LinearChunk(builder).build();
  return success();
}
