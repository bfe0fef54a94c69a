//===- SplitRoles.cpp - warps that load, multiply and store -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-split-roles`: a role runs the ops that it alone must run; index
/// arithmetic, which says where, is cheap and computed by each role. So nothing
/// but buffers crosses between roles, and rings are enough. Copying roles keep
/// the order of the text: what waits for an earlier CTA comes after everything
/// that does not, and so no CTA waits for itself. Warps of the copying roles
/// beyond the first of an instance only complete warpgroups. Products are
/// started and awaited by later passes.
///
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"
#include "LocationNames.h"
#include "Rings.h"
#include "RoleCopies.h"
#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Support/Target.h"

#include "mlir/Analysis/SliceAnalysis.h"
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

/// The copies that fill, or empty, one slot of a ring.
struct Slot {
  SmallVector<CopyOp> copies;
  /// Of these, the one where a copying role runs all of them.
  CopyOp place;
  RingCreateOp ring;
  /// In the loop, its induction variable.
  Value number;

  bool isStore() const { return CopyOp(place).getToGlobal(); }
};

class RoleSplitter {
public:
  RoleSplitter(KernelOp kernel, int64_t stages)
      : kernel(kernel), body(kernel.getBody().front()), plan(*kernel.getPlan()),
        instances(plan.getChains()), stages(stages), b(kernel.getContext()) {}

  LogicalResult run();

private:
  /// Makes grid index 0 count CTAs of several chains; fails where a launch has
  /// no whole number of them.
  LogicalResult countCtas();
  bool isInLoop(CopyOp copy) { return copy->getBlock() == loop.getBody(); }
  /// Moves what every role needs to know to the front; returns the first op of
  /// the rest.
  Operation *hoistIndices();

  SmallVector<Slot> planSlots(ArrayRef<CopyOp> copies);
  void assignRing(Slot &slot, ArrayRef<Slot> planned);
  RingCreateOp createSlotRing(ArrayRef<CopyOp> copies);
  MemRefType getBufferType(CopyOp copy);
  void createRoles();

  /// The number of the chain that `instance` runs.
  Value createChain(Value instance);
  /// Computes `value` in a copying role, unless it is there already.
  void cloneIndex(Value value, IRMapping &map);
  void runCopies(Slot &slot, IRMapping &map);
  void fillCopyingRole(Block &block, MutableArrayRef<Slot> slots);

  void fillMath(Block &block);
  void useSlot(Slot &slot, Value instance);
  Value createView(CopyOp copy, Value buffer, Value instance);

  Location unnamed() { return withoutNames(loop.getLoc()); }
  Location named(StringRef name) {
    return NameLoc::get(b.getStringAttr(name), unnamed());
  }

  KernelOp kernel;
  Block &body;
  plan::KernelPlanAttr plan;
  /// Chains of a CTA, each of which an instance of the math role runs.
  int64_t instances;
  int64_t stages;
  OpBuilder b;
  scf::ForOp loop;
  SmallVector<Slot> loads, stores;
  RolesOp roles;
};

} // namespace

