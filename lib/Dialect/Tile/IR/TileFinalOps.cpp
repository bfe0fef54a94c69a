//===- TileFinalOps.cpp - ops of the final form alone -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers of the ops of the final form: what an op and its operand types say
/// by themselves. What concerns a whole kernel is `verify-tile-final`'s.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

using namespace mlir;
using namespace delta::tile;

LogicalResult AllocOp::verify() { return success(); }
LogicalResult CopyOp::verify() { return success(); }
LogicalResult ReadOp::verify() { return success(); }
LogicalResult WriteOp::verify() { return success(); }
LogicalResult BarrierOp::verify() { return success(); }
LogicalResult DotStartOp::verify() { return success(); }
LogicalResult AwaitOp::verify() { return success(); }
LogicalResult RolesOp::verify() { return success(); }
LogicalResult RingCreateOp::verify() { return success(); }
LogicalResult AcquireOp::verify() { return success(); }
LogicalResult PeekOp::verify() { return success(); }
LogicalResult CommitOp::verify() { return success(); }
LogicalResult ReleaseOp::verify() { return success(); }
