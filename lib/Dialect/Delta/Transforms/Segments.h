//===- Segments.h - how a sequence is cut into segments ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/Transforms. The number of segments, as index
/// arithmetic of the host function.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_TRANSFORMS_SEGMENTS_H
#define DELTA_LIB_DIALECT_DELTA_TRANSFORMS_SEGMENTS_H

#include "delta/Dialect/Delta/Transforms/ChainCost.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {

/// What is cut: `chunks` of `batches` sequences (indices), `heads` value heads
/// of `columnTiles` chains. A segment's map is `parts` times as wide as a
/// state.
struct SegmentedChain {
  mlir::Value batches, chunks;
  int64_t heads, columnTiles, parts;
};

/// Chunks of a segment (at least 1), and whether there are several segments;
/// their number (the last may be shorter), and that of all but the last, which
/// are both 0 where a sequence is not split.
struct SegmentSizes {
  mlir::Value length, isSplit, count, transferred;
};

/// Cuts every sequence into at most `most` segments of equal length, or, where
/// `most` is 0, into as many as cost least.
SegmentSizes emitSegments(mlir::ImplicitLocOpBuilder &b,
                          const SegmentedChain &chain, const ChainCost &cost,
                          int64_t most);

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_TRANSFORMS_SEGMENTS_H
