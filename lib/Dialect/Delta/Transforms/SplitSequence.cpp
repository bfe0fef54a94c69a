//===- SplitSequence.cpp - segments of a sequence at once -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A chain is linear in its state, so a segment of it is the map S' = M S + N,
/// and segments can be run at once when their maps are known. Nothing here
/// knows the recurrence: both M and N are made by the chain's own loop, from
/// other initial states and values.
///
/// The pieces of work of one loop nest are one index, the outer coordinate of
/// its scf.forall; the inner one is the head as before. Workspaces have the
/// same two axes in front of a state.
///
//===----------------------------------------------------------------------===//

#include "ScanNest.h"
#include "Segments.h"

#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace delta {
#define GEN_PASS_DEF_SPLITSEQUENCE
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

namespace {

/// How the rows of a load depend on the chunk: they start at a function of the
/// token `first`, and end with the `sequence`.
struct SequenceRows {
  LoadOp load;
  Value first, sequence;
};

/// One nest that the chain is cloned into.
struct ClonedNest {
  scf::ForallOp work;
  /// In `work`'s body, at its end.
  ImplicitLocOpBuilder b;
  IRMapping map;

  Value index() { return work.getInductionVars()[0]; }
  Value head() { return work.getInductionVars()[1]; }
};

class SequenceSplitter {
public:
  SequenceSplitter(ScanNest loop, const ChainCost &cost, int64_t columns,
                   int64_t forced)
      : loop(loop), cost(cost), valueColumns(columns), forced(forced),
        update(loop.chunks.getYieldedValues()[0]
                   .getDefiningOp<StateUpdateOpInterface>()),
        stateType(
            cast<RankedTensorType>(loop.chunks.getRegionIterArg(0).getType())),
        keyDim(stateType.getDimSize(0)), valueDim(stateType.getDimSize(1)),
        scan(getNest(loop.heads)),
        parts(1 + llvm::divideCeil(keyDim, valueDim)),
        b(loop.heads.getLoc(), loop.heads) {}

  LogicalResult run();

private:
  // What the chain is made of.
  LogicalResult checkLinear();
  LogicalResult addSource(Value tile);
  std::optional<SequenceRows> findSequenceRows(LoadOp load);

  // The loop nests.
  Value allocate(StringRef text, Value count, int64_t columns);
  ClonedNest cloneNest(NestAttr nest, StringRef comment, Value count);
  /// What stands in front of the chain's loop, for `batch`.
  void cloneInits(ClonedNest &nest, Value batch);
  /// The chain's loop over `count` chunks from `first` on.
  scf::ForOp cloneChunks(ClonedNest &nest, Value first, Value count,
                         Value initial);
  void zeroSources(ClonedNest &nest, Value part);
  void buildTransfers();
  void buildCombine();
  void buildSegments();

  void name(const Twine &text) { name(b, text); }
  void name(ImplicitLocOpBuilder &at, const Twine &text) {
    at.setLoc(NameLoc::get(at.getStringAttr(text), loop.heads.getLoc()));
  }
  static Value index(ImplicitLocOpBuilder &at, int64_t value) {
    return arith::ConstantIndexOp::create(at, value);
  }

  ScanNest loop;
  ChainCost cost;
  const int64_t valueColumns;
  /// Segments at most, where they are not chosen by cost; else 0.
  const int64_t forced;
  StateUpdateOpInterface update;
  RankedTensorType stateType;
  const int64_t keyDim, valueDim;
  /// What the chain's nest is.
  const NestAttr scan;
  /// Pieces of `valueDim` columns of a transfer: N, then M.
  const int64_t parts;
  ImplicitLocOpBuilder b;

  /// The loads of what is added to a part that is linear in the state.
  SmallVector<SequenceRows> sources;
  Value batches;
  SegmentSizes segments;
  /// Workspaces: maps of the segments, N and the parts of M side by side, and
  /// states in front of segments.
  Value transfers, starts;
};

} // namespace

//===----------------------------------------------------------------------===//
// What the chain is made of
//===----------------------------------------------------------------------===//

