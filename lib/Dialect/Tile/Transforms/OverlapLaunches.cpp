//===- OverlapLaunches.cpp - launches that start early ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-overlap-launches`: marks launches and places the waits that order
/// them. Conflicts between arrays are found on the values of the host function:
/// two of its arguments count as two arrays.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

namespace delta::tile {
#define GEN_PASS_DEF_OVERLAPLAUNCHES
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

using ValueSet = llvm::SmallDenseSet<Value>;

/// The array that `memref` is a view of.
static Value getArray(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Adds the global array that `op` itself reads (writes).
static void getAccesses(Operation *op, ValueSet &reads, ValueSet &writes) {
  std::optional<GlobalAccess> access = getGlobalAccess(op);
  if (!access)
    return;
  // Ops that synchronise CTAs name their flags or their counter first.
  Value array = access->array ? access->array : op->getOperand(0);
  (access->writes ? writes : reads).insert(getArray(array));
}

namespace {

/// A kernel: the arguments that it reads and writes, and those that conflict
/// with a launch before one of its own launches.
struct Kernel {
  ValueSet reads, writes, conflicts;
};

struct OverlapLaunchesPass
    : public delta::tile::impl::OverlapLaunchesBase<OverlapLaunchesPass> {
  void runOnOperation() override {
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      Kernel &entry = kernels[kernel];
      kernel.walk(
          [&](Operation *op) { getAccesses(op, entry.reads, entry.writes); });
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      findConflicts(function);
    for (auto &[kernel, entry] : kernels)
      if (!entry.conflicts.empty())
        placeWaits(*cast<KernelOp>(kernel).getCallableRegion(),
                   entry.conflicts);
    for (auto function : getOperation().getOps<func::FuncOp>())
      markLaunches(function);
  }

private:
  KernelOp lookup(LaunchOp launch) {
    return SymbolTable::lookupNearestSymbolFrom<KernelOp>(
        launch, launch.getKernelAttr());
  }
  void findConflicts(func::FuncOp function);
  void placeWaits(Region &region, const ValueSet &conflicts);
  void markLaunches(func::FuncOp function);

  llvm::MapVector<Operation *, Kernel> kernels;
};

} // namespace

/// Whether the machine lets a kernel start while an earlier one still runs.
static bool canOverlap(KernelOp kernel) {
  return kernel.getPlan() && kernel.getPlan()->getMachine().hasWarpgroups();
}

void OverlapLaunchesPass::findConflicts(func::FuncOp function) {
  ValueSet read, written;
  function.walk([&](LaunchOp launch) {
    KernelOp kernel = lookup(launch);
    Kernel &entry = kernels[kernel];
    auto arguments =
        kernel.getBody().getArguments().drop_front(kernel.getGrid());
    auto pairs = llvm::zip(arguments, launch.getInputs());
    for (auto [argument, input] : pairs) {
      Value array = getArray(input);
      bool isWritten = entry.writes.contains(argument);
      if (canOverlap(kernel) && (isWritten || entry.reads.contains(argument)) &&
          (written.contains(array) || (isWritten && read.contains(array))))
        entry.conflicts.insert(argument);
    }
    for (auto [argument, input] : pairs) {
      if (entry.reads.contains(argument))
        read.insert(getArray(input));
      if (entry.writes.contains(argument))
        written.insert(getArray(input));
    }
  });
}

/// Places a wait before the first op of the region's block that accesses a
/// conflicting array. Each role waits on its own.
void OverlapLaunchesPass::placeWaits(Region &region,
                                     const ValueSet &conflicts) {
  for (Operation &op : region.front()) {
    ValueSet touched;
    op.walk([&](Operation *nested) { getAccesses(nested, touched, touched); });
    if (llvm::none_of(touched,
                      [&](Value array) { return conflicts.contains(array); }))
      continue;
    if (auto roles = dyn_cast<RolesOp>(op)) {
      for (Region &body : roles.getBodies())
        placeWaits(body, conflicts);
      return;
    }
    OpBuilder b(&op);
    WaitLaunchesOp::create(b, op.getLoc());
    return;
  }
}

void OverlapLaunchesPass::markLaunches(func::FuncOp function) {
  bool isFirst = true;
  function.walk([&](LaunchOp launch) {
    if (!isFirst && !kernels[lookup(launch)].conflicts.empty())
      launch.setOverlap(true);
    isFirst = false;
  });
}
