//===- Plan.h - the choice of plans -----------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The passes `delta-plan` and `delta-plan-targets`. They run the pipelines of
/// this folder on trial, and so belong to no dialect.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_PIPELINES_PLAN_H
#define DELTA_PIPELINES_PLAN_H

#include "mlir/Pass/Pass.h"

namespace delta {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "delta/Dialect/Plan/IR/PlanPasses.h.inc"

} // namespace delta

#endif // DELTA_PIPELINES_PLAN_H
