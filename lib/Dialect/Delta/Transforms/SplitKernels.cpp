//===- SplitKernels.cpp - cut the chunk loop where the state enters -*- C++
//-*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The cut is a property of the graph: whatever depends on the loop-carried
/// state is the chain and stays sequential; the rest may run for every chunk at
/// once. Nothing here knows which recurrence it is cutting.
///
//===----------------------------------------------------------------------===//

#include "ScanNest.h"

#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace delta {
#define GEN_PASS_DEF_SPLITKERNELS
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

namespace {

/// A value of the prepare part that the chain uses, and where it is kept.
struct Crossing {
  Value value;
  Value workspace;
  /// The value is one for all value heads of a group.
  bool perKeyHead;
};

class Splitter {
public:
  explicit Splitter(ScanNest loop)
      : loop(loop), b(loop.heads.getLoc(), loop.heads) {}

  void run();

private:
  void findChain();
  void findCrossings();
  void visitOperand(Value operand, DenseSet<Value> &seen);
  void allocate(Crossing &crossing);
  void buildPrepare();
  void readCrossings();
  void eraseDead();

  /// The op that computes the key head from the value head, if there is one.
  arith::DivUIOp keyHeadOp();
  bool dependsOnValueHead(Value value);
  /// Coordinates of a crossing value's slot, with the loop's coordinates
  /// mapped.
  SmallVector<Value> slot(ImplicitLocOpBuilder &at, const Crossing &crossing,
                          Value batch, Value chunk, Value head);

  ScanNest loop;
  ImplicitLocOpBuilder b;
  llvm::SetVector<Operation *> chain;
  SmallVector<Crossing> crossings;
};

} // namespace

/// Cheaper to compute twice than to pass through memory: index arithmetic, rows
/// of the caller's arrays (but see isRoundedRows), exact conversions, elements
/// and their repetition.
static bool isRematerialised(Operation *op) {
  if (isa<LoadOp, arith::ExtFOp, arith::ConstantOp, tensor::ExtractOp,
          tensor::SplatOp>(op))
    return true;
  return isa<arith::ArithDialect>(op->getDialect()) &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIndex(); });
}

/// The type that every product of the chain may round `value` to, or f32.
/// Rounding when the value is stored is then the rounding that the product
/// would do.
static Type getStoredType(Value value,
                          const llvm::SetVector<Operation *> &chain) {
  Type type = getElementTypeOrSelf(value);
  if (!type.isF32())
    return type;
  Type stored;
  for (OpOperand &use : value.getUses()) {
    if (!chain.contains(use.getOwner()))
      continue;
    OperandRounding own = getRounding(use);
    if (!own.type || own.leavesRests || (stored && stored != own.type))
      return type;
    stored = own.type;
  }
  return stored ? stored : type;
}

void Splitter::findChain() {
  DenseSet<Value> dependent;
  for (Value state : loop.chunks.getRegionIterArgs())
    dependent.insert(state);
  for (Operation &op : loop.chunks.getBody()->getOperations()) {
    bool uses = llvm::any_of(op.getOperands(), [&](Value operand) {
      return dependent.contains(operand);
    });
    if (!uses && !op.hasTrait<OpTrait::IsTerminator>())
      continue;
    chain.insert(&op);
    dependent.insert(op.result_begin(), op.result_end());
  }
}

/// Whether `operand` is rows of an f32 array that every product of the chain
/// rounds. Prepared in 16 bits they are half as many bytes, and lie in shared
/// memory as the products want them.
static bool isRoundedRows(Value operand,
                          const llvm::SetVector<Operation *> &chain) {
  auto load = operand.getDefiningOp<LoadOp>();
  return load && load.getTile().getType().getRank() == 2 &&
         getElementTypeOrSelf(load.getSource().getType()).isF32() &&
         !getStoredType(operand, chain).isF32();
}

