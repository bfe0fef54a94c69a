//===- ChunkOps.cpp - named ops of the chunked phase ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers of the named ops on one chunk. A check is marked with its label in
/// docs/delta-dialect.md. Only what an op can see of itself is checked; what
/// needs the surrounding loops is checked by `delta-verify-chunked`.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"

using namespace mlir;
using namespace delta;

#define GET_OP_CLASSES
#include "delta/Dialect/Delta/IR/DeltaChunkOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

static int64_t extent(Value tile, unsigned axis) { return shapeOf(tile)[axis]; }

static LogicalResult expectRank(Operation *op, StringRef name, Value tile,
                                size_t rank) {
  if (shapeOf(tile).size() == rank)
    return success();
  return op->emitOpError() << name << ": expected rank " << rank << ", got "
                           << shapeOf(tile).size();
}

static LogicalResult expectShape(Operation *op, StringRef name, Value tile,
                                 ArrayRef<int64_t> shape) {
  if (shapeOf(tile) == shape)
    return success();
  return op->emitOpError() << name << ": expected shape [" << shape
                           << "], got [" << shapeOf(tile) << "]";
}

/// N5: every column of a triangular part belongs to a row: with `steps = n`,
/// column j is a micro-step of token j / n.
static LogicalResult expectTriangle(Operation *op, StringRef name, Value tile,
                                    Part part, int64_t steps) {
  if (part == Part::Full) {
    if (steps != 1)
      return op->emitOpError()
             << "steps: expected 1 with part full, got " << steps;
    return success();
  }
  int64_t rows = extent(tile, 0), columns = extent(tile, 1);
  if (rows * steps >= columns)
    return success();
  return op->emitOpError() << name << ": expected at least "
                           << llvm::divideCeil(columns, steps) << " rows for "
                           << columns << " columns at " << steps
                           << " steps, got " << rows;
}

static LogicalResult expectFinite(Operation *op, StringRef name,
                                  const APFloat &value) {
  if (value.isFinite())
    return success();
  return op->emitOpError() << name << ": expected a finite number, got "
                           << value.convertToDouble();
}

//===----------------------------------------------------------------------===//
// Rows of the caller's arrays
//===----------------------------------------------------------------------===//

/// What `delta.load` and `delta.store` have in common.
static LogicalResult verifyAccess(Operation *op, StringRef name, Value array,
                                  Value tile, size_t indices,
                                  ArrayRef<int64_t> dims) {
  auto type = cast<MemRefType>(array.getType());
  auto rank = type.getRank();
  // N1
  if (!type.getElementType().isBF16() && !type.getElementType().isF16() &&
      !type.getElementType().isF32())
    return op->emitOpError() << name << ": expected elements of bf16, f16 or "
                             << "f32, got " << type.getElementType();
  // N2
  if (indices != static_cast<size_t>(rank))
    return op->emitOpError() << "indices: expected one for each of the " << rank
                             << " axes of " << name << ", got " << indices;
  // N3
  ArrayRef<int64_t> shape = shapeOf(tile);
  if (dims.empty() || dims.size() != shape.size())
    return op->emitOpError()
           << "dims: expected one axis for each of the " << shape.size()
           << " axes of the tile, got " << dims.size();
  for (auto [i, axis] : llvm::enumerate(dims)) {
    if (axis < 0 || axis >= rank || (i > 0 && axis <= dims[i - 1]))
      return op->emitOpError() << "dims: expected increasing axes of " << name
                               << " below " << rank << ", got [" << dims << "]";
    // N4: rows may pass the array's end (`rows` bounds them), columns may not.
    if (i > 0 && (type.isDynamicDim(axis) || shape[i] > type.getDimSize(axis)))
      return op->emitOpError()
             << "tile: expected an extent that axis " << axis << " of " << name
             << " holds, got " << shape[i] << " for " << type;
  }
  return success();
}

/// N23: what 16 bits lose of the elements of an array has 16 bits itself.
static LogicalResult verifyRest(Operation *op, StringRef name, Value array,
                                Value rest) {
  if (!rest)
    return success();
  auto type = cast<MemRefType>(array.getType());
  if (type.getElementType().isF32())
    return op->emitOpError() << "rest: expected none of " << name
                             << " in f32, got " << rest.getType();
  if (rest.getType() == type)
    return success();
  return op->emitOpError() << "rest: expected the type of " << name << ", "
                           << type << ", got " << rest.getType();
}

