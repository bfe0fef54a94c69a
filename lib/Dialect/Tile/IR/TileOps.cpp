//===- TileOps.cpp - ops of both forms --------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers, folders and effects of the ops that both forms have. Each check
/// names its label in docs/tile-dialect.md. `verify-tile-value` and
/// `verify-tile-final` check rules about a whole kernel.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace delta::tile;

#define GET_OP_CLASSES
#include "delta/Dialect/Tile/IR/TileOps.cpp.inc"

static LogicalResult expectFloat32(Operation *op, StringRef name,
                                   ShapedType type) {
  return expectElement(op, name, type, Float32Type::get(op->getContext()));
}

//===----------------------------------------------------------------------===//
// The host function
//===----------------------------------------------------------------------===//

/// What only a host function computes.
static LogicalResult expectHost(Operation *op) {
  if (!op->getParentOfType<KernelOp>())
    return success();
  return op->emitOpError("expected in a host function, got a kernel");
}

LogicalResult MultiprocessorsOp::verify() { return expectHost(*this); }

LogicalResult ChunkTimeOp::verify() { return expectHost(*this); }

LogicalResult ChooseSegmentsOp::verify() {
  // The device library has costs of CTAs with one chain and with two.
  if (getTiles().empty() || !llvm::all_of(getTiles(), [](int64_t tiles) {
        return tiles == 1 || tiles == 2;
      }))
    return emitOpError("tiles: expected 1, 2 or both, got [")
           << getTiles() << "]";
  if (getCosts().size() != 10)
    return emitOpError("costs: expected 10 numbers, got ") << getCosts().size();
  return expectHost(*this);
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

static LogicalResult expectBoundAxis(Operation *op, RankedTensorType tile,
                                     int64_t axis) {
  if (axis >= 0 && axis < tile.getRank())
    return success();
  return op->emitOpError() << "bound_axis: expected an axis of the tile below "
                           << tile.getRank() << ", got " << axis;
}

/// The tile axis along which a load or store stops at its bound.
template <typename OpTy> static std::optional<int64_t> getBoundedAxis(OpTy op) {
  return op.getBound() ? std::optional<int64_t>(op.getBoundAxis())
                       : std::nullopt;
}

LogicalResult LoadOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  RankedTensorType tile = getTile().getType();
  RankedTensorType read = tile;
  if (getSteps() != 1) {
    if (tile.getRank() != 1)
      return emitOpError() << "steps: expected 1 for a matrix, got "
                           << getSteps();
    // Only every n-th element is read; the others are zero by definition.
    read = RankedTensorType::get(
        {int64_t(llvm::divideCeil(tile.getDimSize(0), getSteps()))},
        tile.getElementType());
  }
  if (failed(expectBox(*this, "source", source, read, getIndices().size(),
                       getDims(), getBoundedAxis(*this))))
    return failure();
  return expectBoundAxis(*this, tile, getBoundAxis());
}

// V7
LogicalResult LoadIndexOp::verify() {
  auto type = cast<MemRefType>(getSource().getType());
  if (type.getRank() == 1 && type.getElementType().isInteger(64) &&
      !type.getMemorySpace())
    return success();
  return emitOpError() << "source: expected a global vector of i64, got "
                       << type;
}

LogicalResult StoreOp::verify() {
  if (failed(expectBox(*this, "dest", cast<MemRefType>(getDest().getType()),
                       getTile().getType(), getIndices().size(), getDims(),
                       getBoundedAxis(*this))))
    return failure();
  return expectBoundAxis(*this, getTile().getType(), getBoundAxis());
}

//===----------------------------------------------------------------------===//
// Products and reductions
//===----------------------------------------------------------------------===//

// V1, and V3 (b is a matrix).
LogicalResult DotOp::verify() {
  return expectProduct(*this, getA().getType(), getB().getType(),
                       getD().getType(), getContract());
}

