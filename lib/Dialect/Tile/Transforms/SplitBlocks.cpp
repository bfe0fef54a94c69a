//===- SplitBlocks.cpp - roles of a row block -------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-split-roles`, of kernels whose CTAs are row blocks. The order of the
/// text is the order of the load role: what waits for an earlier block stands
/// behind everything that does not, and so no CTA waits for itself. Every array
/// has a ring. That of an array which the loop over earlier blocks reads takes
/// one slot an iteration and one behind the loop.
///
//===----------------------------------------------------------------------===//

#include "ChunkLoop.h"
#include "LocationNames.h"
#include "RoleParts.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace delta::tile;

namespace {

/// A copy into shared memory and the slot that it fills: of its ring the one of
/// `index`, null for that of the loop's induction variable.
struct Load {
  CopyOp copy;
  unsigned ring;
  Value index;
};

/// What a ring is made from: the copy that names it, and its slots.
struct RingPlan {
  CopyOp first;
  int64_t slots;
  RingCreateOp op = {};
};

class BlockSplitter {
public:
  BlockSplitter(KernelOp kernel, int64_t stages)
      : kernel(kernel), body(kernel.getBody().front()), stages(stages),
        b(kernel.getContext()) {}

  LogicalResult run();

private:
  LogicalResult findLoop();
  LogicalResult checkCopy(CopyOp copy);
  LogicalResult checkStore(StoreOp store);
  LogicalResult collect();
  LogicalResult planLoad(CopyOp copy);
  /// Moves what every role needs to know to the front; returns the first op of
  /// the rest.
  Operation *hoistIndices();
  void createRings();
  RolesOp createRoles();
  /// What a copying role computes of `value`: ops of the loop again.
  Value cloneIndex(Value value, IRMapping &map);
  void emitLoad(const Load &load, IRMapping &map, Value number);
  void emitLoads(Block &block);
  void emitStores(Block &block);
  void moveToMath(Block &block, RolesOp roles);
  void readSlot(const Load &load);
  void writeSlot(CopyOp store, Value index);

  Location unnamed() { return withoutNames(loop.getLoc()); }
  Location named(StringRef name) {
    return NameLoc::get(b.getStringAttr(name), unnamed());
  }

  KernelOp kernel;
  Block &body;
  int64_t stages;
  OpBuilder b;
  scf::ForOp loop;
  SmallVector<Load> loads;
  SmallVector<CopyOp> stores;
  SmallVector<RingPlan> rings;
  /// Of the ring that all stores share.
  RingCreateOp out;
  /// The numbers of slots outside of the loop.
  SmallVector<Value> numbers;
};

} // namespace

//===----------------------------------------------------------------------===//
// What there is to split
//===----------------------------------------------------------------------===//

LogicalResult BlockSplitter::findLoop() {
  FailureOr<scf::ForOp> found = findCopyingLoop(kernel, "earlier blocks");
  if (succeeded(found))
    loop = *found;
  return found;
}

/// Whether every role can compute `value`: from arguments, the CTA's ticket and
/// the number of an iteration.
static bool isForAllRoles(Value value, scf::ForOp loop) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return value == loop.getInductionVar() ||
           isa<KernelOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
  return isa<TicketOp>(def) ||
         (isMemoryEffectFree(def) && def->getNumRegions() == 0 &&
          llvm::all_of(def->getOperands(), [&](Value operand) {
            return isForAllRoles(operand, loop);
          }));
}

LogicalResult BlockSplitter::checkCopy(CopyOp copy) {
  bool isStore = copy.getToGlobal();
  if (copy->getBlock() != &body &&
      (isStore || copy->getBlock() != loop.getBody()))
    return copy.emitError("expected directly in the kernel")
           << (isStore ? "" : " or in its loop over earlier blocks");
  auto await =
      copy->hasOneUse() ? dyn_cast<AwaitOp>(*copy->user_begin()) : AwaitOp();
  if (!await || await.getInflight().size() != 1)
    return copy.emitError("inflight: expected an await of this copy alone");
  for (Value index : copy.getIndices())
    if (!isForAllRoles(index, loop))
      return copy.emitError("indices: expected index arithmetic on arguments "
                            "of the kernel, the ticket and the number of the "
                            "earlier block");
  auto alloc = copy.getShared().getDefiningOp<AllocOp>();
  if (isStore && (!alloc || !findWrite(copy)))
    return copy.emitError("buffer: expected one that a single write in front "
                          "of the copy fills");
  return success();
}

