//===- ChunkOps.cpp - named ops of the chunked phase ------------- -*- C++
//-*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers of the named ops on one chunk.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"

using namespace mlir;
using namespace delta;

#define GET_OP_CLASSES
#include "delta/Dialect/Delta/IR/DeltaChunkOps.cpp.inc"

LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }
LogicalResult GatePrefixOp::verify() { return success(); }
LogicalResult DecayOp::verify() { return success(); }
LogicalResult GramOp::verify() { return success(); }
LogicalResult ScaleOp::verify() { return success(); }
LogicalResult TriInverseOp::verify() { return success(); }
LogicalResult ApplyOp::verify() { return success(); }
LogicalResult RowSumOp::verify() { return success(); }
LogicalResult ReadOp::verify() { return success(); }
LogicalResult UpdateOp::verify() { return success(); }
LogicalResult OnlineOp::verify() { return success(); }
LogicalResult WeightsOp::verify() { return success(); }
