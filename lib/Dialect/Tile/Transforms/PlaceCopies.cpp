//===- PlaceCopies.cpp - boxes between global and shared memory -*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The copies of `tile-place`: the engine that moves a box, the place where the
/// copy is issued, and the place where it must be complete.
///
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"
#include "PlaceParts.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

tile::Box::Box(LoadOp load)
    : op(load), array(load.getSource()), indices(load.getIndices()),
      dims(load.getDims()), bound(load.getBound()),
      boundAxis(load.getBoundAxis()), toGlobal(false) {}

tile::Box::Box(StoreOp store)
    : op(store), array(store.getDest()), indices(store.getIndices()),
      dims(store.getDims()), bound(store.getBound()),
      boundAxis(store.getBoundAxis()), toGlobal(true) {}

LogicalResult tile::checkBox(const Box &box) {
  int64_t last = cast<MemRefType>(box.array.getType()).getRank() - 1;
  if (box.dims[0] != last && box.dims[1] != last)
    return box.op->emitError() << "box is not contiguous: expected axis "
                               << last << " of the array among dims";
  if (!isAligned(box.array, box.indices, kPieceBytes))
    return box.op->emitError() << "box does not start on a " << kPieceBytes
                               << "-byte boundary in all cases";
  if (box.bound && box.dims[box.boundAxis] == last)
    return box.op->emitError()
           << "bound: expected it along rows of the array, axis "
           << std::min(box.dims[0], box.dims[1]) << ", got axis " << last;
  return success();
}

/// Splits the `bound` of a conditional box into the condition and the bound
/// that holds if it is true; none for any other bound.
static std::optional<std::pair<Value, Value>> splitPresence(Value bound) {
  auto select =
      bound ? bound.getDefiningOp<arith::SelectOp>() : arith::SelectOp();
  if (!select || !matchPattern(select.getFalseValue(), m_Zero()))
    return std::nullopt;
  return std::pair(select.getCondition(), select.getTrueValue());
}

/// Moves an asynchronous copy up to where its operands are known, but not past
/// earlier copies, so that it runs in parallel with the ops in between.
static void issueEarly(CopyOp copy) {
  GlobalAccess reads = *getGlobalAccess(copy);
  Operation *position = copy;
  while (Operation *before = position->getPrevNode()) {
    bool feedsCopy = llvm::is_contained(before->getUsers(), copy);
    std::optional<GlobalAccess> access = getGlobalAccess(before);
    bool mayWrite = before->getNumRegions() != 0 ||
                    (access && access->conflictsWith(reads));
    if (feedsCopy || mayWrite || isa<CopyOp, AllocOp>(before))
      break;
    position = before;
  }
  if (position != copy)
    copy->moveBefore(position);
}

LogicalResult tile::copyBox(OpBuilder &b, const Box &box, Value buffer,
                            bool hasRoles) {
  SmallVector<int64_t> order(box.dims);
  llvm::sort(order);
  bool isMatrix = order.size() == 2;
  Engine engine = box.toGlobal ? Engine::Simt : Engine::CpAsync;
  Value bound = box.bound;
  int64_t rows = 0;
  SmallVector<Value> start(box.indices);
  if (hasRoles) {
    engine = isMatrix ? Engine::Tma : Engine::Bulk;
    int64_t extent = cast<MemRefType>(buffer.getType()).getShape()[0];
    std::optional<std::pair<Value, Value>> presence = splitPresence(bound);
    if (presence)
      bound = presence->second;
    FailureOr<int64_t> mapped = getMappedRows(
        box.op, box.array, box.indices[order[0]], order[0], bound, extent);
    if (failed(mapped))
      return failure();
    rows = *mapped == extent ? 0 : *mapped;
    bound = Value();
    // A tensor map also gives zeros for elements before the array, so a whole
    // box there replaces a box without rows.
    if (presence && !box.toGlobal && isMatrix) {
      Value &row = start[order[0]];
      Value outside =
          arith::ConstantIndexOp::create(b, box.op->getLoc(), -extent);
      auto name = NameLoc::get(b.getStringAttr("box_row"), box.op->getLoc());
      row = arith::SelectOp::create(b, name, presence->first, row, outside);
    } else if (presence) {
      return box.op->emitError("bound: expected one that does not depend on a "
                               "condition, for a copy that has none");
    }
  }
  Type inflight = AsyncType::get(b.getContext(), b.getNoneType());
  auto copy = CopyOp::create(b, box.op->getLoc(), inflight, box.array, buffer,
                             start, bound, order, engine, box.toGlobal,
                             /*multicast=*/false, rows);
  AwaitOp::create(b, box.op->getLoc(), TypeRange(), copy.getInflight(),
                  /*pending=*/IntegerAttr());
  if (!box.toGlobal)
    issueEarly(copy);
  return success();
}

void tile::storeLate(CopyOp copy) {
  Operation *await = *copy->user_begin();
  GlobalAccess writes = *getGlobalAccess(copy);
  Operation *position = await;
  while (Operation *after = position->getNextNode()) {
    std::optional<GlobalAccess> access = getGlobalAccess(after);
    bool mayRead = after->getNumRegions() != 0 ||
                   (access && access->conflictsWith(writes));
    if (mayRead || isa<CopyOp, AwaitOp, DotOp>(after) ||
        after->hasTrait<OpTrait::IsTerminator>())
      break;
    position = after;
  }
  if (position == await)
    return;
  await->moveAfter(position);
  copy->moveBefore(await);
}