/// What the math role stores itself, no flag publishes.
LogicalResult BlockSplitter::checkStore(StoreOp store) {
  bool isRead = llvm::any_of(store.getDest().getUsers(), [](Operation *user) {
    auto copy = dyn_cast<CopyOp>(user);
    return copy && !copy.getToGlobal();
  });
  if (isRead)
    return store.emitError("expected a copy from shared memory to an array "
                           "that CTAs read of each other: a flag publishes "
                           "those alone");
  return success();
}

LogicalResult BlockSplitter::planLoad(CopyOp copy) {
  bool isInLoop = copy->getBlock() == loop.getBody();
  auto ofLoop = llvm::find_if(rings, [&](RingPlan &ring) {
    return ring.first.getGlobal() == copy.getGlobal() &&
           ring.first->getBlock() == loop.getBody();
  });
  unsigned number = ofLoop - rings.begin();
  bool isFound = ofLoop != rings.end();
  bool joins =
      isFound && !isInLoop && loop->isBeforeInBlock(copy) &&
      ofLoop->first.getShared().getType() == copy.getShared().getType();
  if (isInLoop && isFound)
    return copy.emitError("array: expected one copy of it an iteration");
  // Slots follow each other by number, which both ends must know: behind the
  // loop that is known of one.
  joins &= llvm::none_of(loads, [&](const Load &load) {
    return load.ring == number && load.index;
  });
  if (!joins) {
    number = rings.size();
    rings.push_back({copy, isInLoop ? stages : 1});
  }
  Value index; // of an array's only slot 0, which is where loops start
  if (!isInLoop)
    index = joins ? loop.getUpperBound() : loop.getLowerBound();
  loads.push_back({copy, number, index});
  return success();
}

