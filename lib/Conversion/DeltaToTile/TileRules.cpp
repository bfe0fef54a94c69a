//===- TileRules.cpp - one rule an op, chunked to tile ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each rule writes an op of the chunked phase in ops of the tile phase. An op
/// without one is elementwise, or index arithmetic that stays as it is.
/// Rounding is explicit from here on: a product's operands are asked for in the
/// type that the op's `prec` permits.
///
//===----------------------------------------------------------------------===//

#include "TileBody.h"

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace delta;

static constexpr Orientation kNatural = Orientation::Natural;
static constexpr Orientation kTransposed = Orientation::Transposed;

/// Decays of the state are vectors by now.
static LogicalResult refuseDecay(Operation *op) {
  return op->emitError("decay has no tile form; run delta-factor-decay first");
}

Value TileBody::dot(RankedTensorType type, Value lhs, Value rhs, Value acc,
                    int64_t axis, tile::Part part, int64_t columnSteps) {
  return tile::DotOp::create(b, type, lhs, rhs, acc, ArrayRef<int64_t>{1, axis},
                             part, /*b_row_steps=*/1, columnSteps,
                             /*instr=*/nullptr);
}

/// A matrix that multiplies from the left is stored as it is: lower with its
/// steps.
static tile::Part storedPart(Part part) {
  switch (part) {
  case Part::Full:
    return tile::Part::Full;
  case Part::Lower:
    return tile::Part::Lower;
  case Part::StrictLower:
    return tile::Part::StrictLower;
  }
  llvm_unreachable("covered switch");
}

/// Whether `value` goes to memory, scaled or as it is, and nowhere else: a
/// store takes either orientation.
static bool isOnlyStored(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    auto scale = dyn_cast<ScaleOp>(user);
    return scale ? isOnlyStored(scale.getResult()) : isa<StoreOp>(user);
  });
}

LogicalResult TileBody::convertBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(convert(&op)))
      return failure();
  return success();
}

LogicalResult TileBody::convert(Operation *op) {
  static const TileRules rules = [] {
    TileRules all;
    addLinearRules(all);
    addImplicitRules(all);
    return all;
  }();
  b.setLoc(op->getLoc());
  if (TileRules::Rule rule = rules.find(op))
    return rule(*this, op);
  if (op->getNumResults() == 1 &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return convertElementwise(op);
  if (isa<arith::ArithDialect>(op->getDialect())) {
    b.clone(*op, map);
    return success();
  }
  return op->emitError("has no tile form yet");
}

//===----------------------------------------------------------------------===//
// Upstream ops
//===----------------------------------------------------------------------===//

/// Made when and as it is asked for.
template <> LogicalResult TileBody::lower(arith::ExtFOp) { return success(); }

/// A tile is made when and as it is asked for.
template <> LogicalResult TileBody::lower(arith::ConstantOp op) {
  if (!isa<RankedTensorType>(op.getType()))
    b.clone(*op, map);
  return success();
}

template <> LogicalResult TileBody::lower(tensor::ExtractOp op) {
  Value from = vector(op.getTensor());
  b.setLoc(op.getLoc());
  Value index = map.lookupOrDefault(op.getIndices()[0]);
  map.map(op.getResult(), tensor::ExtractOp::create(b, from, index));
  return success();
}

template <> LogicalResult TileBody::lower(tensor::SplatOp op) {
  Value result = op.getResult();
  Orientation o = keptOrientation(result);
  auto type = typeOf(result, o, b.getF32Type());
  define(result, tensor::SplatOp::create(b, map.lookup(op.getInput()), type),
         o);
  return success();
}

template <> LogicalResult TileBody::lower(scf::ForOp loop) {
  if (loop == options.chain.blocks)
    return convertBlock(*loop.getBody());
  SmallVector<Value> inits;
  for (auto [init, carried] :
       llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs()))
    inits.push_back(wide(init, keptOrientation(carried)));
  b.setLoc(loop.getLoc());
  auto converted =
      scf::ForOp::create(b, map.lookupOrDefault(loop.getLowerBound()),
                         map.lookupOrDefault(loop.getUpperBound()),
                         map.lookupOrDefault(loop.getStep()), inits);
  if (inits.empty())
    converted.getBody()->getTerminator()->erase();
  map.map(loop.getInductionVar(), converted.getInductionVar());
  for (auto [from, to] :
       llvm::zip(loop.getRegionIterArgs(), converted.getRegionIterArgs()))
    define(from, to, keptOrientation(from));
  for (auto [from, to] : llvm::zip(loop.getResults(), converted.getResults()))
    define(from, to, keptOrientation(from));

  // What is made inside the loop does not exist behind it.
  scopes.push_back({loop, converted, forms});
  auto outerProducts = products;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(converted.getBody());
    if (failed(convertBlock(*loop.getBody())))
      return failure();
    SmallVector<Value> next;
    for (auto [yielded, carried] :
         llvm::zip(loop.getYieldedValues(), loop.getRegionIterArgs()))
      next.push_back(wide(yielded, keptOrientation(carried)));
    b.setLoc(loop.getLoc());
    scf::YieldOp::create(b, next);
  }
  forms = std::move(scopes.pop_back_val().outside);
  products = std::move(outerProducts);
  return success();
}

