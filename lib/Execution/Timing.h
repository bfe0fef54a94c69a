//===- Timing.h - time of a run ---------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rule for how often a stage is repeated, for every clock.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_EXECUTION_TIMING_H
#define DELTA_LIB_EXECUTION_TIMING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <chrono>

namespace delta {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start);

/// Calls \p once, which returns the seconds that it measured, and returns them.
/// With \p repeat, calls it again until there are five of these further times
/// and they sum to a second, and returns their median: the first call includes
/// page faults, lazy loading of code and cold caches. Fails if a call fails.
mlir::FailureOr<double>
measure(bool repeat, llvm::function_ref<mlir::FailureOr<double>()> once);

} // namespace delta

#endif // DELTA_LIB_EXECUTION_TIMING_H