LogicalResult BlockSplitter::collect() {
  if (failed(findLoop()))
    return failure();
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      if (failed(checkStore(store)))
        return WalkResult::interrupt();
      return WalkResult::advance();
    }
    auto copy = dyn_cast<CopyOp>(op);
    if (!copy)
      return WalkResult::advance();
    if (failed(checkCopy(copy)))
      return WalkResult::interrupt();
    if (copy.getToGlobal())
      stores.push_back(copy);
    else if (failed(planLoad(copy)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (stores.empty())
    return kernel.emitError("expected a copy out of shared memory, got none: "
                            "there is nothing to publish");
  for (CopyOp store : stores)
    if (store.getShared().getType() != stores.front().getShared().getType())
      return store.emitError("buffer: expected ")
             << stores.front().getShared().getType()
             << " as the first copy out of shared memory has, got "
             << store.getShared().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Rings and roles
//===----------------------------------------------------------------------===//

Operation *BlockSplitter::hoistIndices() {
  Operation *anchor = nullptr;
  llvm::DenseSet<Operation *> left;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    bool isIndex = isMemoryEffectFree(&op) && op.getNumRegions() == 0 &&
                   op.getNumResults() != 0 &&
                   llvm::all_of(op.getResultTypes(),
                                [](Type type) { return type.isIntOrIndex(); });
    bool isForAll = isa<AllocOp, TicketOp>(op) ||
                    (isIndex && llvm::none_of(op.getOperands(), [&](Value v) {
                       return left.contains(v.getDefiningOp());
                     }));
    if (!isForAll) {
      left.insert(&op);
      anchor = anchor ? anchor : &op;
    } else if (anchor) {
      op.moveBefore(anchor);
    }
  }
  return anchor;
}

void BlockSplitter::createRings() {
  auto create = [&](CopyOp copy, StringRef name, int64_t slots) {
    auto type = RingType::get(b.getContext(), slots,
                              {cast<MemRefType>(copy.getShared().getType())});
    auto ring = RingCreateOp::create(b, named(name), type, name,
                                     Protocol::Mbarrier, /*consumers=*/1,
                                     /*offset=*/IntegerAttr(),
                                     /*zeroed=*/false,
                                     /*barriers=*/IntegerAttr());
    ring->setAttr(getBufferNamesAttrName(), getBufferNames(b, copy));
    return ring;
  };
  for (auto [i, ring] : llvm::enumerate(rings)) {
    auto name = dyn_cast<NameLoc>(ring.first.getShared().getLoc());
    std::string text = name ? name.getName().str() : "in" + std::to_string(i);
    ring.op = create(ring.first, text, ring.slots);
  }
  // One slot: the next store waits until the one in front is under way.
  out = create(stores.front(), "out", /*slots=*/1);
  for (size_t i = 0; i < stores.size(); ++i)
    numbers.push_back(arith::ConstantIndexOp::create(b, unnamed(), i));
}

RolesOp BlockSplitter::createRoles() {
  int64_t mathWarps = kernel.getWarps(), storeWarps = 1;
  // Registers are set a warpgroup at a time.
  int64_t loadWarps = delta::warpgroupWarps - storeWarps;
  SmallVector<Attribute> roles;
  auto add = [&](StringRef name, int64_t warps, int64_t registers) {
    roles.push_back(RoleAttr::get(b.getContext(), b.getStringAttr(name), warps,
                                  registers, /*instances=*/1));
  };
  add("math", mathWarps, kMathRegisters);
  add("load", loadWarps, kCopyRegisters);
  add("store", storeWarps, kCopyRegisters);
  kernel.setWarps(mathWarps + loadWarps + storeWarps);
  auto op = RolesOp::create(b, unnamed(), b.getArrayAttr(roles), roles.size());
  for (Region &region : op.getBodies())
    region.emplaceBlock().addArgument(b.getIndexType(), named("instance"));
  return op;
}

//===----------------------------------------------------------------------===//
// The copying roles
//===----------------------------------------------------------------------===//

Value BlockSplitter::cloneIndex(Value value, IRMapping &map) {
  if (Value known = map.lookupOrNull(value))
    return known;
  Operation *def = value.getDefiningOp();
  if (!def || !loop->isProperAncestor(def))
    return value;
  for (Value operand : def->getOperands())
    map.map(operand, cloneIndex(operand, map));
  b.clone(*def, map);
  return map.lookup(value);
}

void BlockSplitter::emitLoad(const Load &load, IRMapping &map, Value number) {
  CopyOp copy = load.copy;
  auto indices = llvm::map_to_vector(
      copy.getIndices(), [&](Value index) { return cloneIndex(index, map); });
  auto slot = openSlot<AcquireOp>(b, unnamed(), rings[load.ring].op, number);
  auto filled =
      CopyOp::create(b, copy.getLoc(), copy.getInflight().getType(),
                     copy.getGlobal(), slot.getBuffers().front(), indices,
                     /*bound=*/Value(), copy.getDims(), copy.getEngine(),
                     /*to_global=*/false, /*multicast=*/false, copy.getRows());
  CommitOp::create(b, unnamed(), slot.getSlot(), filled.getInflight());
}

void BlockSplitter::emitLoads(Block &block) {
  b.setInsertionPointToStart(&block);
  auto emit = [&](Operation &op, IRMapping &map, Value number) {
    if (auto expect = dyn_cast<ExpectOp>(op)) {
      auto indices = llvm::map_to_vector(
          expect.getIndices(), [&](Value v) { return cloneIndex(v, map); });
      ExpectOp::create(b, expect.getLoc(), expect.getFlags(), indices,
                       cloneIndex(expect.getEpoch(), map));
    }
    for (const Load &load : loads)
      if (load.copy == &op)
        emitLoad(load, map, load.index ? load.index : number);
  };
  IRMapping none;
  for (Operation &op : body) {
    if (&op != loop) {
      emit(op, none, /*number=*/Value());
      continue;
    }
    auto earlier = scf::ForOp::create(b, unnamed(), loop.getLowerBound(),
                                      loop.getUpperBound(), loop.getStep());
    Value number = earlier.getInductionVar();
    number.setLoc(loop.getInductionVar().getLoc());
    IRMapping map;
    map.map(loop.getInductionVar(), number);
    b.setInsertionPointToStart(earlier.getBody());
    for (Operation &inner : *loop.getBody())
      emit(inner, map, number);
    b.setInsertionPointAfter(earlier);
  }
}

void BlockSplitter::emitStores(Block &block) {
  b.setInsertionPointToStart(&block);
  for (Operation &op : body) {
    if (isa<SignalOp>(op)) {
      b.clone(op);
      continue;
    }
    auto *found = llvm::find(stores, dyn_cast<CopyOp>(op));
    if (!isa<CopyOp>(op) || found == stores.end())
      continue;
    CopyOp copy = *found;
    auto slot =
        openSlot<PeekOp>(b, unnamed(), out, numbers[found - stores.begin()]);
    auto drained = CopyOp::create(
        b, copy.getLoc(), copy.getInflight().getType(), copy.getGlobal(),
        slot.getBuffers().front(), copy.getIndices(), /*bound=*/Value(),
        copy.getDims(), copy.getEngine(), /*to_global=*/true,
        /*multicast=*/false, copy.getRows());
    ReleaseOp::create(b, unnamed(), slot.getSlot(), drained.getInflight());
  }
}

//===----------------------------------------------------------------------===//
// The math role
//===----------------------------------------------------------------------===//

void BlockSplitter::moveToMath(Block &block, RolesOp roles) {
  bool isBehind = false;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (&op == roles)
      isBehind = true;
    else if (isBehind && !isa<ReturnOp>(op))
      op.moveBefore(&block, block.end());
  }
  SmallVector<Operation *> flags;
  roles.getBodies()[0].walk([&](Operation *op) {
    if (isa<ExpectOp, SignalOp>(op))
      flags.push_back(op);
  });
  for (Operation *op : flags)
    op->erase();
}

