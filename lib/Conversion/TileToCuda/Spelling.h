//===- Spelling.h - tile types in the device library's words ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Conversion/TileToCuda. Which type of include/delta/Device
/// holds a tile or a shared buffer.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_CONVERSION_TILETOCUDA_SPELLING_H
#define DELTA_LIB_CONVERSION_TILETOCUDA_SPELLING_H

#include "mlir/IR/BuiltinTypes.h"

namespace delta {

/// The type of a scalar, of a tile in registers or in flight to them, or of a
/// shared buffer's handle; null for what the device library does not have. A
/// 16-bit vector is kept in floats that hold its rounded elements.
mlir::Type convertType(mlir::Type type);

} // namespace delta

#endif // DELTA_LIB_CONVERSION_TILETOCUDA_SPELLING_H
