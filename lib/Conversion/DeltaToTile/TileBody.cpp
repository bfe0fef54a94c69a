//===- TileBody.cpp - tiles, their orientation and precision ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What a rule asks for is made here; the rules are in TileRules.cpp.
///
//===----------------------------------------------------------------------===//

#include "TileBody.h"

#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

//===----------------------------------------------------------------------===//
// Names and types
//===----------------------------------------------------------------------===//

void TileBody::nameAs(StringRef text, Location loc) {
  b.setLoc(NameLoc::get(b.getStringAttr(text), loc));
}

void TileBody::name(Value value, StringRef suffix) {
  Location loc = value.getLoc();
  if (auto named = dyn_cast<NameLoc>(loc))
    nameAs((named.getName().getValue() + suffix).str(), named.getChildLoc());
  else
    b.setLoc(loc);
}

void TileBody::beginPhase(Value first, StringRef comment) {
  Operation *op = first.getDefiningOp();
  op->setAttr(kCommentAttr, StringAttr::get(op->getContext(), comment));
}

RankedTensorType TileBody::typeOf(Value value, Orientation orientation,
                                  Type element) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  if (options.valueAxis.contains(value))
    shape.back() = options.valueColumns;
  if (orientation == Orientation::Transposed)
    std::swap(shape[0], shape[1]);
  return RankedTensorType::get(shape, element);
}

Value TileBody::splat(RankedTensorType type, float value) {
  auto element = b.getFloatAttr(type.getElementType(), value);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, element));
}

SmallVector<Value> TileBody::indicesOf(Value tile, ValueRange indices,
                                       ArrayRef<int64_t> dims) {
  SmallVector<Value> mapped;
  for (Value index : indices)
    mapped.push_back(map.lookupOrDefault(index));
  if (options.valueAxis.contains(tile)) {
    Value &column = mapped[dims.back()];
    column = matchPattern(column, m_Zero())
                 ? options.firstColumn
                 : arith::AddIOp::create(b, column, options.firstColumn);
  }
  return mapped;
}

//===----------------------------------------------------------------------===//
// Orientation and precision
//===----------------------------------------------------------------------===//

void TileBody::define(Value value, Value tile, Orientation orientation) {
  orientations[value] = orientation;
  Forms &form = forms[value];
  int which = static_cast<int>(orientation);
  if (getElementTypeOrSelf(tile).isF32())
    form.wide[which] = tile;
  else
    form.narrow[which] = tile;
}

Orientation TileBody::orientationOf(Value value, Orientation otherwise) {
  if (auto known = orientations.find(value); known != orientations.end())
    return known->second;
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    return orientationOf(extend.getIn(), otherwise);
  return otherwise;
}

llvm::DenseMap<Value, TileBody::Forms> *TileBody::leaveLoops(LoadOp load) {
  for (Scope &scope : scopes)
    if (!scope.loop->isProperAncestor(load)) {
      b.setInsertionPoint(scope.converted);
      return &scope.outside;
    }
  return nullptr;
}

void TileBody::loadForms(LoadOp load, Orientation orientation) {
  OpBuilder::InsertionGuard guard(b);
  auto *outside = leaveLoops(load);
  Value tile = load.getTile();
  name(tile);
  auto type = cast<MemRefType>(load.getSource().getType());
  SmallVector<int64_t> dims(load.getDims());
  SmallVector<Value> indices = indicesOf(tile, load.getIndices(), dims);
  if (orientation == Orientation::Transposed)
    std::swap(dims[0], dims[1]);
  Value bound = load.getRows() ? map.lookupOrDefault(load.getRows()) : Value();
  if (load.getBefore())
    expectBlock(load);
  auto loadFrom = [&](Value array) -> Value {
    return tile::LoadOp::create(
        b, typeOf(tile, orientation, type.getElementType()), map.lookup(array),
        indices, bound, dims, static_cast<int64_t>(orientation),
        load.getSteps());
  };
  Value loaded = loadFrom(load.getSource()), rest;
  if (load.getRest()) {
    name(tile, "_rest");
    rest = loadFrom(load.getRest());
  }
  int which = static_cast<int>(orientation);
  auto keep = [&](Forms &form) {
    (type.getElementType().isF32() ? form.wide : form.narrow)[which] = loaded;
    form.rest[which] = rest;
  };
  keep(forms[tile]);
  if (outside)
    keep((*outside)[tile]);
}

