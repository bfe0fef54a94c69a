//===- DeltaPasses.td - passes on the delta dialect --------*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_PASSES_TD
#define DELTA_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Recurrent phase
//===----------------------------------------------------------------------===//

def VerifyRecurrent : Pass<"delta-verify-recurrent", "::mlir::ModuleOp"> {
  let summary = "Check that every function is a recurrence that can be compiled";
  let description = [{
    The contract at the end of the recurrent phase (docs/spec.md, R1 to R12). A
    function is a prologue (`delta.l2norm`, `delta.sigmoid`) and one
    `delta.recurrence`; nothing else. What the dialect can say and no lowering
    knows yet is refused here, with what is accepted instead, so that later passes
    need not check it. The IR is never changed.
  }];
}

#endif // DELTA_PASSES_TD
