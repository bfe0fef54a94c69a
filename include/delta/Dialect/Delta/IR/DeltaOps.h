//===- DeltaOps.h - ops of the recurrent and the chunked phase --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares every op of the delta dialect: what a user writes
/// (dialects/Delta/DeltaOps.td) and the named ops on one chunk
/// (dialects/Delta/DeltaChunkOps.td).
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_IR_DELTAOPS_H
#define DELTA_DIALECT_DELTA_IR_DELTAOPS_H

#include "delta/Dialect/Delta/IR/DeltaChunkInterfaces.h"
#include "delta/Dialect/Delta/IR/DeltaDialect.h"
#include "delta/Dialect/Delta/IR/DeltaInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "delta/Dialect/Delta/IR/DeltaOps.h.inc"

#define GET_OP_CLASSES
#include "delta/Dialect/Delta/IR/DeltaChunkOps.h.inc"

#endif // DELTA_DIALECT_DELTA_IR_DELTAOPS_H
