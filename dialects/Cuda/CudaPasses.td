//===- CudaPasses.td - passes on the exit dialect --------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_PASSES_TD
#define CUDA_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanLauncher : Pass<"cuda-plan-launcher", "::mlir::ModuleOp"> {
  let summary = "Turn a host function into files: kernels, launcher, C header";
  let description = [{
    Each `func.func` that launches `cuda.kernel`s becomes the files NAME.cu (its
    kernels, in the order of their launches, and the launcher), NAME.h (the C ABI) and
    NAME_torch.cpp (a PyTorch operator around it):

    ```mlir
    func.func @gdn(%k: memref<?x?x16x128xbf16> {delta.name = "k"},
                   %o: memref<?x?x16x128xbf16> {delta.name = "o", delta.result}) {
      %B = memref.dim %k, %c0 : memref<?x?x16x128xbf16>
      %T = memref.alloc(%B) {delta.name = "T"} : memref<?x64x64xbf16>
      tile.launch @gdn_prepare grid(%B) args(%k, %T : ..)
      tile.launch @gdn_chain grid(%c2, %B) args(%k, %T, %o : ..)
      return
    }
    // becomes
    cuda.file "gdn.h" { .. cuda.struct "gdn_args" .. }
    cuda.file "gdn.cu" { .. cuda.kernel @gdn_prepare .. cuda.function @gdn_launch .. }
    ```

    Sizes: axis 0 of the arrays is the batch, axis 1 the length; no other may be
    dynamic. Kernels get the arguments that `cuda.kernel` documents. Workspace buffers
    are laid out one behind another, aligned to 256 bytes. The launcher refuses what
    docs/output.md lists before it launches anything. `cuda.interface` and
    `cuda.kernel_set` keep what the manifest needs. A file of kernels opens with a banner:
    the spec and the targets, `delta.notation` and `delta.orientation` of the function,
    its kernels and their grids.

    Several host functions of one name, each in a module with `plan.targets`, are kernel
    sets of one function. They become a NAME_TARGET.cu each, TARGET the set's first, with
    kernels whose names end in _TARGET, and NAME.cpp, whose functions have C linkage and
    call those of the set for the current device:

    ```mlir
    module attributes {plan.targets = [#plan.machine<"sm_80">]} { func.func @gdn(..) {..} .. }
    module attributes {plan.targets = [#plan.machine<"sm_90a">]} { func.func @gdn(..) {..} .. }
    // becomes
    cuda.file "gdn.h" { .. }
    cuda.file "gdn_sm_80.cu" { .. cuda.kernel @gdn_chain_sm_80 .. cuda.function @launch_sm_80 .. }
    cuda.file "gdn_sm_90a.cu" { .. cuda.kernel @gdn_chain_sm_90a .. cuda.function @launch_sm_90a .. }
    cuda.file "gdn.cpp" { .. cuda.function @gdn_launch .. }
    ```
  }];
  let dependentDialects = ["::delta::cuda::CudaDialect"];
}

def PlanExpressions : Pass<"cuda-plan-expressions", "::mlir::ModuleOp"> {
  let summary = "Decide which expressions are written inside others";
  let description = [{
    An expression is written at its use if that is where it may be evaluated and the
    text stays readable: it has no wanted name, one use in the same block, it is no
    fragment (except right of an assignment, with nothing in between that has an
    effect, and a repeated vector beside an operator), and the statement that it ends up in, or the argument of a call that is
    one, stays small. Literals and
    builtins without a name are written at every use, reads of variables where nothing
    may assign between the read and the use. Everything else gets a variable. An
    expression that nobody uses and that has no effect is erased.

    ```mlir
    %0 = cuda.binary mul %c, %C : index, index -> index
    %left = cuda.binary sub %T, %0 {name = "left"} : index, index -> index
    // becomes: %0 is {inlined}, and the text is
    // const int64_t left = T - c * 64;
    ```
  }];
}

def LegalizeNames : Pass<"cuda-legalize-names", "::mlir::ModuleOp"> {
  let summary = "Give every variable and parameter a legal name of its own";
  let description = [{
    The wanted name (`name`, `cuda.name`) is kept where it can be. Characters that C++
    does not have in names become `_`; keywords, names that the text uses for something
    else (functions called, types, builtins, symbols of the file) and names taken in an
    enclosing scope get a number: `S`, `S_2`. As in C++, a block may use names of blocks
    beside it, and names that the block around it declares later. A variable that wants
    none, or an integer whose name is taken, is named by what it is, `chunk_plus_1`,
    where that is short; else by its type: `value`, `pointer`, `condition`.
  }];
}

def VerifyEmittable : Pass<"cuda-verify-emittable", "::mlir::ModuleOp"> {
  let summary = "Check that the module can be printed as C++";
  let description = [{
    The contract of the last phase, E1 to E6 of docs/cuda-dialect.md. The IR is never
    changed.
  }];
}

#endif // CUDA_PASSES_TD
