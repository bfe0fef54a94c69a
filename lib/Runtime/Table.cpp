//===- Table.cpp - aligned text tables --------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Measures every column, then prints row by row.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

namespace delta::runtime {

TextTable::TextTable(std::vector<Column> columns)
    : columns(std::move(columns)) {}

void TextTable::addRow(std::vector<std::string> cells) {
  assert(cells.size() == columns.size() && "one cell per column");
  rows.push_back(std::move(cells));
}

std::string TextTable::str() const {
  std::vector<size_t> widths;
  std::vector<std::string> headers, rules;
  for (size_t c = 0; c < columns.size(); ++c) {
    size_t width = columns[c].header.size();
    for (const auto &row : rows)
      width = std::max(width, row[c].size());
    widths.push_back(width);
    headers.push_back(columns[c].header);
    rules.emplace_back(width, '-');
  }

  std::string text;
  auto print = [&](const std::vector<std::string> &cells) {
    std::string line;
    for (size_t c = 0; c < cells.size(); ++c) {
      line += c == 0 ? "" : "  ";
      line += columns[c].align == Align::Left
                  ? fmt::format("{:<{}}", cells[c], widths[c])
                  : fmt::format("{:>{}}", cells[c], widths[c]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  };
  print(headers);
  print(rules);
  for (const auto &row : rows)
    print(row);
  return text;
}

} // namespace delta::runtime
