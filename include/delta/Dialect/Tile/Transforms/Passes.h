//===- Passes.h - passes on the tile dialect --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes of dialects/Tile/TilePasses.td: one `createX()` per
/// pass, their options structs, and `registerTilePasses()`. The .td file
/// describes each pass.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_TILE_TRANSFORMS_PASSES_H
#define DELTA_DIALECT_TILE_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace delta::tile {

#define GEN_PASS_DECL
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"

} // namespace delta::tile

#endif // DELTA_DIALECT_TILE_TRANSFORMS_PASSES_H
