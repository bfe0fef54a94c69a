//===- DeltaDialect.cpp - the delta dialect ---------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers the dialect's ops and attributes. Holds no rule about any of them.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaDialect.h"

#include "delta/Dialect/Delta/IR/DeltaOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

#include "delta/Dialect/Delta/IR/DeltaDialect.cpp.inc"

#define GET_OP_CLASSES
#include "delta/Dialect/Delta/IR/DeltaChunkOps.cpp.inc"

void DeltaDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "delta/Dialect/Delta/IR/DeltaOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "delta/Dialect/Delta/IR/DeltaChunkOps.cpp.inc"
      >();
}
