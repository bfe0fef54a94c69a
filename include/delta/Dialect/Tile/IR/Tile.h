//===- Tile.h - the tile dialect --------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the tile dialect: attributes (layouts, spaces, roles), types
/// (products in flight, rings) and the ops of both forms, from
/// dialects/Tile/*.td. No pass is declared here.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TILE_IR_TILE_H
#define DELTA_DIALECT_TILE_IR_TILE_H

#include "delta/Dialect/Delta/IR/DeltaInterfaces.h"
#include "delta/Dialect/Plan/IR/Plan.h"
#include "delta/Dialect/Tile/IR/LinearLayout.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "delta/Dialect/Tile/IR/TileDialect.h.inc"

#include "delta/Dialect/Tile/IR/TileEnums.h.inc"

#include "delta/Dialect/Tile/IR/TileAttrInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Tile/IR/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "delta/Dialect/Tile/IR/TileTypes.h.inc"

namespace delta::tile {

/// The resource on which the ops of the final form declare effects: the order
/// in which a kernel issues its instructions. Ops with an effect on it keep
/// their order.
struct ScheduleResource
    : public mlir::SideEffects::Resource::Base<ScheduleResource> {
  llvm::StringRef getName() final { return "tile.schedule"; }
};

} // namespace delta::tile

#define GET_OP_CLASSES
#include "delta/Dialect/Tile/IR/TileOps.h.inc"

#endif // DELTA_DIALECT_TILE_IR_TILE_H
