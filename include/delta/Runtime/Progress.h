//===- Progress.h - a sign of life for long work ----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Progress of one piece of work on stderr. Work that ends within a second
/// prints nothing. On a terminal one line is redrawn and wiped at the end;
/// elsewhere a line is printed every ten seconds.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_PROGRESS_H
#define DELTA_RUNTIME_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace delta::runtime {

/// Reports how much of \p total is done. Calls must not overlap.
class ProgressLine {
public:
  using Clock = std::chrono::steady_clock;

  /// The stream, whether it is a terminal, and the clock; by default stderr,
  /// detected from the stream, and the steady clock.
  struct Options {
    std::FILE *stream = stderr;
    std::optional<bool> terminal;
    std::function<Clock::time_point()> now = Clock::now;
  };

  explicit ProgressLine(std::string label);
  ProgressLine(std::string label, Options options);
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  /// Wipes the line if one was drawn.
  ~ProgressLine();

  /// \p done of \p total units are finished.
  void update(int64_t done, int64_t total);

  /// The work goes on, but its progress is unknown.
  void tick();

private:
  /// Whether enough time has passed since the last line.
  bool isDue();
  void print(const std::string &line);
  /// Seconds since the start, as text.
  std::string elapsed() const;

  std::string label;
  Options options;
  bool terminal;
  bool drawn = false;
  Clock::time_point start;
  Clock::time_point last;
};

} // namespace delta::runtime

#endif // DELTA_RUNTIME_PROGRESS_H