/// Made when and as it is asked for.
template <> LogicalResult TileBody::lower(LoadOp) { return success(); }

template <> LogicalResult TileBody::lower(LoadIndexOp op) {
  map.map(op.getValue(), tile::LoadIndexOp::create(
                             b, b.getIndexType(), map.lookup(op.getSource()),
                             map.lookupOrDefault(op.getPosition())));
  return success();
}

template <> LogicalResult TileBody::lower(StoreOp op) {
  Value source = op.getTile();
  Orientation o = orientationOf(source, keptOrientation(source));
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getDest()));
  Value tile = element.isF32() ? wide(source, o) : narrow(source, o, element);
  Value rest = op.getRest() ? remainder(source, o, element) : Value();
  SmallVector<int64_t> dims(op.getDims());
  b.setLoc(op.getLoc());
  SmallVector<Value> indices = indicesOf(source, op.getIndices(), dims);
  if (o == kTransposed)
    std::swap(dims[0], dims[1]);
  Value bound = op.getRows() ? map.lookupOrDefault(op.getRows()) : Value();
  if (options.firstColumn && !options.valueAxis.contains(source)) {
    // Every CTA of a row block has it: that of the first columns stores it.
    Value none = arith::ConstantIndexOp::create(b, 0);
    Value all = bound ? bound
                      : arith::ConstantIndexOp::create(
                            b, op.getTile().getType().getDimSize(0));
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          options.firstColumn, none);
    bound = arith::SelectOp::create(b, isFirst, all, none);
  }
  auto storeTo = [&](Value array, Value tile) {
    tile::StoreOp::create(b, tile, map.lookup(array), indices, bound, dims,
                          static_cast<int64_t>(o));
  };
  // In front of the signal, which is of the array.
  if (rest)
    storeTo(op.getRest(), rest);
  storeTo(op.getDest(), tile);
  if (options.chain.array && op.getDest() == options.chain.array)
    signalBlock(op);
  return success();
}

template <> LogicalResult TileBody::lower(GramOp op) {
  FailureOr<FloatType> type = operandType(op);
  if (failed(type))
    return failure();
  Value result = op.getResult();
  Orientation o = op.getLhs().getType().getShape()[0] == options.fragmentRows
                      ? kNatural
                      : kTransposed;
  Value lhs = narrow(op.getLhs(), kNatural, *type);
  Value rhs = narrow(op.getRhs(), kNatural, *type);
  if (o == kTransposed)
    std::swap(lhs, rhs);
  b.setLoc(op.getLoc());
  Value product = dot(typeOf(result, o, b.getF32Type()), lhs, rhs,
                      /*acc=*/Value(), /*axis=*/1);
  if (o == kNatural)
    products[{op.getLhs(), op.getRhs()}] = product;
  product = times(product, op.getScale().convertToFloat());
  product = applyKernel(op.getKernel(), product);
  if (!isIgnoredOutside(result, op.getPart(), op.getSteps()))
    product = mask(product, op.getPart(), op.getSteps(), o);
  define(result, product, o);
  return success();
}

