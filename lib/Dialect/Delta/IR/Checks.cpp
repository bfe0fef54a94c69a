//===- Checks.cpp - what verifiers have in common ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A check is marked with its label in docs/delta-dialect.md.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "TileBuilder.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace delta;

//===----------------------------------------------------------------------===//
// Tiles of the chunked phase
//===----------------------------------------------------------------------===//

int64_t delta::extent(Value tile, unsigned axis) {
  return getTileShape(tile)[axis];
}

LogicalResult delta::expectRank(Operation *op, StringRef name, Value tile,
                                size_t rank) {
  if (getTileShape(tile).size() == rank)
    return success();
  return op->emitOpError() << name << ": expected rank " << rank << ", got "
                           << getTileShape(tile).size();
}

LogicalResult delta::expectShape(Operation *op, StringRef name, Value tile,
                                 ArrayRef<int64_t> shape) {
  if (getTileShape(tile) == shape)
    return success();
  return op->emitOpError() << name << ": expected shape [" << shape
                           << "], got [" << getTileShape(tile) << "]";
}

LogicalResult delta::expectTriangle(Operation *op, StringRef name, Value tile,
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

LogicalResult delta::expectFinite(Operation *op, StringRef name,
                                  const APFloat &value) {
  if (value.isFinite())
    return success();
  return op->emitOpError() << name << ": expected a finite number, got "
                           << value.convertToDouble();
}

LogicalResult delta::expectRounding(Operation *op, std::optional<PrecAttr> prec,
                                    ArrayRef<StringRef> split) {
  if (split.empty() || prec)
    return success();
  return op->emitOpError()
         << split.front()
         << ": expected a `prec`, got a product that does not round";
}

//===----------------------------------------------------------------------===//
// Arrays of the recurrent phase
//===----------------------------------------------------------------------===//

std::string delta::printShape(ArrayRef<int64_t> shape) {
  std::string text = "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(shape, os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  os << ']';
  return text;
}

SmallVector<Type, 3> delta::getFloatTypes(MLIRContext *context) {
  return {BFloat16Type::get(context), Float16Type::get(context),
          Float32Type::get(context)};
}

LogicalResult delta::checkElementType(Operation *op, StringRef name,
                                      Value value, ArrayRef<Type> accepted) {
  Type type = getElementTypeOrSelf(value);
  if (llvm::is_contained(accepted, type))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError()
                                  << name << ": expected element type ";
  llvm::interleave(
      accepted, [&](Type one) { diagnostic << one; },
      [&] { diagnostic << " or "; });
  return diagnostic << ", got " << type;
}
