//===- AssignLayouts.cpp - a register layout for every tile -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-assign-layouts`. A matrix has one possible layout, the fragment of its
/// height. A vector has the layout of the op that computes it: loads and scans
/// give one element per thread, reductions give a slice. Values that can have
/// any layout (constants, reads of shared vectors, arithmetic on these) are
/// computed again in each layout that a use needs, which costs less than moving
/// them. Arithmetic on vectors of several layouts uses the layout that its
/// users take. If layouts still differ, a `tile.convert` is inserted, before
/// all loops that do not change its operand. A vector that a loop carries keeps
/// the layout with which it enters; one that enters as a constant is a row
/// statistic, and so a slice.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace delta::tile {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

static bool isVector(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 1;
}

static RankedTensorType withLayout(Type type, Attribute layout) {
  auto tile = cast<RankedTensorType>(type);
  return RankedTensorType::get(tile.getShape(), tile.getElementType(), layout);
}

/// Gives a value its layout. For a constant, the type of the attribute changes
/// too.
static void setLayout(Value value, Attribute layout) {
  RankedTensorType type = withLayout(value.getType(), layout);
  value.setType(type);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(type));
}

static bool isElementwise(Operation *op) {
  return OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether all uses of a vector, and of values computed from it, take one
/// element per thread, because they move it to memory.
static bool isUsedFlat(Value vector) {
  return llvm::all_of(vector.getUsers(), [](Operation *user) {
    return isa<StoreOp, WriteOp>(user) ||
           (isElementwise(user) && isUsedFlat(user->getResult(0)));
  });
}

static bool isRowSlice(Attribute layout) {
  auto slice = dyn_cast_or_null<SliceAttr>(layout);
  return slice && slice.getAxis() == 0;
}

/// `user`, or the outermost loop around it that does not define `vector`.
static Operation *getFirstUse(Value vector, Operation *user) {
  while (auto loop = dyn_cast<LoopLikeOpInterface>(user->getParentOp())) {
    if (!loop.isDefinedOutsideOfLoop(vector))
      break;
    user = loop;
  }
  return user;
}

namespace {

class LayoutAssigner {
public:
  explicit LayoutAssigner(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()),
        flat(FlatAttr::get(kernel.getContext(), kernel.getWarps())) {}

  LogicalResult run();

private:
  /// Assigns the layouts that the op decides: those of matrices, and of vectors
  /// with a fixed layout.
  LogicalResult assignValue(Value value, Operation *at);
  /// Assigns the layout of a vector that a loop carries, starting from `init`.
  LogicalResult assignCarried(Value vector, Value init, scf::ForOp loop);
  LogicalResult assignResults(Operation *op);
  /// Converts the vector operands of `op` to the layouts that it takes.
  LogicalResult convertOperands(Operation *op);
  /// `vector` in `layout`, for a use by `user`.
  Value demand(Value vector, Attribute layout, Operation *user);

  /// The layout that a vector already has, or null if it may have any.
  Attribute layoutOf(Value vector) {
    return tensorTypeOf(vector).getEncoding();
  }
  static RankedTensorType tensorTypeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  KernelOp kernel;
  OpBuilder b;
  FlatAttr flat;
  /// The values created by `demand`, by original value, layout and block.
  llvm::DenseMap<std::tuple<Value, Attribute, Block *>, Value> made;
};

} // namespace

LogicalResult LayoutAssigner::assignValue(Value value, Operation *at) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getEncoding())
    return success();
  auto emitError = [&] { return at->emitError(); };
  if (type.getRank() == 1) {
    if (failed(flat.toLinearLayout(type.getShape(), emitError)))
      return failure();
    setLayout(value, flat);
    return success();
  }
  if (type.getRank() != 2 || type.getShape()[0] % 16 != 0)
    return at->emitError("tile of a multiple of 16 rows expected, got ")
           << type;
  int64_t warps = type.getShape()[0] / 16;
  if (warps > static_cast<int64_t>(kernel.getWarps()))
    return at->emitError() << "tile of " << type.getShape()[0]
                           << " rows: expected at least " << warps
                           << " warps in the kernel, got " << kernel.getWarps();
  auto layout = FragAttr::getChecked(emitError, b.getContext(), warps);
  if (!layout || failed(layout.toLinearLayout(type.getShape(), emitError)))
    return failure();
  setLayout(value, layout);
  return success();
}

LogicalResult LayoutAssigner::assignCarried(Value vector, Value init,
                                            scf::ForOp loop) {
  if (Attribute entered = layoutOf(init)) {
    setLayout(vector, entered);
    return success();
  }
  int64_t rows = tensorTypeOf(vector).getShape()[0];
  if (rows % 16 != 0)
    return loop->emitError("carries a vector of ")
           << rows
           << " elements; expected one per row of a fragment, a multiple "
           << "of 16";
  auto frag = FragAttr::getChecked([&] { return loop->emitError(); },
                                   b.getContext(), rows / 16);
  if (!frag)
    return failure();
  setLayout(vector, SliceAttr::get(b.getContext(), /*axis=*/0, frag));
  return success();
}

