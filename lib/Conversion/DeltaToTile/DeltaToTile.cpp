//===- DeltaToTile.cpp - chunked phase to tile value form -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass, and the cut into kernels: grids, arguments, launches. What happens
/// to the ops of a kernel is in TileBody.
///
//===----------------------------------------------------------------------===//

#include "NestChecks.h"
#include "TileBody.h"
#include "ValueAxis.h"

#include "delta/Conversion/Passes.h"
#include "delta/Dialect/Delta/IR/DeltaDialect.h"
#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace delta {
#define GEN_PASS_DEF_CONVERTDELTATOTILE
#include "delta/Conversion/ConversionPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

/// Rows of a fragment that one warp holds.
static constexpr int64_t kRowsPerWarp = 16;

/// Elements (i32) from one flag to the next: a cache line each, so that who
/// waits for one head does not hold up another's.
static constexpr int64_t kFlagStride = 32;

/// The name that an array or a size has in the function's interface.
static StringRef nameOfCaptured(Value value) {
  if (auto arg = dyn_cast<BlockArgument>(value)) {
    auto func = cast<func::FuncOp>(arg.getOwner()->getParentOp());
    if (auto name =
            func.getArgAttrOfType<StringAttr>(arg.getArgNumber(), "delta.name"))
      return name.getValue();
    return "";
  }
  Operation *def = value.getDefiningOp();
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(def))
    return nameOfCaptured(collapse.getSrc());
  if (auto name = def->getAttrOfType<StringAttr>("delta.name"))
    return name.getValue();
  if (auto dim = dyn_cast<memref::DimOp>(def))
    return dim.getConstantIndex() == 0 ? "batches" : "length";
  if (auto named = dyn_cast<NameLoc>(def->getLoc()))
    return named.getName();
  if (isa<arith::CeilDivUIOp>(def))
    return "chunks";
  return "";
}

/// The loop over query blocks of an ordered nest, and the array that they
/// publish; fails, with a diagnostic, where the nest has another form.
static FailureOr<BlockChain> findBlockChain(scf::ForallOp nest) {
  BlockChain chain;
  for (auto blocks : nest.getBody()->getOps<scf::ForOp>())
    blocks.walk([&](LoadOp load) {
      if (load.getBefore())
        chain = {blocks, load.getSource(), /*flags=*/{}, /*flag=*/{}};
    });
  if (static_cast<bool>(chain.blocks) == getNest(nest).isOrdered())
    return chain;
  return nest.emitError(
      chain.blocks ? "nest publishes: expected the array of the loads `before`"
                   : "nest publishes: expected a loop over blocks with a load "
                     "`before` of the array");
}

static bool isCallersArray(Value value) {
  if (auto collapse = value.getDefiningOp<memref::CollapseShapeOp>())
    value = collapse.getSrc();
  return isa<BlockArgument>(value);
}

namespace {

/// One outermost loop on its way to being a kernel.
class KernelBuilder {
public:
  /// `plans` are alternatives, at least one.
  KernelBuilder(func::FuncOp func, scf::ForallOp loop, ArrayAttr plans)
      : func(func), loop(loop), nest(getNest(loop)),
        name((func.getName() + "_" + nest.getName().getValue()).str()),
        plans(plans), plan(cast<plan::KernelPlanAttr>(plans[0])),
        b(loop.getLoc(), loop) {}

