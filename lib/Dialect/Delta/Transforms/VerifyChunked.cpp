//===- VerifyChunked.cpp - contract of the chunked phase --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks what later passes rely on and no single op can see. Labels H1, H2,
/// ... are those of docs/delta-dialect.md. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Names.h"
#include "delta/Dialect/Delta/IR/Nests.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace delta;

namespace delta {
#define GEN_PASS_DEF_VERIFYCHUNKED
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

namespace {

struct VerifyChunked : public delta::impl::VerifyChunkedBase<VerifyChunked> {
  void runOnOperation() override;
};

/// What a load and a store have in common.
struct Access {
  Access(LoadOp op, Value array)
      : op(op), array(array), tile(op.getTile()), indices(op.getIndices()),
        rows(op.getRows()), dims(op.getDims()), steps(op.getSteps()) {}
  Access(StoreOp op, Value array)
      : op(op), array(array), tile(op.getTile()), indices(op.getIndices()),
        rows(op.getRows()), dims(op.getDims()) {}

  MemRefType arrayType() const { return cast<MemRefType>(array.getType()); }
  ArrayRef<int64_t> shape() const {
    return cast<RankedTensorType>(tile.getType()).getShape();
  }
  /// Index of the first row.
  Value row() const { return indices[dims[0]]; }

  Operation *op;
  Value array, tile;
  SmallVector<Value> indices;
  Value rows;
  ArrayRef<int64_t> dims;
  int64_t steps = 1;
};

} // namespace

/// H1
static LogicalResult verifySignature(func::FuncOp func) {
  if (func.getNumResults() != 0)
    return func.emitOpError("results: expected none, got ")
           << func.getNumResults();
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    auto type = dyn_cast<MemRefType>(func.getArgumentTypes()[i]);
    if (!type || !type.getLayout().isIdentity())
      return func.emitOpError("argument ")
             << i << ": expected a contiguous memref, got "
             << func.getArgumentTypes()[i];
    if (!func.getArgAttr(i, kNameAttr))
      return func.emitOpError("argument ")
             << i << ": expected a name, got no " << kNameAttr;
  }
  return success();
}

/// H8
static LogicalResult verifyNest(scf::ForallOp loop) {
  NestAttr nest = getNest(loop);
  if (!nest)
    return loop.emitOpError("expected a nest that says what it computes, got "
                            "no ")
           << kNestAttr;
  if (static_cast<int64_t>(nest.getAxes().size()) != loop.getRank())
    return loop.emitOpError("nest axes: expected ")
           << loop.getRank() << " names, got " << nest.getAxes();
  return success();
}

static LogicalResult verifyOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForallOp>(op);
      loop && !loop->getParentOfType<scf::ForallOp>() &&
      failed(verifyNest(loop)))
    return failure();
  // H2
  if (isa<RecurrenceOp>(op))
    return op->emitOpError("expected no recurrence after chunking");
  // H3
  for (Type type : op->getResultTypes())
    if (auto tensor = dyn_cast<TensorType>(type))
      if (!tensor.hasStaticShape())
        return op->emitOpError("expected a tile of static shape, got ") << type;
  // H4. Arrays of the function's own are made before its loops; they are freed
  // by whoever lowers them.
  bool onlyNests = op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   op->hasTrait<OpTrait::IsTerminator>();
  bool isWorkspace =
      isa<memref::AllocOp>(op) && isa<func::FuncOp>(op->getParentOp());
  if (!isa<LoadOp, LoadIndexOp, StoreOp>(op) && !onlyNests && !isWorkspace &&
      !isMemoryEffectFree(op))
    return op->emitOpError("expected memory to be touched by delta.load, "
                           "delta.load_index and delta.store alone");
  return success();
}

/// Whether [index, index + count) is known to lie inside an axis.
static bool isInside(Value index, int64_t count, int64_t extent) {
  std::optional<int64_t> start = getConstantIntValue(index);
  return start && !ShapedType::isDynamic(extent) && *start >= 0 &&
         *start + count <= extent;
}

/// H5: nothing outside the array is read or written.
static LogicalResult verifyBounds(const Access &access) {
  MemRefType type = access.arrayType();
  int64_t rowAxis = access.dims[0];
  int64_t count = llvm::divideCeil(access.shape()[0], access.steps);
  if (!access.rows && !isInside(access.row(), count, type.getDimSize(rowAxis)))
    return access.op->emitOpError("rows: expected a bound, because ")
           << count << " rows may pass axis " << rowAxis << " of " << type;
  for (auto [axis, extent] :
       llvm::drop_begin(llvm::zip(access.dims, access.shape())))
    if (!isInside(access.indices[axis], extent, type.getDimSize(axis)))
      return access.op->emitOpError("indices: expected a constant that keeps ")
             << extent << " columns inside axis " << axis << " of " << type;
  return success();
}

