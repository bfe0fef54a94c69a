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
/// own query. Where it has the kernel that writes, the queries are one block,
/// what writes above what reads, and a second warp has rows for what one has
/// not. Two kernels share a pass as well, or take one each if the sums of both
/// are more than a warp's registers hold.
///
/// Value heads that share a key head find its keys in one cache; the first of
/// them adds the new ones.
///
//===----------------------------------------------------------------------===//

#include "ImplicitTiles.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace delta;

/// Rows of the block of new tokens: the height of a matrix fragment.
static constexpr int64_t kRows = 16;

/// Columns of sums that a warp has registers for beside queries and weights.
static constexpr int64_t kSumColumns = 128;

/// Bytes of keys and u that the CTAs of a multiprocessor compute with at a
/// time, a block each; with three stages twice as many are on their way, and
/// shared memory is full. More segments than run at a time only make more sums.
static constexpr int64_t kBlockBytes = 64 << 10;

/// Tokens of a segment at least, where the cache is full: below that the sums
/// of a segment cost more traffic than they spread.
static constexpr int64_t kSegmentTokens = 256;

/// New tokens of a sequence.
static int64_t getNewTokens(RecurrenceOp op) {
  return cast<RankedTensorType>(op.getQuery().getType()).getDimSize(1);
}

/// Whether queries that write and that read are rows of one scan.
static bool isStacked(RecurrenceOp op) {
  return !op.isTied() && op.getKernel().getWrite() == op.getKernel().getRead();
}

int64_t delta::getDecodeRows(RecurrenceOp op) {
  return isStacked(op) ? llvm::alignTo(2 * getNewTokens(op), kRows) : kRows;
}

namespace {

/// The sums of a block of rows over the cache's keys, and the array of each of
/// them that segments leave behind.
struct CacheScan {
  FeatureKernel kernel;
  /// What asks; null where both queries do, stacked.
  const CallerArray *query;
  /// Rows of a block, a multiple of kRows, and how many of them ask.
  int64_t rows, asking;
  /// [B, P, HV, rows] (null where not normalised) and [B, P, HV, asking, V].
  RowSums sums;
};

/// The sums of the new tokens among those of a scan.
struct ScanRows {
  const CacheScan *scan;
  int64_t first;
};

class DecodeChunks : ImplicitTiles {
public:
  explicit DecodeChunks(ChunkBuilder &builder)
      : ImplicitTiles(builder, kRows), tokens(getNewTokens(op)) {}

  void build();

private:
  /// How many segments a cache is cut into.
  Value countSegments();
  /// A workspace of `shape` for each batch, segment and value head.
  Value makeArray(StringRef name, ArrayRef<int64_t> shape);
  CacheScan makeScan(FeatureKernel kernel, const CallerArray *query,
                     int64_t rows, int64_t asking, StringRef prefix);
  /// Decides on the scans.
  void makeScans();
  RowBlock makeBlock(Value batch, Value head);
  /// How many tokens of a sequence are in the cache.
  Value cachedTokens(Value batch);
  /// What asks in a scan.
  Value loadQuery(const RowBlock &block, const CacheScan &scan);
  /// The loop nest that fills the arrays of some scans in one pass.
  void attend(ArrayRef<ScanRows> passed, StringRef name);
  /// The sums of one segment, into the scans' arrays.
  void attend(ArrayRef<ScanRows> passed, const RowBlock &block, Value segment);
  /// `start` and what segments left behind, merged.
  RowSums mergeSegments(const RowBlock &block, const ScanRows &use,
                        const RowSums &start);
  RowSums merge(const RowSums &sums, const RowSums &more);
  void append(const RowBlock &block);
  /// Adds the new u to the cache, and the new keys if this value head is the
  /// first of those that have them.
  void keep(const RowBlock &block, Value key, Value u);

  /// Where a block's sums over `segment` lie, from row `first` on: a vector
  /// (rank 1) or a matrix.
  SmallVector<Value> at(const RowBlock &block, Value segment, unsigned rank,
                        int64_t first = 0) {
    SmallVector<Value> indices = {block.batch, segment, block.head,
                                  b.index(first)};
    if (rank == 2)
      indices.push_back(b.index(0));
    return indices;
  }

  /// New tokens of a sequence.
  const int64_t tokens;
  Value capacity, segments;
  SmallVector<CacheScan, 2> scans;
  /// For writing, and for reading where that is not tied.
  SmallVector<ScanRows, 2> uses;
};

} // namespace

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

