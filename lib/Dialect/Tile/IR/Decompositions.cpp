//===- Decompositions.cpp - the value form in upstream ops ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The decomposition of each op of the value form into upstream dialects. It
/// defines the meaning of the ops on the CPU, with the rounding of the GPU:
/// 16-bit operands of a product are extended, sums are accumulated in f32, and
/// only explicit rounding ops round. Layouts and instructions have no meaning
/// here. May not look at the uses of an op.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace delta::tile;

using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// A scalar constant of a float type.
static Value constantFloat(OpBuilder &builder, Location loc, Type type,
                           double value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getFloatAttr(type, value));
}

/// A tensor with the shape and elements of `type` and undefined contents.
static Value emptyTensor(OpBuilder &builder, Location loc,
                         RankedTensorType type) {
  return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                 type.getElementType());
}

static Value filledTensor(OpBuilder &builder, Location loc,
                          RankedTensorType type, double value) {
  Value scalar = constantFloat(builder, loc, type.getElementType(), value);
  return linalg::FillOp::create(builder, loc, scalar,
                                emptyTensor(builder, loc, type))
      .getResult(0);
}

/// The map (d0, ..., dn-1) -> (di, dj, ...) for the axes i, j, ...
static AffineMap selectAxes(OpBuilder &builder, unsigned loops,
                            ArrayRef<unsigned> axes) {
  return AffineMap::getMultiDimMapWithTargets(loops, axes,
                                              builder.getContext());
}

/// A `linalg.generic` of one result; `iterators` gives the order of the loops.
static Value
generic(OpBuilder &builder, Location loc, ValueRange inputs, Value init,
        ArrayRef<AffineMap> maps, ArrayRef<IteratorType> iterators,
        function_ref<Value(OpBuilder &, Location, ValueRange)> body) {
  return linalg::GenericOp::create(
             builder, loc, init.getType(), inputs, init, maps, iterators,
             [&](OpBuilder &nested, Location nestedLoc, ValueRange arguments) {
               linalg::YieldOp::create(nested, nestedLoc,
                                       body(nested, nestedLoc, arguments));
             })
      .getResult(0);
}

/// `0 <= value <= limit`.
static Value clamp(OpBuilder &builder, Location loc, Value value,
                   int64_t limit) {
  Value zero = constantIndex(builder, loc, 0);
  Value most = constantIndex(builder, loc, limit);
  Value positive = arith::MaxSIOp::create(builder, loc, value, zero);
  return arith::MinSIOp::create(builder, loc, positive, most);
}

//===----------------------------------------------------------------------===//
// The host function
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> MultiprocessorsOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{constantIndex(builder, getLoc(), 132)};
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

/// The loops of a load or a store over a box of a global array: one for each
/// axis of the tile; the axis with the smaller stride is innermost.
namespace {
struct BoxLoops {
  BoxLoops(OpBuilder &builder, Location loc, ArrayRef<int64_t> extents,
           ArrayRef<int64_t> dims, Value bound, int64_t boundAxis)
      : dims(dims) {
    for (unsigned axis = 0; axis < extents.size(); ++axis)
      axes.push_back(axis);
    llvm::sort(axes, [&](unsigned a, unsigned b) { return dims[a] < dims[b]; });
    lower.assign(axes.size(), constantIndex(builder, loc, 0));
    step.assign(axes.size(), constantIndex(builder, loc, 1));
    for (unsigned axis : axes)
      upper.push_back(bound && axis == boundAxis
                          ? clamp(builder, loc, bound, extents[axis])
                          : constantIndex(builder, loc, extents[axis]));
  }

  /// The induction variables in the order of the tile's axes.
  SmallVector<Value> tileIndices(ValueRange variables) const {
    SmallVector<Value> indices(axes.size());
    for (auto [position, axis] : llvm::enumerate(axes))
      indices[axis] = variables[position];
    return indices;
  }

  /// Where the element at `tile` lies in an array whose box starts at `origin`.
  SmallVector<Value> arrayIndices(OpBuilder &builder, Location loc,
                                  ValueRange origin, ValueRange tile) const {
    SmallVector<Value> indices(origin);
    for (auto [dim, index] : llvm::zip_equal(dims, tile))
      indices[dim] = arith::AddIOp::create(builder, loc, indices[dim], index);
    return indices;
  }