/// The factor of an index of the form `counter * constant`, or nothing.
static std::optional<int64_t> getStride(Value index, Value counter) {
  auto product = index.getDefiningOp<arith::MulIOp>();
  if (!product)
    return std::nullopt;
  if (product.getLhs() == counter)
    return getConstantIntValue(product.getRhs());
  if (product.getRhs() == counter)
    return getConstantIntValue(product.getLhs());
  return std::nullopt;
}

/// H7: the load reads block p of an array whose block c, for p < c, is what the
/// store writes: both blocks start at a multiple of one length, and p counts
/// from 0 to c inside the loop over c.
static LogicalResult verifyBefore(const Access &load, const Access &store) {
  auto fail = [&](const Twine &expected) {
    InFlightDiagnostic diagnostic = load.op->emitOpError("before: expected ")
                                    << expected;
    diagnostic.attachNote(store.op->getLoc()) << "the array is stored here";
    return diagnostic;
  };
  for (auto [axis, index] : llvm::enumerate(load.indices))
    if (!llvm::is_contained(load.dims, axis) && index != store.indices[axis])
      return fail("the indices of the store on axis " + Twine(axis));
  auto earlier = load.op->getParentOfType<scf::ForOp>();
  auto outer = earlier ? earlier->getParentOfType<scf::ForOp>() : scf::ForOp();
  while (outer && earlier.getUpperBound() != outer.getInductionVar())
    outer = outer->getParentOfType<scf::ForOp>();
  if (!outer || !outer->isProperAncestor(store.op) ||
      getConstantIntValue(earlier.getLowerBound()) != 0 ||
      getConstantIntValue(earlier.getStep()) != 1)
    return fail("a loop over the blocks before that of the store");
  std::optional<int64_t> block =
      getStride(store.row(), outer.getInductionVar());
  if (!block || getStride(load.row(), earlier.getInductionVar()) != block ||
      load.shape()[0] > *block || store.shape()[0] > *block)
    return fail("blocks of one length, each starting at a multiple of it");
  return success();
}

/// Whether `load` reads what `store` writes in a loop nest that has ended, or
/// what the caller left in an array that `store` updates in a later one.
static bool readsOtherNest(func::FuncOp func, const Access &load,
                           const Access &store) {
  Operation *reader = func.front().findAncestorOpInBlock(*load.op);
  Operation *writer = func.front().findAncestorOpInBlock(*store.op);
  if (writer == reader)
    return false;
  auto argument = dyn_cast<BlockArgument>(load.array);
  bool isUpdated = argument && argument.getOwner() == &func.front() &&
                   func.getArgAttr(argument.getArgNumber(), kUpdatedAttr);
  return isUpdated || writer->isBeforeInBlock(reader);
}

/// H6 and H7
static LogicalResult verifyOrder(func::FuncOp func, const Access &load,
                                 ArrayRef<Access> stores) {
  bool isStored = false, isBefore = cast<LoadOp>(load.op).getBefore();
  for (const Access &store : stores) {
    if (store.array != load.array)
      continue;
    isStored = true;
    if (isBefore) {
      if (failed(verifyBefore(load, store)))
        return failure();
      continue;
    }
    if (readsOtherNest(func, load, store))
      continue;
    InFlightDiagnostic diagnostic = load.op->emitOpError(
        "source: expected before on an array that the function stores");
    diagnostic.attachNote(store.op->getLoc()) << "it is stored here";
    return diagnostic;
  }
  if (isBefore && !isStored)
    return load.op->emitOpError(
        "before: expected a source that the function stores");
  return success();
}

static LogicalResult verifyFunction(func::FuncOp func) {
  if (func.isExternal())
    return success();
  if (failed(verifySignature(func)))
    return failure();
  SmallVector<Access> stores, loads;
  WalkResult walked = func.getBody().walk([&](Operation *op) {
    if (failed(verifyOp(op)))
      return WalkResult::interrupt();
    // Rests lie where the array's elements do.
    auto collect = [](auto op, Value array, SmallVectorImpl<Access> &into) {
      into.emplace_back(op, array);
      if (Value rest = op.getRest())
        into.emplace_back(op, rest);
      return failed(verifyBounds(into.back())) ? WalkResult::interrupt()
                                               : WalkResult::advance();
    };
    if (auto load = dyn_cast<LoadOp>(op))
      return collect(load, load.getSource(), loads);
    if (auto store = dyn_cast<StoreOp>(op))
      return collect(store, store.getDest(), stores);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  for (const Access &load : loads)
    if (failed(verifyOrder(func, load, stores)))
      return failure();
  return success();
}

void VerifyChunked::runOnOperation() {
  if (failed(verifyFunction(getOperation())))
    signalPassFailure();
  markAllAnalysesPreserved();
}
