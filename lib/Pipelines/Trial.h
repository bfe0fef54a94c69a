//===- Trial.h - whether a candidate's kernels fit --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Pipelines. A trial lowers one function with a candidate's
/// plans to the final form: tiles are placed, shared memory is planned,
/// registers are counted, the result is verified. Nothing mirrors that
/// arithmetic.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_PIPELINES_TRIAL_H
#define DELTA_LIB_PIPELINES_TRIAL_H

#include "Candidates.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringSet.h"

namespace delta {

struct TrialResult {
  /// Why the kernels do not fit; empty where they do.
  std::string reason;
  /// The names of the plans that a kernel was made by.
  llvm::StringSet<> used;

  bool fits() const { return reason.empty(); }
};

/// Trials of one function. They run in a context of their own, so that what
/// they report, as a diagnostic or a remark, reaches nobody else.
class Trials {
public:
  explicit Trials(mlir::func::FuncOp func);

  TrialResult run(const Candidate &candidate);

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> spec;
};

} // namespace delta

#endif // DELTA_LIB_PIPELINES_TRIAL_H
