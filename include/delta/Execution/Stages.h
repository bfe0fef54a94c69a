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
  /// LLVM's level for what runs on the CPU, 0 to 3.
  unsigned optLevel = 1;
  /// The architecture that the tile and gpu stages are for; empty: "sm_80", and
  /// that of the GPU.
  std::string target;
  /// Segments of a sequence in the tile stage, at most; 0: by cost.
  int64_t segments = 0;
};

/// What running a stage gave.
struct StageRun {
  /// One tensor per result of the spec, in order.
  std::vector<runtime::HostTensor> results;
  /// Of one run; on the GPU of the kernels alone, between two events.
  double seconds = 0.0;
};

/// A spec lowered and compiled for one stage.
class StageRunner {
public:
  virtual ~StageRunner();

  /// Runs once or, with \p repeat, until the median of the times is sound; the
  /// results are those of the last run. Fails with a diagnostic.
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
