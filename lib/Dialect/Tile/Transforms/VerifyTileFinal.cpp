//===- VerifyTileFinal.cpp - contract of the final form ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Applies the rules of FinalRules.h to every kernel, in the order in which
/// later rules may rely on earlier ones. Holds no rule itself; never changes
/// the IR.
///
//===----------------------------------------------------------------------===//

#include "FinalRules.h"
#include "KernelMachine.h"
#include "MemoryRules.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

using namespace mlir;
using namespace delta::tile;

namespace delta::tile {
#define GEN_PASS_DEF_VERIFYTILEFINAL
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

/// V2 and V5 hold in both forms.
static LogicalResult verifyMemory(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    if (failed(verifyBounds(op)) || failed(verifyMemoryAccess(op)))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

namespace {

struct VerifyTileFinal
    : public delta::tile::impl::VerifyTileFinalBase<VerifyTileFinal> {
  using VerifyTileFinalBase::VerifyTileFinalBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    // F8 comes first: nearly every other rule asks which role runs an op.
    static constexpr LogicalResult (*rules[])(const KernelScope &) = {
        verifyMemory,    verifyRoles,    verifyPlacement,   verifyInstructions,
        verifyConsumers, verifyRegions,  verifySlotUses,    verifySlotAwaits,
        verifyRings,     verifyBarriers, verifySharedMemory};
    for (KernelOp kernel : getOperation().getOps<KernelOp>()) {
      const delta::Target *machine = requireMachine(kernel);
      if (!machine)
        return signalPassFailure();
      for (auto rule : rules)
        if (failed(rule({kernel, *machine}))) {
          signalPassFailure();
          break;
        }
    }
  }
};

} // namespace
