//===- SplitRoles.cpp - warps that load, multiply and store -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-split-roles`: the op of the loop that a role runs is the one that it
/// alone must run; what it needs to know where (index arithmetic) is cheap and
/// computed by each. So nothing but buffers crosses between roles, and rings
/// are enough. Warps of the copying roles beyond the first of an instance only
/// complete warpgroups. Products are started and awaited by later passes.
///
//===----------------------------------------------------------------------===//

#include "ChunkLoop.h"
#include "IndexArithmetic.h"
#include "LocationNames.h"
#include "RoleParts.h"
#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace delta::tile {
#define GEN_PASS_DEF_SPLITROLES
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta;
using namespace delta::tile;

namespace {

class RoleSplitter {
public:
  RoleSplitter(KernelOp kernel, int64_t stages)
      : kernel(kernel), tiles(kernel.getChains()), stages(stages),
        b(kernel.getContext()) {}

  LogicalResult run();

private:
  /// Whether every launch has whole CTAs of chains.
  LogicalResult checkLaunches();
  RingCreateOp createRing(StringRef name, ArrayRef<CopyOp> copies,
                          int64_t slots, int64_t consumers);
  RolesOp createRoles();
  /// The number of the chain that `instance` runs.
  Value createChain(Value instance);
  /// A loop like that over chunks, in a copying role, for the chain `chain`.
  void copyInRole(Block &block, Value chain, ArrayRef<CopyOp> copies,
                  RingCreateOp ring);
  void moveToMath(Block &block, RolesOp roles);
  void readSlots(Value instance, RingCreateOp ring);
  void writeSlots(RingCreateOp ring);
  void countCtas();

  Location unnamed() { return withoutNames(chunks.loop.getLoc()); }
  Location named(StringRef name) {
    return NameLoc::get(b.getStringAttr(name), unnamed());
  }

  KernelOp kernel;
  /// Chains of a CTA, and instances of the math role.
  int64_t tiles;
  int64_t stages;
  OpBuilder b;
  ChunkLoop chunks;
};

} // namespace

LogicalResult RoleSplitter::checkLaunches() {
  if (tiles == 1)
    return success();
  WalkResult result =
      kernel->getParentOfType<ModuleOp>().walk([&](LaunchOp launch) {
        if (launch.getKernel() != kernel.getSymName())
          return WalkResult::advance();
        APInt chains;
        if (matchPattern(launch.getGrid()[0], m_ConstantInt(&chains)) &&
            chains.getSExtValue() % tiles == 0)
          return WalkResult::advance();
        launch.emitError() << "grid 0: expected a constant number of chains, a "
                              "multiple of the "
                           << tiles << " of a CTA of "
                           << launch.getKernelAttr();
        return WalkResult::interrupt();
      });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Rings and roles
//===----------------------------------------------------------------------===//

RingCreateOp RoleSplitter::createRing(StringRef name, ArrayRef<CopyOp> copies,
                                      int64_t slots, int64_t consumers) {
  SmallVector<MemRefType> buffers;
  bool zeroed = false;
  for (CopyOp copy : copies) {
    auto type = cast<MemRefType>(copy.getShared().getType());
    zeroed |= !copy.getToGlobal() && copy.getCopiedRows() < type.getDimSize(0);
    if (tiles > 1 && !copy.getToGlobal() && isPerChain(kernel, copy))
      type = getSharedType({type.getDimSize(0), tiles * kChainColumns},
                           type.getElementType());
    buffers.push_back(type);
  }
  auto ring = RingCreateOp::create(
      b, named(name), RingType::get(b.getContext(), slots, buffers), name,
      Protocol::Mbarrier, consumers, /*offset=*/IntegerAttr(), zeroed,
      /*barriers=*/IntegerAttr());
  ring->setAttr(getBufferNamesAttrName(), getBufferNames(b, copies));
  return ring;
}

RolesOp RoleSplitter::createRoles() {
  bool stores = !chunks.stores.empty();
  int64_t mathWarps = tiles * delta::warpgroupWarps;
  int64_t storeWarps = stores ? tiles : 0;
  // Registers are set a warpgroup at a time.
  int64_t loadWarps = tiles == 1 ? 1 : delta::warpgroupWarps - storeWarps;
  int64_t copyRegisters = tiles == 1 ? kMathRegisters : kCopyRegisters;
  SmallVector<Attribute> roles;
  auto add = [&](StringRef name, int64_t warps, int64_t registers,
                 int64_t instances) {
    roles.push_back(RoleAttr::get(b.getContext(), b.getStringAttr(name), warps,
                                  registers, instances));
  };
  // First, for instances of a product start at a multiple of four warps.
  add("math", mathWarps, kMathRegisters, tiles);
  add("load", loadWarps, copyRegisters, 1);
  if (stores)
    add("store", storeWarps, copyRegisters, tiles);
  kernel.setWarps(mathWarps + loadWarps + storeWarps);
  auto op = RolesOp::create(b, unnamed(), b.getArrayAttr(roles), roles.size());
  for (Region &body : op.getBodies())
    body.emplaceBlock().addArgument(b.getIndexType(), named("instance"));
  return op;
}

Value RoleSplitter::createChain(Value instance) {
  Value first = kernel.getArgument(0);
  if (tiles == 1)
    return first;
  Value count = arith::ConstantIndexOp::create(b, unnamed(), tiles);
  Location loc = first.getLoc();
  first = arith::MulIOp::create(b, loc, first, count);
  return instance ? arith::AddIOp::create(b, loc, first, instance) : first;
}

/// What a role computes of `value`, index arithmetic: ops of `loop` in
/// `inLoop`, those in front of it that depend on the chain in `inFront`.
static Value cloneIndex(Value value, scf::ForOp loop, Value chain,
                        IRMapping &map, OpBuilder &inFront, OpBuilder &inLoop) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *def = value.getDefiningOp();
  bool isInLoop = def && loop->isProperAncestor(def);
  if (!def || (!isInLoop && !dependsOn(value, chain)))
    return value;
  for (Value operand : def->getOperands())
    map.map(operand, cloneIndex(operand, loop, chain, map, inFront, inLoop));
  (isInLoop ? inLoop : inFront).clone(*def, map);
  return map.lookup(value);
}

