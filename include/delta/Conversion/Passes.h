//===- Passes.h - passes between dialects -----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes of dialects/Conversion/ConversionPasses.td. What a pass
/// does is said there and nowhere else.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_CONVERSION_PASSES_H
#define DELTA_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace delta {

#define GEN_PASS_DECL
#include "delta/Conversion/ConversionPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "delta/Conversion/ConversionPasses.h.inc"

} // namespace delta

#endif // DELTA_CONVERSION_PASSES_H
