//===- TileAttrs.cpp - layouts, spaces and roles ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers of the attributes and the maps of the register layouts.
/// `verify-tile-final` decides which instruction accepts which layout.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace delta::tile;

#include "delta/Dialect/Tile/IR/TileEnums.cpp.inc"

#include "delta/Dialect/Tile/IR/TileAttrInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Tile/IR/TileAttrs.cpp.inc"

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "delta/Dialect/Tile/IR/TileAttrs.cpp.inc"
      >();
}

/// In a map over GF(2) every count is a power of two.
static LogicalResult verifyWarps(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t warps) {
  if (warps >= 1 && warps <= 32 && llvm::isPowerOf2_64(warps))
    return success();
  return emitError() << "warps: expected a power of two from 1 to 32, got "
                     << warps;
}

/// 32-bit registers for `elements` elements of one thread: two 16-bit elements
/// share a register, any other element has its own.
static int64_t registersFor(Type elementType, int64_t elements) {
  if (elementType.isIntOrFloat() && elementType.getIntOrFloatBitWidth() == 16)
    return llvm::divideCeil(elements, 2);
  return elements;
}

/// Registers of a tile whose shape `layout` holds; 0 for any other.
template <typename Layout>
static int64_t countRegisters(Layout layout, RankedTensorType type) {
  FailureOr<LinearLayout> map =
      layout.toLinearLayout(type.getShape(), /*emitError=*/nullptr);
  if (failed(map))
    return 0;
  return registersFor(type.getElementType(), map->getElements());
}

/// Fails; emits "layout L: expected ..., got shape [...]" if `emitError` is not
/// null.
static LogicalResult refuseShape(function_ref<InFlightDiagnostic()> emitError,
                                 Attribute layout, const Twine &expected,
                                 ArrayRef<int64_t> shape) {
  if (emitError)
    return emitError() << "layout " << layout << ": expected " << expected
                       << ", got shape [" << shape << "]";
  return failure();
}

//===----------------------------------------------------------------------===//
// FragAttr
//===----------------------------------------------------------------------===//

LogicalResult FragAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t warps) {
  return verifyWarps(emitError, warps);
}

FailureOr<LinearLayout>
FragAttr::toLinearLayout(ArrayRef<int64_t> shape,
                         function_ref<InFlightDiagnostic()> emitError) const {
  int64_t rows = 16 * getWarps();
  if (shape.size() != 2 || shape[0] != rows || shape[1] < 8 ||
      !llvm::isPowerOf2_64(shape[1]))
    return refuseShape(
        emitError, *this,
        Twine(rows) + " rows and a power of two of at least 8 columns", shape);
  // Lane 4 g + t holds (g, 2t), (g, 2t + 1), (g + 8, 2t), (g + 8, 2t + 1) of
  // each 16 x 8 block; the blocks follow each other along the columns.
  LinearLayout::Bases registers = {{0, 1}, {8, 0}};
  for (int64_t column = 8; column < shape[1]; column *= 2)
    registers.push_back({0, column});
  LinearLayout::Bases lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  LinearLayout::Bases warps;
  for (int64_t row = 16; row < rows; row *= 2)
    warps.push_back({row, 0});
  return LinearLayout(2, registers, lanes, warps);
}

int64_t FragAttr::getRegisters(RankedTensorType type) const {
  return countRegisters(*this, type);
}

//===----------------------------------------------------------------------===//
// SliceAttr
//===----------------------------------------------------------------------===//

LogicalResult SliceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t axis, FragAttr) {
  if (axis == 0 || axis == 1)
    return success();
  return emitError() << "slice axis: expected 0 or 1, got " << axis;
}

FailureOr<LinearLayout>
SliceAttr::toLinearLayout(ArrayRef<int64_t> shape,
                          function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != 1)
    return refuseShape(emitError, *this, "a vector", shape);
  // The length of the other axis has no effect on the map along this one.
  SmallVector<int64_t, 2> tile = {shape[0], 8};
  if (getAxis() == 1)
    tile = {16 * getParent().getWarps(), shape[0]};
  FailureOr<LinearLayout> parent = getParent().toLinearLayout(tile, emitError);
  if (failed(parent))
    return failure();
  return parent->project(getAxis());
}

int64_t SliceAttr::getRegisters(RankedTensorType type) const {
  return countRegisters(*this, type);
}

//===----------------------------------------------------------------------===//
// FlatAttr
//===----------------------------------------------------------------------===//

LogicalResult FlatAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t warps) {
  return verifyWarps(emitError, warps);
}

FailureOr<LinearLayout>
FlatAttr::toLinearLayout(ArrayRef<int64_t> shape,
                         function_ref<InFlightDiagnostic()> emitError) const {
  int64_t threads = 32 * getWarps();
  if (shape.size() != 1 || shape[0] < 1 || shape[0] > threads ||
      !llvm::isPowerOf2_64(shape[0]))
    return refuseShape(emitError, *this,
                       "a vector of a power of two of at most " +
                           Twine(threads) + " elements",
                       shape);
  LinearLayout::Bases lanes, warps;
  for (int64_t element = 1; element < shape[0]; element *= 2)
    (element < 32 ? lanes : warps).push_back({element});
  return LinearLayout(1, {}, lanes, warps);
}

int64_t FlatAttr::getRegisters(RankedTensorType type) const {
  return countRegisters(*this, type);
}

//===----------------------------------------------------------------------===//
// SmemAttr, RoleAttr
//===----------------------------------------------------------------------===//

LogicalResult SmemAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t swizzle) {
  if (swizzle == 0 || swizzle == 32 || swizzle == 64 || swizzle == 128)
    return success();
  return emitError() << "swizzle: expected 0, 32, 64 or 128 bytes, got "
                     << swizzle;
}

LogicalResult RoleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr, int64_t warps, int64_t registers,
                               int64_t instances) {
  if (warps < 1)
    return emitError() << "role warps: expected at least 1, got " << warps;
  if (instances < 1)
    return emitError() << "role instances: expected at least 1, got "
                       << instances;
  // F8: the numbers that setmaxnreg accepts.
  if (registers < 24 || registers > 240 || registers % 8 != 0)
    return emitError() << "role registers: expected a multiple of 8 from 24 to "
                          "240, got "
                       << registers;
  return success();
}