void Splitter::visitOperand(Value operand, DenseSet<Value> &seen) {
  Operation *def = operand.getDefiningOp();
  if (!def || def->getBlock() != loop.chunks.getBody() || chain.contains(def) ||
      !seen.insert(operand).second)
    return;
  if (!isRematerialised(def) || isRoundedRows(operand, chain)) {
    crossings.push_back({operand, Value(), !dependsOnValueHead(operand)});
    return;
  }
  for (Value input : def->getOperands())
    visitOperand(input, seen);
}

void Splitter::findCrossings() {
  DenseSet<Value> seen;
  for (Operation *op : chain)
    for (Value operand : op->getOperands())
      visitOperand(operand, seen);
}

arith::DivUIOp Splitter::keyHeadOp() {
  for (Operation *user : loop.head().getUsers())
    if (auto divide = dyn_cast<arith::DivUIOp>(user))
      if (divide.getLhs() == loop.head())
        return divide;
  return nullptr;
}

bool Splitter::dependsOnValueHead(Value value) {
  SmallVector<Value> worklist = {value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (next == loop.head())
      return true;
    Operation *def = next.getDefiningOp();
    if (!def || def == keyHeadOp() || !seen.insert(next).second)
      continue;
    llvm::append_range(worklist, def->getOperands());
  }
  return false;
}

void Splitter::allocate(Crossing &crossing) {
  int64_t heads = *getConstantIntValue(loop.heads.getMixedUpperBound()[1]);
  if (arith::DivUIOp divide = keyHeadOp(); divide && crossing.perKeyHead)
    heads /= *getConstantIntValue(divide.getRhs());
  OpFoldResult batches = loop.heads.getMixedUpperBound()[0];
  SmallVector<int64_t> shape = {ShapedType::kDynamic, ShapedType::kDynamic,
                                heads};
  llvm::append_range(
      shape, cast<RankedTensorType>(crossing.value.getType()).getShape());
  auto type = MemRefType::get(shape, getStoredType(crossing.value, chain));
  Value batchCount = getValueOrCreateConstantIndexOp(b, b.getLoc(), batches);
  auto alloc = memref::AllocOp::create(
      b, crossing.value.getLoc(), type,
      ValueRange{batchCount, loop.chunks.getUpperBound()});
  if (auto name = dyn_cast<NameLoc>(crossing.value.getLoc()))
    alloc->setAttr("delta.name", name.getName());
  crossing.workspace = alloc;
}

SmallVector<Value> Splitter::slot(ImplicitLocOpBuilder &at,
                                  const Crossing &crossing, Value batch,
                                  Value chunk, Value head) {
  arith::DivUIOp divide = keyHeadOp();
  if (crossing.perKeyHead && divide) {
    Value group = arith::ConstantIndexOp::create(
        at, *getConstantIntValue(divide.getRhs()));
    Location loc = at.getLoc();
    at.setLoc(divide.getLoc());
    head = arith::DivUIOp::create(at, head, group);
    at.setLoc(loc);
  }
  SmallVector<Value> indices = {batch, chunk, head};
  Value zero = arith::ConstantIndexOp::create(at, 0);
  indices.append(cast<RankedTensorType>(crossing.value.getType()).getRank(),
                 zero);
  return indices;
}

/// The axes of a workspace that hold one value.
static SmallVector<int64_t> slotDims(Value value) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  return llvm::to_vector(llvm::seq<int64_t>(3, 3 + rank));
}

