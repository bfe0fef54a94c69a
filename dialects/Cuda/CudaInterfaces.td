//===- CudaInterfaces.td - what expressions have in common -- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_INTERFACES_TD
#define CUDA_INTERFACES_TD

include "mlir/IR/OpBase.td"

def ExpressionOpInterface : OpInterface<"ExpressionOpInterface"> {
  let cppNamespace = "::delta::cuda";
  let description = [{
    An op that computes one value: either a variable of its own
    (`const int64_t t0 = c * 64;`), or, where `inlined`, written out at its uses.
    Which of the two, `cuda-plan-expressions` decides from `getEvaluation`.
  }];
  let methods = [
    InterfaceMethod<"The wanted, later the final name of the variable.",
      "::std::optional<::llvm::StringRef>", "getName">,
    InterfaceMethod<"Sets that name.", "void", "setName",
      (ins "::std::optional<::llvm::StringRef>":$name)>,
    InterfaceMethod<"Whether the expression is written at its uses.",
      "bool", "getInlined">,
    InterfaceMethod<"Sets that.", "void", "setInlined", (ins "bool":$inlined)>,
    InterfaceMethod<"When the expression may be evaluated.",
      "::delta::cuda::Evaluation", "getEvaluation">,
  ];
}

#endif // CUDA_INTERFACES_TD
