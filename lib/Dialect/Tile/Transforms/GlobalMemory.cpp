//===- GlobalMemory.cpp - who may touch memory in a kernel ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements GlobalMemory.h.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/GlobalMemory.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

LogicalResult delta::tile::verifyMemoryAccess(Operation *op) {
  if (isa_and_nonnull<TileDialect>(op->getDialect()) ||
      op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      op->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(op))
    return success();
  return op->emitOpError()
         << "expected memory to be accessed by tile.load, tile.store, "
            "tile.copy, tile.signal, tile.expect or tile.ticket alone";
}