Value TileBody::wide(Value value, Orientation orientation) {
  int which = static_cast<int>(orientation);
  if (Value known = forms[value].wide[which])
    return known;
  auto f32 = b.getF32Type();
  if (auto load = value.getDefiningOp<LoadOp>()) {
    if (!forms[value].narrow[which])
      loadForms(load, orientation);
    if (!forms[value].wide[which]) {
      auto extend = [&](Value form) -> Value {
        name(value, "_f32");
        return arith::ExtFOp::create(b, typeOf(value, orientation, f32), form);
      };
      Value whole = extend(forms[value].narrow[which]);
      if (Value rest = forms[value].rest[which])
        whole = arith::AddFOp::create(b, whole, extend(rest));
      forms[value].wide[which] = whole;
    }
    return forms[value].wide[which];
  }
  Value made;
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    auto elements = cast<SplatElementsAttr>(constant.getValue());
    name(value);
    made = splat(typeOf(value, orientation, f32),
                 elements.getSplatValue<APFloat>().convertToFloat());
  } else if (auto extend = value.getDefiningOp<arith::ExtFOp>()) {
    Value source = extend.getIn();
    auto type = cast<FloatType>(getElementTypeOrSelf(source));
    Value from = narrow(source, orientation, type);
    name(value, "_f32");
    made = arith::ExtFOp::create(b, typeOf(value, orientation, f32), from);
  } else {
    // Computed the other way round.
    Value other = forms[value].wide[1 - which];
    name(value, "_t");
    made = tile::TransposeOp::create(b, typeOf(value, orientation, f32), other);
  }
  forms[value].wide[which] = made;
  return made;
}

Value TileBody::narrow(Value value, Orientation orientation, FloatType type) {
  int which = static_cast<int>(orientation);
  if (Value known = forms[value].narrow[which])
    if (getElementTypeOrSelf(known) == type)
      return known;
  if (auto load = value.getDefiningOp<LoadOp>()) {
    if (getElementTypeOrSelf(load.getSource()) == type) {
      loadForms(load, orientation);
      return forms[value].narrow[which];
    }
  }
  if (auto extend = value.getDefiningOp<arith::ExtFOp>())
    if (getElementTypeOrSelf(extend.getIn()) == type)
      return narrow(extend.getIn(), orientation, type);
  if (auto round = value.getDefiningOp<arith::TruncFOp>())
    return narrow(round.getIn(), orientation, type);
  if (Value other = forms[value].narrow[1 - which];
      other && getElementTypeOrSelf(other) == type) {
    name(value, "_t");
    Value made =
        tile::TransposeOp::create(b, typeOf(value, orientation, type), other);
    return forms[value].narrow[which] = made;
  }
  Value from = wide(value, orientation);
  name(value, "_a");
  Value rounded =
      arith::TruncFOp::create(b, typeOf(value, orientation, type), from);
  // A form of another 16-bit type stays; this one is found by later uses.
  return forms[value].narrow[which] = rounded;
}

Value TileBody::remainder(Value value, Orientation orientation,
                          FloatType type) {
  Value rounded = narrow(value, orientation, type);
  if (Value rest = forms[value].rest[static_cast<int>(orientation)])
    return rest;
  Value exact = wide(value, orientation);
  name(value, "_rest");
  return lost(exact, rounded);
}

Value TileBody::lost(Value exact, Value rounded) {
  Value back = arith::ExtFOp::create(b, exact.getType(), rounded);
  Value rest = arith::SubFOp::create(b, exact, back);
  return arith::TruncFOp::create(b, rounded.getType(), rest);
}

//===----------------------------------------------------------------------===//
// Vectors over tiles
//===----------------------------------------------------------------------===//

Value TileBody::spread(Value vector, int64_t axis, Value like,
                       Orientation orientation) {
  int64_t along = axis ^ static_cast<int64_t>(orientation);
  return tile::SpreadOp::create(b, typeOf(like, orientation, b.getF32Type()),
                                vector, along);
}

Value TileBody::times(Value tile, float scale) {
  if (scale == 1.0f)
    return tile;
  auto type = cast<RankedTensorType>(tile.getType());
  return arith::MulFOp::create(b, splat(type, scale), tile);
}

Value TileBody::mask(Value tile, Part part, int64_t steps,
                     Orientation orientation, float other, Value columns) {
  APFloat fill(other);
  if (part == Part::Full)
    return columns ? tile::MaskOp::create(b, tile.getType(), tile, columns,
                                          tile::Part::Full, /*row_steps=*/1,
                                          /*col_steps=*/1, fill)
                         .getResult()
                   : tile;
  bool strict = part == Part::StrictLower;
  // Columns count micro-steps: `steps` of them belong to one row.
  if (orientation == Orientation::Natural)
    return tile::MaskOp::create(
        b, tile.getType(), tile, columns,
        strict ? tile::Part::StrictLower : tile::Part::Lower, /*row_steps=*/1,
        /*col_steps=*/steps, fill);
  return tile::MaskOp::create(
      b, tile.getType(), tile, /*columns=*/Value(),
      strict ? tile::Part::StrictUpper : tile::Part::Upper, /*row_steps=*/steps,
      /*col_steps=*/1, fill);
}
