//===- PlanTargets.cpp - plan a spec for several GPUs -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta-plan-targets`. Decides which targets share kernels; what the kernels'
/// plans are is left to `delta-plan`.
///
//===----------------------------------------------------------------------===//

#include "delta/Pipelines/Plan.h"

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Pass/PassManager.h"

namespace delta {
#define GEN_PASS_DEF_PLANTARGETS
#include "delta/Dialect/Plan/IR/PlanPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;
using namespace delta::plan;

/// Whether kernels for `a` fit more targets than kernels for `b`.
static bool isSmaller(MachineAttr a, MachineAttr b) {
  auto rank = [](MachineAttr machine) {
    const Target &target = machine.getTarget();
    return std::tuple(target.hasWarpgroups, target.sharedBytes,
                      target.smThreads);
  };
  return rank(a) < rank(b);
}

/// The plans of the recurrences in `module` with their chunks, as far as they
/// are no matter of the machine. A plan that cuts sequences keeps its machine:
/// where a cut pays is computed from what was measured there.
static Attribute getSharedPlans(ModuleOp module) {
  Builder b(module.getContext());
  AttrTypeReplacer replacer;
  replacer.addReplacement([](KernelPlanAttr plan) -> Attribute {
    return plan.getWork() == Work::Segments ? plan : plan.withMachine({});
  });
  SmallVector<Attribute> plans;
  module.walk([&](RecurrenceOp op) {
    // What no plan fits is refused later, once for all such targets.
    if (!op.getPlansAttr())
      return;
    plans.push_back(b.getI64IntegerAttr(*op.getChunk()));
    plans.push_back(replacer.replace(op.getPlansAttr()));
  });
  return b.getArrayAttr(plans);
}

namespace {

/// Targets that share kernels.
struct KernelSet {
  Attribute plans;
  /// The function, planned for `machine`.
  ModuleOp module;
  MachineAttr machine;
  SmallVector<Attribute> targets;
};

class PlanTargetsPass : public delta::impl::PlanTargetsBase<PlanTargetsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<MachineAttr> machines;
    for (const std::string &name : targets) {
      machines.push_back(MachineAttr::lookup(&getContext(), name));
      if (machines.back())
        continue;
      getOperation().emitError()
          << "targets: expected some of " << StringRef(getTargetNames())
          << ", got " << name;
      return signalPassFailure();
    }
    for (auto func :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (failed(plan(func, machines)))
        return signalPassFailure();
  }

private:
  /// Puts the kernel sets of `func` in its place.
  LogicalResult plan(func::FuncOp func, ArrayRef<MachineAttr> machines);
};

} // namespace

LogicalResult PlanTargetsPass::plan(func::FuncOp func,
                                    ArrayRef<MachineAttr> machines) {
  OpBuilder b(func);
  SmallVector<KernelSet> sets;
  for (MachineAttr machine : machines) {
    auto module = ModuleOp::create(b, func.getLoc());
    module.push_back(func.clone());
    OpPassManager pm(ModuleOp::getOperationName());
    PlanKernelsOptions options;
    options.target = machine.getName().str();
    pm.addPass(createPlanKernels(options));
    if (failed(runPipeline(pm, module)))
      return failure();
    Attribute plans = getSharedPlans(module);
    KernelSet *set = llvm::find_if(
        sets, [&](const KernelSet &other) { return other.plans == plans; });
    if (set == sets.end()) {
      sets.push_back({plans, module, machine, {machine}});
      continue;
    }
    set->targets.push_back(machine);
    if (isSmaller(machine, set->machine)) {
      std::swap(set->module, module);
      set->machine = machine;
    }
    module.erase();
  }
  for (KernelSet &set : sets) {
    set.module->setAttr(kTargetsAttr, b.getArrayAttr(set.targets));
    // In the order of their first targets, whichever they are made for.
    set.module->moveBefore(func);
  }
  func.erase();
  return success();
}
