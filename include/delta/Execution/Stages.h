//===- Stages.h - the ways to run a spec ------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stage is a point of the lowering at which a spec can be run. Every stage
/// takes the same arguments and gives the same results, so that any two can be
/// compared.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_EXECUTION_STAGES_H
#define DELTA_EXECUTION_STAGES_H

#include "delta/Execution/Operands.h"

#include "mlir/IR/OwningOpRef.h"

namespace delta {

/// In the order of the lowering.
enum class Stage {
  Reference, ///< the recurrence token by token in f64
  Chunked,   ///< named ops on chunks, on the CPU in f32
  Tile,      ///< the tile value form, on the CPU with the GPU's rounding
  Gpu,       ///< the compiled kernels
};

/// The spelling on the command line: "reference", "chunked", "tile", "gpu".
llvm::StringRef stageName(Stage stage);
std::optional<Stage> parseStage(llvm::StringRef name);

/// All spellings, for messages.
std::string acceptedStages();

struct StageOptions {
  /// LLVM's optimisation level for code on the CPU, 0 to 3.
  unsigned optLevel = 1;
  /// The architecture for the tile and gpu stages; if empty, "sm_80" for the
  /// tile stage and the GPU's own for the gpu stage.
  std::string target;
  /// The largest number of segments of a sequence in the tile stage; 0: by
  /// cost.
  int64_t segments = 0;
};

/// The results and the time of running a stage.
struct StageRun {
  /// One tensor per result of the spec, in order.
  std::vector<runtime::HostTensor> results;
  /// The time of one run; on the GPU that of the kernels alone, between two
  /// events.
  double seconds = 0.0;
};

/// A spec lowered and compiled for one stage.
class StageRunner {
public:
  virtual ~StageRunner();

  /// Runs once or, with \p repeat, as often as the median of the times needs;
  /// the results are those of the last run. Fails with a diagnostic.
  virtual mlir::FailureOr<StageRun> run(const SpecDescription &spec,
                                        OperandSet &operands, bool repeat) = 0;
};

/// Lowers a copy of \p module, which holds the described function and nothing
/// else, to \p stage and compiles it. Fails with a diagnostic.
mlir::FailureOr<std::unique_ptr<StageRunner>>
prepareStage(Stage stage, mlir::ModuleOp module, const SpecDescription &spec,
             const StageOptions &options);

} // namespace delta

#endif // DELTA_EXECUTION_STAGES_H
