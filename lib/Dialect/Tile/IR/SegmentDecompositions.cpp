//===- SegmentDecompositions.cpp - the chooser as arithmetic ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions of include/delta/Device/Segments.h as index arithmetic: what
/// the CPU's phases run, and what the manifest says of a launcher's choices.
/// test/Unit/Tile/SegmentsTest.cpp compares the two.
///
//===----------------------------------------------------------------------===//

#include "delta/Device/Segments.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

namespace {

/// Index arithmetic whose values have names.
class HostArithmetic {
public:
  explicit HostArithmetic(OpBuilder &builder)
      : b(builder.getUnknownLoc(), builder) {}

  /// Names what is created next.
  HostArithmetic &name(const Twine &text) {
    b.setLoc(NameLoc::get(b.getStringAttr(text), b.getUnknownLoc()));
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

  /// chunk_time
  Value chunkTime(ChunkCost cost, int64_t tiles, Value chains,
                  Value multiprocessors) {
    Value ctas = tiles == 1 ? chains : ceilDivide(chains, index(tiles));
    Value time = mul(ceilDivide(ctas, multiprocessors), index(cost.wave));
    if (cost.half == 0)
      return time;
    Value halves = ceilDivide(mul(ctas, index(2)), multiprocessors);
    return add(time, mul(halves, index(cost.half)));
  }

  /// least_chunk_time
  Value leastChunkTime(const ChunkCost (&costs)[2], ArrayRef<int64_t> variants,
                       Value chains, Value multiprocessors) {
    Value least;
    for (int64_t tiles : variants) {
      Value time = chunkTime(costs[tiles - 1], tiles, chains, multiprocessors);
      least = least ? min(least, time) : time;
    }
    return least;
  }

private:
  ImplicitLocOpBuilder b;
};

} // namespace

FailureOr<SmallVector<Value>> ChunkTimeOp::decompose(OpBuilder &builder) {
  HostArithmetic h(builder);
  ChunkCost cost = {static_cast<int64_t>(getWave()),
                    static_cast<int64_t>(getHalf())};
  return SmallVector<Value>{
      h.chunkTime(cost, getTiles(), getChains(), getMultiprocessors())};
}

static ScanCosts readCosts(ArrayRef<int64_t> c) {
  return {
      {{c[0], c[1]}, {c[2], c[3]}}, {{c[4], c[5]}, {c[6], c[7]}}, c[8], c[9]};
}

FailureOr<SmallVector<Value>> ChooseSegmentsOp::decompose(OpBuilder &builder) {
  HostArithmetic h(builder);
  const ScanCosts costs = readCosts(getCosts());
  Value one = h.index(1), chains = getChains(), chunks = getChunks();
  Value multiprocessors = getMultiprocessors();
  // One segment of all chunks.
  h.name("whole_time");
  Value least = h.mul(chunks, h.leastChunkTime(costs.chunk, getTiles(), chains,
                                               multiprocessors));
  Value length = chunks, count = one;
  h.name("fill");
  Value fill = h.divide(multiprocessors, h.max(chains, one));
  for (int64_t share : {1, 2, 4, 8}) {
    auto name = [&](StringRef text) { h.name(text + "_by" + Twine(share)); };
    name("most");
    Value most = h.max(h.divide(fill, h.index(share)), one);
    name("segment_chunks");
    Value each = h.max(h.ceilDivide(chunks, most), one);
    name("segments");
    Value segments = h.ceilDivide(chunks, each);
    name("running");
    Value running = h.chunkTime(costs.chunk[0], /*tiles=*/1,
                                h.mul(chains, segments), multiprocessors);
    name("mapping");
    Value mapped = h.sub(h.max(segments, one), one);
    Value mapping = h.leastChunkTime(
        costs.transfer, getTiles(),
        h.mul(chains, h.mul(mapped, h.index(getParts()))), multiprocessors);
    name("time");
    Value time = h.mul(each, h.add(running, mapping));
    time = h.add(time, h.mul(mapped, h.index(costs.fold)));
    time = h.add(time, h.index(costs.launches));
    name("better");
    Value better = h.less(time, least);
    h.name("least_time");
    least = h.min(least, time);
    h.name("segment_chunks");
    length = h.select(better, each, length);
    h.name("best_segments");
    count = h.select(better, segments, count);
  }
  return SmallVector<Value>{count, length};
}