/// The slot of `load` instead of what was copied in, from the first use to the
/// last.
void BlockSplitter::readSlot(const Load &load) {
  CopyOp copy = load.copy;
  Value old = copy.getShared();
  Block *block = copy->getBlock();
  Value index = load.index ? load.index : loop.getInductionVar();
  copy->user_begin()->erase(); // its await
  Operation *first = nullptr, *last = nullptr;
  for (Operation *user : old.getUsers()) {
    Operation *top = block->findAncestorOpInBlock(*user);
    if (user == copy)
      continue;
    if (!first || top->isBeforeInBlock(first))
      first = top;
    if (!last || last->isBeforeInBlock(top))
      last = top;
  }
  b.setInsertionPoint(first ? first : copy);
  auto peek = openSlot<PeekOp>(b, unnamed(), rings[load.ring].op, index);
  b.setInsertionPointAfter(last ? last : peek);
  ReleaseOp::create(b, unnamed(), peek.getSlot(), ValueRange());
  copy.erase();
  old.replaceAllUsesWith(peek.getBuffers().front());
  old.getDefiningOp()->erase();
}

/// A slot of the ring instead of the buffer that was copied out.
void BlockSplitter::writeSlot(CopyOp store, Value index) {
  WriteOp write = findWrite(store);
  Value old = store.getShared();
  b.setInsertionPoint(write);
  auto acquire = openSlot<AcquireOp>(b, unnamed(), out, index);
  b.setInsertionPointAfter(write);
  CommitOp::create(b, unnamed(), acquire.getSlot(), ValueRange());
  store->user_begin()->erase(); // its await
  store.erase();
  old.replaceAllUsesWith(acquire.getBuffers().front());
  old.getDefiningOp()->erase();
}

LogicalResult BlockSplitter::run() {
  if (failed(collect()))
    return failure();
  b.setInsertionPoint(hoistIndices());
  createRings();
  RolesOp roles = createRoles();
  emitLoads(roles.getBodies()[1].front());
  emitStores(roles.getBodies()[2].front());
  moveToMath(roles.getBodies()[0].front(), roles);
  for (const Load &load : loads)
    readSlot(load);
  for (auto [store, number] : llvm::zip_equal(stores, numbers))
    writeSlot(store, number);
  return success();
}

LogicalResult delta::tile::splitBlockRoles(KernelOp kernel, int64_t stages) {
  return BlockSplitter(kernel, stages).run();
}
