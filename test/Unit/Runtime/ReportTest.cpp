//===- ReportTest.cpp - tables and progress ---------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The exact text of a table, and the lines that progress prints over time,
/// with a simulated clock.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Progress.h"
#include "delta/Runtime/Table.h"

#include <gtest/gtest.h>

using namespace delta::runtime;
using namespace std::chrono_literals;

namespace {

TEST(TextTable, AlignsItsColumns) {
  TextTable table(
      {{"output"}, {"rms ratio", TextTable::Align::Right}, {"verdict"}});
  table.addRow({"o", "2.51e-03", "ok"});
  table.addRow({"final state", "1.0", ""});
  EXPECT_EQ(table.str(), "output       rms ratio  verdict\n"
                         "-----------  ---------  -------\n"
                         "o             2.51e-03  ok\n"
                         "final state        1.0\n");
}

TEST(TextTable, AHeaderAlone) {
  EXPECT_EQ(TextTable({{"a"}, {"bc"}}).str(), "a  bc\n-  --\n");
}

/// A progress line on a file, with a clock that the test advances.
class Progress : public ::testing::Test {
protected:
  void SetUp() override { stream = std::tmpfile(); }
  void TearDown() override { std::fclose(stream); }

  ProgressLine::Options options(bool terminal) {
    return {stream, terminal, [this] { return time; }};
  }

  std::string text() {
    std::string read(static_cast<size_t>(std::ftell(stream)), '\0');
    std::rewind(stream);
    read.resize(std::fread(read.data(), 1, read.size(), stream));
    return read;
  }

  std::FILE *stream = nullptr;
  ProgressLine::Clock::time_point time;
};

TEST_F(Progress, ShortWorkIsSilent) {
  {
    ProgressLine line("oracle", options(true));
    time += 900ms;
    line.update(99, 100);
  }
  EXPECT_EQ(text(), "");
}

TEST_F(Progress, ATerminalLineIsRedrawnAndWiped) {
  {
    ProgressLine line("oracle", options(true));
    time += 1s;
    line.update(25, 100);
    time += 50ms;
    line.update(26, 100); // too soon
    time += 50ms;
    line.update(27, 100);
  }
  EXPECT_EQ(text(), "\roracle: 25% (25 of 100, 1 s)\x1b[K"
                    "\roracle: 27% (27 of 100, 1 s)\x1b[K"
                    "\r\x1b[K");
}

TEST_F(Progress, ALogGetsALineEveryTenSeconds) {
  {
    ProgressLine line("oracle", options(false));
    for (int second = 1; second <= 25; ++second) {
      time += 1s;
      line.update(second, 50);
    }
  }
  EXPECT_EQ(text(), "oracle: 20% (10 of 50, 10 s)\n"
                    "oracle: 40% (20 of 50, 20 s)\n");
}

TEST_F(Progress, WorkWithoutAMeasureShowsItsTime) {
  {
    ProgressLine line("compiling", options(false));
    for (int second = 1; second <= 25; ++second) {
      time += 1s;
      line.tick();
    }
  }
  EXPECT_EQ(text(), "compiling: 10 s\ncompiling: 20 s\n");
}

/// A file is not a terminal, even if stderr is one.
TEST_F(Progress, FindsOutWhetherItIsATerminal) {
  {
    ProgressLine::Options automatic = options(false);
    automatic.terminal.reset();
    ProgressLine line("oracle", automatic);
    time += 5s;
    line.update(1, 2);
    time += 6s;
    line.update(2, 2);
  }
  EXPECT_EQ(text(), "oracle: 100% (2 of 2, 11 s)\n");
}

} // namespace