  ArrayRef<int64_t> dims;
  SmallVector<unsigned> axes; // from the outermost loop to the innermost
  SmallVector<Value> lower, upper, step;
};
} // namespace

FailureOr<SmallVector<Value>> LoadOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = getTile().getType();
  int64_t steps = getSteps();
  SmallVector<int64_t> extents(type.getShape());
  if (steps != 1)
    extents[0] = llvm::divideCeil(extents[0], steps);
  BoxLoops loops(builder, loc, extents, getDims(), getBound(), getBoundAxis());
  bool covers = !getBound() && steps == 1;
  Value init = covers ? emptyTensor(builder, loc, type)
                      : filledTensor(builder, loc, type, 0.0);
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, loops.lower, loops.upper, loops.step, init,
      [&](OpBuilder &b, Location l, ValueRange variables, ValueRange tile) {
        SmallVector<Value> at = loops.tileIndices(variables);
        Value element = memref::LoadOp::create(
            b, l, getSource(), loops.arrayIndices(b, l, getIndices(), at));
        if (steps != 1)
          at[0] =
              arith::MulIOp::create(b, l, at[0], constantIndex(b, l, steps));
        return scf::ValueVector{
            tensor::InsertOp::create(b, l, element, tile[0], at)};
      });
  return SmallVector<Value>{nest.results[0]};
}

FailureOr<SmallVector<Value>> StoreOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  BoxLoops loops(builder, loc, getTile().getType().getShape(), getDims(),
                 getBound(), getBoundAxis());
  scf::buildLoopNest(
      builder, loc, loops.lower, loops.upper, loops.step,
      [&](OpBuilder &b, Location l, ValueRange variables) {
        SmallVector<Value> at = loops.tileIndices(variables);
        Value element = tensor::ExtractOp::create(b, l, getTile(), at);
        memref::StoreOp::create(b, l, element, getDest(),
                                loops.arrayIndices(b, l, getIndices(), at));
      });
  return SmallVector<Value>{};
}

//===----------------------------------------------------------------------===//
// Products and reductions
//===----------------------------------------------------------------------===//

/// A matrix extended to f32 (exact), with its axes exchanged if `exchange` is
/// set. The copy costs less than a product whose innermost loop is not
/// contiguous.
static Value asFloat32(OpBuilder &builder, Location loc, Value matrix,
                       bool exchange) {
  auto type = cast<RankedTensorType>(matrix.getType());
  Type f32 = builder.getF32Type();
  if (!exchange && type.getElementType() == f32)
    return matrix;
  SmallVector<int64_t> shape(type.getShape());
  if (exchange)
    std::swap(shape[0], shape[1]);
  AffineMap read = exchange ? selectAxes(builder, 2, {1, 0})
                            : builder.getMultiDimIdentityMap(2);
  return generic(builder, loc, matrix,
                 emptyTensor(builder, loc, RankedTensorType::get(shape, f32)),
                 {read, builder.getMultiDimIdentityMap(2)},
                 {IteratorType::parallel, IteratorType::parallel},
                 [&](OpBuilder &b, Location l, ValueRange arguments) -> Value {
                   if (type.getElementType() == f32)
                     return arguments[0];
                   return arith::ExtFOp::create(b, l, f32, arguments[0]);
                 });
}

FailureOr<SmallVector<Value>> DotOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  for (Value operand : {getA(), getB()})
    if (!isa<RankedTensorType>(operand.getType()))
      return emitOpError() << "operand: expected a tensor (value form), got "
                           << operand.getType();
  Value a = asFloat32(builder, loc, getA(), /*exchange=*/getContract()[0] == 0);
  Value b = asFloat32(builder, loc, getB(), /*exchange=*/getContract()[1] == 1);
  Value init =
      getAcc() ? getAcc() : filledTensor(builder, loc, getD().getType(), 0.0);
  // Rows, contracted axis, columns: the innermost loop runs along contiguous
  // columns of b and of the result, and has no dependence.
  Value product = generic(
      builder, loc, {a, b}, init,
      {selectAxes(builder, 3, {0, 1}), selectAxes(builder, 3, {1, 2}),
       selectAxes(builder, 3, {0, 2})},
      {IteratorType::parallel, IteratorType::reduction, IteratorType::parallel},
      [](OpBuilder &b, Location l, ValueRange arguments) -> Value {
        Value term = arith::MulFOp::create(b, l, arguments[0], arguments[1]);
        return arith::AddFOp::create(b, l, arguments[2], term);
      });
  return SmallVector<Value>{product};
}

