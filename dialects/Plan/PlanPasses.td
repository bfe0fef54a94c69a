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

def PlanTargets : Pass<"delta-plan-targets", "::mlir::ModuleOp"> {
  let summary = "Plan a spec for several GPUs: a module for each kernel set";
  let description = [{
    Plans each function for each target as `delta-plan` does. Targets that get the same
    plans share a kernel set: the function is planned for the one among them that limits
    a kernel most (no warpgroups, then the least shared memory, then the fewest threads of
    a multiprocessor). In place of a function stands one module for each of its sets. The
    module's `plan.targets` are the targets that the set serves, in the order in which
    they were given.

    ```mlir
    func.func @gdn(..) { .. delta.recurrence .. }
    // with targets=sm_80,sm_87,sm_90a becomes
    module attributes {plan.targets = [#plan.machine<"sm_80">, #plan.machine<"sm_87">]} {
      func.func @gdn(..) { .. delta.recurrence .. {plans = {chain = [#plan.kernel<machine = <"sm_87">, ..>]}} }
    }
    module attributes {plan.targets = [#plan.machine<"sm_90a">]} {
      func.func @gdn(..) { .. delta.recurrence .. {plans = {chain = [#plan.kernel<machine = <"sm_90a">, ..>]}} }
    }
    ```
  }];
  let options = [ListOption<"targets", "targets", "std::string",
      "the GPUs that are planned for">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::delta::plan::PlanDialect",
    "::delta::tile::TileDialect"
  ];
}

#endif // PLAN_PASSES_TD
