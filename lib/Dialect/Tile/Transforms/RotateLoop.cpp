//===- RotateLoop.cpp - operands of the next iteration ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-rotate-loop`. A warpgroup needs about half as long to round a state of
/// 64 x 128 as for the product that uses it. At the start of an iteration that
/// product would wait; at the end of the previous iteration the product of an
/// output still runs. A carried accumulator is scaled there too, while no
/// product is in flight. At the start of an iteration ptxas would place the
/// scaling after the start of another product, and wait for all products in
/// flight (C7517).
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {
#define GEN_PASS_DEF_ROTATELOOP
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

namespace {

/// Rotates one loop: operands of its products move to its end.
class LoopRotator {
public:
  explicit LoopRotator(scf::ForOp loop) : loop(loop) {}

  void run();

private:
  /// Collects the ops of the body that compute `value`, each after its
  /// operands. Fails if they need more than carried tiles and values from
  /// outside the loop.
  bool collect(Value value, llvm::SetVector<Operation *> &ops);
  /// Whether the carried tiles that `ops` use serve `dot` alone.
  bool isCarriedFor(DotOp dot, const llvm::SetVector<Operation *> &ops);
  /// Computes `value` again from the tiles to which `map` maps the carried
  /// ones.
  Value remake(OpBuilder &b, Value value, StringRef prefix, IRMapping &map);
  /// Replaces by `result` a value after `rotated` that is computed from the
  /// loop's results in the same way as `value` is from the carried tiles.
  void replaceTwin(scf::ForOp rotated, Value value, Value result);

  scf::ForOp loop;
  /// The values that move, and the ops that compute each of them.
  llvm::MapVector<Value, llvm::SetVector<Operation *>> moved;
};

} // namespace

bool LoopRotator::collect(Value value, llvm::SetVector<Operation *> &ops) {
  if (llvm::is_contained(loop.getRegionIterArgs(), value) ||
      loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def)
    return false; // the induction variable
  if (ops.contains(def))
    return true;
  bool isElementwise =
      OpTrait::hasElementwiseMappableTraits(def) || isa<SpreadOp>(def);
  if (!isElementwise || !isPure(def) ||
      !llvm::all_of(def->getOperands(),
                    [&](Value operand) { return collect(operand, ops); }))
    return false;
  ops.insert(def);
  return true;
}

bool LoopRotator::isCarriedFor(DotOp dot,
                               const llvm::SetVector<Operation *> &ops) {
  auto isUsedHere = [&](Value value) {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      return user == dot || ops.contains(user);
    });
  };
  return llvm::all_of(ops, [&](Operation *op) {
    return isUsedHere(op->getResult(0)) &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             return loop.isDefinedOutsideOfLoop(operand) || isUsedHere(operand);
           });
  });
}

/// The constant that `op` gives, where its operands are constants; else null.
static Value foldToConstant(OpBuilder &b, Operation *op) {
  if (auto spread = dyn_cast<SpreadOp>(op)) {
    SplatElementsAttr vector;
    if (!matchPattern(spread.getInput(), m_Constant(&vector)))
      return {};
    return arith::ConstantOp::create(
        b, op->getLoc(),
        vector.resizeSplat(cast<ShapedType>(op->getResult(0).getType())));
  }
  SmallVector<Value> folded;
  if (failed(b.tryFold(op, folded)) || !matchPattern(folded[0], m_Constant()))
    return {};
  return folded[0];
}

Value LoopRotator::remake(OpBuilder &b, Value value, StringRef prefix,
                          IRMapping &map) {
  for (Operation *op : moved[value]) {
    Operation *clone = b.clone(*op, map);
    // Before the loop much is zero.
    if (Value constant = foldToConstant(b, clone)) {
      map.map(op->getResult(0), constant);
      clone->erase();
      continue;
    }
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      clone->setLoc(
          NameLoc::get(b.getStringAttr(prefix + name.getName().getValue()),
                       name.getChildLoc()));
  }
  return map.lookup(value);
}

void LoopRotator::replaceTwin(scf::ForOp rotated, Value value, Value result) {
  IRMapping left;
  SmallVector<Operation *> twins;
  left.map(rotated.getRegionIterArgs(), rotated.getResults());
  auto isSame = [&](Value inside, Value after) {
    return success(left.lookupOrDefault(inside) == after);
  };
  for (Operation *op : moved[value]) {
    Operation *twin = nullptr;
    for (Operation *user : left.lookupOrDefault(op->getOperand(0)).getUsers())
      if (user->getBlock() == rotated->getBlock() &&
          OperationEquivalence::isEquivalentTo(
              op, user, isSame, /*markEquivalent=*/nullptr,
              OperationEquivalence::IgnoreLocations))
        twin = user;
    if (!twin)
      return;
    left.map(op->getResults(), twin->getResults());
    twins.push_back(twin);
  }
  left.lookup(value).replaceAllUsesWith(result);
  for (Operation *twin : llvm::reverse(twins))
    if (twin->use_empty())
      twin->erase();
}

void LoopRotator::run() {
  for (auto dot : loop.getOps<DotOp>()) {
    if (dot.getInstr() != Instr::WgmmaRS)
      continue;
    for (Value operand : {Value(dot.getA()), Value(dot.getAcc())}) {
      llvm::SetVector<Operation *> ops;
      if (operand && operand.getParentBlock() == loop.getBody() &&
          operand.getDefiningOp() && collect(operand, ops) &&
          (operand == dot.getA() || isCarriedFor(dot, ops)))
        moved.insert({operand, ops});
    }
  }
  if (moved.empty())
    return;

  IRRewriter rewriter(loop.getContext());
  rewriter.setInsertionPoint(loop);
  IRMapping first, next;
  first.map(loop.getRegionIterArgs(), loop.getInitArgs());
  next.map(loop.getRegionIterArgs(), loop.getYieldedValues());
  SmallVector<Value> inits;
  for (auto &[value, ops] : moved)
    inits.push_back(remake(rewriter, value, "first_", first));

  auto atTheEnd = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> carried) {
    SmallVector<Value> yielded;
    for (auto &[value, ops] : moved)
      yielded.push_back(remake(b, value, "next_", next));
    for (auto [entry, carriedValue] : llvm::zip_equal(moved, carried)) {
      BlockArgument argument = carriedValue;
      argument.setLoc(entry.first.getLoc());
      entry.first.replaceAllUsesWith(argument);
    }
    return yielded;
  };
  SmallVector<Location> names;
  for (BlockArgument argument : loop.getBody()->getArguments())
    names.push_back(argument.getLoc());
  auto rotated = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, atTheEnd));
  for (auto [argument, name] :
       llvm::zip(rotated.getBody()->getArguments(), names))
    argument.setLoc(name);

  // The values that moved are results of the loop, too.
  for (auto [entry, result] :
       llvm::zip_equal(moved, rotated.getResults().take_back(moved.size())))
    replaceTwin(rotated, entry.first, result);

  for (auto &[value, ops] : moved)
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        rewriter.eraseOp(op);
  // Tiles that were carried only for these values are carried no longer.
  RewritePatternSet patterns(rotated.getContext());
  scf::ForOp::getCanonicalizationPatterns(patterns, rotated.getContext());
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps);
  (void)applyOpPatternsGreedily({rotated}, std::move(patterns), config);
}

namespace {

struct RotateLoopPass
    : public delta::tile::impl::RotateLoopBase<RotateLoopPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    for (auto kernel : getOperation().getOps<KernelOp>())
      kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      LoopRotator(loop).run();
  }
};

} // namespace
