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

#include "PlaceParts.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace delta::tile {
#define GEN_PASS_DEF_PLACE
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta;
using namespace delta::tile;

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
      : kernel(kernel), hasRoles(kernel.hasRoles()), b(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult placeLoad(LoadOp load);
  LogicalResult placeDot(DotOp dot);
  LogicalResult placeExtract(tensor::ExtractOp extract);
  LogicalResult placeStore(StoreOp store);
  LogicalResult placeSolve(TriSolveOp solve);
  LogicalResult parkVectors(TriSolveOp solve);
  LogicalResult placeScratch(Operation *op, MutableOperandRange scratch,
                             MemRefType type, StringRef name);

  /// The image of `value`, made right behind its definition where there is
  /// none.
  FailureOr<Image> getImage(Value value, Operation *user);
  Value alloc(MemRefType type, Location loc) {
    return allocBuffer(kernel, type, loc);
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

Value tile::allocBuffer(KernelOp kernel, MemRefType type, Location loc) {
  auto b = OpBuilder::atBlockBegin(&kernel.getBody().front());
  return AllocOp::create(b, loc, type, /*offset=*/IntegerAttr());
}

LogicalResult tile::refuseBuffer(Operation *op, ArrayRef<int64_t> shape) {
  InFlightDiagnostic diagnostic =
      op->emitError("no shared memory layout for a tile of ");
  llvm::interleave(shape, diagnostic, " x ");
  return diagnostic << "; accepted: rows in eights, 16, 32 or a multiple of 64 "
                       "columns";
}

/// Shape of a tile as the array of its box orders it.
static SmallVector<int64_t> storedShape(RankedTensorType type, const Box &box) {
  SmallVector<int64_t> shape(type.getShape());
  if (box.isTransposed())
    std::swap(shape[0], shape[1]);
  return shape;
}

LogicalResult Placer::placeLoad(LoadOp load) {
  RankedTensorType type = load.getTile().getType();
  Box box(load);
  if (type.getRank() == 2) {
    // f32 matrices are states, once a sequence: straight to registers.
    if (!is16Bit(load.getTile()))
      return success();
    if (failed(checkBox(box)))
      return failure();
  } else {
    // Contiguous vectors; others (a gate a head) are gathered to registers.
    int64_t last = load.getSource().getType().getRank() - 1;
    if (!type.getElementType().isF32() || box.dims[0] != last ||
        load.getSteps() != 1 || load.getBound() ||
        type.getShape()[0] % 4 != 0 ||
        !isAligned(load.getSource(), load.getIndices(), kPieceBytes))
      return success();
  }
  SmallVector<int64_t> shape = storedShape(type, box);
  MemRefType bufferType = getSharedType(shape, type.getElementType());
  if (!bufferType)
    return refuseBuffer(load, shape);
  Value buffer = alloc(bufferType, load.getLoc());
  b.setInsertionPoint(load);
  if (failed(copyBox(b, box, buffer, hasRoles)))
    return failure();
  images[load.getTile()] = {buffer, box.isTransposed()};
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
  if (kernel.getChains() > 1)
    return user->emitError() << "operand in shared memory: expected a tile "
                                "that a copy brings there in a kernel with "
                                "several chains, got a computed one: "
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
  if (failed(checkWarpgroup(kernel, dot)))
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
  Box box(store);
  if (failed(checkBox(box)))
    return failure();
  b.setInsertionPoint(store);
  Value buffer;
  auto known = images.find(tile);
  if (known != images.end() && known->second.transposed == box.isTransposed()) {
    buffer = known->second.buffer;
  } else {
    SmallVector<int64_t> shape = storedShape(tileType(tile), box);
    MemRefType bufferType =
        getSharedType(shape, tileType(tile).getElementType());
    if (!bufferType)
      return refuseBuffer(store, shape);
    buffer = alloc(bufferType, tile.getLoc());
    WriteOp::create(b, tile.getLoc(), tile, buffer, box.isTransposed());
  }
  if (failed(copyBox(b, box, buffer, hasRoles)))
    return failure();
  store.erase();
  return success();
}

/// What rows have of a matrix in front of the solution and need behind it
/// alone, a sum or the diagonal, waits in shared memory. The compiler would
/// otherwise make it behind the solution, and keep the matrix in registers till
/// then.
LogicalResult Placer::parkVectors(TriSolveOp solve) {
  Block *block = solve->getBlock();
  auto isBehind = [&](Operation *user) {
    return solve->isBeforeInBlock(block->findAncestorOpInBlock(*user));
  };
  for (Operation &op : llvm::make_early_inc_range(*block)) {
    if (&op == solve)
      break;
    if (!isa<ReduceOp, DiagonalOp>(op) ||
        !llvm::all_of(op.getUsers(), isBehind))
      continue;
    Value vector = op.getResult(0);
    FailureOr<Image> image = getImage(vector, solve);
    if (failed(image))
      return failure();
    b.setInsertionPointAfter(solve);
    Value parked = ReadOp::create(b, vector.getLoc(), vector.getType(),
                                  image->buffer, /*transpose=*/false);
    vector.replaceUsesWithIf(
        parked, [&](OpOperand &use) { return isBehind(use.getOwner()); });
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
  SmallVector<int64_t> shape(tileType(solve.getInput()).getShape());
  // A solution that is given on with its rest needs rests inside.
  if (llvm::any_of(solve->getUsers(), llvm::IsaPred<arith::SubFOp>))
    shape[0] *= 2;
  MemRefType type = getSharedType(shape, element);
  if (!type)
    return refuseBuffer(solve, shape);
  if (hasRoles &&
      (failed(parkLeftOperands(kernel, solve)) || failed(parkVectors(solve))))
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
