//===- Place.cpp - registers or shared memory for every tile ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-place`: products take their right operand from shared memory, and
/// global memory wants to be read and written in rows. So 16-bit tiles pass
/// through shared memory on their way from and to global memory, and right
/// operands have an image there; everything else stays in registers. No barrier
/// is placed here (`tile-place-barriers`), and no offset (`tile-plan-shared`).
/// In kernels that will have roles, single warps move the copies, so what all
/// threads of the CTA would do together is refused.
///
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace delta::tile {
#define GEN_PASS_DEF_PLACE
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// Bytes that the asynchronous copies and the wide stores move at once.
static constexpr int64_t kPieceBytes = 16;

/// Rows of a product of a warpgroup, and most columns of one.
static constexpr int64_t kWarpgroupRows = 64, kWarpgroupColumns = 256;

/// Registers of tiles that a thread keeps while a block is solved, of the 240
/// of a role of products: beside them are a row's statistics and addresses.
static constexpr int64_t kAcrossSolution = 200;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool is16Bit(Value value) {
  return tileType(value).getElementTypeBitWidth() == 16;
}

namespace {

/// Where a tile lies in shared memory, with its axes exchanged or not.
struct Image {
  Value buffer;
  bool transposed;
};

class Placer {
public:
  explicit Placer(KernelOp kernel)
      : kernel(kernel), hasRoles(kernel.getColumnTiles()),
        b(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult placeLoad(LoadOp load);
  LogicalResult placeDot(DotOp dot);
  LogicalResult checkWarpgroup(DotOp dot);
  LogicalResult placeExtract(tensor::ExtractOp extract);
  LogicalResult placeStore(StoreOp store);
  LogicalResult placeSolve(TriSolveOp solve);
  LogicalResult parkLeftOperands(TriSolveOp solve);
  LogicalResult placeScratch(Operation *op, MutableOperandRange scratch,
                             MemRefType type, StringRef name);

  /// The image of `value`, made right behind its definition where there is
  /// none.
  FailureOr<Image> getImage(Value value, Operation *user);
  Value alloc(MemRefType type, Location loc);
  /// A copy of the box between `array` and `buffer`, in the order of the array,
  /// and its await.
  LogicalResult copy(Operation *op, Value array, ValueRange indices,
                     ArrayRef<int64_t> dims, Value bound, Value buffer,
                     bool toGlobal);
  Type inflightType() {
    return AsyncType::get(b.getContext(), b.getNoneType());
  }
  /// Register uses of a tile that came from global memory, or that is another
  /// tile's transpose, read its image in front of the first of them.
  LogicalResult readImages(Operation *op, Value tile);

  KernelOp kernel;
  /// Whether the kernel is to be split into roles (`tile-split-roles`).
  bool hasRoles;
  OpBuilder b;
  llvm::DenseMap<Value, Image> images;
  /// Loads that copies took the place of.
  llvm::DenseSet<Operation *> copied;
};

} // namespace

Value Placer::alloc(MemRefType type, Location loc) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.getBody().front());
  return AllocOp::create(b, loc, type, /*offset=*/IntegerAttr());
}

/// The order of a box in global memory: rows along the outer of its two axes.
/// Reports boxes that no cooperative copy can move.
static LogicalResult checkBox(Operation *op, Value array, ValueRange indices,
                              ArrayRef<int64_t> dims, Value bound,
                              int64_t boundAxis) {
  int64_t last = cast<MemRefType>(array.getType()).getRank() - 1;
  if (dims[0] != last && dims[1] != last)
    return op->emitError() << "box is not contiguous: expected axis " << last
                           << " of the array among dims";
  if (!isAligned(array, indices, kPieceBytes))
    return op->emitError() << "box does not start on a " << kPieceBytes
                           << "-byte boundary in all cases";
  if (bound && dims[boundAxis] == last)
    return op->emitError()
           << "bound: expected it along rows of the array, axis "
           << std::min(dims[0], dims[1]) << ", got axis " << last;
  return success();
}

/// Shape of a box as its array orders it.
static SmallVector<int64_t> storedShape(RankedTensorType type,
                                        bool transposed) {
  SmallVector<int64_t> shape(type.getShape());
  if (transposed)
    std::swap(shape[0], shape[1]);
  return shape;
}

static SmallVector<int64_t> sorted(ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result(dims);
  llvm::sort(result);
  return result;
}

static LogicalResult refuseBuffer(Operation *op, ArrayRef<int64_t> shape) {
  InFlightDiagnostic diagnostic =
      op->emitError("no shared memory layout for a tile of ");
  llvm::interleave(shape, diagnostic, " x ");
  return diagnostic << "; accepted: rows in eights, 16, 32 or a multiple of 64 "
                       "columns";
}

