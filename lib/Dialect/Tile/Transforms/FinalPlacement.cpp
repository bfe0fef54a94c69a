//===- FinalPlacement.cpp - rules F1 and F2 ---------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The places of tiles, and whether instructions accept them.
///
//===----------------------------------------------------------------------===//

#include "FinalRules.h"

#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

//===----------------------------------------------------------------------===//
// F1
//===----------------------------------------------------------------------===//

static LogicalResult verifyTile(KernelOp kernel, Operation *op,
                                RankedTensorType type) {
  auto layout = dyn_cast_or_null<LayoutInterface>(type.getEncoding());
  if (!layout)
    return op->emitOpError()
           << "register tile: expected a layout, got " << type;
  if (failed(layout.toLinearLayout(type.getShape(),
                                   [&] { return op->emitOpError(); })))
    return failure();
  // If a tile has fewer rows than the warps cover, further warps repeat its
  // last warp.
  Role role = getRole(kernel, op);
  if (layout.getWarpCount() > role.warps)
    return op->emitOpError()
           << "register tile: expected a layout of at most the " << role.warps
           << " warps that run this op, got " << type;
  // Only tiles of at most one warpgroup count warps from the role's first warp.
  if (layout.getWarpCount() <= warpgroupWarps || !role.attribute ||
      role.region->getRegionNumber() == 0)
    return success();
  return op->emitOpError() << "register tile: expected a layout of at most "
                           << warpgroupWarps
                           << " warps in a role that is not the first, got "
                           << type;
}

/// Whether `value` is an argument of the kernel, or a view of one.
static bool isViewOfArgument(KernelOp kernel, Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->getParentOp() == kernel;
}

/// Checks a value of a kernel. `op` defines it, or has the region that it
/// enters.
static LogicalResult verifyPlaced(KernelOp kernel, Operation *op, Value value) {
  Type type = value.getType();
  if (auto async = dyn_cast<AsyncType>(type))
    type = async.getValue();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return verifyTile(kernel, op, tensor);
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || isa_and_nonnull<SmemAttr>(memref.getMemorySpace()) ||
      isViewOfArgument(kernel, value))
    return success();
  return op->emitOpError()
         << "memref: expected the space #tile.smem or a view of an argument of "
            "the kernel, got "
         << type;
}

