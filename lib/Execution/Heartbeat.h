//===- Heartbeat.h - a sign of life of opaque work --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Compilers and compiled code report nothing while they run. A Heartbeat lives
/// as long as such work and ticks a progress line from its own thread; it knows
/// nothing of the work.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_EXECUTION_HEARTBEAT_H
#define DELTA_LIB_EXECUTION_HEARTBEAT_H

#include "delta/Runtime/Progress.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace delta {

class Heartbeat {
public:
  explicit Heartbeat(std::string label);
  /// Ends the thread and wipes the line.
  ~Heartbeat();

private:
  void beat();

  runtime::ProgressLine line;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::thread thread; // last: it uses all of the above
};

} // namespace delta

#endif // DELTA_LIB_EXECUTION_HEARTBEAT_H