/// Whether a box is there at all: what decides it, and the bound where it is.
static std::optional<std::pair<Value, Value>> splitPresence(Value bound) {
  auto select =
      bound ? bound.getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  if (!select || !matchPattern(select.getFalseValue(), m_Zero()))
    return std::nullopt;
  return std::pair(select.getCondition(), select.getTrueValue());
}

/// Moves an asynchronous copy up to where its operands are known, behind the
/// copies that were issued before it, so that it runs beside the ops in
/// between.
static void issueEarly(CopyOp copy) {
  GlobalAccess reads = *getGlobalAccess(copy);
  Operation *position = copy;
  while (Operation *before = position->getPrevNode()) {
    bool feedsCopy = llvm::is_contained(before->getUsers(), copy);
    std::optional<GlobalAccess> access = getGlobalAccess(before);
    bool mayWrite = before->getNumRegions() != 0 ||
                    (access && access->conflictsWith(reads));
    if (feedsCopy || mayWrite || isa<CopyOp, AllocOp>(before))
      break;
    position = before;
  }
  if (position != copy)
    copy->moveBefore(position);
}

LogicalResult Placer::copy(Operation *op, Value array, ValueRange indices,
                           ArrayRef<int64_t> dims, Value bound, Value buffer,
                           bool toGlobal) {
  SmallVector<int64_t> order = sorted(dims);
  bool isMatrix = order.size() == 2;
  Engine engine = toGlobal ? Engine::Simt : Engine::CpAsync;
  int64_t rows = 0;
  SmallVector<Value> start(indices);
  if (hasRoles) {
    engine = isMatrix ? Engine::Tma : Engine::Bulk;
    int64_t extent = cast<MemRefType>(buffer.getType()).getShape()[0];
    std::optional<std::pair<Value, Value>> presence = splitPresence(bound);
    if (presence)
      bound = presence->second;
    FailureOr<int64_t> mapped =
        getMappedRows(op, array, indices[order[0]], order[0], bound, extent);
    if (failed(mapped))
      return failure();
    rows = *mapped == extent ? 0 : *mapped;
    bound = Value();
    // A tensor map gives zeros for what lies in front of the array, too: a
    // whole box there stands for one without rows.
    if (presence && !toGlobal && isMatrix) {
      Value &row = start[order[0]];
      Value outside = arith::ConstantIndexOp::create(b, op->getLoc(), -extent);
      row = arith::SelectOp::create(b, op->getLoc(), presence->first, row,
                                    outside);
    } else if (presence) {
      return op->emitError("bound: expected one that does not depend on a "
                           "condition, for a copy that has none");
    }
  }
  auto copy = CopyOp::create(b, op->getLoc(), inflightType(), array, buffer,
                             start, bound, order, engine, toGlobal,
                             /*multicast=*/false, rows);
  AwaitOp::create(b, op->getLoc(), TypeRange(), copy.getInflight(),
                  /*pending=*/IntegerAttr());
  if (!toGlobal)
    issueEarly(copy);
  return success();
}

/// Moves a copy to global memory and its await down to the next product or
/// store, so that what is written for several stores needs one barrier.
static void storeLate(CopyOp copy) {
  Operation *await = *copy->user_begin();
  GlobalAccess writes = *getGlobalAccess(copy);
  Operation *position = await;
  while (Operation *after = position->getNextNode()) {
    std::optional<GlobalAccess> access = getGlobalAccess(after);
    bool mayRead = after->getNumRegions() != 0 ||
                   (access && access->conflictsWith(writes));
    if (mayRead || isa<CopyOp, AwaitOp, DotOp>(after) ||
        after->hasTrait<OpTrait::IsTerminator>())
      break;
    position = after;
  }
  if (position == await)
    return;
  await->moveAfter(position);
  copy->moveBefore(await);
}

