//===- SharedMemory.cpp - sizes of shared buffers ---------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements SharedMemory.h.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/SharedMemory.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace delta;

LogicalResult
tile::verifySharedBuffer(MemRefType type,
                         function_ref<InFlightDiagnostic()> emitError) {
  auto refuse = [&](const Twine &expected) -> LogicalResult {
    if (emitError)
      emitError() << "shared buffer: expected " << expected << ", got " << type;
    return failure();
  };
  auto space = dyn_cast_or_null<SmemAttr>(type.getMemorySpace());
  if (!space)
    return refuse("the space #tile.smem");
  if (!type.hasStaticShape() || type.getRank() < 1 || type.getRank() > 3)
    return refuse("a static shape of rank 1 to 3");
  if (!type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return refuse("elements of whole bytes");
  int64_t swizzle = space.getSwizzle();
  if (swizzle == 0)
    return success();
  if (type.getRank() < 2 || type.getElementTypeBitWidth() != 16)
    return refuse("matrices of 16-bit elements with a swizzle");
  if (type.getShape().back() * 2 % swizzle != 0)
    return refuse("rows of a multiple of " + Twine(swizzle) + " bytes");
  return success();
}

int64_t tile::getSharedBytes(MemRefType type) {
  SmallVector<int64_t> shape(type.getShape());
  auto space = cast<SmemAttr>(type.getMemorySpace());
  // The gap after each row of f32 scratch avoids bank conflicts.
  constexpr int64_t gap = 8;
  if (space.getSwizzle() == 0 && shape.size() > 1)
    shape.back() += gap;
  return ShapedType::getNumElements(shape) * type.getElementTypeBitWidth() / 8;
}

int64_t tile::getSharedAlignment(MemRefType type) {
  if (cast<SmemAttr>(type.getMemorySpace()).getSwizzle() != 0)
    return 1024;
  return type.getRank() > 1 ? 128 : 16;
}

SmallVector<int64_t> tile::getSlotOffsets(RingType ring) {
  SmallVector<int64_t> offsets;
  int64_t end = 0;
  for (MemRefType buffer : ring.getBuffers()) {
    offsets.push_back(llvm::alignTo(end, getSharedAlignment(buffer)));
    end = offsets.back() + getSharedBytes(buffer);
  }
  return offsets;
}

int64_t tile::getSlotBytes(RingType ring) {
  int64_t end =
      getSlotOffsets(ring).back() + getSharedBytes(ring.getBuffers().back());
  return llvm::alignTo(end, getSlotAlignment(ring));
}

int64_t tile::getSlotAlignment(RingType ring) {
  int64_t alignment = 16;
  for (MemRefType buffer : ring.getBuffers())
    alignment = std::max(alignment, getSharedAlignment(buffer));
  return alignment;
}

int64_t tile::getRingCopies(RingCreateOp ring) {
  for (Operation *user : ring.getRing().getUsers()) {
    if (!isa<AcquireOp>(user))
      continue;
    for (Region *region = user->getParentRegion(); region;
         region = region->getParentRegion())
      if (auto roles = dyn_cast<RolesOp>(region->getParentOp()))
        return cast<RoleAttr>(roles.getRoles()[region->getRegionNumber()])
            .getInstances();
    return 1;
  }
  return 1;
}

int64_t tile::getRingSlotBytes(RingCreateOp ring) {
  RingType type = ring.getRing().getType();
  return getRingCopies(ring) * type.getStages() * getSlotBytes(type);
}

int64_t tile::getBarrierOffset(RingCreateOp ring) {
  if (std::optional<int64_t> apart = ring.getBarriers())
    return *apart - ring.getOffset().value_or(0);
  return getRingSlotBytes(ring);
}

int64_t tile::getBarrierBytes(RingType ring) {
  constexpr int64_t barrierBytes = 8;
  return 2 * ring.getStages() * barrierBytes;
}

int64_t tile::getRingBytes(RingCreateOp ring) {
  int64_t bytes = getRingSlotBytes(ring);
  if (ring.getProtocol() == Protocol::Mbarrier && !ring.getBarriers())
    bytes += getRingCopies(ring) * getBarrierBytes(ring.getRing().getType());
  return bytes;
}