std::optional<SequenceRows> SequenceSplitter::findSequenceRows(LoadOp load) {
  if (!load.getRows())
    return std::nullopt;
  // rows = min(sequence - first, ..) or a multiple of it.
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [&](Operation *op) {
    return op->getBlock() == loop.chunks.getBody();
  };
  if (failed(getBackwardSlice(load.getRows(), &slice, options)))
    return std::nullopt;
  for (Operation *op : slice)
    if (auto left = dyn_cast<arith::SubIOp>(op);
        left && loop.chunks.isDefinedOutsideOfLoop(left.getLhs()))
      return SequenceRows{load, left.getRhs(), left.getLhs()};
  return std::nullopt;
}

LogicalResult SequenceSplitter::addSource(Value tile) {
  while (auto extend = tile.getDefiningOp<arith::ExtFOp>())
    tile = extend.getIn();
  auto load = tile.getDefiningOp<LoadOp>();
  std::optional<SequenceRows> rows =
      load ? findSequenceRows(load) : std::nullopt;
  if (!rows)
    return loop.chunks.emitError(
        "segments: expected what is added to the state's part to be rows of an "
        "array");
  if (llvm::none_of(sources, [&](auto &known) { return known.load == load; }))
    sources.push_back(*rows);
  return success();
}

/// Checks that the next state is linear in this one, up to the sources.
LogicalResult SequenceSplitter::checkLinear() {
  if (!update)
    return loop.chunks.emitError(
        "split_sequence: expected a chunk to end with an update of the state");
  DenseSet<Value> linear;
  linear.insert(loop.chunks.getRegionIterArg(0));
  auto isLinear = [&](Value value) { return value && linear.contains(value); };
  for (Operation &op : loop.chunks.getBody()->without_terminator()) {
    if (llvm::none_of(op.getOperands(), isLinear))
      continue;
    linear.insert(op.result_begin(), op.result_end());
    // Operands that may depend on the state, or be added to what does.
    SmallVector<Value> terms;
    if (auto map = dyn_cast<ColumnLinearOpInterface>(op))
      terms = map.getLinearOperands();
    else if (isa<arith::AddFOp, arith::SubFOp, arith::ExtFOp, arith::TruncFOp>(
                 op))
      terms = llvm::to_vector(op.getOperands());
    else if (isa<arith::MulFOp>(op) &&
             llvm::count_if(op.getOperands(), isLinear) == 1)
      terms = {*llvm::find_if(op.getOperands(), isLinear)};
    else if (auto store = dyn_cast<StoreOp>(op))
      terms = {store.getTile()};
    bool others = llvm::any_of(op.getOperands(), [&](Value operand) {
      return isLinear(operand) && !llvm::is_contained(terms, operand);
    });
    if (others)
      return op.emitError("segments: expected an op that is linear in the "
                          "state");
    for (Value term : terms)
      if (!isLinear(term) && failed(addSource(term)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The loop nests
//===----------------------------------------------------------------------===//

Value SequenceSplitter::allocate(StringRef text, Value count, int64_t columns) {
  int64_t heads = *getConstantIntValue(loop.heads.getMixedUpperBound()[1]);
  auto type = MemRefType::get({ShapedType::kDynamic, heads, keyDim, columns},
                              b.getF32Type());
  name(text);
  auto alloc = memref::AllocOp::create(b, type, ValueRange{count});
  alloc->setAttr("delta.name", b.getStringAttr(text));
  return alloc;
}

ClonedNest SequenceSplitter::cloneNest(NestAttr nest, StringRef comment,
                                       Value count) {
  SmallVector<OpFoldResult> bounds = loop.heads.getMixedUpperBound();
  bounds[0] = getAsOpFoldResult(count);
  b.setLoc(loop.heads.getLoc());
  scf::ForallOp work = createNest(b, nest, comment, bounds);
  return ClonedNest{
      work, ImplicitLocOpBuilder(b.getLoc(), work.getTerminator()), {}};
}

void SequenceSplitter::cloneInits(ClonedNest &nest, Value batch) {
  nest.map.map(loop.batch(), batch);
  nest.map.map(loop.head(), nest.head());
  for (Operation &op : *loop.heads.getBody()) {
    if (&op == loop.chunks)
      return;
    nest.b.clone(op, nest.map);
  }
}

scf::ForOp SequenceSplitter::cloneChunks(ClonedNest &nest, Value first,
                                         Value count, Value initial) {
  ImplicitLocOpBuilder &at = nest.b;
  at.setLoc(loop.chunks.getLoc());
  auto chunks = scf::ForOp::create(at, index(at, 0), count, index(at, 1),
                                   ValueRange{initial});
  OpBuilder::InsertionGuard guard(at);
  at.setInsertionPointToStart(chunks.getBody());
  name(at, "chunk");
  Value chunk = arith::AddIOp::create(at, first, chunks.getInductionVar());
  nest.map.map(loop.chunk(), chunk);
  nest.map.map(loop.chunks.getRegionIterArgs(), chunks.getRegionIterArgs());
  for (Operation &op : *loop.chunks.getBody())
    at.clone(op, nest.map);
  return chunks;
}

/// Moves the rows of the sources behind the sequence, so that they are zero,
/// where `part` is not 0.
void SequenceSplitter::zeroSources(ClonedNest &nest, Value part) {
  for (SequenceRows &rows : sources) {
    auto load =
        cast<LoadOp>(nest.map.lookup(rows.load.getTile()).getDefiningOp());
    Value first = nest.map.lookupOrDefault(rows.first);
    ImplicitLocOpBuilder at(first.getLoc(), load);
    Value past = arith::MulIOp::create(at, part, rows.sequence);
    Value moved = arith::AddIOp::create(at, first, past);
    moved = arith::MinUIOp::create(at, moved, rows.sequence);
    IRMapping map;
    map.map(first, moved);
    for (Operation &op : llvm::make_range(load->getBlock()->begin(),
                                          past.getDefiningOp()->getIterator()))
      if (llvm::any_of(op.getOperands(),
                       [&](Value operand) { return map.contains(operand); }) &&
          llvm::all_of(op.getResultTypes(),
                       [](Type type) { return type.isIndex(); }))
        at.clone(op, map);
    for (OpOperand &operand : load->getOpOperands())
      operand.set(map.lookupOrDefault(operand.get()));
  }
}

static void eraseDead(Block *block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void SequenceSplitter::buildTransfers() {
  name("work");
  Value count = arith::MulIOp::create(b, batches, segments.transferred);
  count = arith::MulIOp::create(b, count, index(b, parts));
  ClonedNest nest =
      cloneNest(scan.withName("transfer").withAxes({"work", "head"}),
                "The map S <- M S + N of one segment: its chunks run from zero "
                "(part 0, which gives N) and from columns of the identity "
                "(the others, M), without values and outputs.",
                count);
  ImplicitLocOpBuilder &at = nest.b;
  name(at, "part");
  Value part = arith::RemUIOp::create(at, nest.index(), index(at, parts));
  name(at, "map");
  Value map = arith::DivUIOp::create(at, nest.index(), index(at, parts));
  name(at, "segment");
  Value segment = arith::RemUIOp::create(at, map, segments.transferred);
  name(at, "batch");
  cloneInits(nest, arith::DivUIOp::create(at, map, segments.transferred));
  name(at, "first_chunk");
  Value first = arith::MulIOp::create(at, segment, segments.length);
  // Part 0 starts from zeros, part p from columns (p - 1) valueDim on of the
  // identity.
  Value width = index(at, valueDim);
  name(at, "first_column");
  Value column = arith::MulIOp::create(at, part, width);
  name(at, "diagonal");
  Value diagonal = arith::SubIOp::create(at, width, column);
  name(at, "S");
  Value initial = IdentityOp::create(at, stateType, diagonal);
  scf::ForOp chunks = cloneChunks(nest, first, segments.length, initial);
  for (Operation &op : llvm::make_early_inc_range(*chunks.getBody()))
    if (isa<StoreOp>(op))
      op.erase();
  zeroSources(nest, part);
  at.setLoc(loop.heads.getLoc());
  StoreOp::create(at, chunks.getResult(0), transfers,
                  ValueRange{map, nest.head(), index(at, 0), column},
                  /*rows=*/Value(), ArrayRef<int64_t>{2, 3});
  eraseDead(chunks.getBody());
  eraseDead(nest.work.getBody());
}

void SequenceSplitter::buildCombine() {
  ClonedNest nest =
      cloneNest(NestAttr::get(b.getContext(), NestKind::SegmentFold, "combine",
                              {"batch", "head"}, Carries::State),
                "The state before each segment, one after the other: "
                "S <- M S + N with the maps of the segments.",
                batches);
  ImplicitLocOpBuilder &at = nest.b;
  cloneInits(nest, nest.index());
  auto mapType = RankedTensorType::get({keyDim, keyDim}, at.getF32Type());
  PrecAttr prec = update.getPrecAttr();
  auto store = [&](Value state, Value segment) {
    at.setLoc(loop.heads.getLoc());
    Value zero = index(at, 0);
    StoreOp::create(at, state, starts,
                    ValueRange{segment, nest.head(), zero, zero},
                    /*rows=*/Value(), ArrayRef<int64_t>{2, 3});
  };
  name(at, "first_segment");
  Value base = arith::MulIOp::create(at, nest.index(), segments.count);
  Value initial = nest.map.lookupOrDefault(loop.chunks.getInitArgs()[0]);
  store(initial, base);

  name(at, "segment");
  auto loopOver = scf::ForOp::create(at, index(at, 0), segments.transferred,
                                     index(at, 1), initial);
  {
    OpBuilder::InsertionGuard guard(at);
    at.setInsertionPointToStart(loopOver.getBody());
    name(at, "map");
    Value segment = loopOver.getInductionVar();
    Value map = arith::MulIOp::create(at, nest.index(), segments.transferred);
    map = arith::AddIOp::create(at, map, segment);
    auto load = [&](StringRef text, RankedTensorType type,
                    int64_t column) -> Value {
      name(at, text);
      return LoadOp::create(
          at, type, transfers,
          ValueRange{map, nest.head(), index(at, 0), index(at, column)},
          /*rows=*/Value(), ArrayRef<int64_t>{2, 3},
          /*steps=*/1, /*before=*/false);
    };
    auto round = [&](const Twine &text, Value x) -> Value {
      name(at, text);
      auto type = cast<RankedTensorType>(x.getType());
      Value narrow =
          arith::TruncFOp::create(at, type.clone(prec.getOperands()), x);
      return arith::ExtFOp::create(at, type, narrow);
    };
    // x = rounded + rest, of which the rest is rounded too.
    auto split = [&](StringRef text, Value x) -> std::pair<Value, Value> {
      Value rounded = round(text, x);
      name(at, text + "_rest");
      Value rest = arith::SubFOp::create(at, x, rounded);
      return {rounded, round(text + "_rest", rest)};
    };
    auto apply = [&](StringRef text, Value matrix, Value state,
                     Value sum) -> Value {
      name(at, text);
      return ApplyOp::create(at, stateType, matrix, state, sum, Part::Full,
                             /*steps=*/1, /*transpose=*/false, prec);
    };
    auto [M, restOfM] = split("M", load("M", mapType, valueDim));
    auto [S, restOfS] = split("S", loopOver.getRegionIterArg(0));
    Value N = load("N", stateType, 0);
    // Two sums, of which neither waits for the other.
    Value rest = apply("MS_rest", restOfM, S, /*sum=*/Value());
    rest = apply("MS_rest", M, restOfS, rest);
    Value next = apply("S", M, S, N);
    name(at, "S");
    next = arith::AddFOp::create(at, next, rest);
    name(at, "next_segment");
    Value behind = arith::AddIOp::create(at, base, segment);
    store(next, arith::AddIOp::create(at, behind, index(at, 1)));
    scf::YieldOp::create(at, next);
  }
  eraseDead(nest.work.getBody());
}

void SequenceSplitter::buildSegments() {
  name("work");
  ClonedNest nest =
      cloneNest(scan.withName("segments").withAxes({"work", "head"}),
                "Runs through the chunks of one segment, from the state before "
                "it: as the kernel for whole sequences does.",
                arith::MulIOp::create(b, batches, segments.count));
  ImplicitLocOpBuilder &at = nest.b;
  name(at, "segment");
  Value segment = arith::RemUIOp::create(at, nest.index(), segments.count);
  name(at, "batch");
  cloneInits(nest, arith::DivUIOp::create(at, nest.index(), segments.count));
  name(at, "first_chunk");
  Value first = arith::MulIOp::create(at, segment, segments.length);
  name(at, "count");
  Value left = arith::SubIOp::create(at, loop.chunks.getUpperBound(), first);
  Value count = arith::MinUIOp::create(at, left, segments.length);
  name(at, "S");
  Value zero = index(at, 0);
  Value initial = LoadOp::create(
      at, stateType, starts, ValueRange{nest.index(), nest.head(), zero, zero},
      /*rows=*/Value(), ArrayRef<int64_t>{2, 3}, /*steps=*/1, /*before=*/false);
  scf::ForOp chunks = cloneChunks(nest, first, count, initial);
  nest.map.map(loop.chunks.getResult(0), chunks.getResult(0));

  // The last segment's state is the sequence's: no row of the others is stored.
  name(at, "next_segment");
  Value next = arith::AddIOp::create(at, segment, index(at, 1));
  name(at, "is_last");
  Value isLast =
      arith::CmpIOp::create(at, arith::CmpIPredicate::eq, next, segments.count);
  name(at, "rows");
  Value rows = arith::SelectOp::create(at, isLast, index(at, keyDim), zero);
  for (Operation &op :
       llvm::make_range(std::next(loop.chunks->getIterator()),
                        loop.heads.getTerminator()->getIterator())) {
    Operation *copy = at.clone(op, nest.map);
    if (auto store = dyn_cast<StoreOp>(copy))
      store.getRowsMutable().assign(rows);
  }
  eraseDead(chunks.getBody());
  eraseDead(nest.work.getBody());
}

LogicalResult SequenceSplitter::run() {
  if (failed(checkLinear()))
    return failure();
  name("batch");
  batches = getValueOrCreateConstantIndexOp(b, b.getLoc(),
                                            loop.heads.getMixedUpperBound()[0]);
  int64_t heads = *getConstantIntValue(loop.heads.getMixedUpperBound()[1]);
  segments = emitSegments(b,
                          {batches, loop.chunks.getUpperBound(), heads,
                           valueDim / valueColumns, parts},
                          cost, forced);
  name("transfers");
  transfers = allocate("transfers",
                       arith::MulIOp::create(b, batches, segments.transferred),
                       parts * valueDim);
  name("starts");
  starts = allocate("starts", arith::MulIOp::create(b, batches, segments.count),
                    valueDim);
  b.setLoc(loop.heads.getLoc());
  auto choice = scf::IfOp::create(b, segments.isSplit, /*withElseRegion=*/true);
  loop.heads->moveBefore(choice.elseBlock()->getTerminator());
  b.setInsertionPointToStart(choice.thenBlock());
  buildTransfers();
  buildCombine();
  buildSegments();
  return success();
}

namespace {

class SplitSequencePass
    : public delta::impl::SplitSequenceBase<SplitSequencePass> {
public:
  using Base::Base;

  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      ArrayAttr plans = getPlans(func, "chain");
      auto first =
          plans ? cast<plan::KernelPlanAttr>(plans[0]) : plan::KernelPlanAttr();
      if (!first || first.getWork() != plan::Work::Segments)
        continue;
      std::optional<ChainCost> cost = ChainCost::get(plans);
      if (!cost) {
        func.emitError("plan work: expected grid on ")
            << first.getMachine().getName()
            << ", where no scan was measured; got segments";
        return signalPassFailure();
      }
      FailureOr<SmallVector<ScanNest>> scans = findScans(func);
      if (failed(scans))
        return signalPassFailure();
      for (ScanNest loop : *scans) {
        if (failed(SequenceSplitter(loop, *cost, first.getColumns(), segments)
                       .run()))
          return signalPassFailure();
        remark::passed(loop.heads.getLoc(),
                       remark::RemarkOpts::name("SplitSequence")
                           .category("delta-split-sequence")
                           .function(func.getName()))
            << "a sequence runs as segments where its chains leave "
               "multiprocessors idle";
      }
    }
  }
};

} // namespace
