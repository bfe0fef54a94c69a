//===- ShareGroups.cpp - products shared by a value-head group --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A change of loop order, decided by what each op depends on.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {
#define GEN_PASS_DEF_SHAREGROUPS
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

/// The group size of a loop whose last coordinate is a value head that is
/// divided to get a key head; 1 where there is nothing to share.
static int64_t getGroup(scf::ForallOp loop) {
  Value head = loop.getInductionVars().back();
  std::optional<int64_t> group;
  for (Operation *user : head.getUsers())
    if (auto divide = dyn_cast<arith::DivUIOp>(user);
        divide && divide.getLhs() == head)
      group = getConstantIntValue(divide.getRhs());
  return group.value_or(1);
}

static void shareGroup(scf::ForallOp loop, int64_t group) {
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  SmallVector<OpFoldResult> bounds = loop.getMixedUpperBound();
  bounds.back() = b.getIndexAttr(*getConstantIntValue(bounds.back()) / group);
  auto comment = loop->getAttrOfType<StringAttr>(kCommentAttr);
  scf::ForallOp shared = createNest(
      b, getNest(loop).withAxes({"batch", "chunk", "key_head"}),
      (comment ? comment.getValue() : "") +
          " Value heads of one key head share what depends on keys and "
          "queries alone.",
      bounds);

  b.setInsertionPoint(shared.getTerminator());
  Value keyHead = shared.getInductionVars().back();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value size = arith::ConstantIndexOp::create(b, group);
  auto named = [&](StringRef name) {
    return NameLoc::get(b.getStringAttr(name), loop.getLoc());
  };
  b.setLoc(named("member"));
  auto members = scf::ForOp::create(b, zero, size, one);
  ImplicitLocOpBuilder outer(loop.getLoc(), members);
  ImplicitLocOpBuilder inner(named("first_head"),
                             members.getBody()->getTerminator());
  Value base = arith::MulIOp::create(inner, keyHead, size);
  inner.setLoc(named("head"));
  Value head = arith::AddIOp::create(inner, base, members.getInductionVar());

  IRMapping map;
  SmallVector<Value> from = loop.getInductionVars();
  SmallVector<Value> to = shared.getInductionVars();
  Value oldHead = from.pop_back_val();
  to.pop_back();
  map.map(from, to);
  map.map(oldHead, head);
  DenseSet<Value> perValueHead = {oldHead};
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto divide = dyn_cast<arith::DivUIOp>(op);
        divide && divide.getLhs() == oldHead) {
      map.map(divide.getResult(), keyHead);
      continue;
    }
    bool depends = llvm::any_of(op.getOperands(), [&](Value operand) {
      return perValueHead.contains(operand);
    });
    (depends ? inner : outer).clone(op, map);
    if (depends)
      perValueHead.insert(op.result_begin(), op.result_end());
  }
  loop.erase();
}

namespace {

class ShareGroupsPass : public delta::impl::ShareGroupsBase<ShareGroupsPass> {
public:
  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops;
    // Only what chunks compute without the state can be shared by a group: in a
    // scan each head reads the shared products with its own state.
    getOperation().walk([&](scf::ForallOp loop) {
      if (isNest(loop, NestKind::IntraChunk) && loop.getRank() == 3)
        loops.push_back(loop);
    });
    for (scf::ForallOp loop : loops)
      if (int64_t group = getGroup(loop); group > 1)
        shareGroup(loop, group);
  }
};

} // namespace
