//===- SkewLoops.cpp - the late part an iteration later ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-skew-loops`: cuts the body of a loop into an early and a late part and
/// runs the late part one iteration later. If the late part waits for other
/// CTAs, everything that needs no other CTA is done before the wait, and the
/// last wait delays one product only. If the late part is a product with
/// weights from the early part, it runs while the next weights are computed.
///
//===----------------------------------------------------------------------===//

#include "LocationNames.h"
#include "Residual.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {
#define GEN_PASS_DEF_SKEWLOOPS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// Whether a CTA of the kernel stores to `array`.
static bool isStoredTo(Value array) {
  return llvm::any_of(array.getUsers(),
                      [](Operation *user) { return isa<StoreOp>(user); });
}

/// Whether `op` maps zeros to zeros.
static bool keepsZeros(Operation *op) {
  return isa<DotOp, SpreadOp, TransposeOp, arith::MulFOp, arith::AddFOp,
             arith::SubFOp, arith::ExtFOp, arith::TruncFOp>(op);
}

static bool isIndexArithmetic(Operation *op) {
  return isPure(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getResultTypes(),
                      [](Type type) { return type.isIntOrIndex(); });
}

namespace {

/// Skews one loop.
class LoopSkewer {
public:
  explicit LoopSkewer(scf::ForOp loop)
      : loop(loop), b(withoutNames(loop.getLoc()), loop.getContext()) {}

  /// Finds the two parts; fails if the loop cannot be cut or a part has no
  /// product.
  bool collect();
  void run();

private:
  void findLate();
  /// Whether the left operand of `dot` is computed from another product of its
  /// iteration.
  bool accumulatesWeighed(DotOp dot);
  /// Records that the late part needs `value` from the early part: a tile is
  /// carried, index arithmetic is computed again. Fails for anything else.
  bool takeEarly(Value value);
  bool isLateArgument(Value value) {
    return llvm::is_contained(lateArguments, value);
  }
  Location named(const Twine &name) {
    return NameLoc::get(b.getStringAttr(name), b.getLoc());
  }
  /// Writes the late part of iteration `next` - 1 at the builder's insertion
  /// point. If `next` is 0, the late part loads and waits for nothing. `map`
  /// holds the carried values. Indices get the prefix.
  void writeLate(Value next, IRMapping &map, StringRef prefix);
  /// Moves ops from `op` on that do not depend on `results` to `position`: all
  /// of them if the late part waits, else up to one product.
  void hoistIndependent(ArrayRef<Value> results, Operation *position,
                        Operation *op);

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
  /// Whether the late part waits for other CTAs.
  bool waits = false;
  /// The ops of the late part, in the order of the body.
  llvm::SetVector<Operation *> late;
  SmallVector<BlockArgument> lateArguments;
  llvm::SetVector<Value> carried;
  llvm::SetVector<Operation *> indices;
  /// The last product of the early part.
  Operation *lastProduct = nullptr;
};

} // namespace

