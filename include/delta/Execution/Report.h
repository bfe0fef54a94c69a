//===- Report.h - the table of a run ----------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The results of a run, stage by stage, and their table. Measures and judges
/// nothing.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_REPORT_H
#define DELTA_EXECUTION_REPORT_H

#include "delta/Execution/Check.h"

#include "llvm/Support/raw_ostream.h"

namespace delta {

/// One result of a stage, possibly compared with something.
struct ResultReport {
  std::string name;
  std::vector<int64_t> shape;
  std::optional<CheckOutcome> outcome;
};

/// One stage of a run. A result that is compared twice has two entries.
struct StageReport {
  Stage stage;
  double compileSeconds;
  double runSeconds;
  std::vector<ResultReport> results;

  bool passed() const;
};

/// Prints one table with a line per result. With \p checked it has columns for
/// the error, its limit and the verdict, and failures are explained below it.
void printReport(llvm::ArrayRef<StageReport> stages, bool checked,
                 llvm::raw_ostream &os);

} // namespace delta

#endif // DELTA_EXECUTION_REPORT_H