LogicalResult LoadOp::verify() {
  if (failed(verifyAccess(*this, "source", getSource(), getTile(),
                          getIndices().size(), getDims())))
    return failure();
  return verifyRest(*this, "source", getSource(), getRest());
}

LogicalResult LoadIndexOp::verify() {
  // N21
  auto type = cast<MemRefType>(getSource().getType());
  if (type.getRank() == 1 && type.getElementType().isInteger(64))
    return success();
  return emitOpError() << "source: expected a vector of i64, got " << type;
}

LogicalResult StoreOp::verify() {
  if (failed(verifyAccess(*this, "dest", getDest(), getTile(),
                          getIndices().size(), getDims())))
    return failure();
  return verifyRest(*this, "dest", getDest(), getRest());
}

//===----------------------------------------------------------------------===//
// Decay
//===----------------------------------------------------------------------===//

LogicalResult GatePrefixOp::verify() {
  return expectRank(*this, "decay", getDecay(), 1); // N6
}

LogicalResult DecayOp::verify() {
  if (failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  // N7: above the diagonal the exponent is positive and unbounded.
  if (getPart() == Part::Full)
    return emitOpError("part: expected lower or strict_lower, got full");
  return success(
      succeeded(
          expectTriangle(*this, "input", getInput(), getPart(), getSteps())) &&
      succeeded(expectShape(*this, "rows", getRows(), extent(getInput(), 0))) &&
      succeeded(
          expectShape(*this, "columns", getColumns(), extent(getInput(), 1))));
}

//===----------------------------------------------------------------------===//
// Products inside a chunk
//===----------------------------------------------------------------------===//

/// N9: a softmax weight needs the whole row.
static LogicalResult expectElementwise(Operation *op, FeatureKernel kernel) {
  if (kernel != FeatureKernel::Softmax)
    return success();
  return op->emitOpError(
      "kernel: expected linear, exp, relu or round, got softmax");
}

/// N22: only a product that rounds leaves rests. `split` has a name for each
/// operand that is split.
static LogicalResult expectRounding(Operation *op, std::optional<PrecAttr> prec,
                                    ArrayRef<StringRef> split) {
  if (split.empty() || prec)
    return success();
  return op->emitOpError()
         << split.front()
         << ": expected a `prec`, got a product that does not round";
}

LogicalResult GramOp::verify() {
  // N8
  if (failed(expectRank(*this, "lhs", getLhs(), 2)) ||
      failed(expectRank(*this, "rhs", getRhs(), 2)) ||
      failed(expectShape(*this, "rhs", getRhs(),
                         {extent(getRhs(), 0), extent(getLhs(), 1)})) ||
      failed(expectShape(*this, "result", getResult(),
                         {extent(getLhs(), 0), extent(getRhs(), 0)})) ||
      failed(expectTriangle(*this, "lhs", getResult(), getPart(), getSteps())))
    return failure();
  if (failed(expectElementwise(*this, getKernel())))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

LogicalResult ScaleOp::verify() {
  // N10
  if (failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  return expectShape(*this, "factors", getFactors(),
                     extent(getInput(), getAxis()));
}

LogicalResult TriInverseOp::verify() {
  // N11
  if (failed(expectRank(*this, "input", getInput(), 2)) ||
      failed(expectShape(*this, "input", getInput(),
                         {extent(getInput(), 0), extent(getInput(), 0)})))
    return failure();
  std::optional<APFloat> bound = getEntryBound();
  if (bound && !(bound->isFinite() && !bound->isNegative() && !bound->isZero()))
    return emitOpError() << "entry_bound: expected a positive finite number, "
                         << "got " << bound->convertToDouble();
  return success();
}

LogicalResult ApplyOp::verify() {
  // N12
  if (failed(expectRank(*this, "matrix", getMatrix(), 2)) ||
      failed(expectRank(*this, "input", getInput(), 2)) ||
      failed(
          expectTriangle(*this, "matrix", getMatrix(), getPart(), getSteps())))
    return failure();
  int64_t rows = extent(getMatrix(), 0), columns = extent(getMatrix(), 1);
  if (getTranspose())
    std::swap(rows, columns);
  int64_t width = extent(getInput(), 1);
  if (failed(expectShape(*this, "input", getInput(), {columns, width})) ||
      failed(expectShape(*this, "result", getResult(), {rows, width})))
    return failure();
  if (getAccumulator() && failed(expectShape(*this, "accumulator",
                                             getAccumulator(), {rows, width})))
    return failure();
  SmallVector<StringRef, 2> split;
  if (getSplitMatrix())
    split.push_back("split_matrix");
  if (getSplitInput())
    split.push_back("split_input");
  return expectRounding(*this, getPrec(), split);
}

LogicalResult RowDotOp::verify() {
  // N18
  if (failed(expectRank(*this, "lhs", getLhs(), 2)) ||
      failed(expectShape(*this, "result", getResult(), extent(getLhs(), 0))))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

LogicalResult RowSumOp::verify() {
  // N13
  if (failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  return expectShape(*this, "result", getResult(), extent(getInput(), 0));
}

//===----------------------------------------------------------------------===//
// The state
//===----------------------------------------------------------------------===//

LogicalResult ReadOp::verify() {
  // N14
  if (failed(expectRank(*this, "state", getState(), 2)) ||
      failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  int64_t from = extent(getState(), 0), to = extent(getState(), 1);
  if (getTranspose())
    std::swap(from, to);
  int64_t rows = extent(getInput(), 0);
  if (failed(expectShape(*this, "input", getInput(), {rows, from})) ||
      failed(expectShape(*this, "result", getResult(), {rows, to})) ||
      (getDecay() && failed(expectShape(*this, "decay", getDecay(), rows))))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

LogicalResult UpdateOp::verify() {
  // N15
  if (failed(expectRank(*this, "state", getState(), 2)) ||
      failed(expectRank(*this, "key", getKey(), 2)))
    return failure();
  int64_t rows = extent(getKey(), 0);
  if (failed(
          expectShape(*this, "key", getKey(), {rows, extent(getState(), 0)})) ||
      failed(expectShape(*this, "value", getValue(),
                         {rows, extent(getState(), 1)})) ||
      (getDecay() && failed(expectShape(*this, "decay", getDecay(), rows))))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

//===----------------------------------------------------------------------===//
// Implicit features
//===----------------------------------------------------------------------===//

LogicalResult OnlineOp::verify() {
  // N16
  if (failed(expectRank(*this, "scores", getScores(), 2)) ||
      failed(expectRank(*this, "acc", getAcc(), 2)) ||
      failed(
          expectTriangle(*this, "scores", getScores(), getPart(), /*steps=*/1)))
    return failure();
  int64_t rows = extent(getScores(), 0), columns = extent(getScores(), 1);
  int64_t width = extent(getAcc(), 1);
  if (failed(expectShape(*this, "acc", getAcc(), {rows, width})) ||
      failed(expectShape(*this, "max", getMax(), rows)) ||
      failed(expectShape(*this, "sum", getSum(), rows)) ||
      failed(expectShape(*this, "new_max", getNewMax(), rows)) ||
      failed(expectShape(*this, "new_sum", getNewSum(), rows)) ||
      failed(expectShape(*this, "new_acc", getNewAcc(), {rows, width})))
    return failure();
  if (getValues() &&
      failed(expectShape(*this, "values", getValues(), {columns, width})))
    return failure();
  SmallVector<StringRef, 2> split;
  if (getSplitWeights())
    split.push_back("split_weights");
  if (getSplitValues())
    split.push_back("split_values");
  if (!split.empty() && !getValues())
    return emitOpError() << split.front() << ": expected values, got none";
  return expectRounding(*this, getPrec(), split);
}

LogicalResult WeightsOp::verify() {
  // N17
  if (failed(expectRank(*this, "scores", getScores(), 2)) ||
      failed(
          expectTriangle(*this, "scores", getScores(), getPart(), /*steps=*/1)))
    return failure();
  int64_t rows = extent(getScores(), 0);
  if (failed(expectShape(*this, "max", getMax(), rows)))
    return failure();
  return expectShape(*this, "sum", getSum(), rows);
}

LogicalResult IdentityOp::verify() {
  // N20
  return expectRank(*this, "result", getResult(), 2);
}

LogicalResult NormalizeOp::verify() {
  // N19
  if (failed(expectRank(*this, "acc", getAcc(), 2)))
    return failure();
  return expectShape(*this, "sum", getSum(), extent(getAcc(), 0));
}
