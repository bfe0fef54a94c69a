//===- Place.cpp - registers or shared memory for every tile ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-place`: products take their right operand from shared memory, and
/// global memory is read and written fastest in rows. So 16-bit tiles pass
/// through shared memory on their way from and to global memory, and right
/// operands have an image there; all other tiles stay in registers.
/// `tile-place-barriers` adds the barriers, and `tile-plan-shared` the offsets.
/// In kernels that will have roles a single warp issues the copies, so accesses
/// that need all threads of the CTA are refused.
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

/// The copy of a tile in shared memory, whose axes may be exchanged.
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
  LogicalResult spillVectors(TriSolveOp solve);
  LogicalResult placeScratch(Operation *op, MutableOperandRange scratch,
                             MemRefType type, StringRef name);

  /// The image of `value`. If there is none yet, `value` is written to a new
  /// buffer directly after its definition.
  FailureOr<Image> getImage(Value value, Operation *user);
  Value alloc(MemRefType type, Location loc) {
    return allocBuffer(kernel, type, loc);
  }
  /// Lets the register uses of `tile`, which came from global memory or is the
  /// transpose of another tile, read its image before the first such use.
  LogicalResult readImages(Operation *op, Value tile);

  KernelOp kernel;
  /// Whether the kernel is to be split into roles (`tile-split-roles`).
  bool hasRoles;
  OpBuilder b;
  llvm::DenseMap<Value, Image> images;
  /// Loads that copies replace.
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

/// The shape of a tile, with the axes in the order of its box's array.
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
    // f32 matrices are states, loaded once per sequence: directly to registers.
    if (!is16Bit(load.getTile()))
      return success();
    if (failed(checkBox(box)))
      return failure();
  } else {
    // Contiguous vectors only; others (one gate per head) are gathered to
    // registers.
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
  // Each instance of a role would need its own buffer.
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

/// The part that may differ from 0 in the transpose of a matrix with `part`.
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
  // A left operand that a copy brings stays in shared memory: registers are
  // scarcer than reads of shared memory.
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

/// Spills to shared memory the row sums and diagonals that are computed before
/// `solve` and used only after it. Otherwise nvcc computes them after the
/// solve, and keeps their whole matrix in registers until then.
LogicalResult Placer::spillVectors(TriSolveOp solve) {
  Block *block = solve->getBlock();
  auto isAfter = [&](Operation *user) {
    return solve->isBeforeInBlock(block->findAncestorOpInBlock(*user));
  };
  for (Operation &op : llvm::make_early_inc_range(*block)) {
    if (&op == solve)
      break;
    if (!isa<ReduceOp, DiagonalOp>(op) || !llvm::all_of(op.getUsers(), isAfter))
      continue;
    Value vector = op.getResult(0);
    FailureOr<Image> image = getImage(vector, solve);
    if (failed(image))
      return failure();
    b.setInsertionPointAfter(solve);
    Value spilled = ReadOp::create(b, vector.getLoc(), vector.getType(),
                                   image->buffer, /*transpose=*/false);
    vector.replaceUsesWithIf(
        spilled, [&](OpOperand &use) { return isAfter(use.getOwner()); });
  }
  return success();
}

LogicalResult Placer::placeSolve(TriSolveOp solve) {
  FailureOr<Image> factors = getImage(solve.getFactors(), solve);
  if (failed(factors))
    return failure();
  solve.getFactorsMutable().assign(factors->buffer);
  // Products inside the solve use the type to which the solution is rounded.
  Type element;
  for (Operation *user : solve->getUsers())
    if (auto round = dyn_cast<arith::TruncFOp>(user))
      element = tileType(round).getElementType();
  if (!element)
    return solve.emitError("expected a use that rounds the solution, whose "
                           "type products inside take");
  SmallVector<int64_t> shape(tileType(solve.getInput()).getShape());
  // If the residual of the solution is used, products inside need residuals
  // too.
  if (llvm::any_of(solve->getUsers(), llvm::IsaPred<arith::SubFOp>))
    shape[0] *= 2;
  MemRefType type = getSharedType(shape, element);
  if (!type)
    return refuseBuffer(solve, shape);
  if (hasRoles &&
      (failed(spillLeftOperands(kernel, solve)) || failed(spillVectors(solve))))
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
  // Loads first, so that dots and stores find their images. Dots before stores,
  // because a right operand that is also stored is copied out from its image.
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
      // One partial sum per warp.
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
  // Users before producers: a transpose of a loaded tile reads the buffer of
  // the load.
  for (Operation *op : llvm::reverse(ops)) {
    if (!op)
      continue;
    auto load = dyn_cast<LoadOp>(op);
    // A load to registers may have an image too, which is written from
    // registers.
    bool isPlaced = (load && copied.contains(load)) || isa<TransposeOp>(op);
    if (isPlaced && failed(readImages(op, op->getResult(0))))
      return failure();
  }
  // In a kernel with roles, a separate warp stores.
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
