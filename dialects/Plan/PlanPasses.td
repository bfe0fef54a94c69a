//===- PlanPasses.td - the choice of plans ----------------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PLAN_PASSES_TD
#define PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanKernels : Pass<"delta-plan", "::mlir::ModuleOp"> {
  let summary = "Choose the plans of a recurrence's kernels, by trial";
  let description = [{
    Writes `chunk` and `plans` on each `delta.recurrence`: the length of a chunk, and for
    each kernel one or several `#plan.kernel`. Several are alternatives, among which the
    launcher chooses by the sizes of a call.

    Candidates are tried in order of preference. A trial lowers the function to the final
    form, with shared memory planned and registers counted; the first candidate whose
    kernels all fit the machine wins. Candidates that are known to spill registers, which
    only ptxas tells, are left out (lib/Pipelines/KnownSpills.cpp).

    Plans that the recurrence has already are obeyed: candidates are completed around
    them, and where none fits, the reason is an error at the recurrence. A recurrence
    without a plan of its own that no candidate fits still runs on the CPU: its function
    gets `delta.no_plan` with the reason, which `convert-delta-to-tile` reports.

    ```mlir
    %o = delta.recurrence query(%q : ..) .. {kernel = #delta.kernel<linear>} -> ..
    // becomes
    %o = delta.recurrence query(%q : ..) .. {chunk = 64 : i64, kernel = #delta.kernel<linear>,
           plans = {chain = [#plan.kernel<..>], prepare = [#plan.kernel<..>]}} -> ..
    ```
    Remarks: `Plan` says what was chosen, `PlanDoesNotFit` why a candidate was not. Where
    the machine has warpgroups and no kernel uses them, a remark that everybody sees says
    why.
  }];
  let options = [Option<"target", "target", "std::string", /*default=*/"\"sm_80\"",
      "the GPU that is planned for">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::delta::plan::PlanDialect",
    "::delta::tile::TileDialect"
  ];
}

#endif // PLAN_PASSES_TD
