//===- TileDialect.cpp - the tile dialect -----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers the dialect's ops, attributes and types. Holds no rule about any
/// of them.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace delta::tile;

#include "delta/Dialect/Tile/IR/TileDialect.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "delta/Dialect/Tile/IR/TileOps.cpp.inc"
      >();
}
