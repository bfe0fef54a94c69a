//===- ChunkBuilder.cpp - what the chunk builders share ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tiles of the caller's arrays, with the prologue sunk into the chunk loop,
/// and the parallel loop over heads. Knows no recurrence.
///
//===----------------------------------------------------------------------===//

#include "ChunkBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace delta;

/// Operands of a product may be rounded to the 16-bit type of the values; the
/// caller already accepts that rounding in the output.
static PrecAttr precisionOf(RecurrenceOp recurrence) {
  auto type = cast<FloatType>(
      cast<ShapedType>(recurrence.getValue().getType()).getElementType());
  return type.getWidth() == 16 ? PrecAttr::get(recurrence.getContext(), type)
                               : PrecAttr();
}

ChunkBuilder::ChunkBuilder(RecurrenceOp recurrence, const CallerArrays &arrays,
                           int64_t chunk)
    : ImplicitLocOpBuilder(recurrence.getLoc(), recurrence.getContext()),
      recurrence(recurrence), arrays(arrays), chunk(chunk),
      prec(precisionOf(recurrence)) {}

void ChunkBuilder::name(StringRef text) {
  setLoc(NameLoc::get(getStringAttr(text), recurrence.getLoc()));
}

Value ChunkBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value ChunkBuilder::batches() {
  return createOrFold<memref::DimOp>(arrays.query.memref, index(0));
}

Value ChunkBuilder::tokens() {
  return createOrFold<memref::DimOp>(arrays.query.memref, index(1));
}

Value ChunkBuilder::keyHead(Value valueHead) {
  int64_t group = recurrence.getGroup();
  if (group == 1)
    return valueHead;
  return arith::DivUIOp::create(*this, valueHead, index(group));
}

Value ChunkBuilder::zeros(ArrayRef<int64_t> shape) {
  auto type = RankedTensorType::get(shape, getF32Type());
  return arith::ConstantOp::create(*this, type,
                                   DenseElementsAttr::get(type, 0.0f));
}

scf::ForallOp
ChunkBuilder::forEachValueHead(NestAttr nest, StringRef comment,
                               function_ref<void(Value, Value)> body) {
  SmallVector<OpFoldResult> bounds = {
      getAsOpFoldResult(batches()),
      getIndexAttr(recurrence.getValueHeads()),
  };
  scf::ForallOp heads = createNest(*this, nest, comment, bounds);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPoint(heads.getTerminator());
  body(heads.getInductionVar(0), heads.getInductionVar(1));
  return heads;
}

scf::ForallOp
ChunkBuilder::forEachChunk(NestAttr nest, StringRef comment, int64_t heads,
                           Value chunks,
                           function_ref<void(Value, Value, Value)> body) {
  SmallVector<OpFoldResult> bounds = {
      getAsOpFoldResult(batches()),
      getIndexAttr(heads),
      getAsOpFoldResult(chunks),
  };
  scf::ForallOp all = createNest(*this, nest, comment, bounds);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPoint(all.getTerminator());
  body(all.getInductionVar(0), all.getInductionVar(1), all.getInductionVar(2));
  return all;
}

NestAttr ChunkBuilder::attentionNest(StringRef name, ArrayRef<StringRef> axes,
                                     StringRef publishes) {
  return NestAttr::get(getContext(), NestKind::Attention, name, axes,
                       Carries::Sums, publishes);
}

Value ChunkBuilder::load(const CallerArray &array, ValueRange indices,
                         Value rows, ArrayRef<int64_t> dims,
                         ArrayRef<int64_t> shape, int64_t steps) {
  auto type = RankedTensorType::get(shape, getF32Type());
  Location loc = getLoc();
  if (auto named = dyn_cast<NameLoc>(loc);
      named && isa_and_nonnull<SigmoidOp>(array.prologue))
    name((named.getName().getValue() + "_logit").str());
  Value tile = LoadOp::create(*this, type, array.memref, indices, rows, dims,
                              steps, /*before=*/false);
  setLoc(loc);
  if (!array.prologue)
    return tile;
  Type rounding = getElementTypeOrSelf(array.prologue->getResult(0).getType());
  auto rounded = RankedTensorType::get(shape, rounding);
  if (auto norm = dyn_cast<L2NormOp>(array.prologue))
    tile = L2NormOp::create(*this, rounded, tile, norm.getEpsAttr());
  else
    tile = SigmoidOp::create(*this, rounded, tile,
                             cast<SigmoidOp>(array.prologue).getRangeAttr());
  return rounded == type ? tile : arith::ExtFOp::create(*this, type, tile);
}

void ChunkBuilder::store(Value tile, Value dest, ValueRange indices, Value rows,
                         ArrayRef<int64_t> dims) {
  StoreOp::create(*this, tile, dest, indices, rows, dims);
}
