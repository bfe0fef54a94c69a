//===- TileTypes.cpp - products in flight, rings, slots ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Syntax and verifiers of the types. `verify-tile-final` checks the uses of
/// rings.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta::tile;

#define GET_TYPEDEF_CLASSES
#include "delta/Dialect/Tile/IR/TileTypes.cpp.inc"

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "delta/Dialect/Tile/IR/TileTypes.cpp.inc"
      >();
}

LogicalResult AsyncType::verify(function_ref<InFlightDiagnostic()> emitError,
                                Type value) {
  if (isa<RankedTensorType, NoneType>(value))
    return success();
  return emitError() << "value in flight: expected a tensor or none, got "
                     << value;
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, ArrayRef<MemRefType> buffers) {
  if (stages < 1)
    return emitError() << "ring stages: expected at least 1, got " << stages;
  if (buffers.empty())
    return emitError() << "ring buffers: expected at least one, got none";
  for (MemRefType buffer : buffers)
    if (failed(verifySharedBuffer(buffer, emitError)))
      return failure();
  return success();
}