template <> LogicalResult TileBody::lower(ReadOp op) {
  FailureOr<FloatType> type = operandType(op);
  if (failed(type))
    return failure();
  if (op.getTranspose())
    return op.emitError("transposed state has no tile form yet");
  if (op.getDecay())
    return refuseDecay(op);
  Value result = op.getResult();
  Orientation o = orientationOf(op.getState(), kTransposed);
  Value state = narrow(op.getState(), o, *type);
  Value rows = narrow(op.getInput(), kNatural, *type);
  b.setLoc(op.getLoc());
  auto resultType = typeOf(result, o, b.getF32Type());
  // (x S)^T = S^T x^T
  Value product = o == kTransposed
                      ? dot(resultType, state, rows, Value(), /*axis=*/1)
                      : dot(resultType, rows, state, Value(), /*axis=*/0);
  define(result, times(product, op.getScale().convertToFloat()), o);
  return success();
}

template <> LogicalResult TileBody::lower(ApplyOp op) {
  FailureOr<FloatType> type = operandType(op);
  if (failed(type))
    return failure();
  if (op.getTranspose())
    return op.emitError("transposed matrix has no tile form yet");
  Value result = op.getResult();
  Orientation o = orientationOf(op.getInput(), keptOrientation(op.getInput()));
  Value input = narrow(op.getInput(), o, *type);
  Value matrix = narrow(op.getMatrix(), kNatural, *type);
  Value matrixRest = op.getSplitMatrix()
                         ? remainder(op.getMatrix(), kNatural, *type)
                         : Value();
  Value inputRest =
      op.getSplitInput() ? remainder(op.getInput(), o, *type) : Value();
  Value acc = op.getAccumulator() ? wide(op.getAccumulator(), o) : Value();
  auto resultType = typeOf(result, o, b.getF32Type());
  auto multiply = [&](Value matrix, Value input, Value acc) {
    b.setLoc(op.getLoc());
    if (o == kNatural)
      return dot(resultType, matrix, input, acc, /*axis=*/0);
    // (L x)^T = x^T L^T
    return dot(resultType, input, matrix, acc, /*axis=*/1,
               storedPart(op.getPart()), op.getSteps());
  };
  // Rests first: behind them the wide forms are not live.
  if (inputRest)
    acc = multiply(matrix, inputRest, acc);
  if (matrixRest)
    acc = multiply(matrixRest, input, acc);
  define(result, multiply(matrix, input, acc), o);
  return success();
}

template <> LogicalResult TileBody::lower(UpdateOp op) {
  FailureOr<FloatType> type = operandType(op);
  if (failed(type))
    return failure();
  Value result = op.getResult();
  Orientation o = orientationOf(op.getState(), kTransposed);
  if (o != kTransposed)
    return op.emitError(
        "state that is not kept transposed has no tile form yet");
  if (op.getDecay())
    return refuseDecay(op);
  float scale = op.getScale().convertToFloat();
  Value state = wide(op.getState(), o), value;
  if (scale != 1.0f) {
    name(op.getValue(), "_scaled_a");
    value = arith::TruncFOp::create(b, typeOf(op.getValue(), o, *type),
                                    times(wide(op.getValue(), o), scale));
  } else {
    value = narrow(op.getValue(), o, *type);
  }
  Value key = narrow(op.getKey(), kNatural, *type);
  b.setLoc(op.getLoc());
  // (S + K^T U)^T = S^T + U^T K
  define(result,
         dot(typeOf(result, o, b.getF32Type()), value, key, state, /*axis=*/0),
         o);
  return success();
}