void Splitter::buildPrepare() {
  SmallVector<OpFoldResult> bounds = {loop.heads.getMixedUpperBound()[0],
                                      loop.chunks.getUpperBound(),
                                      loop.heads.getMixedUpperBound()[1]};
  auto nest = NestAttr::get(b.getContext(), NestKind::IntraChunk, "prepare",
                            {"batch", "chunk", "head"});
  std::string names;
  for (const Crossing &crossing : crossings)
    if (auto name = dyn_cast<NameLoc>(crossing.value.getLoc()))
      names += (names.empty() ? "" : ", ") + name.getName().str();
  scf::ForallOp prepare = createNest(
      b, nest, "What of one chunk needs no state: " + names + ".", bounds);
  Value batch = prepare.getInductionVars()[0];
  Value chunk = prepare.getInductionVars()[1];
  Value head = prepare.getInductionVars()[2];
  ImplicitLocOpBuilder body(b.getLoc(), prepare.getTerminator());

  // What the crossing values need, of both blocks, in order.
  DenseSet<Operation *> needed;
  SmallVector<Value> worklist;
  for (const Crossing &crossing : crossings)
    worklist.push_back(crossing.value);
  while (!worklist.empty()) {
    Operation *def = worklist.pop_back_val().getDefiningOp();
    if (!def || !loop.heads->isProperAncestor(def) ||
        !needed.insert(def).second)
      continue;
    llvm::append_range(worklist, def->getOperands());
  }
  IRMapping map;
  map.map(loop.batch(), batch);
  map.map(loop.head(), head);
  map.map(loop.chunk(), chunk);
  // A value is stored where it is made: nothing keeps it longer.
  auto storeCrossing = [&](const Crossing &crossing) {
    Value tile = map.lookup(crossing.value);
    body.setLoc(crossing.value.getLoc());
    auto type = cast<RankedTensorType>(tile.getType());
    if (!type.getElementType().isF32())
      tile = arith::ExtFOp::create(body, type.clone(body.getF32Type()), tile);
    StoreOp::create(body, tile, crossing.workspace,
                    slot(body, crossing, batch, chunk, head), /*rows=*/Value(),
                    slotDims(crossing.value));
  };
  for (Block *block : {loop.heads.getBody(), loop.chunks.getBody()})
    for (Operation &op : block->getOperations()) {
      if (!needed.contains(&op))
        continue;
      body.clone(op, map);
      for (const Crossing &crossing : crossings)
        if (crossing.value.getDefiningOp() == &op)
          storeCrossing(crossing);
    }
}

void Splitter::readCrossings() {
  for (const Crossing &crossing : crossings) {
    ImplicitLocOpBuilder at(crossing.value.getLoc(),
                            crossing.value.getDefiningOp());
    auto type = cast<RankedTensorType>(crossing.value.getType());
    Value tile = LoadOp::create(
        at, type.clone(at.getF32Type()), crossing.workspace,
        slot(at, crossing, loop.batch(), loop.chunk(), loop.head()),
        /*rows=*/Value(), at.getDenseI64ArrayAttr(slotDims(crossing.value)),
        /*steps=*/1, /*before=*/false);
    // What is computed again takes the load too; other users are dead by now.
    Value replaced = crossing.value;
    if (type == tile.getType()) {
      replaced.replaceAllUsesWith(tile);
      continue;
    }
    // A 16-bit value is used through an extension alone: the load extends.
    for (Operation *user : replaced.getUsers())
      if (auto extend = dyn_cast<arith::ExtFOp>(user))
        extend.replaceAllUsesWith(tile);
  }
}

void Splitter::eraseDead() {
  for (Block *block : {loop.chunks.getBody(), loop.heads.getBody()})
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
}

void Splitter::run() {
  findChain();
  findCrossings();
  if (crossings.empty())
    return;
  for (Crossing &crossing : crossings)
    allocate(crossing);
  buildPrepare();
  readCrossings();
  eraseDead();
}

namespace {

class SplitKernelsPass
    : public delta::impl::SplitKernelsBase<SplitKernelsPass> {
public:
  void runOnOperation() override {
    FailureOr<SmallVector<ScanNest>> scans = findScans(getOperation());
    if (failed(scans))
      return signalPassFailure();
    for (ScanNest scan : *scans)
      Splitter(scan).run();
  }
};

} // namespace