  LogicalResult run();

private:
  /// The type of the matrix that a loop inside carries: a state or blocks of
  /// its rows, or sums of u. Null where there is none.
  RankedTensorType findCarriedType();
  /// Rows that every fragment of a kernel without a state has.
  int64_t findFragmentRows();
  /// Chooses how tiles lie, and the rows that every fragment of the kernel has.
  void chooseTiles();
  /// What the kernel's grid indices are called, fastest first.
  SmallVector<std::string> gridNames();
  tile::KernelOp createKernel(ArrayRef<Value> captured, int64_t gridRank);
  /// The host's values that the body uses, arrays first; constants are left to
  /// the body.
  SmallVector<Value> collectCaptured(SmallVectorImpl<Value> &constants);
  /// Makes the counter of tickets and the flags in the host program.
  Value createProgress();
  /// Says there how many chains of row blocks are worked through together.
  void createGroups();
  /// Maps the coordinates of `loop`, and of its block chain, in the kernel.
  void mapCoordinates(ImplicitLocOpBuilder &inside, Block &body,
                      IRMapping &map);
  void mapTicket(ImplicitLocOpBuilder &inside, IRMapping &map);
  void mapColumnTile(ImplicitLocOpBuilder &inside, Value tile);
  bool isAttention() { return nest.getKind() == NestKind::Attention; }
  /// Whether later query blocks, which read more, come first.
  bool startsWithLongest() {
    return plan.getWork() == plan::Work::LongestFirst;
  }
  int64_t tilesAHead() { return std::max<int64_t>(columnTiles, 1); }
  void launch(ArrayRef<Value> captured);

  func::FuncOp func;
  scf::ForallOp loop;
  NestAttr nest;
  std::string name;
  ArrayAttr plans;
  plan::KernelPlanAttr plan;
  ImplicitLocOpBuilder b;
  BodyOptions options;
  /// The number of value-column tiles; 0 where the loop has no value axis.
  int64_t columnTiles = 0;
  /// Of a block chain: counter and flags, and the number of batches.
  Value progress, batches;
  /// How many chains make a group, and how many row blocks.
  Value groupChains, groupItems;
  /// How many row blocks a sequence has, where the last one comes first.
  Value blockCount;
};

} // namespace

RankedTensorType KernelBuilder::findCarriedType() {
  RankedTensorType matrix;
  loop.walk([&](scf::ForOp carrying) {
    for (Value carried : carrying.getRegionIterArgs())
      if (auto type = dyn_cast<RankedTensorType>(carried.getType());
          type && type.getRank() == 2)
        matrix = type;
  });
  return matrix;
}

int64_t KernelBuilder::findFragmentRows() {
  int64_t rows = 0;
  if (nest.getKind() == NestKind::Rows)
    loop.walk(
        [&](LoadOp load) { rows = load.getTile().getType().getShape()[0]; });
  else
    // Queries ask, however many keys there are at a time; of a chunk with fewer
    // tokens than micro-steps the squares of the latter are most of the work.
    loop.walk([&](GramOp gram) {
      Value side = isAttention() ? gram.getLhs() : gram.getRhs();
      rows = cast<RankedTensorType>(side.getType()).getShape()[0];
    });
  return rows;
}

void KernelBuilder::chooseTiles() {
  RankedTensorType carried = findCarriedType();
  int64_t columns = carried ? carried.getShape()[1] : 0;
  options.valueColumns = plan.getColumns();
  switch (nest.getKind()) {
  case NestKind::Scan:
    options.valueOrientation = Orientation::Transposed;
    func->setAttr(
        kOrientationAttr,
        b.getStringAttr("Tiles with a value axis (S, V, X, U, O) are held "
                        "transposed in kernels that carry S: their rows are "
                        "value columns. So K S is written S K^T there, U = T X "
                        "is X T^T, and S + K^T U is S + U K."));
    options.fragmentRows = options.valueColumns;
    break;
  case NestKind::SegmentFold:
    options.fragmentRows = carried.getShape()[0];
    break;
  case NestKind::Attention:
    options.fragmentRows = findFragmentRows();
    // A query block mostly owns all columns, as each tile needs all weights.
    if (columns == options.valueColumns)
      columns = 0;
    break;
  case NestKind::IntraChunk:
  case NestKind::Rows:
    options.fragmentRows = findFragmentRows();
    break;
  }
  columnTiles = columns / options.valueColumns;
  if (columnTiles)
    options.valueAxis = findValueAxis(loop);
}