LogicalResult ReduceOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(expectRank(*this, "input", input, 2)) ||
      failed(expectFloat32(*this, "input", input)) ||
      failed(expectFloat32(*this, "result", result)))
    return failure();
  return expectShape(*this, "result", result,
                     {input.getDimSize(1 - getAxis())});
}

LogicalResult DiagonalOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(expectRank(*this, "input", input, 2)) ||
      failed(expectFloat32(*this, "input", input)) ||
      failed(expectFloat32(*this, "result", result)))
    return failure();
  int64_t rows = input.getDimSize(0);
  if (failed(expectShape(*this, "input", input, {rows, rows})))
    return failure();
  return expectShape(*this, "result", result, {rows});
}

/// Checks the scratch memory of an op of the final form.
static LogicalResult expectScratch(Operation *op, Value scratch, int64_t rank) {
  if (!scratch)
    return success();
  auto type = cast<MemRefType>(scratch.getType());
  if (!isa_and_nonnull<SmemAttr>(type.getMemorySpace()))
    return op->emitOpError()
           << "scratch: expected a buffer in #tile.smem, got " << type;
  if (failed(expectRank(op, "scratch", type, rank)))
    return failure();
  return expectFloat32(op, "scratch", type);
}

LogicalResult ScanOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(expectRank(*this, "input", input, 1)) ||
      failed(expectFloat32(*this, "input", input)))
    return failure();
  return expectScratch(*this, getScratch(), 1);
}

LogicalResult SpreadOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(expectRank(*this, "input", input, 1)) ||
      failed(expectRank(*this, "result", result, 2)) ||
      failed(expectElement(*this, "result", result, input.getElementType())))
    return failure();
  return expectShape(*this, "input", input, {result.getDimSize(getAxis())});
}

// V3: a part is a part of a matrix.
LogicalResult MaskOp::verify() {
  return expectRank(*this, "input", getInput().getType(), 2);
}

LogicalResult IdentityOp::verify() {
  RankedTensorType result = getResult().getType();
  if (failed(expectRank(*this, "result", result, 2)))
    return failure();
  return expectFloat32(*this, "result", result);
}

LogicalResult TransposeOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(expectRank(*this, "input", input, 2)) ||
      failed(expectElement(*this, "result", result, input.getElementType())))
    return failure();
  return expectShape(*this, "result", result,
                     {input.getDimSize(1), input.getDimSize(0)});
}

LogicalResult TriInverseOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(expectRank(*this, "input", input, 2)) ||
      failed(expectFloat32(*this, "input", input)))
    return failure();
  int64_t rows = input.getDimSize(0);
  if (failed(expectShape(*this, "input", input, {rows, rows})) ||
      failed(expectScratch(*this, getScratch(), 2)))
    return failure();
  if (getScratch() &&
      failed(expectShape(*this, "scratch",
                         cast<MemRefType>(getScratch().getType()),
                         {rows, rows})))
    return failure();
  if (getMethod() != InverseMethod::Doubling) // V4
    return success();
  if (getPrecision() != InversePrecision::F32)
    return emitOpError() << "precision: expected f32 with doubling, got "
                         << stringifyInversePrecision(getPrecision());
  // Doubling computes powers of A. They may overflow unless the rows of A are
  // weights of a mean, or the matrix is so small that few powers occur.
  if (getRowStochastic())
    return success();
  std::optional<APFloat> bound = getEntryBound();
  int64_t limit = bound && bound->convertToFloat() <= 1.0f ? 8 : 4;
  if (rows <= limit)
    return success();
  return emitOpError()
         << "method: doubling: expected row_stochastic or at most " << limit
         << " rows, got " << rows;
}

