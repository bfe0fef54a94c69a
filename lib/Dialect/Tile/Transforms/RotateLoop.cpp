//===- RotateLoop.cpp - round a state where it is made ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-rotate-loop`. Rounding a state of 64 x 128 takes a warpgroup about as
/// long as half of the product that needs it. At the start of an iteration that
/// product waits; at the end of the one before, an output's product still runs.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {
#define GEN_PASS_DEF_ROTATELOOP
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

namespace {

/// A loop and the left operands that move to its end.
class LoopRotator {
public:
  explicit LoopRotator(scf::ForOp loop) : loop(loop) {}

  void run();

private:
  /// Collects the ops of the body that make `value`, each behind its operands;
  /// fails if they need more than carried tiles and values from outside.
  bool collect(Value value, llvm::SetVector<Operation *> &ops);
  /// Makes `value` again from the tiles that `map` gives for the carried ones.
  Value remake(OpBuilder &b, Value value, StringRef prefix, IRMapping &map);

  scf::ForOp loop;
  /// What moves, and the ops that make each.
  llvm::MapVector<Value, llvm::SetVector<Operation *>> moved;
};

} // namespace

bool LoopRotator::collect(Value value, llvm::SetVector<Operation *> &ops) {
  if (llvm::is_contained(loop.getRegionIterArgs(), value) ||
      loop.isDefinedOutsideOfLoop(value))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def)
    return false; // the counter
  if (ops.contains(def))
    return true;
  if (!OpTrait::hasElementwiseMappableTraits(def) || !isPure(def) ||
      !llvm::all_of(def->getOperands(),
                    [&](Value operand) { return collect(operand, ops); }))
    return false;
  ops.insert(def);
  return true;
}

Value LoopRotator::remake(OpBuilder &b, Value value, StringRef prefix,
                          IRMapping &map) {
  for (Operation *op : moved[value]) {
    Operation *clone = b.clone(*op, map);
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      clone->setLoc(
          NameLoc::get(b.getStringAttr(prefix + name.getName().getValue()),
                       name.getChildLoc()));
  }
  return map.lookup(value);
}

void LoopRotator::run() {
  for (auto dot : loop.getOps<DotOp>()) {
    Value a = dot.getA();
    llvm::SetVector<Operation *> ops;
    if (dot.getInstr() == Instr::WgmmaRS &&
        a.getParentBlock() == loop.getBody() && a.getDefiningOp() &&
        collect(a, ops))
      moved.insert({a, ops});
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

  for (auto &[value, ops] : moved)
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        rewriter.eraseOp(op);
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
