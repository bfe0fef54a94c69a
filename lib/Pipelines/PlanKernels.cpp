//===- PlanKernels.cpp - choose plans by trial ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta-plan`: the only place that decides on plans. Candidates.h proposes,
/// Trial.h judges.
///
//===----------------------------------------------------------------------===//

#include "delta/Pipelines/Plan.h"

#include "Candidates.h"
#include "Trial.h"

#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

namespace delta {
#define GEN_PASS_DEF_PLANKERNELS
#include "delta/Dialect/Plan/IR/PlanPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;
using namespace delta::plan;

namespace {

class PlanKernelsPass : public delta::impl::PlanKernelsBase<PlanKernelsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    machine = MachineAttr::lookup(&getContext(), target);
    if (!machine) {
      getOperation().emitError()
          << "target: expected one of " << StringRef(getTargetNames())
          << ", got " << target.getValue();
      return signalPassFailure();
    }
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (auto op : func.getOps<RecurrenceOp>())
        if (failed(plan(func, op)))
          return signalPassFailure();
  }

private:
  using Given = llvm::StringMap<Alternatives>;

  LogicalResult plan(func::FuncOp func, RecurrenceOp op);
  /// The plans that `op` has, completed with the machine.
  FailureOr<Given> getGiven(RecurrenceOp op);
  /// Says what was chosen, and to everybody where warpgroups are not used.
  void report(func::FuncOp func, const Candidate &chosen,
              const Candidates &candidates, StringRef failure);
  /// Nothing fits.
  LogicalResult refuse(func::FuncOp func, RecurrenceOp op, bool isGiven,
                       StringRef reason);

  MachineAttr machine;
};

} // namespace

FailureOr<PlanKernelsPass::Given> PlanKernelsPass::getGiven(RecurrenceOp op) {
  Given given;
  DictionaryAttr plans = op.getPlansAttr();
  if (!plans)
    return given;
  for (NamedAttribute entry : plans) {
    auto several = dyn_cast<ArrayAttr>(entry.getValue());
    SmallVector<Attribute> all = several
                                     ? llvm::to_vector(several)
                                     : SmallVector<Attribute>{entry.getValue()};
    for (Attribute attribute : all) {
      auto plan = cast<KernelPlanAttr>(attribute);
      if (plan.getMachine() && plan.getMachine() != machine)
        return op.emitError("plan machine: expected ")
               << machine.getName() << ", which is compiled for, got "
               << plan.getMachine().getName();
      if (plan.usesWgmma() && !machine.hasWarpgroups())
        return op.emitError("plan products: expected mma_sync on ")
               << machine.getName() << ", which has no warpgroups, got wgmma";
      if (op.isDecode() && plan.getColumns() != op.getValueDim())
        return op.emitError("plan columns: expected all ")
               << op.getValueDim() << " columns of values after a cache, got "
               << plan.getColumns();
      given[entry.getName()].push_back(plan.withMachine(machine));
    }
  }
  return given;
}

LogicalResult PlanKernelsPass::plan(func::FuncOp func, RecurrenceOp op) {
  FailureOr<Given> given = getGiven(op);
  if (failed(given))
    return failure();
  Candidates candidates = getCandidates(op, machine, *given);
  Trials trials(func);
  std::string reason = candidates.refusal, lastOfWarpgroups;
  for (const Candidate &candidate : candidates.all) {
    TrialResult result = trials.run(candidate);
    if (!result.fits()) {
      remark::missed(op.getLoc(), remark::RemarkOpts::name("PlanDoesNotFit")
                                      .category("delta-plan")
                                      .function(func.getName()))
          << result.reason;
      reason = result.reason;
      if (candidate.usesWgmma())
        lastOfWarpgroups = reason;
      continue;
    }
    for (const auto &entry : *given)
      if (!result.used.contains(entry.getKey()))
        return op.emitError("plans: no kernel is called ")
               << entry.getKey() << "; the kernels are "
               << llvm::join(llvm::to_vector(llvm::map_range(
                                 result.used.keys(),
                                 [](StringRef name) { return name.str(); })),
                             ", ");
    Candidate chosen = candidate;
    llvm::erase_if(chosen.plans, [&](const auto &entry) {
      return !result.used.contains(entry.first);
    });
    op.setChunk(chosen.chunk);
    op.setPlansAttr(chosen.getPlans(&getContext()));
    report(func, chosen, candidates, lastOfWarpgroups);
    return success();
  }
  const bool isGiven = !given->empty();
  return refuse(func, op, isGiven,
                isGiven || candidates.advice.empty() ? reason
                                                     : candidates.advice);
}

void PlanKernelsPass::report(func::FuncOp func, const Candidate &chosen,
                             const Candidates &candidates, StringRef failure) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "chunk " << chosen.chunk << "; " << chosen.getPlans(&getContext());
  remark::passed(func.getLoc(), remark::RemarkOpts::name("Plan")
                                    .category("delta-plan")
                                    .function(func.getName()))
      << text;
  StringRef obstacle =
      failure.empty() ? StringRef(candidates.obstacle) : failure;
  if (!chosen.usesWgmma() && !obstacle.empty())
    func.emitRemark() << "no kernel uses warpgroups: " << obstacle;
}

LogicalResult PlanKernelsPass::refuse(func::FuncOp func, RecurrenceOp op,
                                      bool isGiven, StringRef reason) {
  if (isGiven)
    return op.emitError("plans do not fit: ") << reason;
  func->setAttr(kNoPlanAttr, StringAttr::get(&getContext(), reason));
  return success();
}
