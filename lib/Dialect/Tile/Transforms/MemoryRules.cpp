//===- MemoryRules.cpp - global memory in a kernel, both forms --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements MemoryRules.h.
///
//===----------------------------------------------------------------------===//

#include "MemoryRules.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace delta::tile;

static LogicalResult expectBound(Operation *op, Value array,
                                 ArrayRef<int64_t> dims, Value bound,
                                 int64_t boundAxis) {
  auto type = cast<MemRefType>(array.getType());
  for (auto [axis, dim] : llvm::enumerate(dims)) {
    if (!type.isDynamicDim(dim))
      continue;
    if (!bound)
      return op->emitOpError() << "bound: expected one, as tile axis " << axis
                               << " runs along dynamic axis " << dim << " of "
                               << type << ", got none";
    if (boundAxis != static_cast<int64_t>(axis))
      return op->emitOpError()
             << "bound_axis: expected " << axis << ", which runs along dynamic "
             << "axis " << dim << " of " << type << ", got " << boundAxis;
  }
  return success();
}

LogicalResult delta::tile::verifyBounds(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return expectBound(op, load.getSource(), load.getDims(), load.getBound(),
                       load.getBoundAxis());
  if (auto store = dyn_cast<StoreOp>(op))
    return expectBound(op, store.getDest(), store.getDims(), store.getBound(),
                       store.getBoundAxis());
  auto copy = dyn_cast<CopyOp>(op);
  if (copy && copy.getEngine() != Engine::Tma)
    return expectBound(op, copy.getGlobal(), copy.getDims(), copy.getBound(),
                       /*boundAxis=*/0);
  return success();
}

/// Whether `op` accesses shared memory only, such as a `memref.load` of one
/// element.
static bool accessesSharedMemory(Operation *op) {
  if (!isa<MemoryEffectOpInterface>(op))
    return false;
  bool any = false;
  for (Type type : op->getOperandTypes())
    if (auto array = dyn_cast<MemRefType>(type)) {
      if (!isa_and_nonnull<SmemAttr>(array.getMemorySpace()))
        return false;
      any = true;
    }
  return any;
}

LogicalResult delta::tile::verifyMemoryAccess(Operation *op) {
  if (isa_and_nonnull<TileDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op) ||
      accessesSharedMemory(op))
    return success();
  return op->emitOpError()
         << "expected global memory to be accessed by tile.load, "
            "tile.load_index, tile.store, tile.copy, tile.signal, tile.expect "
            "or tile.ticket alone";
}