LogicalResult Placer::placeLoad(LoadOp load) {
  RankedTensorType type = load.getTile().getType();
  ArrayRef<int64_t> dims = load.getDims();
  bool transposed = false;
  if (type.getRank() == 2) {
    // f32 matrices are states, once a sequence: straight to registers.
    if (!is16Bit(load.getTile()))
      return success();
    if (failed(checkBox(load, load.getSource(), load.getIndices(), dims,
                        load.getBound(), load.getBoundAxis())))
      return failure();
    transposed = dims[0] > dims[1];
  } else {
    // Contiguous vectors; others (a gate a head) are gathered to registers.
    int64_t last = load.getSource().getType().getRank() - 1;
    if (!type.getElementType().isF32() || dims[0] != last ||
        load.getSteps() != 1 || load.getBound() ||
        type.getShape()[0] % 4 != 0 ||
        !isAligned(load.getSource(), load.getIndices(), kPieceBytes))
      return success();
  }
  SmallVector<int64_t> shape(type.getShape());
  if (transposed)
    shape = storedShape(type, transposed);
  MemRefType bufferType = getSharedType(shape, type.getElementType());
  if (!bufferType)
    return refuseBuffer(load, shape);
  Location loc = load.getLoc();
  Value buffer = alloc(bufferType, loc);
  b.setInsertionPoint(load);
  if (failed(copy(load, load.getSource(), load.getIndices(), dims,
                  load.getBound(), buffer, /*toGlobal=*/false)))
    return failure();
  images[load.getTile()] = {buffer, transposed};
  copied.insert(load);
  return success();
}

FailureOr<Image> Placer::getImage(Value value, Operation *user) {
  if (auto known = images.find(value); known != images.end())
    return known->second;
  if (auto transpose = value.getDefiningOp<TransposeOp>()) {
    FailureOr<Image> image = getImage(transpose.getInput(), user);
    if (failed(image))
      return failure();
    image->transposed = !image->transposed;
    return images[value] = *image;
  }
  RankedTensorType type = tileType(value);
  // Each instance of a role would need a buffer of its own.
  if (hasRoles && *kernel.getColumnTiles() > 1)
    return user->emitError() << "operand in shared memory: expected a tile "
                                "that a copy brings there in a kernel with "
                                "several column_tiles, got a computed one: "
                             << type;
  MemRefType bufferType = getSharedType(type.getShape(), type.getElementType());
  if (!bufferType)
    return refuseBuffer(user, type.getShape());
  Value buffer = alloc(bufferType, value.getLoc());
  b.setInsertionPointAfterValue(value);
  WriteOp::create(b, value.getLoc(), value, buffer, /*transpose=*/false);
  return images[value] = {buffer, false};
}

/// The part of the transpose of a matrix.
static Part transposedPart(Part part) {
  switch (part) {
  case Part::Full:
    return Part::Full;
  case Part::Lower:
    return Part::Upper;
  case Part::StrictLower:
    return Part::StrictUpper;
  case Part::Upper:
    return Part::Lower;
  case Part::StrictUpper:
    return Part::StrictLower;
  }
  llvm_unreachable("covered switch");
}

LogicalResult Placer::placeDot(DotOp dot) {
  if (isa<MemRefType>(dot.getB().getType()))
    return success();
  if (!is16Bit(dot.getA()) || !is16Bit(dot.getB()))
    return dot.emitError("operands: expected 16-bit tiles, got ")
           << dot.getA().getType() << " and " << dot.getB().getType();
  if (dot.getContract()[0] != 1)
    return dot.emitError(
        "contract of a: expected axis 1, the fragment's columns");
  FailureOr<Image> image = getImage(dot.getB(), dot);
  if (failed(image))
    return failure();
  dot.getBMutable().assign(image->buffer);
  if (image->transposed) {
    dot.setContract({1, 1 - dot.getContract()[1]});
    dot.setBPart(transposedPart(dot.getBPart()));
    int64_t rowSteps = dot.getBRowSteps();
    dot.setBRowSteps(dot.getBColSteps());
    dot.setBColSteps(rowSteps);
  }
  if (!hasRoles) {
    dot.setInstr(Instr::MmaSync);
    return success();
  }
  if (failed(checkWarpgroup(dot)))
    return failure();
  // A left operand that a copy brings stays where it is: registers are scarcer
  // than reads of shared memory.
  auto left = images.find(dot.getA());
  bool isShared = copied.contains(dot.getA().getDefiningOp()) &&
                  left != images.end() && !left->second.transposed;
  if (isShared)
    dot.getAMutable().assign(left->second.buffer);
  dot.setInstr(isShared ? Instr::WgmmaSS : Instr::WgmmaRS);
  return success();
}

