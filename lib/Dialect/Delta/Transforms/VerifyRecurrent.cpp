//===- VerifyRecurrent.cpp - contract of the recurrent phase ----- -*- C++
//-*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks what a function must be so that the recurrent phase can end. Labels
/// R1, R2, ... are those of docs/spec.md. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace delta;

namespace delta {
#define GEN_PASS_DEF_VERIFYRECURRENT
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

namespace {

struct VerifyRecurrent
    : public delta::impl::VerifyRecurrentBase<VerifyRecurrent> {
  void runOnOperation() override { markAllAnalysesPreserved(); }
};

} // namespace