LogicalResult TriSolveOp::verify() {
  RankedTensorType input = getInput().getType();
  if (failed(expectRank(*this, "input", input, 2)) ||
      failed(expectFloat32(*this, "input", input)))
    return failure();
  int64_t rows = input.getDimSize(0);
  if (failed(expectShape(*this, "input", input, {rows, rows})))
    return failure();
  auto factors = dyn_cast<ShapedType>(getFactors().getType());
  if (!isa<RankedTensorType, MemRefType>(getFactors().getType()))
    return emitOpError() << "factors: expected a tensor or a memref, got "
                         << getFactors().getType();
  if (failed(expectRank(*this, "factors", factors, 1)) ||
      failed(expectFloat32(*this, "factors", factors)) ||
      failed(expectShape(*this, "factors", factors, {rows})))
    return failure();
  if (!getScratch())
    return success();
  auto scratch = cast<MemRefType>(getScratch().getType());
  auto space = dyn_cast_or_null<SmemAttr>(scratch.getMemorySpace());
  // Products take their operands from swizzled buffers of 16-bit elements.
  if (!space || space.getSwizzle() == 0)
    return emitOpError()
           << "scratch: expected a swizzled buffer in #tile.smem, got "
           << scratch;
  // Twice as many rows: the scratch holds residuals, too.
  if (scratch.getShape() == ArrayRef<int64_t>{2 * rows, rows})
    return success();
  return expectShape(*this, "scratch", scratch, {rows, rows});
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

LogicalResult ConvertOp::verify() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  if (failed(expectElement(*this, "result", result, input.getElementType())))
    return failure();
  return expectShape(*this, "result", result, input.getShape());
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  // The layout between two conversions does not matter.
  if (auto producer = getInput().getDefiningOp<ConvertOp>()) {
    if (producer.getInput().getType() == getType())
      return producer.getInput();
    getInputMutable().assign(producer.getInput());
    return getResult();
  }
  return {};
}

bool ConvertOp::isFree() {
  RankedTensorType input = getInput().getType(), result = getResult().getType();
  auto from = dyn_cast_or_null<LayoutInterface>(input.getEncoding());
  auto to = dyn_cast_or_null<LayoutInterface>(result.getEncoding());
  if (!from || !to)
    return false;
  FailureOr<LinearLayout> fromMap =
      from.toLinearLayout(input.getShape(), /*emitError=*/nullptr);
  FailureOr<LinearLayout> toMap =
      to.toLinearLayout(result.getShape(), /*emitError=*/nullptr);
  return succeeded(fromMap) && succeeded(toMap) && *fromMap == *toMap;
}

//===----------------------------------------------------------------------===//
// Between CTAs
//===----------------------------------------------------------------------===//

static LogicalResult expectFlags(Operation *op, StringRef name, Value flags,
                                 size_t indices) {
  auto type = cast<MemRefType>(flags.getType());
  if (failed(expectElement(op, name, type,
                           IntegerType::get(op->getContext(), 32))))
    return failure();
  if (indices == static_cast<size_t>(type.getRank()))
    return success();
  return op->emitOpError() << "indices: expected one for each of the "
                           << type.getRank() << " axes of " << name << ", got "
                           << indices;
}

LogicalResult TicketOp::verify() {
  if (failed(expectFlags(*this, "counter", getCounter(), /*indices=*/1)))
    return failure();
  return expectScratch(*this, getScratch(), 1);
}

LogicalResult ClearOp::verify() {
  if (getOperation()->getParentOfType<KernelOp>())
    return emitOpError("expected in a host function, got in a kernel");
  return success();
}

LogicalResult SignalOp::verify() {
  return expectFlags(*this, "flags", getFlags(), getIndices().size());
}

LogicalResult ExpectOp::verify() {
  return expectFlags(*this, "flags", getFlags(), getIndices().size());
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// An op that touches shared memory has a place in the kernel's schedule.
static void addScheduleEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), ScheduleResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), ScheduleResource::get());
}

void DotOp::getEffects(Effects &effects) {
  if (isa<MemRefType>(getB().getType()))
    addScheduleEffects(effects);
}

void ScanOp::getEffects(Effects &effects) {
  if (getScratch())
    addScheduleEffects(effects);
}

void TriInverseOp::getEffects(Effects &effects) {
  if (getScratch())
    addScheduleEffects(effects);
}

void TriSolveOp::getEffects(Effects &effects) {
  if (getScratch())
    addScheduleEffects(effects);
}
