//===- Table.h - aligned text tables ----------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Columns for a terminal or a log: plain ASCII, two spaces between columns, a
/// rule of dashes under the header. Cells are counted in bytes.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_TABLE_H
#define DELTA_RUNTIME_TABLE_H

#include <string>
#include <vector>

namespace delta::runtime {

/// A table that is filled row by row and then printed.
class TextTable {
public:
  enum class Align { Left, Right };

  struct Column {
    std::string header;
    Align align = Align::Left;
  };

  explicit TextTable(std::vector<Column> columns);

  /// Adds a row; it must have one cell per column.
  void addRow(std::vector<std::string> cells);

  /// The whole table, each line ended, none with blanks at its end.
  std::string str() const;

private:
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace delta::runtime

#endif // DELTA_RUNTIME_TABLE_H
