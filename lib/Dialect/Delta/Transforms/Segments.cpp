//===- Segments.cpp - how a sequence is cut into segments -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the host function computes of the segments of a call. The choice itself
/// is `tile.choose_segments`.
///
//===----------------------------------------------------------------------===//

#include "Segments.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

SegmentSizes delta::emitSegments(ImplicitLocOpBuilder &b,
                                 const SegmentedChain &chain,
                                 const ChainCost &cost, int64_t most) {
  Location loc = b.getLoc();
  auto name = [&](StringRef text) {
    b.setLoc(NameLoc::get(b.getStringAttr(text), loc));
  };
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  SegmentSizes sizes;
  Value count, one = constant(1), none = constant(0);
  if (most == 0) {
    name("multiprocessor_count");
    Value multiprocessors =
        tile::MultiprocessorsOp::create(b, b.getIndexType());
    name("chains");
    Value chains = arith::MulIOp::create(
        b, chain.batches, constant(chain.heads * chain.columnTiles));
    name("choice");
    const plan::ScanCosts &costs = cost.getCosts();
    const auto &[chunk, transfer, fold, launches] = costs;
    int64_t numbers[] = {
        chunk.one.wave,    chunk.one.half,    chunk.two.wave,
        chunk.two.half,    transfer.one.wave, transfer.one.half,
        transfer.two.wave, transfer.two.half, fold,
        launches};
    Type index = b.getIndexType();
    auto choice = tile::ChooseSegmentsOp::create(
        b, index, index, chain.chunks, chains, multiprocessors, chain.parts,
        cost.getVariants(chain.columnTiles), numbers);
    count = choice.getCount();
    sizes.length = choice.getLength();
  } else {
    name("segment_chunks");
    sizes.length = arith::MaxUIOp::create(
        b, arith::CeilDivUIOp::create(b, chain.chunks, constant(most)), one);
    name("best_segments");
    count = arith::CeilDivUIOp::create(b, chain.chunks, sizes.length);
  }
  name("is_split");
  sizes.isSplit =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, one, count);
  name("segments");
  sizes.count = arith::SelectOp::create(b, sizes.isSplit, count, none);
  name("transferred");
  sizes.transferred = arith::SubIOp::create(
      b, arith::MaxUIOp::create(b, sizes.count, one), one);
  b.setLoc(loc);
  return sizes;
}
