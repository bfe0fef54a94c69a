//===- ChunkImplicit.cpp - chunked form of implicit features ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The chunked form of a recurrence without a state (DeltaFormer, 2505.19488).
///
//===----------------------------------------------------------------------===//

#include "ChunkBuilder.h"

using namespace mlir;
using namespace delta;

LogicalResult delta::buildImplicitChunks(ChunkBuilder &builder) {
  return builder.recurrence.emitOpError("kernel: expected #delta.kernel<linear>"
                                        ", got ")
         << builder.recurrence.getKernel();
}
