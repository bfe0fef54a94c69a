//===- Candidates.h - plans worth a trial -----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Pipelines. Which plans `delta-plan` tries for a recurrence,
/// the best first. Whether they fit is not known here: that is what the trial
/// is for.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_PIPELINES_CANDIDATES_H
#define DELTA_LIB_PIPELINES_CANDIDATES_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"

namespace delta {

/// Plans of one kernel, alternatives among which the launcher chooses.
using Alternatives = llvm::SmallVector<plan::KernelPlanAttr, 2>;

/// Plans for the kernels of one recurrence.
struct Candidate {
  /// Rows of a chunk.
  int64_t chunk = 0;
  llvm::SmallVector<std::pair<llvm::StringRef, Alternatives>, 4> plans;
  /// Kernel `attend` has at least so many warps, and a multiprocessor holds at
  /// least so many of its CTAs.
  int64_t leastWarps = 1, leastCtas = 1;

  bool usesWgmma() const;
  /// `plans` as the recurrence carries them.
  mlir::DictionaryAttr getPlans(mlir::MLIRContext *context) const;
};

struct Candidates {
  /// The best first.
  llvm::SmallVector<Candidate> all;
  /// Why none uses warpgroups, on a machine that has them; empty where one
  /// does, or none is meant to.
  std::string obstacle;
  /// Why there are none; empty where there are.
  std::string refusal;
  /// What to write in place of the spec where none fits; may be empty.
  std::string advice;
};

/// What to try for `op` on `machine`. `given` are plans that the recurrence has
/// already: no candidate differs from them.
Candidates getCandidates(RecurrenceOp op, plan::MachineAttr machine,
                         const llvm::StringMap<Alternatives> &given);

} // namespace delta

#endif // DELTA_LIB_PIPELINES_CANDIDATES_H
