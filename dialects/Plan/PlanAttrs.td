//===- PlanAttrs.td - machines and kernel plans ------------ -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PLAN_ATTRS_TD
#define PLAN_ATTRS_TD

include "Plan/PlanDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class Plan_Attr<string name, string attrMnemonic>
    : AttrDef<Plan_Dialect, name> {
  let mnemonic = attrMnemonic;
}

class Plan_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::delta::plan";
  let genSpecializedAttr = 0;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

def Plan_MachineAttr : Plan_Attr<"Machine", "machine"> {
  let summary = "A GPU, by the name that nvcc's -arch has for it";
  let description = [{
    What passes may ask about a GPU are methods of this attribute. A machine that is
    unknown has no attribute; a fact that nobody measured on a machine is absent, and is
    never taken from another machine.

    ```mlir
    #plan.machine<"sm_90a">
    ```
  }];
  let parameters = (ins StringRefParameter<"as nvcc names it">:$name);
  let extraClassDeclaration = [{
    /// The machine of that name; null where it is unknown.
    static MachineAttr lookup(::mlir::MLIRContext *context, ::llvm::StringRef name);
    /// Its limits: shared memory, registers, threads.
    const ::delta::Target &getTarget() const;
    /// Whether it has wgmma, TMA copies and registers that roles hand over.
    bool hasWarpgroups() const { return getTarget().hasWarpgroups; }
    /// Registers of a thread in a role that multiplies, and in one that copies. Where
    /// twelve warps share the registers, two warpgroups that multiply take nearly all.
    int64_t getMathRegisters() const { return 240; }
    int64_t getCopyRegisters() const { return 24; }
    /// What scans cost; nothing where nobody measured them on this machine.
    std::optional<ScanCosts> getScanCosts(Products products) const;
    /// What ops of a loop with products in flight take; nothing where nobody measured
    /// them on this machine.
    std::optional<IssueCycles> getIssueCycles() const;
  }];
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// The plan of a kernel
//===----------------------------------------------------------------------===//

def Plan_Products : Plan_Enum<"Products", "the instructions of matrix products", [
      I32EnumAttrCase<"MmaSync", 0, "mma_sync">,
      I32EnumAttrCase<"Wgmma", 1, "wgmma">]>;

def Plan_Copies : Plan_Enum<"Copies", "the instructions that fill shared memory", [
      I32EnumAttrCase<"CpAsync", 0, "cp_async">,
      I32EnumAttrCase<"Tma", 1, "tma">]>;

def Plan_Split : Plan_Enum<"Split", "what the warps that multiply have of their own", [
      I32EnumAttrCase<"Rows", 0, "rows">,
      I32EnumAttrCase<"Chains", 1, "chains">]>;

def Plan_Work : Plan_Enum<"Work", "how work is dealt out to CTAs", [
      I32EnumAttrCase<"Grid", 0, "grid">,
      I32EnumAttrCase<"LongestFirst", 1, "longest_first">,
      I32EnumAttrCase<"Segments", 2, "segments">,
      I32EnumAttrCase<"Queue", 3, "queue">]>;

def Plan_Residency : Plan_Enum<"Residency", "what hides the latency of a CTA's ops", [
      I32EnumAttrCase<"Overlapping", 0, "overlapping">,
      I32EnumAttrCase<"Alone", 1, "alone">]>;

def Plan_KernelPlanAttr : Plan_Attr<"KernelPlan", "kernel"> {
  let summary = "How one kernel uses its machine";
  let description = [{
    * `machine`: the GPU. A plan that is written by hand may leave it out; it is then the
      GPU that is compiled for.
    * `products`: `mma_sync` (one warp, results at once) or `wgmma` (one warpgroup,
      results in order, later).
    * `copies`: `cp_async`, issued by the warps that multiply; or `tma`, issued by warps
      with a role of their own, which also store results. `tma` comes with `wgmma`.
    * `stages`: slots of the ring that is filled ahead of the products, 1 to 4.
    * `columns`: columns of the value axis that one chain, or one query block, owns.
    * `chains`: how many chains, neighbours along the value axis, a CTA holds. They share
      the loads of keys, queries and matrices.
    * `split`: the warps that multiply share the `rows` of each tile, or each warpgroup
      runs a chain of its own.
    * `work`: `grid`, a CTA for each grid index; `longest_first`, the same in descending
      order of work; `segments`, as `grid`, but the launcher may cut sequences into
      segments that run at once; `queue`, CTAs draw blocks in ascending order, so that a
      block may wait for an earlier one.
    * `group_bytes` (`queue`): how many bytes the chains that are worked through together
      may read again; what fits a cache is read from memory once.
    * `residency`: `overlapping`, a CTA has copies or products in flight while it
      computes, and needs registers for them; `alone`, it waits for what it computes, and
      other CTAs of the multiprocessor run meanwhile.

    Constraint: P1 of docs/plans.md.

    ```mlir
    #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains, work = segments>
    ```
  }];
  let parameters = (ins OptionalParameter<"::delta::plan::MachineAttr">:$machine,
      EnumParameter<Plan_Products>:$products, EnumParameter<Plan_Copies>:$copies,
      "int64_t":$stages, "int64_t":$columns,
      DefaultValuedParameter<"int64_t", "1">:$chains,
      DefaultValuedParameter<"::delta::plan::Split", "::delta::plan::Split::Rows">:$split,
      DefaultValuedParameter<"::delta::plan::Work", "::delta::plan::Work::Grid">:$work,
      DefaultValuedParameter<"int64_t", "0">:$group_bytes,
      DefaultValuedParameter<"::delta::plan::Residency",
                             "::delta::plan::Residency::Overlapping">:$residency);
  let extraClassDeclaration = [{
    /// Whether warps have roles: some copy, the others multiply.
    bool hasRoles() const { return getCopies() == Copies::Tma; }
    bool usesWgmma() const { return getProducts() == Products::Wgmma; }
    /// The same plan with another machine, number of chains, or stages.
    KernelPlanAttr withMachine(MachineAttr machine) const;
    KernelPlanAttr withChains(int64_t chains) const;
  }];
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

#endif // PLAN_ATTRS_TD
