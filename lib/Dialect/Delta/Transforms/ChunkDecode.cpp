//===- ChunkDecode.cpp - new tokens behind a cache --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The chunked form of a recurrence without a state whose earlier tokens are in
/// a cache of keys and u (decoding). The new tokens of a sequence are one block
/// of rows, and the sums over earlier keys that its equations need
/// (ImplicitTiles.h) are one pass over the cache:
///
/// ```
/// attend: for each segment of the cache, in parallel
///           (m, l, acc) = the sums of the new rows over the segment's keys
/// append: (m, l, acc) = these of all segments, merged
///         u and o of the new rows; their k and u go into the cache
/// ```
/// Segments are there because one head of one sequence is too little work for
/// a multiprocessor: a sequence's blocks of keys are dealt out evenly, however
/// many of them it has. A read that is not tied has sums of its own, with its
/// own query, in the same pass.
///
//===----------------------------------------------------------------------===//

#include "ImplicitTiles.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace delta;

/// Rows of the block of new tokens: the height of a matrix fragment.
static constexpr int64_t kRows = 16;

/// CTAs a multiprocessor that a call is to have, some at a time and the others
/// behind them: enough for the last ones not to weigh much.
static constexpr int64_t kSegmentsPerMultiprocessor = 12;

/// Tokens of a segment at least, where the cache is full: below that the sums
/// of a segment cost more traffic than they spread.
static constexpr int64_t kSegmentTokens = 256;

namespace {

/// One pass of the new rows over the cache: who asks, and the array of each of
/// the sums that segments leave behind.
struct CacheScan {
  const CallerArray *query;
  FeatureKernel kernel;
  StringRef queryName;
  /// [B, P, HV, kRows] (null where not normalised) and [B, P, HV, T, V].
  RowSums sums;
};

class DecodeChunks : ImplicitTiles {
public:
  explicit DecodeChunks(ChunkBuilder &builder)
      : ImplicitTiles(builder, kRows),
        tokens(cast<RankedTensorType>(op.getQuery().getType()).getDimSize(1)) {}

  void build();

private:
  /// How many segments a cache is cut into.
  Value countSegments();
  /// A workspace of `shape` for each batch, segment and value head.
  Value makeArray(StringRef name, ArrayRef<int64_t> shape);
  CacheScan makeScan(const CallerArray &query, FeatureKernel kernel,
                     StringRef queryName, StringRef prefix);

  RowBlock makeBlock(Value batch, Value head);
  /// How many tokens of a sequence are in the cache.
  Value cachedTokens(Value batch);
  /// The sums of one segment, into the scans' arrays.
  void attend(const RowBlock &block, Value segment);
  /// What segments left behind, merged.
  SmallVector<RowSums, 2> mergeSegments(const RowBlock &block);
  RowSums merge(const RowSums &sums, const RowSums &more);
  void append(const RowBlock &block);

  /// Where a block's sums over `segment` lie.
  SmallVector<Value> at(const RowBlock &block, Value segment, unsigned rank) {
    SmallVector<Value> indices = {block.batch, segment, block.head};
    indices.append(rank, b.index(0));
    return indices;
  }

  /// New tokens of a sequence.
  const int64_t tokens;
  Value capacity, segments;
  /// For writing, and for reading where that is not tied.
  SmallVector<CacheScan, 2> scans;
};

} // namespace

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

Value DecodeChunks::countSegments() {
  // Two batch entries of few heads and 64 of many both fill the device.
  b.name("multiprocessors");
  Value multiprocessors = tile::MultiprocessorsOp::create(b, b.getIndexType());
  b.name("ctas");
  Value ctas = arith::MulIOp::create(b, multiprocessors,
                                     b.index(kSegmentsPerMultiprocessor));
  b.name("sequences");
  Value sequences =
      arith::MulIOp::create(b, b.batches(), b.index(op.getValueHeads()));
  sequences = arith::MaxUIOp::create(b, sequences, b.index(1));
  b.name("filling");
  Value filling = arith::DivUIOp::create(b, ctas, sequences);
  filling = arith::MaxUIOp::create(b, filling, b.index(1));
  b.name("most");
  Value most = arith::CeilDivUIOp::create(b, capacity, b.index(kSegmentTokens));
  b.name("segments");
  return arith::MinUIOp::create(b, most, filling);
}

Value DecodeChunks::makeArray(StringRef name, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> all = {ShapedType::kDynamic, ShapedType::kDynamic,
                              op.getValueHeads()};
  all.append(shape.begin(), shape.end());
  auto array = memref::AllocOp::create(b, MemRefType::get(all, b.getF32Type()),
                                       ValueRange{b.batches(), segments});
  array->setAttr("delta.name", b.getStringAttr(name));
  return array;
}