template <> LogicalResult TileBody::lower(arith::TruncFOp op) {
  // Here, not where it is asked for: from here on the wide form is not live.
  Value input = op.getIn();
  Orientation o = orientationOf(input, keptOrientation(input));
  narrow(input, o, cast<FloatType>(getElementTypeOrSelf(op.getType())));
  return success();
}

template <> LogicalResult TileBody::lower(IdentityOp op) {
  Value result = op.getResult();
  Value diagonal = map.lookupOrDefault(op.getDiagonal());
  Orientation o = keptOrientation(result);
  // Column j of a cut tile is column firstColumn + j, or that row.
  if (o == kTransposed)
    diagonal = arith::SubIOp::create(b, options.firstColumn, diagonal);
  else if (options.valueAxis.contains(result))
    diagonal = arith::SubIOp::create(b, diagonal, options.firstColumn);
  define(
      result,
      tile::IdentityOp::create(b, typeOf(result, o, b.getF32Type()), diagonal),
      o);
  return success();
}

template <> LogicalResult TileBody::lower(GatePrefixOp op) {
  Value gates = vector(op.getDecay());
  b.setLoc(op.getLoc());
  define(op.getPrefix(),
         tile::ScanOp::create(b, gates.getType(), gates, /*scratch=*/Value()),
         kNatural);
  return success();
}

template <> LogicalResult TileBody::lower(DecayOp op) {
  Value result = op.getResult();
  Orientation o = orientationOf(op.getInput());
  Value input = wide(op.getInput(), o);
  // As powers of two: the vectors are scaled, not each element.
  constexpr float log2e = 1.44269504f;
  name(op.getRows(), "_log2");
  Value rowPrefix = times(vector(op.getRows()), log2e);
  name(op.getColumns(), "_log2");
  Value columnPrefix = op.getColumns() == op.getRows()
                           ? rowPrefix
                           : times(vector(op.getColumns()), log2e);
  nameAs("G_i", op.getLoc());
  Value rows = spread(rowPrefix, 0, result, o);
  nameAs("G_j", op.getLoc());
  Value columns = spread(columnPrefix, 1, result, o);
  nameAs("gap", op.getLoc());
  Value gap = arith::SubFOp::create(b, rows, columns);
  beginPhase(gap, "The decay from row j to row i: E_ij = exp(G_i - G_j).");
  nameAs("E", op.getLoc());
  Value factor = math::Exp2Op::create(b, gap);
  b.setLoc(op.getLoc());
  // Outside of the part the exponential may overflow; nobody sees that.
  Value decayed = arith::MulFOp::create(b, input, factor);
  if (!isIgnoredOutside(result, op.getPart(), op.getSteps()))
    decayed = mask(decayed, op.getPart(), op.getSteps(), o);
  define(result, decayed, o);
  return success();
}

template <> LogicalResult TileBody::lower(ScaleOp op) {
  Value result = op.getResult();
  Orientation o = orientationOf(op.getInput());
  Value input = wide(op.getInput(), o);
  name(op.getFactors(), op.getAxis() == 0 ? "_i" : "_j");
  Value factors = spread(vector(op.getFactors()), op.getAxis(), result, o);
  b.setLoc(op.getLoc());
  define(result, arith::MulFOp::create(b, input, factors), o);
  return success();
}

template <> LogicalResult TileBody::lower(TriInverseOp op) {
  Value input = wide(op.getInput(), kNatural);
  bool transposed = isOnlyStored(op.getResult());
  b.setLoc(op.getLoc());
  define(op.getResult(),
         tile::TriInverseOp::create(
             b, input.getType(), input, /*scratch=*/Value(),
             tile::InverseMethod::Substitute16Merge,
             tile::InversePrecision::F32, op.getEntryBoundAttr(),
             op.getRowStochastic(), transposed),
         transposed ? kTransposed : kNatural);
  return success();
}

template <> LogicalResult TileBody::lower(RowSumOp op) {
  Orientation o = orientationOf(op.getInput());
  Value input = wide(op.getInput(), o);
  b.setLoc(op.getLoc());
  define(op.getResult(),
         tile::ReduceOp::create(b, op.getResult().getType(), input,
                                tile::Combine::Add, o == kNatural ? 1 : 0),
         kNatural);
  return success();
}