SmallVector<std::string> KernelBuilder::gridNames() {
  if (nest.isOrdered())
    return {"cta"};
  SmallVector<std::string> names;
  for (auto axis : llvm::reverse(nest.getAxes().getAsRange<StringAttr>()))
    names.push_back(axis.str());
  if (startsWithLongest()) {
    std::rotate(names.begin(), names.begin() + 1, names.end());
    names.back() += "s_after";
  }
  // The column tiles of a query block are neighbours.
  if (columnTiles && isAttention())
    names.front() += "_tile";
  else if (columnTiles)
    names.insert(names.begin(), "column_tile");
  return names;
}

tile::KernelOp KernelBuilder::createKernel(ArrayRef<Value> captured,
                                           int64_t gridRank) {
  SmallVector<Type> types(gridRank, b.getIndexType());
  // The caller's arrays keep their names; what is ours gives way.
  llvm::StringSet<> taken;
  auto nameAttrs = [&](StringRef text) {
    SmallVector<NamedAttribute> named;
    std::string name = text.str();
    for (int i = 2; !text.empty() && !taken.insert(name).second; ++i)
      name = (text + "_" + Twine(i)).str();
    if (!text.empty())
      named.push_back(b.getNamedAttr("delta.name", b.getStringAttr(name)));
    return b.getDictionaryAttr(named);
  };
  DenseMap<Value, DictionaryAttr> callers;
  for (Value value : captured)
    if (isCallersArray(value))
      callers[value] = nameAttrs(nameOfCaptured(value));
  SmallVector<DictionaryAttr> attrs;
  for (StringRef axis : gridNames())
    attrs.push_back(nameAttrs(axis));
  for (Value value : captured) {
    types.push_back(value.getType());
    attrs.push_back(callers.contains(value) ? callers[value]
                    : value == blockCount   ? nameAttrs("blocks")
                                            : nameAttrs(nameOfCaptured(value)));
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(func);
  auto kernel = tile::KernelOp::create(
      b, name, b.getFunctionType(types, {}), gridRank,
      options.fragmentRows / kRowsPerWarp, /*sym_visibility=*/StringAttr(),
      /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
  SmallVector<Location> locations(types.size(), loop.getLoc());
  kernel.getBody().push_back(new Block());
  kernel.getBody().front().addArguments(types, locations);
  kernel.setAllArgAttrs(attrs);
  kernel.setPlanAttr(plan);
  if (plans.size() > 1)
    kernel.setAlternativesAttr(plans);
  if (Attribute comment = loop->getAttr(kCommentAttr))
    kernel->setAttr(kCommentAttr, comment);
  return kernel;
}

Value KernelBuilder::createProgress() {
  // A line a batch, head and column tile; element 0 of the first hands out
  // tickets. Cleared in front of every kernel.
  OpBuilder::InsertionGuard guard(b);
  SmallVector<OpFoldResult> bounds = loop.getMixedUpperBound();
  batches = getValueOrCreateConstantIndexOp(b, b.getLoc(), bounds[0]);
  auto launches = loop->getBlock()->getOps<tile::LaunchOp>();
  if (!launches.empty()) {
    IRRewriter rewriter(b);
    (void)moveValueDefinitions(rewriter, batches, *launches.begin());
    b.setInsertionPoint(*launches.begin());
  }
  Value heads = getValueOrCreateConstantIndexOp(b, b.getLoc(), bounds[1]);
  Value lines = arith::MulIOp::create(b, batches, heads);
  Value stride = arith::ConstantIndexOp::create(b, tilesAHead() * kFlagStride);
  Value size = arith::MulIOp::create(b, lines, stride);
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI32Type());
  auto alloc = memref::AllocOp::create(b, type, size);
  alloc->setAttr("delta.name", b.getStringAttr("progress"));
  tile::ClearOp::create(b, alloc);
  return alloc;
}

/// Bytes of keys and u that a row block adds to what later ones of its chain
/// read; `columns` of u are this chain's.
static int64_t getBlockBytes(scf::ForallOp loop, int64_t columns) {
  int64_t bytes = 0;
  loop.walk([&](GramOp gram) {
    auto keys = cast<RankedTensorType>(gram.getRhs().getType());
    bytes =
        keys.getDimSize(0) * (keys.getDimSize(1) + columns) * sizeof(uint16_t);
  });
  return bytes;
}

void KernelBuilder::createGroups() {
  auto named = [&](StringRef name) {
    b.setLoc(NameLoc::get(b.getStringAttr(name), loop.getLoc()));
  };
  auto constant = [&](int64_t value) -> Value {
    b.setLoc(loop.getLoc());
    return arith::ConstantIndexOp::create(b, value);
  };
  int64_t headCount = *getConstantIntValue(loop.getMixedUpperBound()[1]);
  Value blocks = options.chain.blocks.getUpperBound();
  Value chainsABatch = constant(headCount * tilesAHead());
  Value chains = arith::MulIOp::create(b, batches, chainsABatch);
  named("items");
  Value items = arith::MulIOp::create(b, chains, blocks);
  // As many groups as are surely not too small: with few chains, blocks wait
  // for each other.
  Value together = constant(plan.getGroupBytes() /
                            getBlockBytes(loop, options.valueColumns));
  Value groups = arith::DivUIOp::create(b, items, together);
  groups = arith::MaxUIOp::create(b, groups, constant(1));
  named("group_chains");
  groupChains = arith::CeilDivUIOp::create(b, chains, groups);
  named("group_items");
  groupItems = arith::MulIOp::create(b, groupChains, blocks);
  b.setLoc(loop.getLoc());
}

void KernelBuilder::mapTicket(ImplicitLocOpBuilder &inside, IRMapping &map) {
  auto named = [&](StringRef name) {
    inside.setLoc(NameLoc::get(inside.getStringAttr(name), loop.getLoc()));
  };
  int64_t headCount = *getConstantIntValue(loop.getMixedUpperBound()[1]);
  options.chain.flags = map.lookup(progress);
  named("item");
  Value item =
      tile::TicketOp::create(inside, inside.getIndexType(), options.chain.flags,
                             /*scratch=*/Value());
  // One group of chains after the other. In a group blocks ascend, and of each
  // block all batches, heads and column tiles come in turn: a block is drawn
  // when those that it waits for are, and long after them.
  auto constant = [&](int64_t value) -> Value {
    inside.setLoc(loop.getLoc());
    return arith::ConstantIndexOp::create(inside, value);
  };
  Value chainsABatch = constant(headCount * tilesAHead());
  Value batchCount = map.lookupOrDefault(batches);
  // Every thread of a CTA divides before it begins, which in 64 bits takes a
  // hundred instructions; a grid has no more items than 32 bits count. The
  // remainder is cheaper from the quotient.
  auto divide = [&](StringRef quotientName, StringRef remainderName,
                    Value value, Value divisor) -> std::pair<Value, Value> {
    inside.setLoc(loop.getLoc());
    auto narrow = [&](Value wide) -> Value {
      return arith::IndexCastOp::create(inside, inside.getI32Type(), wide);
    };
    Value quotient =
        arith::DivUIOp::create(inside, narrow(value), narrow(divisor));
    named(quotientName);
    quotient =
        arith::IndexCastOp::create(inside, inside.getIndexType(), quotient);
    inside.setLoc(loop.getLoc());
    Value whole = arith::MulIOp::create(inside, quotient, divisor);
    named(remainderName);
    return {quotient, arith::SubIOp::create(inside, value, whole)};
  };
  Value size = map.lookup(groupChains), items = map.lookup(groupItems);
  auto [group, own] = divide("group", "group_item", item, items);
  named("first_chain");
  Value first = arith::MulIOp::create(inside, group, size);
  named("chains");
  Value chains = arith::MulIOp::create(inside, batchCount, chainsABatch);
  named("chains_left");
  Value left = arith::SubIOp::create(inside, chains, first);
  named("chains_together");
  Value together = arith::MinUIOp::create(inside, left, size);
  auto [block, behind] = divide("block", "group_chain", own, together);
  named("chain");
  Value chain = arith::AddIOp::create(inside, first, behind);
  Value sequence = chain;
  if (columnTiles) {
    Value tiles = constant(columnTiles);
    named("column_tile");
    mapColumnTile(inside, arith::RemUIOp::create(inside, chain, tiles));
    named("sequence");
    sequence = arith::DivUIOp::create(inside, chain, tiles);
  }
  Value heads = constant(headCount);
  named("head");
  Value head = arith::RemUIOp::create(inside, sequence, heads);
  named("batch");
  Value batch = arith::DivUIOp::create(inside, sequence, heads);
  Value stride = constant(kFlagStride);
  named("flag");
  Value line = arith::MulIOp::create(inside, chain, stride);
  Value behindTicket = arith::ConstantIndexOp::create(inside, 1);
  options.chain.flag = arith::AddIOp::create(inside, line, behindTicket);
  map.map(loop.getInductionVars()[0], batch);
  map.map(loop.getInductionVars()[1], head);
  map.map(options.chain.blocks.getInductionVar(), block);
}

void KernelBuilder::mapColumnTile(ImplicitLocOpBuilder &inside, Value tile) {
  inside.setLoc(NameLoc::get(inside.getStringAttr("column"), loop.getLoc()));
  Value width = arith::ConstantIndexOp::create(inside, options.valueColumns);
  options.firstColumn = arith::MulIOp::create(inside, tile, width);
}

void KernelBuilder::mapCoordinates(ImplicitLocOpBuilder &inside, Block &body,
                                   IRMapping &map) {
  if (options.chain.blocks)
    return mapTicket(inside, map);
  SmallVector<Value> coordinates = loop.getInductionVars();
  unsigned position = 0;
  if (startsWithLongest()) {
    Value count = map.lookupOrDefault(blockCount), behind = body.getArgument(2);
    Value one = arith::ConstantIndexOp::create(inside, 1);
    Value last = arith::SubIOp::create(inside, count, one);
    inside.setLoc(NameLoc::get(inside.getStringAttr("block"), loop.getLoc()));
    map.map(coordinates.pop_back_val(),
            arith::SubIOp::create(inside, last, behind));
  }
  if (columnTiles && isAttention()) {
    // The column tiles of a block are neighbours.
    Value index = body.getArgument(position++);
    Value tiles = arith::ConstantIndexOp::create(inside, columnTiles);
    map.map(coordinates.pop_back_val(),
            arith::DivUIOp::create(inside, index, tiles));
    mapColumnTile(inside, arith::RemUIOp::create(inside, index, tiles));
  } else if (columnTiles) {
    mapColumnTile(inside, body.getArgument(position++));
  }
  for (Value coordinate : llvm::reverse(coordinates))
    map.map(coordinate, body.getArgument(position++));
}

void KernelBuilder::launch(ArrayRef<Value> captured) {
  // The last coordinate of the loop varies fastest: neighbours share their
  // rows.
  SmallVector<Value> grid;
  Value tiles;
  if (columnTiles)
    tiles = arith::ConstantIndexOp::create(b, columnTiles);
  SmallVector<OpFoldResult> bounds = loop.getMixedUpperBound();
  for (OpFoldResult bound : llvm::reverse(bounds))
    grid.push_back(getValueOrCreateConstantIndexOp(b, b.getLoc(), bound));
  if (startsWithLongest())
    std::rotate(grid.begin(), grid.begin() + 1, grid.end());
  if (tiles && isAttention() && !nest.isOrdered())
    grid.front() = arith::MulIOp::create(b, grid.front(), tiles);
  else if (tiles)
    grid.insert(grid.begin(), tiles);
  if (options.chain.blocks) {
    Value items = options.chain.blocks.getUpperBound();
    for (Value extent : grid)
      items = arith::MulIOp::create(b, items, extent);
    grid = {items};
  }
  tile::LaunchOp::create(b, name, grid, captured);
}

SmallVector<Value>
KernelBuilder::collectCaptured(SmallVectorImpl<Value> &constants) {
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(loop.getRegion(), above);
  if (scf::ForOp blocks = options.chain.blocks) {
    // The grid says how many blocks there are.
    Value count = blocks.getUpperBound();
    if (llvm::all_of(count.getUsers(), [&](Operation *user) {
          return user == blocks || !loop->isProperAncestor(user);
        }))
      above.remove(count);
    above.insert(batches);
    above.insert(groupChains);
    above.insert(groupItems);
    above.insert(progress);
  } else if (startsWithLongest()) {
    blockCount = getValueOrCreateConstantIndexOp(
        b, b.getLoc(), loop.getMixedUpperBound().back());
    above.insert(blockCount);
  }
  // Arrays first, in the order of the function's arguments.
  SmallVector<Value> captured, numbers;
  for (Value value : above)
    (matchPattern(value, m_Constant())  ? constants
     : isa<MemRefType>(value.getType()) ? captured
                                        : numbers)
        .push_back(value);
  llvm::append_range(captured, numbers);
  return captured;
}

LogicalResult KernelBuilder::run() {
  if (nest.getCarries() != Carries::Nothing && !findCarriedType())
    return loop.emitError("nest carries: expected a loop that carries ")
           << stringifyCarries(nest.getCarries());
  chooseTiles();
  if (RankedTensorType carried = findCarriedType();
      carried && carried.getDimSize(1) % options.valueColumns != 0)
    return loop.emitError("plan columns: expected a divisor of the value dim ")
           << carried.getDimSize(1) << ", got " << options.valueColumns;
  if (options.fragmentRows == 0 || options.fragmentRows % kRowsPerWarp != 0)
    return loop.emitError()
           << "no kernel has fragments of " << options.fragmentRows << " rows";
  FailureOr<BlockChain> chain = findBlockChain(loop);
  if (failed(chain))
    return failure();
  options.chain = *chain;
  if (nest.isOrdered()) {
    progress = createProgress();
    createGroups();
  }

  // Constants move into the kernel, the rest is passed.
  SmallVector<Value> constants;
  SmallVector<Value> captured = collectCaptured(constants);
  int64_t gridRank = gridNames().size();
  tile::KernelOp kernel = createKernel(captured, gridRank);
  Block &body = kernel.getBody().front();

  ImplicitLocOpBuilder inside(loop.getLoc(), func.getContext());
  inside.setInsertionPointToStart(&body);
  IRMapping map;
  for (auto [position, value] : llvm::enumerate(captured))
    map.map(value, body.getArgument(gridRank + position));
  for (Value value : constants)
    inside.clone(*value.getDefiningOp(), map);
  mapCoordinates(inside, body, map);
  if (failed(TileBody(inside, map, options).convertBlock(*loop.getBody())))
    return failure();
  inside.setLoc(loop.getLoc());
  tile::ReturnOp::create(inside);

  launch(captured);
  loop.erase();
  return success();
}

namespace {

class ConvertDeltaToTilePass
    : public delta::impl::ConvertDeltaToTileBase<ConvertDeltaToTilePass> {
public:
  void runOnOperation() override {
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (func.isDeclaration())
        continue;
      SmallVector<scf::ForallOp> loops;
      func.walk<WalkOrder::PreOrder>([&](scf::ForallOp loop) {
        loops.push_back(loop);
        return WalkResult::skip();
      });
      // The plans of a function with kernels are those of its kernels.
      NamedAttrList used;
      for (scf::ForallOp loop : loops)
        if (failed(convert(func, loop, used)))
          return signalPassFailure();
      if (!used.empty())
        func->setAttr(kPlansAttr, used.getDictionary(&getContext()));
    }
  }

private:
  static LogicalResult convert(func::FuncOp func, scf::ForallOp loop,
                               NamedAttrList &used) {
    if (failed(checkNest(loop)))
      return failure();
    StringRef name = getPlanName(getNest(loop));
    ArrayAttr plans = getPlans(func, name);
    if (auto reason = func->getAttrOfType<StringAttr>(kNoPlanAttr);
        !plans && reason)
      return loop.emitError() << reason.getValue();
    if (!plans)
      return loop.emitError("expected plans for ")
             << name << ", which --delta-plan chooses";
    if (failed(checkPlans(loop, plans)))
      return failure();
    used.set(name, plans);
    return KernelBuilder(func, loop, plans).run();
  }
};

} // namespace
