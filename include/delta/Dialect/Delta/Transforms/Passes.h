//===- Passes.h - passes on the delta dialect -------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the passes of dialects/Delta/DeltaPasses.td: one `createX()` a
/// pass, their options structs, and `registerDeltaPasses()`. What a pass does
/// is said there and nowhere else.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_TRANSFORMS_PASSES_H
#define DELTA_DIALECT_DELTA_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace delta {

#define GEN_PASS_DECL
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"

#define GEN_PASS_REGISTRATION
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"

} // namespace delta

#endif // DELTA_DIALECT_DELTA_TRANSFORMS_PASSES_H
