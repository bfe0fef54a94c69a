//===- DeltaInterfaces.h - interfaces of executable ops ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the op interfaces of dialects/Delta/DeltaInterfaces.td, through
/// which passes reach an op's behaviour without knowing the op.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_IR_DELTAINTERFACES_H
#define DELTA_DIALECT_DELTA_IR_DELTAINTERFACES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"

#include "delta/Dialect/Delta/IR/DeltaInterfaces.h.inc"

#endif // DELTA_DIALECT_DELTA_IR_DELTAINTERFACES_H
