//===- Driver.h - one run of delta-run --------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One run of delta-run, from a file name to a table. The tool itself only
/// parses its command line.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_DRIVER_H
#define DELTA_EXECUTION_DRIVER_H

#include "delta/Execution/Operands.h"

#include "llvm/Support/raw_ostream.h"

namespace delta {

/// The command line of delta-run.
struct RunOptions {
  std::string specFile; ///< "-" is standard input
  std::string function; ///< empty: the only one
  std::vector<std::string> stages;
  RequestedSizes sizes;
  DrawOptions draw;
  std::string inputsFile;  ///< empty: draw the arguments
  std::string outputsFile; ///< empty: write nothing
  bool check = false;
  bool time = false;
  unsigned optLevel = 1;
  std::string target;   ///< of the tile and gpu stages; empty: sm_80, the GPU's
  int64_t segments = 0; ///< of a sequence in the tile stage; 0: by cost
};

/// Runs a spec at every stage on the same operands and prints a table to
/// \p os. With `check`, every result is compared with the oracle and with the
/// file's `expected.*`. Fails if a check fails, with notes on stderr if the
/// inputs explain it. Fails with one diagnostic if the input is bad, a stage
/// cannot be compiled (the table then has the stages before it), or the gpu
/// stage finds no GPU. The results of the last stage are written to
/// `outputsFile`, all or nothing.
mlir::LogicalResult runSpec(const RunOptions &options, llvm::raw_ostream &os);

} // namespace delta

#endif // DELTA_EXECUTION_DRIVER_H
