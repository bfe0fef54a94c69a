//===- Amalgamate.h - one file instead of includes --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Puts the text of included headers where the directives are.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_ARTEFACT_AMALGAMATE_H
#define DELTA_LIB_ARTEFACT_AMALGAMATE_H

#include "Files.h"

namespace delta {

/// `text` with each `#include "..."` replaced by that file's text, once, and
/// dropped where it comes again. A file is one of `generated`, by its name, or
/// lies in the folder `includeDirectory`. `#pragma once` is dropped: it means
/// nothing in a main file. `#include <...>` stays.
llvm::Expected<std::string> amalgamate(llvm::StringRef text,
                                       const std::vector<OutputFile> &generated,
                                       llvm::StringRef includeDirectory);

} // namespace delta

#endif // DELTA_LIB_ARTEFACT_AMALGAMATE_H
