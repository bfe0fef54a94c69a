//===- Parallel.h - independent jobs on all cores ---------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The one form of parallelism that the oracle needs. Private to the runtime.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_RUNTIME_PARALLEL_H
#define DELTA_LIB_RUNTIME_PARALLEL_H

#include <cstdint>
#include <functional>

namespace delta::runtime {

/// Runs job(0) ... job(count - 1), each once, on at most
/// hardware_concurrency() threads, and returns when all are done. Jobs are
/// handed out in order. A single job runs on the calling thread.
void parallelFor(int64_t count, const std::function<void(int64_t)> &job);

} // namespace delta::runtime

#endif // DELTA_LIB_RUNTIME_PARALLEL_H
