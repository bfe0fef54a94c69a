//===- PlanDialect.td - how kernels use a GPU -------------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PLAN_DIALECT_TD
#define PLAN_DIALECT_TD

include "mlir/IR/DialectBase.td"

def Plan_Dialect : Dialect {
  let name = "plan";
  let cppNamespace = "::delta::plan";
  let summary = "How a kernel uses a GPU";
  let description = [{
    Attributes alone: what a machine can do, and how one kernel uses it. The `delta`
    dialect writes plans beside a recurrence, the `tile` dialect on each kernel. Every
    decision about a kernel that its ops do not show is in its plan.
  }];
  let useDefaultAttributePrinterParser = 1;
}

#endif // PLAN_DIALECT_TD