LogicalResult LayoutAssigner::assignResults(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isVector(result)) {
      if (failed(assignValue(result, op)))
        return failure();
      continue;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      Value init = loop.getTiedLoopInit(cast<OpResult>(result))->get();
      if (failed(assignCarried(result, init, loop)))
        return failure();
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (reduce.getAxis() != 1)
        return op->emitError("reduction along columns has no lowering yet; "
                             "accepted: axis 1");
      auto frag = cast<FragAttr>(tensorTypeOf(reduce.getInput()).getEncoding());
      setLayout(result, SliceAttr::get(b.getContext(), /*axis=*/0, frag));
    } else if (auto diagonal = dyn_cast<DiagonalOp>(op)) {
      auto frag =
          cast<FragAttr>(tensorTypeOf(diagonal.getInput()).getEncoding());
      setLayout(result, SliceAttr::get(b.getContext(), /*axis=*/0, frag));
    } else if (isElementwise(op) && !op->getOperands().empty()) {
      // Flat if an operand is flat and the uses take flat. Else the slice of an
      // operand, if any: flat converts to every slice, but not every slice to
      // flat. Else the layout of the first operand that has one. The other
      // operands are converted.
      Attribute layout;
      bool isFlat = false;
      for (Value operand : op->getOperands()) {
        Attribute has = isVector(operand) ? layoutOf(operand) : Attribute();
        isFlat |= has == flat;
        if (has && (!layout || isa<SliceAttr>(has)))
          layout = has;
      }
      if (isFlat && isUsedFlat(result))
        layout = flat;
      if (layout)
        setLayout(result, layout);
    } else if (!isa<ReadOp, arith::ConstantOp, tensor::SplatOp>(op)) {
      if (failed(assignValue(result, op)))
        return failure();
    }
  }
  return success();
}

Value LayoutAssigner::demand(Value vector, Attribute layout, Operation *user) {
  Attribute has = layoutOf(vector);
  if (has == layout)
    return vector;
  // A flat vector takes one register, so it may stay live through a loop.
  if (has && layout == flat)
    user = getFirstUse(vector, user);
  Value &known = made[{vector, layout, user->getBlock()}];
  if (known)
    return known;
  b.setInsertionPoint(user);
  Location loc = vector.getLoc();
  if (has)
    return known = ConvertOp::create(
               b, loc, withLayout(vector.getType(), layout), vector);
  Operation *def = vector.getDefiningOp();
  Operation *copy = def->clone();
  for (OpOperand &operand : copy->getOpOperands())
    if (isVector(operand.get()))
      operand.set(demand(operand.get(), layout, user));
  b.setInsertionPoint(user);
  b.insert(copy);
  setLayout(copy->getResult(0), layout);
  // `known` may have moved: the map grew with the operands.
  return made[{vector, layout, user->getBlock()}] = copy->getResult(0);
}

LogicalResult LayoutAssigner::convertOperands(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    Value value = operand.get();
    if (!isVector(value))
      continue;
    Attribute wanted;
    if (auto spread = dyn_cast<SpreadOp>(op)) {
      auto frag =
          cast<FragAttr>(tensorTypeOf(spread.getResult()).getEncoding());
      wanted = SliceAttr::get(b.getContext(), spread.getAxis(), frag);
    } else if (isElementwise(op)) {
      wanted = layoutOf(op->getResult(0));
      if (!wanted) // computed again for each use
        return success();
    } else if (auto inner = dyn_cast<scf::ForOp>(op)) {
      wanted = layoutOf(inner.getTiedLoopRegionIterArg(&operand));
    } else if (auto yield = dyn_cast<scf::YieldOp>(op)) {
      wanted =
          layoutOf(yield->getParentOp()->getResult(operand.getOperandNumber()));
    } else if (isa<WriteOp>(op) && isRowSlice(layoutOf(value))) {
      continue; // one lane per row writes
    } else if (isa<StoreOp, WriteOp, ScanOp>(op)) {
      wanted = flat;
    } else {
      return op->emitError("takes no vector in registers");
    }
    operand.set(demand(value, wanted, op));
  }
  return success();
}

LogicalResult LayoutAssigner::run() {
  // In program order: results, then block arguments; those of loops have the
  // types of the inits.
  WalkResult walked = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == kernel)
      return WalkResult::advance();
    if (failed(assignResults(op)))
      return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments()) {
        auto loop = dyn_cast<scf::ForOp>(op);
        if (failed(loop && isVector(argument)
                       ? assignCarried(argument,
                                       loop.getTiedLoopInit(argument)->get(),
                                       loop)
                       : assignValue(argument, op)))
          return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();

  SmallVector<Operation *> ops;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops)
    if (op != kernel && failed(convertOperands(op)))
      return failure();
  // Erases the originals of values that were computed again for their uses.
  for (Operation *op : llvm::reverse(ops))
    if (op->getNumResults() == 1 && isVector(op->getResult(0)) &&
        !layoutOf(op->getResult(0)))
      op->erase();
  return success();
}

namespace {

struct AssignLayoutsPass
    : public delta::tile::impl::AssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(LayoutAssigner(kernel).run()))
        return signalPassFailure();
  }
};

} // namespace
