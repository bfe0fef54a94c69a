//===- PlaceWarpgroups.cpp - operands of wgmma products ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The parts of `tile-place` for wgmma products: checks of their shapes, and
/// spills of left operands that registers cannot hold.
///
//===----------------------------------------------------------------------===//

#include "PlaceParts.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"
#include "delta/Support/Target.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

/// The rows of a wgmma product, and its largest number of columns.
static constexpr int64_t kWarpgroupRows = 64, kWarpgroupColumns = 256;

/// Registers for tiles that a thread may keep across a solve. A role with
/// products has 240; the others hold row statistics and addresses.
static constexpr int64_t kAcrossSolution = 200;

LogicalResult tile::checkWarpgroup(KernelOp kernel, DotOp dot) {
  ArrayRef<int64_t> a = tileType(dot.getA()).getShape();
  int64_t columns = dot.getD().getType().getShape()[1];
  int64_t warps = kernel.getWarps();
  // Several warpgroups share the rows of a tile, or each one has its own chain.
  if (warps % delta::warpgroupWarps != 0 ||
      (kernel.getChains() > 1 && warps != delta::warpgroupWarps))
    return dot.emitError() << "expected "
                           << (kernel.getChains() > 1 ? "" : "a multiple of ")
                           << delta::warpgroupWarps
                           << " warps in a kernel with wgmma, got " << warps;
  int64_t rows = kWarpgroupRows * warps / delta::warpgroupWarps;
  if (a[0] != rows)
    return dot.emitError() << "a: expected " << rows
                           << " rows in a kernel with wgmma of " << warps
                           << " warps, got " << a[0];
  if (a[1] % 16 != 0)
    return dot.emitError() << "a: expected a multiple of 16 columns, got "
                           << a[1];
  if (columns % 8 == 0 && columns <= kWarpgroupColumns)
    return success();
  return dot.emitError() << "result: expected a multiple of 8 of at most "
                         << kWarpgroupColumns << " columns, got " << columns;
}

/// Registers per thread that `value` takes.
static int64_t countRegisters(KernelOp kernel, Value value) {
  RankedTensorType type = tileType(value);
  return type.getNumElements() * type.getElementTypeBitWidth() /
         (32 * delta::warpThreads * static_cast<int64_t>(kernel.getWarps()));
}

LogicalResult tile::spillLeftOperands(KernelOp kernel, TriSolveOp solve) {
  Block *block = solve->getBlock();
  // Directly after the last product before the solve, when the shared memory of
  // its operands may be free.
  Operation *position = solve;
  for (auto dot : block->getOps<DotOp>())
    if (dot->isBeforeInBlock(solve))
      position = dot->getNextNode();
  // The products after the solve, grouped by left operands that exist before
  // it.
  llvm::MapVector<Value, SmallVector<DotOp, 2>> known;
  int64_t alive = countRegisters(kernel, solve.getInput()) +
                  countRegisters(kernel, solve.getResult());
  for (auto dot : block->getOps<DotOp>()) {
    auto left = dyn_cast<TypedValue<RankedTensorType>>(dot.getA());
    Operation *def = left ? left.getDefiningOp() : nullptr;
    if (!def || !def->isBeforeInBlock(solve) || !solve->isBeforeInBlock(dot) ||
        !dot.getAcc())
      continue;
    Operation *sum = dot.getAcc().getDefiningOp();
    if (!sum || sum->isBeforeInBlock(solve))
      alive += countRegisters(kernel, dot.getAcc());
    known[left].push_back(dot);
  }
  for (const auto &[left, dots] : known)
    alive += countRegisters(kernel, left);
  for (const auto &[left, dots] : known) {
    if (alive <= kAcrossSolution)
      break;
    alive -= countRegisters(kernel, left);
    RankedTensorType tile = tileType(left);
    MemRefType type = getSharedType(tile.getShape(), tile.getElementType());
    if (!type)
      return refuseBuffer(dots.front(), tile.getShape());
    OpBuilder b(position);
    Value buffer = allocBuffer(
        kernel, type, NameLoc::get(b.getStringAttr("parked"), left.getLoc()));
    WriteOp::create(b, left.getLoc(), left, buffer, /*transpose=*/false);
    for (DotOp dot : dots) {
      dot.getAMutable().assign(buffer);
      dot.setInstr(Instr::WgmmaSS);
    }
  }
  return success();
}