/// What wgmma asks of a product beyond what every product must have (F2 checks
/// the same of the final form).
LogicalResult Placer::checkWarpgroup(DotOp dot) {
  ArrayRef<int64_t> a = tileType(dot.getA()).getShape();
  int64_t columns = dot.getD().getType().getShape()[1];
  int64_t warps = kernel.getWarps();
  // Several warpgroups share the rows of a tile, or have a chain each.
  if (warps % delta::warpgroupWarps != 0 ||
      (*kernel.getColumnTiles() > 1 && warps != delta::warpgroupWarps))
    return dot.emitError() << "expected "
                           << (*kernel.getColumnTiles() > 1 ? ""
                                                            : "a multiple of ")
                           << delta::warpgroupWarps
                           << " warps in a kernel with column_tiles, got "
                           << warps;
  int64_t rows = kWarpgroupRows * warps / delta::warpgroupWarps;
  if (a[0] != rows)
    return dot.emitError() << "a: expected " << rows
                           << " rows in a kernel with column_tiles of " << warps
                           << " warps, got " << a[0];
  if (a[1] % 16 != 0)
    return dot.emitError() << "a: expected a multiple of 16 columns, got "
                           << a[1];
  if (columns % 8 == 0 && columns <= kWarpgroupColumns)
    return success();
  return dot.emitError() << "result: expected a multiple of 8 of at most "
                         << kWarpgroupColumns << " columns, got " << columns;
}

LogicalResult Placer::placeExtract(tensor::ExtractOp extract) {
  if (extract.getIndices().size() != 1)
    return extract.emitError("expected an element of a vector");
  FailureOr<Image> image = getImage(extract.getTensor(), extract);
  if (failed(image))
    return failure();
  b.setInsertionPoint(extract);
  Value element = memref::LoadOp::create(b, extract.getLoc(), image->buffer,
                                         extract.getIndices());
  extract.replaceAllUsesWith(element);
  extract.erase();
  return success();
}

LogicalResult Placer::placeStore(StoreOp store) {
  Value tile = store.getTile();
  if (tileType(tile).getRank() != 2 || !is16Bit(tile))
    return success();
  ArrayRef<int64_t> dims = store.getDims();
  if (failed(checkBox(store, store.getDest(), store.getIndices(), dims,
                      store.getBound(), store.getBoundAxis())))
    return failure();
  bool transposed = dims[0] > dims[1];
  b.setInsertionPoint(store);
  Value buffer;
  auto known = images.find(tile);
  if (known != images.end() && known->second.transposed == transposed) {
    buffer = known->second.buffer;
  } else {
    SmallVector<int64_t> shape = storedShape(tileType(tile), transposed);
    MemRefType bufferType =
        getSharedType(shape, tileType(tile).getElementType());
    if (!bufferType)
      return refuseBuffer(store, shape);
    buffer = alloc(bufferType, tile.getLoc());
    WriteOp::create(b, tile.getLoc(), tile, buffer, transposed);
  }
  if (failed(copy(store, store.getDest(), store.getIndices(), dims,
                  store.getBound(), buffer, /*toGlobal=*/true)))
    return failure();
  store.erase();
  return success();
}

/// Registers of a thread that `value` takes.
static int64_t countRegisters(KernelOp kernel, Value value) {
  RankedTensorType type = tileType(value);
  return type.getNumElements() * type.getElementTypeBitWidth() /
         (32 * delta::warpThreads * static_cast<int64_t>(kernel.getWarps()));
}

/// A left operand that is known before the solution and needed behind it waits
/// in shared memory, where the registers do not hold it beside the solution and
/// the product's accumulator.
LogicalResult Placer::parkLeftOperands(TriSolveOp solve) {
  Block *block = solve->getBlock();
  // Behind the last product in front of the solution: what its operands took of
  // shared memory may be free.
  Operation *position = solve;
  for (auto dot : block->getOps<DotOp>())
    if (dot->isBeforeInBlock(solve))
      position = dot->getNextNode();
  int64_t inside = countRegisters(kernel, solve.getInput()) +
                   countRegisters(kernel, solve.getResult());
  for (auto dot : llvm::make_early_inc_range(block->getOps<DotOp>())) {
    auto left = dyn_cast<TypedValue<RankedTensorType>>(dot.getA());
    Operation *def = left ? left.getDefiningOp() : nullptr;
    if (!def || !def->isBeforeInBlock(solve) || !solve->isBeforeInBlock(dot) ||
        !dot.getAcc())
      continue;
    int64_t alive = inside + countRegisters(kernel, left) +
                    countRegisters(kernel, dot.getAcc());
    if (alive <= kAcrossSolution)
      continue;
    MemRefType type = getSharedType(left.getType().getShape(),
                                    left.getType().getElementType());
    if (!type)
      return refuseBuffer(dot, left.getType().getShape());
    Value buffer =
        alloc(type, NameLoc::get(b.getStringAttr("parked"), left.getLoc()));
    b.setInsertionPoint(position);
    WriteOp::create(b, left.getLoc(), left, buffer, /*transpose=*/false);
    dot.getAMutable().assign(buffer);
    dot.setInstr(Instr::WgmmaSS);
  }
  return success();
}