FailureOr<SmallVector<Value>> ReduceOp::decompose(OpBuilder &builder) {
  bool add = getKind() == Combine::Add;
  unsigned kept = 1 - getAxis();
  SmallVector<IteratorType> iterators(2, IteratorType::parallel);
  iterators[getAxis()] = IteratorType::reduction;
  Value init =
      filledTensor(builder, getLoc(), getResult().getType(),
                   add ? 0.0 : -std::numeric_limits<double>::infinity());
  Value reduced = generic(
      builder, getLoc(), getInput(), init,
      {builder.getMultiDimIdentityMap(2), selectAxes(builder, 2, {kept})},
      iterators, [&](OpBuilder &b, Location l, ValueRange arguments) -> Value {
        if (add)
          return arith::AddFOp::create(b, l, arguments[1], arguments[0]);
        return arith::MaximumFOp::create(b, l, arguments[1], arguments[0]);
      });
  return SmallVector<Value>{reduced};
}

FailureOr<SmallVector<Value>> DiagonalOp::decompose(OpBuilder &builder) {
  RankedTensorType type = getResult().getType();
  AffineMap rows = builder.getMultiDimIdentityMap(1);
  AffineMap diagonal = AffineMap::get(
      /*dimCount=*/1, /*symbolCount=*/0,
      {builder.getAffineDimExpr(0), builder.getAffineDimExpr(0)},
      builder.getContext());
  Value elements = generic(
      builder, getLoc(), getInput(), emptyTensor(builder, getLoc(), type),
      {diagonal, rows}, {IteratorType::parallel},
      [&](OpBuilder &, Location, ValueRange arguments) -> Value {
        return arguments[0];
      });
  return SmallVector<Value>{elements};
}

FailureOr<SmallVector<Value>> ScanOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = getInput().getType();
  Value zero = constantIndex(builder, loc, 0);
  Value one = constantIndex(builder, loc, 1);
  Value length = constantIndex(builder, loc, type.getDimSize(0));
  Value sum = constantFloat(builder, loc, type.getElementType(), 0.0);
  auto loop = scf::ForOp::create(
      builder, loc, zero, length, one,
      ValueRange{sum, emptyTensor(builder, loc, type)},
      [&](OpBuilder &b, Location l, Value i, ValueRange carried) {
        Value element = tensor::ExtractOp::create(b, l, getInput(), i);
        Value next = arith::AddFOp::create(b, l, carried[0], element);
        Value prefix = tensor::InsertOp::create(b, l, next, carried[1], i);
        scf::YieldOp::create(b, l, ValueRange{next, prefix});
      });
  return SmallVector<Value>{loop.getResult(1)};
}

FailureOr<SmallVector<Value>> SpreadOp::decompose(OpBuilder &builder) {
  unsigned axis = getAxis();
  Value spread = generic(
      builder, getLoc(), getInput(),
      emptyTensor(builder, getLoc(), getResult().getType()),
      {selectAxes(builder, 2, {axis}), builder.getMultiDimIdentityMap(2)},
      {IteratorType::parallel, IteratorType::parallel},
      [](OpBuilder &, Location, ValueRange arguments) { return arguments[0]; });
  return SmallVector<Value>{spread};
}

