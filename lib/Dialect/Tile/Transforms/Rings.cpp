//===- Rings.cpp - rings instead of single buffers --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements Rings.h.
///
//===----------------------------------------------------------------------===//

#include "Rings.h"

using namespace mlir;
using namespace delta::tile;

bool delta::tile::isFilledBy(CopyOp copy) {
  Value buffer = copy.getShared();
  return buffer.getDefiningOp<AllocOp>() &&
         llvm::all_of(buffer.getUsers(), [&](Operation *user) {
           return copy->getParentOp()->isProperAncestor(user) &&
                  (user == copy ||
                   llvm::none_of(getSharedAccesses(user),
                                 [&](const SharedAccess &access) {
                                   return access.writes &&
                                          access.buffer == buffer;
                                 }));
         });
}

SmallVector<CopyOp> delta::tile::orderForSlot(ArrayRef<CopyOp> copies) {
  SmallVector<CopyOp> matrices, vectors;
  for (CopyOp copy : copies) {
    bool isVector = cast<MemRefType>(copy.getShared().getType()).getRank() == 1;
    (isVector ? vectors : matrices).push_back(copy);
  }
  matrices.append(vectors);
  return matrices;
}

RingCreateOp delta::tile::createRing(OpBuilder &b, Location loc, StringRef name,
                                     Protocol protocol, int64_t slots,
                                     ArrayRef<CopyOp> copies,
                                     ArrayRef<MemRefType> types,
                                     int64_t consumers) {
  bool zeroed = false;
  SmallVector<Attribute> names;
  for (CopyOp copy : copies) {
    auto type = cast<MemRefType>(copy.getShared().getType());
    zeroed |= !copy.getToGlobal() && copy.getCopiedRows() < type.getDimSize(0);
    auto buffer = dyn_cast<NameLoc>(copy.getShared().getLoc());
    names.push_back(buffer ? buffer.getName() : b.getStringAttr("tile"));
  }
  auto ring = RingCreateOp::create(
      b, loc, RingType::get(b.getContext(), slots, types), name, protocol,
      consumers, /*offset=*/IntegerAttr(), zeroed, /*barriers=*/IntegerAttr());
  ring->setAttr(getBufferNamesAttrName(), b.getArrayAttr(names));
  return ring;
}

Operation *delta::tile::openSlot(OpBuilder &b, Location loc, RingCreateOp ring,
                                 Value index, bool fills) {
  auto slot = SlotType::get(b.getContext());
  auto types = llvm::map_to_vector(ring.getRing().getType().getBuffers(),
                                   [](Type type) { return type; });
  Operation *open = nullptr;
  if (fills)
    open = AcquireOp::create(b, loc, slot, types, ring, index);
  else
    open = PeekOp::create(b, loc, slot, types, ring, index);
  open->setAttr(getBufferNamesAttrName(),
                ring->getAttr(getBufferNamesAttrName()));
  return open;
}

void delta::tile::closeSlot(OpBuilder &b, Operation *open,
                            ValueRange inflight) {
  Value slot = open->getResult(0);
  if (isa<AcquireOp>(open))
    CommitOp::create(b, open->getLoc(), slot, inflight);
  else
    ReleaseOp::create(b, open->getLoc(), slot, inflight);
}

void delta::tile::replaceBuffer(CopyOp copy, Value buffer) {
  Value old = copy.getShared();
  for (Operation *await : llvm::make_early_inc_range(copy->getUsers()))
    await->erase();
  copy.erase();
  old.replaceAllUsesWith(buffer);
  old.getDefiningOp()->erase();
}
