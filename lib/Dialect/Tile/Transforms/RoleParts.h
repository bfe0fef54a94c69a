//===- RoleParts.h - what all splits into roles share -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Pieces of `tile-split-roles`: register caps, slots of rings, and the split
/// of kernels whose CTAs are row blocks.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_ROLEPARTS_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_ROLEPARTS_H

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Builders.h"

namespace delta::tile {

/// Register caps of roles that share an SM's 65536 registers among twelve
/// warps: two warpgroups of products take nearly all. Where the CTA has six
/// warps, there are enough for every one, and equal caps need no instruction.
inline constexpr int64_t kMathRegisters = 240, kCopyRegisters = 24;

/// The field's names of the buffers of `copies`.
inline mlir::ArrayAttr getBufferNames(mlir::OpBuilder &b,
                                      llvm::ArrayRef<CopyOp> copies) {
  llvm::SmallVector<mlir::Attribute> names;
  for (CopyOp copy : copies) {
    auto name = llvm::dyn_cast<mlir::NameLoc>(copy.getShared().getLoc());
    names.push_back(name ? name.getName() : b.getStringAttr("tile"));
  }
  return b.getArrayAttr(names);
}

/// An acquire or a peek, with the field's names of the ring's buffers.
template <typename OpTy>
OpTy openSlot(mlir::OpBuilder &b, mlir::Location loc, RingCreateOp ring,
              mlir::Value index) {
  auto types = llvm::map_to_vector(ring.getRing().getType().getBuffers(),
                                   [](mlir::Type type) { return type; });
  auto open =
      OpTy::create(b, loc, SlotType::get(b.getContext()), types, ring, index);
  open->setAttr(getBufferNamesAttrName(),
                ring->getAttr(getBufferNamesAttrName()));
  return open;
}

/// Splits a kernel whose CTAs are row blocks (`tile.expect`) into roles, its
/// ring of earlier blocks with `stages` slots. Fails, with a diagnostic, where
/// the kernel is not of the form that the pass describes.
mlir::LogicalResult splitBlockRoles(KernelOp kernel, int64_t stages);

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_ROLEPARTS_H