FailureOr<SmallVector<Value>> MaskOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Part part = getPart();
  int64_t rowSteps = getRowSteps(), colSteps = getColSteps();
  RankedTensorType type = getInput().getType();
  // In row i a part is a range of columns: with m row and n column steps,
  //   lower: j < n (i / m + 1)     strict_lower: j < n (i / m)
  //   upper: j >= n (i / m)        strict_upper: j >= n (i / m + 1)
  // so that the innermost loop needs no division.
  Value masked = generic(
      builder, loc, getInput(), emptyTensor(builder, loc, type),
      {builder.getMultiDimIdentityMap(2), builder.getMultiDimIdentityMap(2)},
      {IteratorType::parallel, IteratorType::parallel},
      [&](OpBuilder &b, Location l, ValueRange arguments) -> Value {
        Value column = linalg::IndexOp::create(b, l, 1);
        SmallVector<Value, 2> conditions;
        if (part != Part::Full) {
          Value group =
              arith::DivUIOp::create(b, l, linalg::IndexOp::create(b, l, 0),
                                     constantIndex(b, l, rowSteps));
          if (part == Part::Lower || part == Part::StrictUpper)
            group = arith::AddIOp::create(b, l, group, constantIndex(b, l, 1));
          Value limit =
              arith::MulIOp::create(b, l, group, constantIndex(b, l, colSteps));
          bool below = part == Part::Lower || part == Part::StrictLower;
          conditions.push_back(arith::CmpIOp::create(
              b, l,
              below ? arith::CmpIPredicate::slt : arith::CmpIPredicate::sge,
              column, limit));
        }
        if (getColumns())
          conditions.push_back(arith::CmpIOp::create(
              b, l, arith::CmpIPredicate::slt, column, getColumns()));
        Value kept = arguments[0];
        Value fill = constantFloat(b, l, type.getElementType(),
                                   getFill().convertToFloat());
        for (Value condition : conditions)
          kept = arith::SelectOp::create(b, l, condition, kept, fill);
        return kept;
      });
  return SmallVector<Value>{masked};
}

FailureOr<SmallVector<Value>> IdentityOp::decompose(OpBuilder &builder) {
  RankedTensorType type = getResult().getType();
  Value identity = generic(
      builder, getLoc(), ValueRange(), emptyTensor(builder, getLoc(), type),
      {builder.getMultiDimIdentityMap(2)},
      {IteratorType::parallel, IteratorType::parallel},
      [&](OpBuilder &b, Location l, ValueRange) -> Value {
        Value column = arith::AddIOp::create(
            b, l, linalg::IndexOp::create(b, l, 0), getDiagonal());
        Value on =
            arith::CmpIOp::create(b, l, arith::CmpIPredicate::eq,
                                  linalg::IndexOp::create(b, l, 1), column);
        return arith::SelectOp::create(
            b, l, on, constantFloat(b, l, type.getElementType(), 1.0),
            constantFloat(b, l, type.getElementType(), 0.0));
      });
  return SmallVector<Value>{identity};
}

static SmallVector<Value> transpose(OpBuilder &builder, Location loc,
                                    Value input, RankedTensorType type) {
  auto transposed = linalg::TransposeOp::create(builder, loc, input,
                                                emptyTensor(builder, loc, type),
                                                ArrayRef<int64_t>{1, 0});
  return SmallVector<Value>(transposed->getResults());
}

FailureOr<SmallVector<Value>> TransposeOp::decompose(OpBuilder &builder) {
  return transpose(builder, getLoc(), getInput(), getResult().getType());
}

/// Forward substitution, in place: row k times `factor(i, k)` is subtracted
/// from row i of `matrix` for all k < i. `start` may set row i before. Row k is
/// zero after column k.
static Value
substitute(OpBuilder &builder, Location loc, Value matrix,
           function_ref<Value(OpBuilder &, Location, Value, Value)> start,
           function_ref<Value(OpBuilder &, Location, Value, Value)> factor) {
  Value zero = constantIndex(builder, loc, 0);
  Value one = constantIndex(builder, loc, 1);
  auto type = cast<RankedTensorType>(matrix.getType());
  Value rows = constantIndex(builder, loc, type.getDimSize(0));
  auto loopTo =
      [&](OpBuilder &b, Location l, Value end, Value carried,
          function_ref<Value(OpBuilder &, Location, Value, Value)> body)
      -> Value {
    return scf::ForOp::create(b, l, zero, end, one, carried,
                              [&](OpBuilder &nested, Location nestedLoc,
                                  Value index, ValueRange values) {
                                scf::YieldOp::create(
                                    nested, nestedLoc,
                                    body(nested, nestedLoc, index, values[0]));
                              })
        .getResult(0);
  };
  return loopTo(
      builder, loc, rows, matrix,
      [&](OpBuilder &bi, Location li, Value i, Value m) {
        return loopTo(
            bi, li, i, start(bi, li, i, m),
            [&](OpBuilder &bk, Location lk, Value k, Value rowI) {
              Value a = factor(bk, lk, i, k);
              Value end = arith::AddIOp::create(bk, lk, k, one);
              return loopTo(
                  bk, lk, end, rowI,
                  [&](OpBuilder &b, Location l, Value j, Value t) -> Value {
                    Value from =
                        tensor::ExtractOp::create(b, l, t, ValueRange{k, j});
                    Value old =
                        tensor::ExtractOp::create(b, l, t, ValueRange{i, j});
                    Value term = arith::MulFOp::create(b, l, a, from);
                    Value entry = arith::SubFOp::create(b, l, old, term);
                    return tensor::InsertOp::create(b, l, entry, t,
                                                    ValueRange{i, j});
                  });
            });
      });
}

