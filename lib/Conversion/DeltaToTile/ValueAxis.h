//===- ValueAxis.h - which tiles have a value axis --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Conversion/DeltaToTile. The columns of a state, or of u, and
/// of everything that is added to it or read out of it are independent of each
/// other: that axis may be cut over CTAs. Shapes do not tell which axis it is
/// (K and V may be equal); the ops do.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_CONVERSION_DELTATOTILE_VALUEAXIS_H
#define DELTA_LIB_CONVERSION_DELTATOTILE_VALUEAXIS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseSet.h"

namespace delta {

/// The tiles inside `root` whose last axis is the value axis: the columns of
/// what a loop carries, `delta.update`'s state or sums of rows, and what
/// elementwise ops, `delta.read`, `delta.apply`, `delta.scale`, `delta.online`,
/// `delta.normalize` and loops connect with it.
llvm::DenseSet<mlir::Value> findValueAxis(mlir::Operation *root);

} // namespace delta

#endif // DELTA_LIB_CONVERSION_DELTATOTILE_VALUEAXIS_H
