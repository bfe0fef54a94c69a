//===- Report.cpp - the table of a run --------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Puts numbers into the cells of a TextTable. A stage's name and times stand
/// on its first line only.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/Report.h"

#include "delta/Runtime/Table.h"

#include "llvm/ADT/STLExtras.h"

#include <fmt/format.h>

using namespace delta;
using runtime::TextTable;

static bool hasPassed(const ResultReport &result) {
  return !result.outcome || result.outcome->passed;
}

bool StageReport::passed() const { return llvm::all_of(results, hasPassed); }

void delta::printReport(llvm::ArrayRef<StageReport> stages, bool checked,
                        llvm::raw_ostream &os) {
  using Align = TextTable::Align;
  std::vector<TextTable::Column> columns = {
      {"stage", Align::Left}, {"result", Align::Left}, {"shape", Align::Left}};
  if (checked) {
    columns.push_back({"rms ratio", Align::Right});
    columns.push_back({"limit", Align::Right});
    columns.push_back({"verdict", Align::Left});
  }
  columns.push_back({"compile s", Align::Right});
  columns.push_back({"run s", Align::Right});

  TextTable table(std::move(columns));
  std::string failures;
  for (const StageReport &stage : stages) {
    const std::string name = stageName(stage.stage).str();
    bool first = true;
    for (const ResultReport &result : stage.results) {
      std::vector<std::string> cells = {first ? name : "", result.name,
                                        runtime::shapeString(result.shape)};
      if (checked && result.outcome) {
        const CheckOutcome &outcome = *result.outcome;
        cells.insert(cells.end(), {outcome.measured, outcome.limit,
                                   outcome.passed ? "ok" : "FAILED"});
        if (!outcome.passed)
          failures +=
              fmt::format("{} {}: {}\n", name, result.name, outcome.detail);
      } else if (checked) {
        cells.insert(cells.end(), {"-", "-", "-"});
      }
      cells.push_back(first ? fmt::format("{:.3f}", stage.compileSeconds) : "");
      cells.push_back(first ? fmt::format("{:.6f}", stage.runSeconds) : "");
      table.addRow(std::move(cells));
      first = false;
    }
  }
  os << table.str() << failures;
}