template <> LogicalResult TileBody::lower(RowDotOp op) {
  Value sums = diagonalOfGram(op.getLhs(), op.getRhs());
  if (!sums) {
    Value lhs = wide(op.getLhs(), kNatural), rhs = wide(op.getRhs(), kNatural);
    name(op.getLhs(), "_products");
    Value products = arith::MulFOp::create(b, lhs, rhs);
    b.setLoc(op.getLoc());
    sums = tile::ReduceOp::create(b, op.getResult().getType(), products,
                                  tile::Combine::Add, /*axis=*/1);
  }
  b.setLoc(op.getLoc());
  define(op.getResult(), times(sums, op.getScale().convertToFloat()), kNatural);
  return success();
}

template <> LogicalResult TileBody::lower(L2NormOp op) {
  Value input = wide(op.getInput(), kNatural);
  auto type = cast<RankedTensorType>(input.getType());
  auto rowType =
      RankedTensorType::get(type.getShape().take_front(), b.getF32Type());
  name(op.getInput(), "_squares");
  Value squares = arith::MulFOp::create(b, input, input);
  name(op.getInput(), "_norm2");
  Value sums = tile::ReduceOp::create(b, rowType, squares, tile::Combine::Add,
                                      /*axis=*/1);
  Value eps = splat(rowType, op.getEps().convertToFloat());
  Value shifted = arith::AddFOp::create(b, sums, eps);
  name(op.getInput(), "_rnorm");
  Value factors = math::RsqrtOp::create(b, shifted);
  Value rows = tile::SpreadOp::create(b, type, factors, /*axis=*/0);
  b.setLoc(op.getLoc());
  Value normalised = arith::MulFOp::create(b, input, rows);
  Type element = getElementTypeOrSelf(op.getOutput());
  if (!element.isF32())
    normalised = arith::TruncFOp::create(b, type.clone(element), normalised);
  define(op.getOutput(), normalised, kNatural);
  return success();
}

template <> LogicalResult TileBody::lower(SigmoidOp op) {
  Value input = vector(op.getInput());
  auto type = cast<RankedTensorType>(input.getType());
  b.setLoc(op.getLoc());
  Value negated = arith::NegFOp::create(b, input);
  beginPhase(negated, "The sigmoid of what the caller gives.");
  Value power = math::ExpOp::create(b, negated);
  Value divisor = arith::AddFOp::create(b, power, splat(type, 1.0f));
  Value gate = arith::DivFOp::create(
      b, splat(type, op.getRange().convertToFloat()), divisor);
  Type element = getElementTypeOrSelf(op.getOutput());
  if (!element.isF32())
    gate = arith::TruncFOp::create(b, type.clone(element), gate);
  define(op.getOutput(), gate, kNatural);
  return success();
}

LogicalResult TileBody::convertElementwise(Operation *op) {
  Value result = op->getResult(0);
  if (!OpTrait::hasElementwiseMappableTraits(op) ||
      !getElementTypeOrSelf(result).isF32())
    return op->emitError("has no tile form yet");
  Orientation o = keptOrientation(result);
  for (Value operand : op->getOperands())
    o = orientationOf(operand, o);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(wide(operand, o));
  OperationState state(op->getLoc(), op->getName(), operands,
                       typeOf(result, o, b.getF32Type()), op->getAttrs());
  define(result, b.create(state)->getResult(0), o);
  return success();
}

void delta::addLinearRules(TileRules &rules) {
  rules.add<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp,
            tensor::ExtractOp, tensor::SplatOp, scf::ForOp>();
  rules.add<LoadOp, LoadIndexOp, StoreOp>();
  rules.add<GramOp, ReadOp, ApplyOp, UpdateOp, RowDotOp, RowSumOp,
            TriInverseOp>();
  rules.add<IdentityOp, GatePrefixOp, DecayOp, ScaleOp, L2NormOp, SigmoidOp>();
}
