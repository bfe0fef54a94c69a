//===- Plan.h - how kernels use a GPU ---------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The plan dialect: attributes alone. Depends on no other dialect.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_PLAN_IR_PLAN_H
#define DELTA_DIALECT_PLAN_IR_PLAN_H

#include "delta/Support/Target.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include <optional>

#include "delta/Dialect/Plan/IR/PlanEnums.h.inc"

namespace delta::plan {

/// Attribute of a module that holds one kernel set: the `#plan.machine`s that
/// the set serves.
constexpr llvm::StringLiteral kTargetsAttr = "plan.targets";

/// Nanoseconds of scan kernels, by which a launcher chooses among them.
struct ScanCosts {
  /// One chunk of all CTAs: `wave` for each wave of CTAs that is begun, and
  /// `half` for each half of a wave, whose CTAs share the memory.
  struct PerChunk {
    int64_t wave, half;
  };
  /// Of a CTA with one chain, and with two.
  struct ByChains {
    PerChunk one, two;
  };
  /// The scan itself, and the scan without outputs that maps segments.
  ByChains chunk, transfer;
  /// One step of the kernel that folds segments; two more launches, with what
  /// all kernels begin and end with.
  int64_t fold, launches;
};

/// Cycles of a warp of a warpgroup that multiplies, by which loops with
/// products in flight are ordered.
struct IssueCycles {
  /// To issue the instructions of a product, and to go on after an await.
  int64_t start, await;
  /// For each element that a thread holds: arithmetic and rounding; exp.
  int64_t element, exp;
  /// To find that a slot of a ring is ready, or to say that it is.
  int64_t ring;
  /// From the issue of a read of shared memory to its value.
  int64_t read;
  /// Contraction indices of one instruction of a product, and columns that it
  /// does in a cycle.
  int64_t step, columns;
};

} // namespace delta::plan

#include "delta/Dialect/Plan/IR/PlanDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Plan/IR/PlanAttrs.h.inc"

#endif // DELTA_DIALECT_PLAN_IR_PLAN_H