void RoleSplitter::copyInRole(Block &block, Value chain,
                              ArrayRef<CopyOp> copies, RingCreateOp ring) {
  scf::ForOp source = chunks.loop;
  bool out = CopyOp(copies.front()).getToGlobal();
  Value gridIndex = kernel.getArgument(0);
  IRMapping map;
  if (chain != gridIndex)
    map.map(gridIndex, chain);
  auto loop = scf::ForOp::create(b, unnamed(), source.getLowerBound(),
                                 source.getUpperBound(), source.getStep());
  loop.getInductionVar().setLoc(source.getInductionVar().getLoc());
  map.map(source.getInductionVar(), loop.getInductionVar());
  OpBuilder inFront(loop);
  b.setInsertionPointToStart(loop.getBody());
  // Addresses first: a slot is held no longer than its copies take.
  SmallVector<SmallVector<Value>> indices;
  for (CopyOp copy : copies)
    indices.push_back(llvm::map_to_vector(copy.getIndices(), [&](Value index) {
      return cloneIndex(index, source, gridIndex, map, inFront, b);
    }));
  Value index = loop.getInductionVar();
  Operation *open =
      out ? openSlot<PeekOp>(b, unnamed(), ring, index).getOperation()
          : openSlot<AcquireOp>(b, unnamed(), ring, index).getOperation();
  SmallVector<Value> inflight;
  for (auto [i, entry] : llvm::enumerate(copies)) {
    CopyOp copy = entry;
    inflight.push_back(CopyOp::create(
        b, copy.getLoc(), copy.getInflight().getType(), copy.getGlobal(),
        open->getResult(1 + i), indices[i], /*bound=*/Value(), copy.getDims(),
        copy.getEngine(), copy.getToGlobal(), copy.getMulticast(),
        copy.getRows()));
  }
  if (out)
    ReleaseOp::create(b, unnamed(), open->getResult(0), inflight);
  else
    CommitOp::create(b, unnamed(), open->getResult(0), inflight);
  b.setInsertionPointToEnd(&block);
}

//===----------------------------------------------------------------------===//
// The math role
//===----------------------------------------------------------------------===//

void RoleSplitter::moveToMath(Block &block, RolesOp roles) {
  // Index arithmetic in front of the loop serves all roles, unless its operand
  // does not.
  llvm::DenseSet<Operation *> moved;
  auto isShared = [&](Operation *op) {
    return op->isBeforeInBlock(roles) && isMemoryEffectFree(op) &&
           op->getNumRegions() == 0 &&
           llvm::all_of(op->getResultTypes(),
                        [](Type type) { return type.isIntOrIndex(); }) &&
           llvm::none_of(op->getOperands(), [&](Value operand) {
             return moved.contains(operand.getDefiningOp()) ||
                    (tiles > 1 && operand == kernel.getArgument(0));
           });
  };
  for (Operation &op : llvm::make_early_inc_range(kernel.getBody().front())) {
    if (isa<AllocOp, RingCreateOp, RolesOp, ReturnOp>(op) || isShared(&op))
      continue;
    moved.insert(&op);
    op.moveBefore(&block, block.end());
  }
}