/// For every method and precision, row i of the inverse is `e_i - sum_{k < i}
/// a_ik m_k`.
FailureOr<SmallVector<Value>> TriInverseOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  RankedTensorType type = getInput().getType();
  Value unit = constantFloat(builder, loc, type.getElementType(), 1.0);
  Value inverse = substitute(
      builder, loc, filledTensor(builder, loc, type, 0.0),
      [&](OpBuilder &b, Location l, Value i, Value m) -> Value {
        return tensor::InsertOp::create(b, l, unit, m, ValueRange{i, i});
      },
      [&](OpBuilder &b, Location l, Value i, Value k) -> Value {
        return tensor::ExtractOp::create(b, l, getInput(), ValueRange{i, k});
      });
  if (getTransposed())
    return transpose(builder, loc, inverse, type);
  return SmallVector<Value>{inverse};
}

/// Row i is `p_i - sum_{k < i} p_ik f_k g_k`.
FailureOr<SmallVector<Value>> TriSolveOp::decompose(OpBuilder &builder) {
  Value solved = substitute(
      builder, getLoc(), getInput(),
      [](OpBuilder &, Location, Value, Value m) { return m; },
      [&](OpBuilder &b, Location l, Value i, Value k) -> Value {
        Value p = tensor::ExtractOp::create(b, l, getInput(), ValueRange{i, k});
        Value f = tensor::ExtractOp::create(b, l, getFactors(), k);
        return arith::MulFOp::create(b, l, p, f);
      });
  return SmallVector<Value>{solved};
}

//===----------------------------------------------------------------------===//
// Between CTAs
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> LoadIndexOp::decompose(OpBuilder &builder) {
  Value count =
      memref::LoadOp::create(builder, getLoc(), getSource(), getPosition());
  return SmallVector<Value>{arith::IndexCastOp::create(
      builder, getLoc(), builder.getIndexType(), count)};
}

FailureOr<SmallVector<Value>> TicketOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value one = arith::ConstantIntOp::create(builder, loc, 1, 32);
  Value item =
      memref::AtomicRMWOp::create(builder, loc, arith::AtomicRMWKind::addi, one,
                                  getCounter(), constantIndex(builder, loc, 0));
  return SmallVector<Value>{
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), item)};
}

FailureOr<SmallVector<Value>> ClearOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  auto type = cast<MemRefType>(getArray().getType());
  Value zero = arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(type.getElementType()));
  linalg::FillOp::create(builder, loc, zero, getArray());
  return SmallVector<Value>{};
}

FailureOr<SmallVector<Value>> SignalOp::decompose(OpBuilder &builder) {
  memref::StoreOp::create(builder, getLoc(), getEpoch(), getFlags(),
                          getIndices());
  return SmallVector<Value>{};
}

FailureOr<SmallVector<Value>> ExpectOp::decompose(OpBuilder &builder) {
  Location loc = getLoc();
  Value flag = memref::LoadOp::create(builder, loc, getFlags(), getIndices());
  Value reached = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                        flag, getEpoch());
  cf::AssertOp::create(builder, loc, reached,
                       "tile.expect: the flag is not set yet: CTAs ran in an "
                       "order in which this one would wait for ever");
  return SmallVector<Value>{};
}
