//===- Part.cuh - triangular parts of a matrix ------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a matrix that may differ from zero. Rows and columns are
// micro-steps or tokens: with RowSteps = n, row i belongs to token i / n, and
// likewise for columns; parts compare tokens. (RowSteps, ColumnSteps) = (1, n)
// is the read of a DeltaProduct chunk with n Householder steps per token
// (2502.10297): each token has one query row and n key columns.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_PART_CUH
#define DELTA_DEVICE_PART_CUH

#include "delta/Device/Base.cuh"

namespace delta {

enum class Part {
  Full,        ///< every element
  Lower,       ///< i / RowSteps >= j / ColumnSteps
  StrictLower, ///< i / RowSteps >  j / ColumnSteps
  Upper,       ///< i / RowSteps <= j / ColumnSteps
  StrictUpper  ///< i / RowSteps <  j / ColumnSteps
};

/// Whether the block of rows [row, row + rows) and columns [column, column +
/// columns) lies wholly outside the part.
template <Part P, int RowSteps, int ColumnSteps>
__host__ __device__ constexpr bool outside_part(int row, int rows, int column,
                                                int columns) {
  const int first_row = row / RowSteps, last_row = (row + rows - 1) / RowSteps;
  const int first_column = column / ColumnSteps,
            last_column = (column + columns - 1) / ColumnSteps;
  return P == Part::Lower         ? last_row < first_column
         : P == Part::StrictLower ? last_row <= first_column
         : P == Part::Upper       ? first_row > last_column
         : P == Part::StrictUpper ? first_row >= last_column
                                  : false;
}

} // namespace delta

#endif // DELTA_DEVICE_PART_CUH