/// The buffers of each slot instead of what was copied in, and the end of their
/// use.
void RoleSplitter::readSlots(Value instance, RingCreateOp ring) {
  Block *body = chunks.loop.getBody();
  Value column;
  if (tiles > 1) {
    b.setInsertionPoint(chunks.loop);
    Value width = arith::ConstantIndexOp::create(b, unnamed(), kChainColumns);
    column = arith::MulIOp::create(b, named("panel"), instance, width);
  }
  b.setInsertionPointToStart(body);
  auto peek =
      openSlot<PeekOp>(b, unnamed(), ring, chunks.loop.getInductionVar());
  Operation *last = peek;
  for (auto [copy, buffer] : llvm::zip_equal(chunks.loads, peek.getBuffers())) {
    Value old = copy.getShared(), view = buffer;
    auto type = cast<MemRefType>(old.getType());
    if (view.getType() != type) {
      b.setInsertionPointAfter(peek); // what stood behind it may be erased
      SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0), column};
      SmallVector<OpFoldResult> sizes = {b.getIndexAttr(type.getDimSize(0)),
                                         b.getIndexAttr(kChainColumns)};
      SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
      view = memref::SubViewOp::create(b, old.getLoc(), buffer, offsets, sizes,
                                       strides);
    }
    copy->user_begin()->erase(); // its await
    copy.erase();
    for (Operation *user : old.getUsers()) {
      Operation *top = body->findAncestorOpInBlock(*user);
      if (last->isBeforeInBlock(top))
        last = top;
    }
    old.replaceAllUsesWith(view);
    old.getDefiningOp()->erase();
  }
  b.setInsertionPointAfter(last);
  ReleaseOp::create(b, unnamed(), peek.getSlot(), ValueRange());
}

/// A slot of the ring instead of the buffers that were copied out.
void RoleSplitter::writeSlots(RingCreateOp ring) {
  SmallVector<WriteOp> writes = llvm::map_to_vector(chunks.stores, findWrite);
  auto before = [](Operation *a, Operation *c) {
    return a->isBeforeInBlock(c);
  };
  b.setInsertionPoint(*llvm::min_element(writes, before));
  auto acquire =
      openSlot<AcquireOp>(b, unnamed(), ring, chunks.loop.getInductionVar());
  b.setInsertionPointAfter(*llvm::max_element(writes, before));
  CommitOp::create(b, unnamed(), acquire.getSlot(), ValueRange());
  for (auto [copy, buffer] :
       llvm::zip_equal(chunks.stores, acquire.getBuffers())) {
    Value old = copy.getShared();
    copy->user_begin()->erase(); // its await
    copy.erase();
    old.replaceAllUsesWith(buffer);
    old.getDefiningOp()->erase();
  }
}

/// Grid index 0 counts CTAs of `tiles` chains.
void RoleSplitter::countCtas() {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(0, "delta.name"))
    kernel.setArgAttr(0, "delta.name",
                      b.getStringAttr(name.getValue() + "_pair"));
  kernel->getParentOfType<ModuleOp>().walk([&](LaunchOp launch) {
    if (launch.getKernel() != kernel.getSymName())
      return;
    APInt chains;
    matchPattern(launch.getGrid()[0], m_ConstantInt(&chains));
    b.setInsertionPoint(launch);
    launch.getGridMutable()[0].set(arith::ConstantIndexOp::create(
        b, launch.getLoc(), chains.getSExtValue() / tiles));
  });
}

LogicalResult RoleSplitter::run() {
  FailureOr<ChunkLoop> found = findChunkLoop(kernel);
  if (failed(found) || failed(checkLaunches()))
    return failure();
  chunks = *found;
  b.setInsertionPoint(chunks.loop);
  RingCreateOp in =
      createRing("chunks", chunks.loads, stages, /*consumers=*/tiles);
  RingCreateOp out;
  if (!chunks.stores.empty())
    out = createRing("out", chunks.stores, /*slots=*/tiles == 1 ? 2 : 1,
                     /*consumers=*/1);
  RolesOp roles = createRoles();

  Block &load = roles.getBodies()[1].front();
  b.setInsertionPointToStart(&load);
  copyInRole(load, createChain(/*instance=*/Value()), chunks.loads, in);
  if (out) {
    Block &store = roles.getBodies()[2].front();
    b.setInsertionPointToStart(&store);
    copyInRole(store, createChain(store.getArgument(0)), chunks.stores, out);
  }

  Block &math = roles.getBodies()[0].front();
  moveToMath(math, roles);
  if (tiles > 1) {
    b.setInsertionPointToStart(&math);
    Value chain = createChain(math.getArgument(0));
    Value gridIndex = kernel.getArgument(0);
    Operation *first = chain.getDefiningOp()->getOperand(0).getDefiningOp();
    gridIndex.replaceUsesWithIf(chain, [&](OpOperand &use) {
      return use.getOwner() != first &&
             roles.getBodies()[0].isAncestor(use.getOwner()->getParentRegion());
    });
  }
  // Views need the instance; both find their ops in the loop, moved by now.
  readSlots(math.getArgument(0), in);
  if (out)
    writeSlots(out);
  if (tiles > 1)
    countCtas();
  return success();
}

namespace {

struct SplitRolesPass
    : public delta::tile::impl::SplitRolesBase<SplitRolesPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      if (!kernel.hasRoles())
        continue;
      plan::KernelPlanAttr plan = *kernel.getPlan();
      int64_t depth = stages ? stages : plan.getStages();
      if (failed(plan.getSplit() == plan::Split::Rows
                     ? splitBlockRoles(kernel, depth)
                     : RoleSplitter(kernel, depth).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