CacheScan DecodeChunks::makeScan(const CallerArray &query, FeatureKernel kernel,
                                 StringRef queryName, StringRef prefix) {
  CacheScan scan{&query, kernel, queryName, {}};
  auto name = [&](StringRef sum) { return (prefix + sum).str(); };
  if (isNormalised(kernel)) {
    scan.sums.max = makeArray(name("max"), kRows);
    scan.sums.sum = makeArray(name("sum"), kRows);
  }
  scan.sums.acc = makeArray(name("acc"), {tokens, op.getValueDim()});
  return scan;
}

void DecodeChunks::build() {
  capacity = b.createOrFold<memref::DimOp>(b.arrays.keyCache, b.index(1));
  segments = countSegments();
  scans.push_back(makeScan(writeQuery(), op.getKernel().getWrite(),
                           b.arrays.write ? "W" : "Q", "segment_"));
  if (!op.isTied())
    scans.push_back(makeScan(b.arrays.query, op.getKernel().getRead(), "Q",
                             "segment_read_"));
  scf::ForallOp loop =
      b.forEachChunk(op.getValueHeads(), segments,
                     [&](Value batch, Value head, Value segment) {
                       attend(makeBlock(batch, head), segment);
                     });
  loop->setAttr("delta.name", b.getStringAttr("attend"));
  loop = b.forEachValueHead(
      [&](Value batch, Value head) { append(makeBlock(batch, head)); });
  loop->setAttr("delta.name", b.getStringAttr("append"));
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

RowBlock DecodeChunks::makeBlock(Value batch, Value head) {
  b.name("key_head");
  return {batch, head, b.keyHead(head), b.index(0), b.index(tokens)};
}

Value DecodeChunks::cachedTokens(Value batch) {
  b.name("length");
  Value length = LoadIndexOp::create(b, b.arrays.cached, batch);
  // Whatever the caller says, nothing outside the cache is touched.
  b.name("cached");
  return arith::MinUIOp::create(b, length, capacity);
}

void DecodeChunks::attend(const RowBlock &block, Value segment) {
  SmallVector<Value> queries, none;
  for (const CacheScan &scan : scans) {
    b.name(scan.queryName);
    queries.push_back(loadKeys(*scan.query, block, rows));
    llvm::append_range(none, noSums(scan.kernel).pack());
  }
  Value cached = cachedTokens(block.batch);
  Value length = b.index(b.chunk);
  b.name("blocks");
  Value blocks = arith::CeilDivUIOp::create(b, cached, length);
  auto boundary = [&](Value number) -> Value {
    Value dealt = arith::MulIOp::create(b, blocks, number);
    return arith::DivUIOp::create(b, dealt, segments);
  };
  b.name("first_block");
  Value first = boundary(segment);
  b.name("end_block");
  Value end = boundary(arith::AddIOp::create(b, segment, b.index(1)));
  b.name("segment_blocks");
  Value count = arith::SubIOp::create(b, end, first);

  auto loop = scf::ForOp::create(b, b.index(0), count, b.index(1), none);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    loop.getInductionVar().setLoc(named("earlier"));
    b.name("block");
    Value number = arith::AddIOp::create(b, first, loop.getInductionVar());
    RowBlock earlier = block;
    b.name("earlier_row");
    earlier.first = arith::MulIOp::create(b, number, length);
    b.name("left");
    Value left = arith::SubIOp::create(b, cached, earlier.first);
    b.name("rows");
    earlier.count = arith::MinUIOp::create(b, left, length);
    b.name("K_j");
    Value key = loadKeys({b.arrays.keyCache}, earlier, b.chunk);
    b.name("U_j");
    Value known =
        b.load({b.arrays.uCache}, ImplicitTiles::at(earlier, block.head),
               earlier.count, {1, 3}, {b.chunk, op.getValueDim()});
    SmallVector<Value> carried;
    ValueRange left_over = loop.getRegionIterArgs();
    for (auto [scan, query] : llvm::zip(scans, queries)) {
      size_t size = scan.sums.pack().size();
      b.name("s_j");
      Value scores = gram(query, key, scan.kernel, Part::Full);
      b.name("acc");
      RowSums next = advance(RowSums::unpack(left_over.take_front(size)),
                             scores, known, Part::Full, earlier.count);
      llvm::append_range(carried, next.pack());
      left_over = left_over.drop_front(size);
    }
    scf::YieldOp::create(b, carried);
  }
  ValueRange results = loop.getResults();
  for (const CacheScan &scan : scans)
    for (Value array : scan.sums.pack()) {
      bool isMatrix = array == scan.sums.acc;
      b.store(results.front(), array, at(block, segment, isMatrix ? 2 : 1),
              isMatrix ? block.count : Value(),
              isMatrix ? ArrayRef<int64_t>{3, 4} : ArrayRef<int64_t>{3});
      results = results.drop_front();
    }
}