LogicalResult RoleSplitter::countCtas() {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(0, "delta.name"))
    kernel.setArgAttr(0, "delta.name",
                      b.getStringAttr(name.getValue() + "_pair"));
  WalkResult result =
      kernel->getParentOfType<ModuleOp>().walk([&](LaunchOp launch) {
        if (launch.getKernel() != kernel.getSymName())
          return WalkResult::advance();
        APInt chains;
        if (!matchPattern(launch.getGrid()[0], m_ConstantInt(&chains)) ||
            chains.getSExtValue() % instances != 0) {
          launch.emitError()
              << "grid 0: expected a constant number of chains, "
                 "a multiple of the "
              << instances << " of a CTA of " << launch.getKernelAttr();
          return WalkResult::interrupt();
        }
        b.setInsertionPoint(launch);
        launch.getGridMutable()[0].set(arith::ConstantIndexOp::create(
            b, launch.getLoc(), chains.getSExtValue() / instances));
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

Operation *RoleSplitter::hoistIndices() {
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  llvm::SetVector<Operation *> needed;
  kernel.walk([&](Operation *op) {
    if (isa<CopyOp, ExpectOp, SignalOp>(op))
      (void)getBackwardSlice(op, &needed, options);
  });
  auto isShared = [&](Operation &op) {
    if (isa<AllocOp>(op) || op.getNumResults() != 1)
      return isa<AllocOp>(op);
    Value result = op.getResult(0);
    bool isPerInstance =
        instances > 1 && dependsOn(result, kernel.getArgument(0));
    return result.getType().isIntOrIndex() && !isPerInstance &&
           (needed.contains(&op) || op.isBeforeInBlock(loop)) &&
           isIndexArithmetic(result, loop);
  };
  Operation *rest = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (!isShared(op))
      rest = rest ? rest : &op;
    else if (rest)
      op.moveBefore(rest);
  }
  return rest;
}

//===----------------------------------------------------------------------===//
// Rings and roles
//===----------------------------------------------------------------------===//

/// Of a CTA of several chains, one copy brings the columns of all of them.
MemRefType RoleSplitter::getBufferType(CopyOp copy) {
  auto type = cast<MemRefType>(copy.getShared().getType());
  if (copy.getToGlobal() || !isPerChain(kernel, copy))
    return type;
  return getSharedType({type.getDimSize(0), instances * type.getDimSize(1)},
                       type.getElementType());
}

RingCreateOp RoleSplitter::createSlotRing(ArrayRef<CopyOp> copies) {
  CopyOp first = copies.front();
  bool isStore = first.getToGlobal();
  auto buffer = dyn_cast<NameLoc>(first.getShared().getLoc());
  StringRef name = isStore             ? "out"
                   : copies.size() > 1 ? "chunks"
                   : buffer            ? buffer.getName().getValue()
                                       : "in";
  // Copies out run ahead of nothing: a second slot lets math write while they
  // read the first one. Other instances do so where there are any.
  int64_t slots = !isInLoop(first) ? 1
                  : !isStore       ? stages
                  : instances == 1 ? 2
                                   : 1;
  return createRing(
      b, named(name), name, Protocol::Mbarrier, slots, copies,
      llvm::map_to_vector(copies,
                          [&](CopyOp copy) { return getBufferType(copy); }),
      /*consumers=*/isStore ? 1 : instances);
}

/// Both ends of a ring must know the numbers of its slots, which follow each
/// other: after the loop these are known of one load, outside of it of all
/// stores.
void RoleSplitter::assignRing(Slot &slot, ArrayRef<Slot> planned) {
  CopyOp copy = slot.copies.front();
  if (isInLoop(copy)) {
    slot.ring = createSlotRing(slot.copies);
    slot.number = loop.getInductionVar();
    return;
  }
  for (const Slot &other : planned) {
    CopyOp first = other.copies.front();
    int64_t uses = llvm::count_if(
        planned, [&](const Slot &use) { return use.ring == other.ring; });
    bool isNext = slot.isStore() ? !isInLoop(first)
                                 : isInLoop(first) && uses == 1 &&
                                       loop->isBeforeInBlock(copy) &&
                                       first.getGlobal() == copy.getGlobal();
    if (!isNext || other.copies.size() != 1 ||
        getBufferType(first) != getBufferType(copy))
      continue;
    slot.ring = other.ring;
    if (slot.isStore()) // of several arrays in turn
      slot.ring->setAttr(getBufferNamesAttrName(), b.getStrArrayAttr({"out"}));
    slot.number = slot.isStore()
                      ? arith::ConstantIndexOp::create(b, unnamed(), uses)
                      : loop.getUpperBound();
    return;
  }
  slot.ring = createSlotRing(slot.copies);
  slot.number = loop.getLowerBound();
}

/// Chains wait once an iteration, for all of its copies. Of query blocks every
/// copy has a slot: one that comes after a flag would hold up the others.
SmallVector<Slot> RoleSplitter::planSlots(ArrayRef<CopyOp> copies) {
  bool sharesSlots = plan.getSplit() == plan::Split::Chains;
  SmallVector<Slot> slots;
  for (CopyOp copy : copies) {
    if (!sharesSlots || !isInLoop(copy) || slots.empty() ||
        !isInLoop(slots.back().place))
      slots.emplace_back();
    Slot &slot = slots.back();
    slot.copies.push_back(copy);
    // A load comes after the flag that it expects, a store before its signal.
    slot.place = copy.getToGlobal() ? slot.copies.front() : copy;
  }
  for (auto [i, slot] : llvm::enumerate(slots)) {
    slot.copies = orderForSlot(slot.copies);
    assignRing(slot, ArrayRef(slots).take_front(i));
  }
  return slots;
}

void RoleSplitter::createRoles() {
  int64_t mathWarps = instances * kernel.getWarps();
  int64_t storeWarps = stores.empty() ? 0 : instances;
  // Registers are handed over a warpgroup at a time. Where one warpgroup
  // multiplies there are enough for all, and equal caps need no instruction.
  bool handsOver = mathWarps > warpgroupWarps;
  int64_t loadWarps = handsOver ? warpgroupWarps - storeWarps : 1;
  int64_t mathRegisters = plan.getMachine().getMathRegisters();
  int64_t copyRegisters =
      handsOver ? plan.getMachine().getCopyRegisters() : mathRegisters;
  auto get = [&](StringRef name, int64_t warps, int64_t registers,
                 int64_t count) -> Attribute {
    return RoleAttr::get(b.getContext(), b.getStringAttr(name), warps,
                         registers, count);
  };
  // Math first, for instances of a product start at a multiple of four warps.
  SmallVector<Attribute> attrs = {
      get("math", mathWarps, mathRegisters, instances),
      get("load", loadWarps, copyRegisters, 1)};
  if (storeWarps)
    attrs.push_back(get("store", storeWarps, copyRegisters, instances));
  kernel.setWarps(mathWarps + loadWarps + storeWarps);
  roles = RolesOp::create(b, unnamed(), b.getArrayAttr(attrs), attrs.size());
  for (Region &region : roles.getBodies())
    region.emplaceBlock().addArgument(b.getIndexType(), named("instance"));
}

//===----------------------------------------------------------------------===//
// The copying roles
//===----------------------------------------------------------------------===//

Value RoleSplitter::createChain(Value instance) {
  Value first = kernel.getArgument(0);
  if (instances == 1)
    return first;
  Value count = arith::ConstantIndexOp::create(b, unnamed(), instances);
  Location loc = first.getLoc();
  first = arith::MulIOp::create(b, loc, first, count);
  return instance ? arith::AddIOp::create(b, loc, first, instance) : first;
}

void RoleSplitter::cloneIndex(Value value, IRMapping &map) {
  Operation *def = value.getDefiningOp();
  bool isInLoop = def && loop->isProperAncestor(def);
  if (!def || map.contains(value) || (!isInLoop && def->isBeforeInBlock(roles)))
    return;
  for (Value operand : def->getOperands())
    cloneIndex(operand, map);
  OpBuilder::InsertionGuard guard(b);
  if (auto again = dyn_cast<scf::ForOp>(b.getBlock()->getParentOp());
      again && !isInLoop)
    b.setInsertionPoint(again);
  b.clone(*def, map);
}

void RoleSplitter::runCopies(Slot &slot, IRMapping &map) {
  // Addresses first: a slot is held no longer than its copies take.
  for (CopyOp copy : slot.copies)
    for (Value index : copy.getIndices())
      cloneIndex(index, map);
  Operation *open =
      openSlot(b, unnamed(), slot.ring, map.lookupOrDefault(slot.number),
               /*fills=*/!slot.isStore());
  SmallVector<Value> inflight;
  for (auto [copy, buffer] :
       llvm::zip_equal(slot.copies, open->getResults().drop_front())) {
    map.map(copy.getShared(), buffer);
    inflight.push_back(b.clone(*copy, map)->getResult(0));
  }
  closeSlot(b, open, inflight);
}

void RoleSplitter::fillCopyingRole(Block &block, MutableArrayRef<Slot> slots) {
  bool isStore = slots.front().isStore();
  b.setInsertionPointToStart(&block);
  IRMapping map;
  // The load role serves all instances.
  map.map(kernel.getArgument(0),
          createChain(isStore ? block.getArgument(0) : Value()));
  auto run = [&](Operation &op) {
    if (isStore ? isa<SignalOp>(op) : isa<ExpectOp>(op)) {
      for (Value operand : op.getOperands())
        cloneIndex(operand, map);
      b.clone(op, map);
    }
    for (Slot &slot : slots)
      if (slot.place == &op)
        runCopies(slot, map);
  };
  for (Operation &op : body) {
    if (&op != loop) {
      run(op);
      continue;
    }
    auto again = scf::ForOp::create(b, unnamed(), loop.getLowerBound(),
                                    loop.getUpperBound(), loop.getStep());
    again.getInductionVar().setLoc(loop.getInductionVar().getLoc());
    map.map(loop.getInductionVar(), again.getInductionVar());
    b.setInsertionPointToStart(again.getBody());
    for (Operation &inner : *loop.getBody())
      run(inner);
    b.setInsertionPointAfter(again);
    if (llvm::hasSingleElement(*again.getBody()))
      again.erase();
  }
}

//===----------------------------------------------------------------------===//
// The math role
//===----------------------------------------------------------------------===//

/// Everything else, of which each instance has its chain.
void RoleSplitter::fillMath(Block &block) {
  b.setInsertionPointToStart(&block);
  Value gridIndex = kernel.getArgument(0);
  Value chain = createChain(block.getArgument(0));
  block.getOperations().splice(block.end(), body.getOperations(),
                               std::next(roles->getIterator()),
                               std::prev(body.end()));
  if (chain != gridIndex)
    gridIndex.replaceUsesWithIf(chain, [&](OpOperand &use) {
      Operation *top = block.findAncestorOpInBlock(*use.getOwner());
      return top && chain.getDefiningOp()->isBeforeInBlock(top);
    });
  block.walk([](Operation *op) {
    if (isa<ExpectOp, SignalOp>(op))
      op->erase();
  });
}

/// The slot's buffers instead of those that were copied in or out, from their
/// first use to the last.
void RoleSplitter::useSlot(Slot &slot, Value instance) {
  Block *block = slot.place->getBlock();
  SmallVector<Operation *> uses;
  for (CopyOp copy : slot.copies)
    for (Operation *user : copy.getShared().getUsers())
      if (user != copy)
        uses.push_back(block->findAncestorOpInBlock(*user));
  if (uses.empty())
    uses.push_back(slot.place);
  auto before = [](Operation *a, Operation *c) {
    return a->isBeforeInBlock(c);
  };
  b.setInsertionPoint(*llvm::min_element(uses, before));
  Operation *open = openSlot(b, unnamed(), slot.ring, slot.number,
                             /*fills=*/slot.isStore());
  b.setInsertionPointAfter(*llvm::max_element(uses, before));
  closeSlot(b, open);
  for (auto [copy, buffer] :
       llvm::zip_equal(slot.copies, open->getResults().drop_front())) {
    auto type = cast<MemRefType>(copy.getShared().getType());
    replaceBuffer(copy, buffer.getType() == type
                            ? buffer
                            : createView(copy, buffer, instance));
  }
}

/// Of the columns that `copy` brought for all instances, those of `instance`.
Value RoleSplitter::createView(CopyOp copy, Value buffer, Value instance) {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(copy.getShared().getType()).getShape();
  Operation *open = buffer.getDefiningOp();
  b.setInsertionPoint(isInLoop(copy) ? loop.getOperation() : open);
  Value width = arith::ConstantIndexOp::create(b, unnamed(), shape[1]);
  Value column = arith::MulIOp::create(b, named("panel"), instance, width);
  b.setInsertionPointAfter(open);
  SmallVector<OpFoldResult> offsets = {b.getIndexAttr(0), column};
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return memref::SubViewOp::create(
      b, copy.getShared().getLoc(), buffer, offsets,
      getAsIndexOpFoldResult(b.getContext(), shape), strides);
}

LogicalResult RoleSplitter::run() {
  FailureOr<RoleCopies> found = findRoleCopies(kernel);
  if (failed(found) || (instances > 1 && failed(countCtas())))
    return failure();
  loop = found->loop;
  b.setInsertionPoint(hoistIndices());
  loads = planSlots(found->loads);
  stores = planSlots(found->stores);
  createRoles();
  Block &math = roles.getBodies()[0].front();
  fillCopyingRole(roles.getBodies()[1].front(), loads);
  if (!stores.empty())
    fillCopyingRole(roles.getBodies()[2].front(), stores);
  fillMath(math);
  for (Slot &slot : llvm::concat<Slot>(loads, stores))
    useSlot(slot, math.getArgument(0));
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
      int64_t depth = stages ? stages : kernel.getPlan()->getStages();
      if (failed(RoleSplitter(kernel, depth).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
