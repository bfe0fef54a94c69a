//===- CudaDialect.td - the exit dialect ------------------ -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_DIALECT_TD
#define CUDA_DIALECT_TD

include "mlir/IR/OpBase.td"

def Cuda_Dialect : Dialect {
  let name = "cuda";
  let cppNamespace = "::delta::cuda";
  let summary = "CUDA C++ text as IR: one op is one statement or one expression";
  let description = [{
    The last phase. Everything that a reader sees in an emitted file is in the IR
    before it is printed: names, order, comments, includes, what is inline and what
    gets a variable. The printer (lib/Target/Cuda) spells ops and breaks lines, and
    decides nothing. Contract: E1 to E6, `cuda-verify-emittable`
    (docs/cuda-dialect.md).

    Instruction-level code is no part of it: kernels call the device library
    (include/delta/Device), which is ordinary CUDA.

    Three attributes stand on arguments of kernels and functions: `cuda.name`, the
    parameter's name; `cuda.restrict`, for pointers through which alone the memory
    behind them is reached while the kernel runs; and `cuda.tensor_map`, a
    `#cuda.tensor_map`, on each `CUtensorMap` of a kernel, which is then a
    `const __grid_constant__` parameter.

    Two stand on files, for the manifest, and are dictionaries: `cuda.kernel_set` on a
    .cu of kernels that one launcher launches, with the plans, the workspace, the launches
    and the targets that the set serves; and `cuda.interface` on the file that defines
    NAME_launch, with the arrays of the C interface and the names of the files whose
    kernel sets it launches.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Argument attributes, see the dialect's description.
    static constexpr ::llvm::StringLiteral getNameAttrName() { return "cuda.name"; }
    static constexpr ::llvm::StringLiteral getRestrictAttrName() { return "cuda.restrict"; }
    static constexpr ::llvm::StringLiteral getTensorMapAttrName() { return "cuda.tensor_map"; }
    /// Attributes of files, see the dialect's description.
    static constexpr ::llvm::StringLiteral getInterfaceAttrName() { return "cuda.interface"; }
    static constexpr ::llvm::StringLiteral getKernelSetAttrName() { return "cuda.kernel_set"; }
  }];
}

class Cuda_Op<string mnemonic, list<Trait> traits = []>
    : Op<Cuda_Dialect, mnemonic, traits>;

#endif // CUDA_DIALECT_TD