Value DecodeChunks::countSegments() {
  int64_t width =
      getElementTypeOrSelf(op.getKeyCache()).getIntOrFloatBitWidth();
  int64_t block = b.chunk * (op.getKeyDim() + op.getValueDim()) * width / 8;
  b.name("multiprocessor_count");
  Value multiprocessors = tile::MultiprocessorsOp::create(b, b.getIndexType());
  b.name("ctas");
  Value ctas = arith::MulIOp::create(
      b, multiprocessors, b.index(std::max<int64_t>(1, kBlockBytes / block)));
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

CacheScan DecodeChunks::makeScan(FeatureKernel kernel, const CallerArray *query,
                                 int64_t rows, int64_t asking,
                                 StringRef prefix) {
  CacheScan scan{kernel, query, rows, asking, {}};
  auto name = [&](StringRef sum) { return (prefix + sum).str(); };
  if (isNormalised(kernel)) {
    scan.sums.max = makeArray(name("max"), rows);
    scan.sums.sum = makeArray(name("sum"), rows);
  }
  scan.sums.acc = makeArray(name("acc"), {asking, op.getValueDim()});
  return scan;
}

void DecodeChunks::makeScans() {
  KernelAttr kernel = op.getKernel();
  if (isStacked(op)) {
    int64_t stacked = getDecodeRows(op);
    scans.push_back(makeScan(kernel.getWrite(), /*query=*/nullptr, stacked,
                             stacked, "segment_"));
    uses = {{&scans[0], 0}, {&scans[0], stacked / 2}};
    return;
  }
  scans.push_back(
      makeScan(kernel.getWrite(), &writeQuery(), kRows, tokens, "segment_"));
  if (!op.isTied())
    scans.push_back(makeScan(kernel.getRead(), &b.arrays.query, kRows, tokens,
                             "segment_read_"));
  for (const CacheScan &scan : scans)
    uses.push_back({&scan, 0});
}

void DecodeChunks::attend(ArrayRef<ScanRows> passed, StringRef name) {
  b.forEachChunk(b.attentionNest(name, {"batch", "head", "segment"}),
                 "Sums over one segment of the cache for the new queries: "
                 "maximum, sum of weights and weighted u.",
                 op.getValueHeads(), segments,
                 [&](Value batch, Value head, Value segment) {
                   attend(passed, makeBlock(batch, head), segment);
                 });
}

void DecodeChunks::build() {
  capacity = b.createOrFold<memref::DimOp>(b.arrays.keyCache, b.index(1));
  segments = countSegments();
  makeScans();
  ArrayRef<ScanRows> all = uses;
  // Rows of one scan ask together.
  if (scans.size() == 1 || 2 * op.getValueDim() <= kSumColumns) {
    attend(all.take_front(scans.size()), "attend");
  } else {
    attend(all.take_front(), "attend");
    attend(all.drop_front(), "attend_read");
  }
  b.forEachValueHead(
      b.attentionNest("append", {"batch", "head"}),
      "Merges the sums of the segments, solves for the u of the new tokens, "
      "reads, and appends keys and u to the cache.",
      [&](Value batch, Value head) { append(makeBlock(batch, head)); });
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

RowBlock DecodeChunks::makeBlock(Value batch, Value head) {
  b.name("key_head");
  return {batch, head, b.keyHead(head), b.index(0), b.index(tokens)};
}

Value DecodeChunks::cachedTokens(Value batch) {
  b.name("cached_length");
  Value length = LoadIndexOp::create(b, b.arrays.cached, batch);
  // Whatever the caller says, nothing outside the cache is touched.
  b.name("cached");
  return arith::MinUIOp::create(b, length, capacity);
}

Value DecodeChunks::loadQuery(const RowBlock &block, const CacheScan &scan) {
  int64_t count = scan.rows;
  if (scan.query) {
    b.name(scan.query == &b.arrays.query ? "Q" : "W");
    return loadKeys(*scan.query, block, count);
  }
  b.name("W");
  Value writing = loadKeys(b.arrays.write, block, count);
  b.name("Q");
  Value reading = loadKeys(b.arrays.query, block, count);
  // A product with ones and zeros, of numbers that need no rounding.
  b.name("down");
  Value down =
      IdentityOp::create(b, tileType(b, {count, count}), b.index(-count / 2));
  b.name("WQ");
  return ApplyOp::create(b, writing.getType(), down, reading, writing,
                         Part::Full, /*steps=*/1, /*transpose=*/false, b.prec);
}

void DecodeChunks::attend(ArrayRef<ScanRows> passed, const RowBlock &block,
                          Value segment) {
  SmallVector<Value> queries, none;
  for (const ScanRows &use : passed) {
    queries.push_back(loadQuery(block, *use.scan));
    llvm::append_range(none, noSums(use.scan->kernel, use.scan->rows).pack());
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
    ValueRange remaining = loop.getRegionIterArgs();
    for (auto [use, query] : llvm::zip(passed, queries)) {
      FeatureKernel kernel = use.scan->kernel;
      size_t size = use.scan->sums.pack().size();
      b.name("s_j");
      Value scores = gram(query, key, kernel, Part::Full);
      b.name("acc");
      RowSums next =
          advance(kernel, RowSums::unpack(remaining.take_front(size)), scores,
                  known, Part::Full, earlier.count, /*areRounded=*/true);
      llvm::append_range(carried, next.pack());
      remaining = remaining.drop_front(size);
    }
    scf::YieldOp::create(b, carried);
  }
  ValueRange results = loop.getResults();
  for (const ScanRows &use : passed)
    for (Value array : use.scan->sums.pack()) {
      bool isMatrix = array == use.scan->sums.acc;
      b.store(results.front(), array, at(block, segment, isMatrix ? 2 : 1),
              isMatrix ? b.index(use.scan->asking) : Value(),
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

RowSums DecodeChunks::mergeSegments(const RowBlock &block, const ScanRows &use,
                                    const RowSums &start) {
  const RowSums &arrays = use.scan->sums;
  auto loop =
      scf::ForOp::create(b, b.index(0), segments, b.index(1), start.pack());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value segment = loop.getInductionVar();
  segment.setLoc(named("segment"));
  RowSums more;
  if (arrays.max) {
    Value count = use.first ? b.index(use.scan->rows - use.first) : Value();
    SmallVector<Value> here = at(block, segment, 1, use.first);
    b.name("m_j");
    more.max = b.load({arrays.max}, here, count, {3}, rows);
    b.name("l_j");
    more.sum = b.load({arrays.sum}, here, count, {3}, rows);
  }
  b.name("acc_j");
  more.acc = b.load({arrays.acc}, at(block, segment, 2, use.first), block.count,
                    {3, 4}, values.getShape());
  RowSums sums = RowSums::unpack(loop.getRegionIterArgs());
  scf::YieldOp::create(b, merge(sums, more).pack());
  return RowSums::unpack(loop.getResults());
}

//===----------------------------------------------------------------------===//
// The new tokens
//===----------------------------------------------------------------------===//

void DecodeChunks::append(const RowBlock &block) {
  WriteTiles tiles = loadWrite(block);
  FeatureKernel kernel = op.getKernel().getWrite();
  SolvedTiles solved =
      solve(tiles, mergeSegments(block, uses.front(), noSums(kernel, rows)));
  storeSolved(tiles, solved, block);
  if (!op.isTied()) {
    // The block before the segments: u need not outlive it.
    b.name("Q");
    Value query = loadKeys(b.arrays.query, block, rows);
    RowSums sums = addOwn(query, tiles.key, solved.u,
                          noSums(op.getKernel().getRead(), rows));
    storeRead(mergeSegments(block, uses.back(), sums), block);
  }
  if (b.arrays.u)
    b.store(solved.u, b.arrays.u, ImplicitTiles::at(block, block.head),
            block.count, {1, 3});
  keep(block, tiles.key, solved.u);
}

void DecodeChunks::keep(const RowBlock &block, Value key, Value u) {
  RowBlock behind = block;
  behind.first = cachedTokens(block.batch);
  b.name("room");
  Value room = arith::SubIOp::create(b, capacity, behind.first);
  b.name("kept");
  behind.count = arith::MinUIOp::create(b, room, block.count);
  b.store(u, b.arrays.uCache, ImplicitTiles::at(behind, block.head),
          behind.count, {1, 3});
  if (op.getGroup() != 1) {
    b.name("member");
    Value member =
        arith::RemUIOp::create(b, block.head, b.index(op.getGroup()));
    b.name("is_first");
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, member, b.index(0));
    b.name("keys_kept");
    behind.count =
        arith::SelectOp::create(b, isFirst, behind.count, b.index(0));
  }
  b.store(key, b.arrays.keyCache, ImplicitTiles::at(behind, block.keyHead),
          behind.count, {1, 3});
}

LogicalResult delta::buildDecodeChunks(ChunkBuilder &builder) {
  DecodeChunks(builder).build();
  return success();
}
