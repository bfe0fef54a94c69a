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

/// Characters that mark places in a statement where a line may end: after a
/// comma or a `=`, or, if there is neither, after an operator. Places where no
/// line ends become spaces.
constexpr char breakable = '\x01', breakableOperator = '\x02';

/// `text`, indented by `indent` columns. A line that exceeds the limit is
/// broken in the outermost brackets possible; the next line is aligned after
/// the bracket (or indented by 4 more columns outside of brackets). Ends with a
/// line break.
std::string layOut(llvm::StringRef text, unsigned indent);

/// `text` as a comment whose lines start with `prefix` ("// "). Line breaks in
/// the text are kept, longer lines are wrapped at words.
std::string layOutComment(llvm::StringRef text, llvm::StringRef prefix,
                          unsigned indent);

} // namespace delta::cuda

#endif // DELTA_LIB_TARGET_CUDA_LAYOUT_H
