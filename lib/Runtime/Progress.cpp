//===- Progress.cpp - a sign of life for long work --------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Decides on every update whether enough time has passed to print.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Progress.h"

#include <fmt/format.h>

#include <unistd.h>

namespace delta::runtime {

using namespace std::chrono_literals;

ProgressLine::ProgressLine(std::string label)
    : ProgressLine(std::move(label), Options()) {}

ProgressLine::ProgressLine(std::string label, Options options)
    : label(std::move(label)), options(std::move(options)),
      terminal(this->options.terminal.value_or(
          ::isatty(::fileno(this->options.stream)))),
      start(this->options.now()), last(start) {}

ProgressLine::~ProgressLine() {
  if (!drawn)
    return;
  fmt::print(options.stream, "\r\x1b[K");
  std::fflush(options.stream);
}

bool ProgressLine::isDue() {
  const Clock::time_point now = options.now();
  // On a terminal, the first line comes after a second, then ten lines per
  // second.
  const auto pause = !terminal ? Clock::duration(10s)
                     : drawn   ? Clock::duration(100ms)
                               : Clock::duration(1s);
  if (now - last < pause)
    return false;
  last = now;
  return true;
}

std::string ProgressLine::elapsed() const {
  const auto time = options.now() - start;
  return fmt::format(
      "{} s", std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

void ProgressLine::print(const std::string &line) {
  if (terminal) {
    fmt::print(options.stream, "\r{}\x1b[K", line);
    drawn = true;
  } else {
    fmt::print(options.stream, "{}\n", line);
  }
  std::fflush(options.stream);
}

void ProgressLine::update(int64_t done, int64_t total) {
  if (!isDue())
    return;
  const double percent =
      total > 0 ? 100.0 * static_cast<double>(done) / total : 100.0;
  print(fmt::format("{}: {:.0f}% ({} of {}, {})", label, percent, done, total,
                    elapsed()));
}

void ProgressLine::tick() {
  if (isDue())
    print(fmt::format("{}: {}", label, elapsed()));
}

} // namespace delta::runtime
