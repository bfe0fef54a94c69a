//===- CudaOps.h - ops of the exit dialect ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares every op of the exit dialect: statements and expressions
/// (dialects/Cuda/CudaOps.td), files and declarations
/// (dialects/Cuda/CudaFileOps.td).
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_CUDA_IR_CUDAOPS_H
#define DELTA_DIALECT_CUDA_IR_CUDAOPS_H

#include "delta/Dialect/Cuda/IR/CudaDialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "delta/Dialect/Cuda/IR/CudaOps.h.inc"

#define GET_OP_CLASSES
#include "delta/Dialect/Cuda/IR/CudaFileOps.h.inc"

namespace delta::cuda {

/// The name of the variable, parameter or counter that holds `value`; empty if
/// it has none.
llvm::StringRef getVariableName(mlir::Value value);

} // namespace delta::cuda

#endif // DELTA_DIALECT_CUDA_IR_CUDAOPS_H