LogicalResult delta::tile::verifyPlacement(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  WalkResult result =
      kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        for (Value value : op->getResults())
          if (failed(verifyPlaced(kernel, op, value)))
            return WalkResult::interrupt();
        for (Region &region : op->getRegions())
          for (Block &block : region)
            for (Value value : block.getArguments())
              if (failed(verifyPlaced(kernel, op, value)))
                return WalkResult::interrupt();
        return WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// F2
//===----------------------------------------------------------------------===//

static LogicalResult verifyRegisterOperand(Operation *op, StringRef name,
                                           Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (tensor && isa_and_nonnull<FragAttr>(tensor.getEncoding()))
    return success();
  return op->emitOpError() << name << ": expected a tile in #tile.frag, got "
                           << type;
}

static LogicalResult verifySharedOperand(Operation *op, StringRef name,
                                         Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  auto space =
      memref ? dyn_cast_or_null<SmemAttr>(memref.getMemorySpace()) : SmemAttr();
  if (space && space.getSwizzle() != 0)
    return success();
  return op->emitOpError() << name
                           << ": expected a swizzled buffer in #tile.smem, got "
                           << type;
}

/// Checks the rules for products of every instruction.
static LogicalResult verifyProduct(const KernelScope &scope, Operation *op,
                                   Instr instr, Type a, Type b, Type result,
                                   ArrayRef<int64_t> contract,
                                   std::optional<ArrayRef<int64_t>> range) {
  bool warpgroup = instr != Instr::MmaSync;
  if (warpgroup && !scope.target.hasWarpgroups)
    return op->emitOpError()
           << "instr: expected an instruction of "
           << StringRef(scope.target.name) << ", got " << stringifyInstr(instr);
  int64_t warps = getRole(scope.kernel, op).warps;
  if (warpgroup && warps % warpgroupWarps != 0)
    return op->emitOpError()
           << "instr: " << stringifyInstr(instr) << ": expected a multiple of "
           << warpgroupWarps << " warps, got " << warps;
  if (failed(instr == Instr::WgmmaSS ? verifySharedOperand(op, "a", a)
                                     : verifyRegisterOperand(op, "a", a)) ||
      failed(verifySharedOperand(op, "b", b)) ||
      failed(verifyRegisterOperand(op, "result", result)))
    return failure();
  auto layout = cast<FragAttr>(cast<RankedTensorType>(result).getEncoding());
  if (warpgroup && layout.getWarps() % warpgroupWarps != 0)
    return op->emitOpError() << "result: expected a layout of a multiple of "
                             << warpgroupWarps << " warps, got " << result;
  // Warps share the rows of an A operand in registers, not its columns.
  if (instr != Instr::WgmmaSS && contract[0] != 1)
    return op->emitOpError()
           << "contract: expected axis 1 of a, which is in registers, got axis "
           << contract[0];
  auto aType = cast<ShapedType>(a);
  Type element = aType.getElementType();
  if (!element.isBF16() && !element.isF16())
    return op->emitOpError()
           << "a: expected elements of bf16 or f16, got " << element;
  int64_t k0 = range ? (*range)[0] : 0;
  int64_t k1 = range ? (*range)[1] : aType.getDimSize(contract[0]);
  if (k0 % 16 != 0 || k1 % 16 != 0)
    return op->emitOpError()
           << "k: expected multiples of 16, got [" << k0 << ", " << k1 << ")";
  int64_t columns = cast<RankedTensorType>(result).getDimSize(1);
  if (columns % 8 == 0 && columns <= 256)
    return success();
  return op->emitOpError()
         << "result: expected a multiple of 8 of at most 256 columns, got "
         << columns;
}

/// Checks the boxes of bulk copies and tensor maps. The mbarriers of a ring, or
/// the release of its slot, count their completion.
static LogicalResult verifyEngine(const KernelScope &scope, CopyOp copy) {
  bool isMap = copy.getEngine() == Engine::Tma;
  if (!isMap && copy.getEngine() != Engine::Bulk)
    return success();
  StringRef name = stringifyEngine(copy.getEngine());
  if (!scope.target.hasWarpgroups)
    return copy.emitOpError()
           << "engine: expected one of " << StringRef(scope.target.name)
           << ", got " << name;
  auto global = cast<MemRefType>(copy.getGlobal().getType());
  auto shared = cast<MemRefType>(copy.getShared().getType());
  if (!global.getLayout().isIdentity() ||
      copy.getDims().back() != global.getRank() - 1)
    return copy.emitOpError() << "engine: " << name
                              << ": expected a box that is contiguous along "
                                 "its last axis, got axis "
                              << copy.getDims().back() << " of " << global;
  int64_t swizzle = cast<SmemAttr>(shared.getMemorySpace()).getSwizzle();
  constexpr int64_t mapRank = 5, pieceBytes = 16;
  if (isMap && (swizzle == 0 || global.getRank() > mapRank))
    return copy.emitOpError()
           << "engine: tma: expected a swizzled buffer and an array of rank at "
              "most "
           << mapRank << ", got " << shared << " and " << global;
  if (!isMap && (shared.getRank() != 1 || copy.getRows() != 0 ||
                 getSharedBytes(shared) % pieceBytes != 0))
    return copy.emitOpError()
           << "engine: bulk: expected a whole vector of a multiple of "
           << pieceBytes << " bytes, got " << shared;
  if (copy->hasOneUse() && isa<AwaitOp>(*copy->user_begin()))
    return copy.emitOpError() << "engine: " << name
                              << ": expected a commit or a release to take the "
                                 "copy, got tile.await";
  return success();
}

/// The device library solves for 128 rows, on the first two warpgroups.
static LogicalResult verifySolve(const KernelScope &scope, TriSolveOp solve) {
  if (!scope.target.hasWarpgroups)
    return solve.emitOpError() << "expected a target that has wgmma, got "
                               << StringRef(scope.target.name);
  if (failed(verifyRegisterOperand(solve, "input", solve.getInput().getType())))
    return failure();
  constexpr int64_t solveRows = 128, solveWarps = 8;
  Role role = getRole(scope.kernel, solve);
  if (solve.getType().getDimSize(0) != solveRows || role.warps != solveWarps ||
      !role.attribute)
    return solve.emitOpError()
           << "expected " << solveRows << " rows in a role of " << solveWarps
           << " warps, got " << solve.getType().getDimSize(0) << " rows in "
           << role.warps << " warps";
  if (!isa<MemRefType>(solve.getFactors().getType()))
    return solve.emitOpError()
           << "factors: expected a buffer in #tile.smem, got "
           << solve.getFactors().getType();
  if (solve.getScratch())
    return success();
  return solve.emitOpError("scratch: expected a buffer, got none");
}

static LogicalResult verifyInstruction(const KernelScope &scope,
                                       Operation *op) {
  if (auto solve = dyn_cast<TriSolveOp>(op))
    return verifySolve(scope, solve);
  if (auto dot = dyn_cast<DotOp>(op)) {
    std::optional<Instr> instr = dot.getInstr();
    if (instr != Instr::MmaSync)
      return op->emitOpError()
             << "instr: expected mma_m16n8k16, got "
             << (instr ? stringifyInstr(*instr) : StringRef("none"));
    return verifyProduct(scope, op, *instr, dot.getA().getType(),
                         dot.getB().getType(), dot.getD().getType(),
                         dot.getContract(), std::nullopt);
  }
  if (auto start = dyn_cast<DotStartOp>(op)) {
    // The value of mma.sync is ready once it was issued: nothing is in flight.
    if (start.getInstr() == Instr::MmaSync)
      return op->emitOpError()
             << "instr: expected wgmma_rs or wgmma_ss, got mma_m16n8k16";
    return verifyProduct(scope, op, start.getInstr(), start.getA().getType(),
                         start.getB().getType(),
                         start.getInflight().getType().getValue(),
                         start.getContract(), start.getK());
  }
  auto copy = dyn_cast<CopyOp>(op);
  return copy ? verifyEngine(scope, copy) : success();
}

LogicalResult delta::tile::verifyInstructions(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  WalkResult result =
      kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
        return failed(verifyInstruction(scope, op)) ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      });
  return failure(result.wasInterrupted());
}
