//===- DeltaDialect.h - the delta dialect and its attributes ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Declares the dialect class, the enums and the attributes of
/// dialects/Delta/{DeltaDialect,DeltaAttrs}.td. No op is declared here.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_IR_DELTADIALECT_H
#define DELTA_DIALECT_DELTA_IR_DELTADIALECT_H

#include "delta/Dialect/Plan/IR/Plan.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"

#include "delta/Dialect/Delta/IR/DeltaDialect.h.inc"

#include "delta/Dialect/Delta/IR/DeltaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Delta/IR/DeltaAttrs.h.inc"

#endif // DELTA_DIALECT_DELTA_IR_DELTADIALECT_H
