//===- Timing.cpp - time of a run -------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Uses the median, because other work on the machine makes runs longer and
/// never shorter.
///
//===----------------------------------------------------------------------===//

#include "Timing.h"

#include <algorithm>
#include <vector>

using namespace mlir;

double delta::secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

FailureOr<double> delta::measure(bool repeat,
                                 llvm::function_ref<FailureOr<double>()> once) {
  FailureOr<double> first = once();
  if (failed(first) || !repeat)
    return first;
  std::vector<double> times;
  double total = 0.0;
  while (times.size() < 5 || (total < 1.0 && times.size() < 1000)) {
    FailureOr<double> seconds = once();
    if (failed(seconds))
      return failure();
    times.push_back(*seconds);
    total += *seconds;
  }
  auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}