void LoopSkewer::findLate() {
  Block &body = *loop.getBody();
  llvm::DenseSet<Value> lateValues;
  llvm::DenseSet<Operation *> found;
  auto isLate = [&](Operation &op) {
    auto load = dyn_cast<LoadOp>(op);
    auto dot = dyn_cast<DotOp>(op);
    bool startsLate =
        waits ? isa<ExpectOp>(op) || (load && isStoredTo(load.getSource()))
              : dot && accumulatesWeighed(dot);
    return startsLate || llvm::any_of(op.getOperands(), [&](Value operand) {
             return lateValues.contains(operand);
           });
  };
  // A carried value that a late op computes is late in the next iteration too.
  for (bool grew = true; grew;) {
    grew = false;
    for (Operation &op : body.without_terminator()) {
      if (found.contains(&op) || !isLate(op))
        continue;
      found.insert(&op);
      lateValues.insert(op.result_begin(), op.result_end());
      grew = true;
    }
    for (auto [argument, yielded] :
         llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      if (lateValues.contains(yielded) && lateValues.insert(argument).second)
        grew = true;
  }
  for (auto [argument, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (lateValues.contains(argument))
      lateArguments.push_back(argument);
  // A spread vector is cheaper to spread again than to carry, and loads that
  // only late ops use become late.
  for (Operation &op : body.without_terminator())
    if (isa<SpreadOp, LoadOp>(op) &&
        llvm::all_of(op.getUsers(),
                     [&](Operation *user) { return found.contains(user); }))
      found.insert(&op);
  for (Operation &op : body.without_terminator())
    if (found.contains(&op))
      late.insert(&op);
}

/// Whether `value` is computed from a product of the loop's iteration.
static bool isWeighed(Value value, scf::ForOp loop) {
  Operation *def = value.getDefiningOp();
  return def && def->getBlock() == loop.getBody() &&
         (isa<DotOp>(def) || llvm::any_of(def->getOperands(), [&](Value v) {
            return isWeighed(v, loop);
          }));
}

bool LoopSkewer::accumulatesWeighed(DotOp dot) {
  return dot.getAcc() && isWeighed(dot.getA(), loop);
}

bool LoopSkewer::takeEarly(Value value) {
  if (value == loop.getInductionVar() || isLateArgument(value) ||
      value.getParentRegion() != &loop.getRegion())
    return true;
  Operation *def = value.getDefiningOp();
  if (def && (late.contains(def) || indices.contains(def)))
    return true;
  if (isa<RankedTensorType>(value.getType())) {
    carried.insert(value);
    return true;
  }
  if (!def || !isIndexArithmetic(def) ||
      !llvm::all_of(def->getOperands(),
                    [&](Value operand) { return takeEarly(operand); }))
    return false;
  indices.insert(def); // after its operands
  return true;
}

bool LoopSkewer::collect() {
  APInt step;
  waits = !loop.getBody()->getOps<ExpectOp>().empty();
  auto kernel = loop->getParentOfType<KernelOp>();
  if ((!waits && !kernel.usesWgmma()) ||
      !matchPattern(loop.getLowerBound(), m_Zero()) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || !step.isOne())
    return false;
  findLate();
  for (Operation &op : loop.getBody()->without_terminator())
    if (isa<DotOp>(op) && !late.contains(&op))
      lastProduct = &op;
  if (!lastProduct)
    return false;
  for (Operation *op : late) {
    if (!isa<ExpectOp, LoadOp>(op) && !keepsZeros(op))
      return false;
    if (!llvm::all_of(op->getOperands(),
                      [&](Value operand) { return takeEarly(operand); }))
      return false;
  }
  return llvm::all_of(llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()),
                      [&](auto pair) {
                        auto [argument, init] = pair;
                        return !isLateArgument(argument) ||
                               matchPattern(init, m_AnyZeroFloat());
                      });
}

void LoopSkewer::writeLate(Value next, IRMapping &map, StringRef prefix) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  // Before iteration 0 the addresses of iteration 0 are used, since these
  // exist.
  Value atLeast =
      arith::MaxSIOp::create(b, named(prefix + "at_least_one"), next, one);
  map.map(loop.getInductionVar(), arith::SubIOp::create(b, atLeast, one));
  Value exists = arith::CmpIOp::create(b, named(prefix + "has_earlier"),
                                       arith::CmpIPredicate::sgt, next, zero);
  for (Operation *op : indices) {
    Operation *copy = b.clone(*op, map);
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      copy->setLoc(named(prefix + name.getName().getValue()));
  }
  for (Operation *op : late) {
    Operation *copy = b.clone(*op, map);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(copy);
    if (auto expect = dyn_cast<ExpectOp>(copy)) {
      Value none = arith::ConstantIntOp::create(b, 0, 32);
      expect.getEpochMutable().assign(arith::SelectOp::create(
          b, named(prefix + "earlier_epoch"), exists, expect.getEpoch(), none));
    } else if (auto load = dyn_cast<LoadOp>(copy)) {
      Value bound = load.getBound();
      if (!bound)
        bound = arith::ConstantIndexOp::create(
            b, load.getTile().getType().getShape()[load.getBoundAxis()]);
      load.getBoundMutable().assign(arith::SelectOp::create(
          b, named(prefix + "earlier_rows"), exists, bound, zero));
    }
  }
}

void LoopSkewer::hoistIndependent(ArrayRef<Value> results, Operation *position,
                                  Operation *op) {
  llvm::DenseSet<Value> dependent(results.begin(), results.end());
  while (!op->hasTrait<OpTrait::IsTerminator>()) {
    Operation *following = op->getNextNode();
    auto load = dyn_cast<LoadOp>(op);
    auto extend = dyn_cast<arith::ExtFOp>(op);
    // An extended matrix takes twice the registers, so it stays next to its
    // use.
    bool isWider = extend && !feedsResidual(extend) &&
                   cast<ShapedType>(extend.getType()).getRank() > 1;
    bool mayMove = (load && !isStoredTo(load.getSource())) ||
                   (isMemoryEffectFree(op) && !isWider);
    bool depends = llvm::any_of(op->getOperands(), [&](Value operand) {
      return dependent.contains(operand);
    });
    if (depends || !mayMove)
      dependent.insert(op->result_begin(), op->result_end());
    else if (op != position)
      op->moveBefore(position);
    else
      position = following;
    if (!waits && !depends && isa<DotOp>(op))
      return;
    op = following;
  }
}

void LoopSkewer::run() {
  // The loop carries the iteration arguments of both parts, and the tiles that
  // the late part takes from the early one.
  b.setInsertionPoint(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  for (Value value : carried)
    inits.push_back(arith::ConstantOp::create(
        b, b.getZeroAttr(cast<RankedTensorType>(value.getType()))));
  auto skewed = scf::ForOp::create(b, loop.getLowerBound(),
                                   loop.getUpperBound(), loop.getStep(), inits);
  skewed.getInductionVar().setLoc(loop.getInductionVar().getLoc());
  ArrayRef<BlockArgument> arguments = skewed.getRegionIterArgs();
  unsigned own = loop.getNumRegionIterArgs();
  IRMapping earlyMap, lateMap;
  earlyMap.map(loop.getInductionVar(), skewed.getInductionVar());
  for (auto [from, to] : llvm::zip(loop.getRegionIterArgs(), arguments)) {
    earlyMap.map(from, to);
    lateMap.map(from, to);
  }
  for (auto [from, to] : llvm::zip(carried, arguments.drop_front(own)))
    lateMap.map(from, to);

  // The late part follows the early products, which wait for no other CTA.
  b.setInsertionPointToStart(skewed.getBody());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!late.contains(&op))
      b.clone(op, earlyMap);
    if (&op == lastProduct)
      writeLate(skewed.getInductionVar(), lateMap, /*prefix=*/"");
  }
  SmallVector<Value> next;
  for (auto [argument, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    next.push_back((isLateArgument(argument) ? lateMap : earlyMap)
                       .lookupOrDefault(yielded));
  for (Value value : carried)
    next.push_back(earlyMap.lookupOrDefault(value));
  scf::YieldOp::create(b, next);

  // The late part of the last iteration.
  b.setInsertionPointAfter(skewed);
  IRMapping lastMap;
  for (auto [from, to] :
       llvm::zip(loop.getRegionIterArgs(), skewed.getResults().take_front(own)))
    lastMap.map(from, to);
  for (auto [from, to] :
       llvm::zip(carried, skewed.getResults().drop_front(own)))
    lastMap.map(from, to);
  writeLate(loop.getUpperBound(), lastMap, "last_");
  SmallVector<Value> lateResults;
  for (auto [argument, yielded, result, early] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues(),
                 loop.getResults(), skewed.getResults())) {
    bool isLate = isLateArgument(argument);
    Value value = isLate ? lastMap.lookupOrDefault(yielded) : Value(early);
    if (isLate)
      lateResults.push_back(value);
    result.replaceAllUsesWith(value);
  }
  Operation *firstLate = skewed->getNextNode();
  Operation *following = loop->getNextNode();
  loop.erase();
  hoistIndependent(lateResults, firstLate, waits ? firstLate : following);
}

namespace {

struct SkewLoopsPass : public delta::tile::impl::SkewLoopsBase<SkewLoopsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      SmallVector<scf::ForOp> loops;
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
      for (scf::ForOp loop : loops) {
        LoopSkewer skewer(loop);
        if (skewer.collect())
          skewer.run();
      }
    }
  }
};

} // namespace
