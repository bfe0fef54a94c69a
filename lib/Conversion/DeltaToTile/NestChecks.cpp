//===- NestChecks.cpp - nests and plans that have kernels -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements NestChecks.h.
///
//===----------------------------------------------------------------------===//

#include "NestChecks.h"

using namespace mlir;
using namespace delta;

LogicalResult delta::checkNest(scf::ForallOp loop) {
  NestAttr nest = getNest(loop);
  if (!nest)
    return loop.emitError(
               "expected a nest that says what it computes, got no `")
           << kNestAttr << "`";
  if (static_cast<int64_t>(nest.getAxes().size()) != loop.getRank())
    return loop.emitError("nest axes: expected ")
           << loop.getRank() << " names, got " << nest.getAxes();
  return success();
}

/// A plan for a nest of another kind is refused.
static LogicalResult checkPlan(scf::ForallOp loop, plan::KernelPlanAttr plan) {
  NestAttr nest = getNest(loop);
  auto refuse = [&](StringRef what, StringRef expected, StringRef got) {
    return loop.emitError("plan ")
           << what << ": expected " << expected << " for " << getPlanName(nest)
           << ", a nest of kind " << stringifyNestKind(nest.getKind())
           << (nest.isOrdered() ? " with ordered blocks" : "") << ", got "
           << got;
  };
  const bool isScan = nest.getKind() == NestKind::Scan;
  const bool isAttention = nest.getKind() == NestKind::Attention;
  if (plan.usesWgmma() && !isScan && !isAttention)
    return refuse("products", "mma_sync", "wgmma");
  if (plan.usesWgmma() && isScan && plan.getSplit() == plan::Split::Rows)
    return refuse("split", "chains", "rows");
  if (plan.getSplit() == plan::Split::Chains && !isScan)
    return refuse("split", "rows", "chains");
  StringRef work = plan::stringifyWork(plan.getWork());
  if (nest.isOrdered() != (plan.getWork() == plan::Work::Queue))
    return refuse("work", nest.isOrdered() ? "queue" : "no queue", work);
  if (plan.getWork() == plan::Work::LongestFirst && !isAttention)
    return refuse("work", "grid", work);
  if (plan.getWork() == plan::Work::Segments && !isScan)
    return refuse("work", "grid", work);
  return success();
}

LogicalResult delta::checkPlans(scf::ForallOp loop, ArrayAttr plans) {
  plan::KernelPlanAttr last;
  for (auto plan : plans.getAsRange<plan::KernelPlanAttr>()) {
    if (failed(checkPlan(loop, plan)))
      return failure();
    if (last && (plan.withChains(1) != last.withChains(1) ||
                 plan.getChains() <= last.getChains()))
      return loop.emitError("plans: expected alternatives for ")
             << getPlanName(getNest(loop))
             << " that differ in ascending chains alone, got " << plans;
    last = plan;
  }
  return success();
}
