//===- Layout.h - line breaking of emitted text -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Breaks statements and comments at 100 columns. Knows C++ only as far as
/// brackets and string literals; may not reorder or drop anything.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_TARGET_CUDA_LAYOUT_H
#define DELTA_LIB_TARGET_CUDA_LAYOUT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace delta::cuda {

/// Columns of emitted text.
constexpr unsigned columnLimit = 100;

/// Stand in a statement where a line may end: behind a comma or a `=`, and,
/// where there is none of these, behind an operator. Where no line ends, they
/// are spaces.
constexpr char breakable = '\x01', breakableOperator = '\x02';

/// `text`, indented by `indent` columns, broken where it exceeds the limit:
/// in the outermost brackets possible, the rest aligned behind the bracket (4
/// columns further in outside of brackets). Ends with a line break.
std::string layOut(llvm::StringRef text, unsigned indent);

/// `text` as a comment whose lines start with `prefix` ("// "). Line breaks in
/// the text are kept, longer lines are wrapped at words.
std::string layOutComment(llvm::StringRef text, llvm::StringRef prefix,
                          unsigned indent);

} // namespace delta::cuda

#endif // DELTA_LIB_TARGET_CUDA_LAYOUT_H