LogicalResult Placer::placeSolve(TriSolveOp solve) {
  FailureOr<Image> factors = getImage(solve.getFactors(), solve);
  if (failed(factors))
    return failure();
  solve.getFactorsMutable().assign(factors->buffer);
  // Products inside are those of the type that the solution is rounded to.
  Type element;
  for (Operation *user : solve->getUsers())
    if (auto round = dyn_cast<arith::TruncFOp>(user))
      element = tileType(round).getElementType();
  if (!element)
    return solve.emitError("expected a use that rounds the solution, whose "
                           "type products inside take");
  ArrayRef<int64_t> shape = tileType(solve.getInput()).getShape();
  MemRefType type = getSharedType(shape, element);
  if (!type)
    return refuseBuffer(solve, shape);
  if (hasRoles && failed(parkLeftOperands(solve)))
    return failure();
  return placeScratch(solve, solve.getScratchMutable(), type, "solve_scratch");
}

LogicalResult Placer::placeScratch(Operation *op, MutableOperandRange scratch,
                                   MemRefType type, StringRef name) {
  if (!scratch.empty())
    return success();
  auto loc = NameLoc::get(b.getStringAttr(name), op->getLoc());
  scratch.assign(alloc(type, loc));
  return success();
}

LogicalResult Placer::readImages(Operation *op, Value tile) {
  if (tile.use_empty()) {
    op->erase();
    return success();
  }
  if (tileType(tile).getRank() == 2 && !is16Bit(tile))
    return op->emitError(
        "transpose of an f32 tile has no place in shared memory");
  FailureOr<Image> image = getImage(tile, op);
  if (failed(image))
    return failure();
  Operation *first = nullptr;
  for (Operation *user : tile.getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!first || ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  b.setInsertionPoint(first);
  auto read = ReadOp::create(b, tile.getLoc(), tile.getType(), image->buffer,
                             image->transposed);
  tile.replaceAllUsesWith(read.getTile());
  op->erase();
  return success();
}

LogicalResult Placer::run() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  auto forEach = [&](auto place) -> LogicalResult {
    for (Operation *op : ops)
      if (failed(place(op)))
        return failure();
    return success();
  };
  // Loads first, so that dots and stores find their images; dots before stores,
  // because a right operand that is also stored goes out from its image.
  if (failed(forEach([&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        return load ? placeLoad(load) : success();
      })) ||
      failed(forEach([&](Operation *op) {
        auto dot = dyn_cast<DotOp>(op);
        return dot ? placeDot(dot) : success();
      })))
    return failure();
  for (Operation *&op : ops) {
    LogicalResult placed = success();
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      placed = placeExtract(extract);
      op = nullptr;
    } else if (auto store = dyn_cast<StoreOp>(op)) {
      placed = placeStore(store);
      op = nullptr;
    } else if (auto scan = dyn_cast<ScanOp>(op)) {
      // One partial sum a warp.
      auto type = getSharedType({4}, b.getF32Type());
      placed = placeScratch(op, scan.getScratchMutable(), type, "scan_scratch");
    } else if (auto ticket = dyn_cast<TicketOp>(op)) {
      auto type = getSharedType({4}, b.getF32Type());
      placed =
          placeScratch(op, ticket.getScratchMutable(), type, "item_scratch");
    } else if (auto solve = dyn_cast<TriSolveOp>(op)) {
      placed = placeSolve(solve);
    } else if (auto inverse = dyn_cast<TriInverseOp>(op)) {
      auto type = getSharedType(tileType(inverse.getInput()).getShape(),
                                b.getF32Type());
      placed = placeScratch(op, inverse.getScratchMutable(), type,
                            "inverse_scratch");
    }
    if (failed(placed))
      return failure();
  }
  // Users before producers: a transpose of a loaded tile reads the load's
  // buffer.
  for (Operation *op : llvm::reverse(ops)) {
    if (!op)
      continue;
    auto load = dyn_cast<LoadOp>(op);
    // A load to registers may have an image, which was written from these.
    bool isPlaced = (load && copied.contains(load)) || isa<TransposeOp>(op);
    if (isPlaced && failed(readImages(op, op->getResult(0))))
      return failure();
  }
  // Roles store in a warp of their own.
  SmallVector<CopyOp> stores;
  kernel.walk([&](CopyOp copy) {
    if (copy.getToGlobal() && !hasRoles)
      stores.push_back(copy);
  });
  llvm::for_each(stores, storeLate);
  return success();
}

namespace {

struct PlacePass : public delta::tile::impl::PlaceBase<PlacePass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(Placer(kernel).run()))
        return signalPassFailure();
  }
};

} // namespace
