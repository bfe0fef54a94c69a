//===- Segments.cpp - how a sequence is cut into segments -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// With L chunks in P segments of l = ceil(L / P), all of them at once, a
/// forward pass takes
///
///     l chunk(P chains) + l transfer((P - 1) parts chains) +
///     (P - 1) combine + launches
///
/// against L chunk(chains). Both chunk and transfer grow where a wave of CTAs
/// is full, so more segments than fill one wave of chains never pay; fewer do
/// where combining them, which is sequential, takes longer than their chunks.
/// Four counts are compared: as many as fill a wave, half, a quarter and an
/// eighth of them.
///
//===----------------------------------------------------------------------===//

#include "Segments.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

namespace {

/// Index arithmetic whose values have names.
class HostArithmetic {
public:
  explicit HostArithmetic(ImplicitLocOpBuilder &b) : b(b), loc(b.getLoc()) {}
  ~HostArithmetic() { b.setLoc(loc); }

  /// Names what is created next.
  HostArithmetic &name(const Twine &text) {
    b.setLoc(NameLoc::get(b.getStringAttr(text), loc));
    return *this;
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value min(Value x, Value y) { return arith::MinUIOp::create(b, x, y); }
  Value max(Value x, Value y) { return arith::MaxUIOp::create(b, x, y); }
  Value divide(Value x, Value y) { return arith::DivUIOp::create(b, x, y); }
  Value ceilDivide(Value x, Value y) {
    return arith::CeilDivUIOp::create(b, x, y);
  }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }

private:
  ImplicitLocOpBuilder &b;
  Location loc;
};

} // namespace

/// The length and the number of segments that cost least.
static std::pair<Value, Value> emitLeast(ImplicitLocOpBuilder &b,
                                         const SegmentedChain &chain,
                                         const ChainCost &cost) {
  HostArithmetic h(b);
  Value one = h.index(1);
  h.name("multiprocessors");
  Value multiprocessors = tile::MultiprocessorsOp::create(b, b.getIndexType());
  h.name("chains");
  Value chains = h.mul(chain.batches, h.index(chain.heads * chain.columnTiles));
  // One segment of all chunks.
  h.name("whole_time");
  Value least =
      h.mul(chain.chunks,
            cost.emitBestChunk(b, chains, multiprocessors, chain.columnTiles));
  Value length = chain.chunks, count = one;
  h.name("fill");
  Value fill = h.divide(multiprocessors, h.max(chains, one));
  for (int64_t share : {1, 2, 4, 8}) {
    auto name = [&](StringRef text) { h.name(text + "_by" + Twine(share)); };
    name("most");
    Value most = h.max(h.divide(fill, h.index(share)), one);
    name("segment_chunks");
    Value each = h.max(h.ceilDivide(chain.chunks, most), one);
    name("segments");
    Value segments = h.ceilDivide(chain.chunks, each);
    name("running");
    // No more than one wave.
    Value running = cost.emitChunk(b, h.mul(chains, segments), multiprocessors,
                                   /*tiles=*/1);
    name("mapping");
    Value mapped = h.sub(h.max(segments, one), one);
    Value mapping = cost.emitBestTransfer(
        b, h.mul(chains, h.mul(mapped, h.index(chain.parts))), multiprocessors,
        chain.columnTiles);
    name("time");
    Value time = h.mul(each, h.add(running, mapping));
    time = h.add(time, h.mul(mapped, h.index(cost.getCombine())));
    time = h.add(time, h.index(cost.getLaunches()));
    name("better");
    Value better = h.less(time, least);
    h.name("least_time");
    least = h.min(least, time);
    h.name("segment_chunks");
    length = h.select(better, each, length);
    h.name("best_segments");
    count = h.select(better, segments, count);
  }
  return {length, count};
}

Segments delta::emitSegments(ImplicitLocOpBuilder &b,
                             const SegmentedChain &chain, const ChainCost &cost,
                             int64_t most) {
  HostArithmetic h(b);
  Segments segments;
  Value one = h.index(1);
  if (most == 0) {
    std::tie(segments.length, segments.count) = emitLeast(b, chain, cost);
  } else {
    h.name("segment_chunks");
    segments.length = h.max(h.ceilDivide(chain.chunks, h.index(most)), one);
    h.name("best_segments");
    segments.count = h.ceilDivide(chain.chunks, segments.length);
  }
  h.name("is_split");
  segments.isSplit = h.less(one, segments.count);
  h.name("segments");
  segments.count = h.select(segments.isSplit, segments.count, h.index(0));
  h.name("transferred");
  segments.transferred = h.sub(h.max(segments.count, one), one);
  return segments;
}
