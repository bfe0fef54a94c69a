//===- FlagStatements.cpp - tickets and flags as text -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls of Flags.cuh. Flags only rise, so what a flag was once is kept in a
/// variable in front of the loop that expects it: only expectations that go
/// beyond it read the flag again.
///
//===----------------------------------------------------------------------===//

#include "KernelBody.h"

using namespace mlir;
using namespace delta;

template <> LogicalResult KernelBody::lower(tile::TicketOp op) {
  if (!op.getScratch())
    return op.emitError("expected a scratch buffer: run tile-place first");
  Value counter = arrays.find(op.getCounter())->second.pointer;
  define(op.getItem(),
         callInPlace(b.getIndexType(), "draw_ticket", {},
                     {counter, use(op.getScratch())}, resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::SignalOp op) {
  bool isOfRole = isInRole(op);
  // The copies of other warps would not be waited for.
  if (isOfRole && !runsOnOneWarp(op))
    return op.emitError("expected a role of one instance that only copies");
  cuda::CommentOp::create(b, "Let the others read what this CTA has stored.");
  callInPlace({}, isOfRole ? "publish_stores" : "raise_flag", {},
              {address(op.getFlags(), op.getIndices()), use(op.getEpoch())});
  return success();
}

void KernelBody::watchFlags(scf::ForOp loop) {
  loop.walk([&](tile::ExpectOp expect) {
    bool isOutside = llvm::all_of(
        expect->getOperands().drop_back(), // all but the epoch
        [&](Value operand) { return loop.isDefinedOutsideOfLoop(operand); });
    if (!isOutside || findWatch(expect))
      return;
    Value none =
        cuda::LiteralOp::create(b, b.getI32Type(), b.getI32IntegerAttr(0),
                                /*name=*/StringAttr());
    Value seen = cuda::DeclareOp::create(
        b, cuda::VariableType::get(none.getType()), none, named("seen"));
    watches.push_back(
        {expect.getFlags(), SmallVector<Value>(expect.getIndices()), seen});
  });
}

Value KernelBody::findWatch(tile::ExpectOp op) {
  for (const Watch &watch : watches)
    if (watch.flags == op.getFlags() &&
        llvm::equal(watch.indices, op.getIndices()))
      return watch.seen;
  return {};
}

template <> LogicalResult KernelBody::lower(tile::ExpectOp op) {
  bool isOfRole = isInRole(op);
  if (isOfRole && !runsOnOneWarp(op))
    return op.emitError("expected a role of one instance that only copies");
  StringRef callee = isOfRole ? "await_published" : "await_flag";
  Value seen = findWatch(op);
  SmallVector<Value> args = {address(op.getFlags(), op.getIndices()),
                             use(op.getEpoch())};
  commentOnce("Wait for the CTA that stores what is read next.");
  if (!seen) {
    callInPlace({}, callee, {}, args);
    return success();
  }
  args.push_back(cuda::ReadOp::create(b, b.getI32Type(), seen,
                                      /*name=*/StringAttr()));
  cuda::AssignOp::create(
      b, seen,
      callInPlace(b.getI32Type(), callee, {}, args, named("seen_now")));
  return success();
}

void delta::addFlagRules(StatementRules &rules) {
  rules.add<tile::TicketOp, tile::SignalOp, tile::ExpectOp>();
}
