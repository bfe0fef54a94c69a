//===- NestChecks.h - nests and plans that have kernels ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the conversion from delta to tile. Each check emits one
/// diagnostic at the nest.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_CONVERSION_DELTATOTILE_NESTCHECKS_H
#define DELTA_LIB_CONVERSION_DELTATOTILE_NESTCHECKS_H

#include "delta/Dialect/Delta/IR/Nests.h"

namespace delta {

/// Fails where nobody said what `loop` computes: a nest is never guessed.
mlir::LogicalResult checkNest(mlir::scf::ForallOp loop);

/// Fails where one of `plans` is for a nest of another kind than that of
/// `loop`, or where they differ in more than the chains of a CTA.
mlir::LogicalResult checkPlans(mlir::scf::ForallOp loop, mlir::ArrayAttr plans);

} // namespace delta

#endif // DELTA_LIB_CONVERSION_DELTATOTILE_NESTCHECKS_H