RowSums DecodeChunks::merge(const RowSums &sums, const RowSums &more) {
  b.name("acc");
  if (!sums.max)
    return {{}, {}, arith::AddFOp::create(b, sums.acc, more.acc)};
  b.name("m");
  Value max = arith::MaximumFOp::create(b, sums.max, more.max);
  // Sums over no keys have l = 0 and acc = 0, so any factor does.
  b.name("e");
  Value shrink =
      math::ExpOp::create(b, arith::SubFOp::create(b, sums.max, max));
  b.name("e_j");
  Value moreShrink =
      math::ExpOp::create(b, arith::SubFOp::create(b, more.max, max));
  b.name("l");
  Value sum =
      arith::AddFOp::create(b, arith::MulFOp::create(b, sums.sum, shrink),
                            arith::MulFOp::create(b, more.sum, moreShrink));
  b.name("acc");
  Value acc = arith::AddFOp::create(b, scaleRows(sums.acc, shrink),
                                    scaleRows(more.acc, moreShrink));
  return {max, sum, acc};
}

SmallVector<RowSums, 2> DecodeChunks::mergeSegments(const RowBlock &block) {
  SmallVector<Value> none;
  for (const CacheScan &scan : scans)
    llvm::append_range(none, noSums(scan.kernel).pack());
  auto unpack = [&](ValueRange values) {
    SmallVector<RowSums, 2> sums;
    for (const CacheScan &scan : scans) {
      size_t size = scan.sums.pack().size();
      sums.push_back(RowSums::unpack(values.take_front(size)));
      values = values.drop_front(size);
    }
    return sums;
  };
  auto loop = scf::ForOp::create(b, b.index(0), segments, b.index(1), none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value segment = loop.getInductionVar();
  segment.setLoc(named("segment"));
  SmallVector<Value> carried;
  for (auto [scan, sums] : llvm::zip(scans, unpack(loop.getRegionIterArgs()))) {
    RowSums more;
    if (scan.sums.max) {
      b.name("m_j");
      more.max = b.load({scan.sums.max}, at(block, segment, 1), {}, {3}, rows);
      b.name("l_j");
      more.sum = b.load({scan.sums.sum}, at(block, segment, 1), {}, {3}, rows);
    }
    b.name("acc_j");
    more.acc = b.load({scan.sums.acc}, at(block, segment, 2), block.count,
                      {3, 4}, values.getShape());
    llvm::append_range(carried, merge(sums, more).pack());
  }
  scf::YieldOp::create(b, carried);
  return unpack(loop.getResults());
}

//===----------------------------------------------------------------------===//
// The new tokens
//===----------------------------------------------------------------------===//

void DecodeChunks::append(const RowBlock &block) {
  WriteTiles tiles = loadWrite(block);
  SmallVector<RowSums, 2> sums = mergeSegments(block);
  SolvedTiles solved = solve(tiles, sums.front());
  Value output;
  if (op.isTied()) {
    output = readTied(solved);
  } else {
    b.name("Q");
    Value query = loadKeys(b.arrays.query, block, rows);
    output = read(query, tiles.key, solved.u, sums.back());
  }
  SmallVector<Value> here = ImplicitTiles::at(block, block.head);
  b.store(output, b.arrays.output, here, block.count, {1, 3});
  if (b.arrays.u)
    b.store(solved.u, b.arrays.u, here, block.count, {1, 3});
  RowBlock behind = block;
  behind.first = cachedTokens(block.batch);
  b.name("room");
  Value room = arith::SubIOp::create(b, capacity, behind.first);
  b.name("kept");
  behind.count = arith::MinUIOp::create(b, room, block.count);
  b.store(tiles.key, b.arrays.keyCache,
          ImplicitTiles::at(behind, block.keyHead), behind.count, {1, 3});
  b.store(solved.u, b.arrays.uCache, ImplicitTiles::at(behind, block.head),
          behind.count, {1, 3});
}

LogicalResult delta::buildDecodeChunks(ChunkBuilder &builder) {
  DecodeChunks(builder).build();
  return success();
}
