//===- Emission.h - the last passes before text -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// From kernels in the exit dialect and host functions of the tile phase to a
/// module that can be printed.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_ARTEFACT_EMISSION_H
#define DELTA_ARTEFACT_EMISSION_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace delta {

/// Needs: every kernel is a `cuda.kernel`, every `func.func` a host function
/// with `tile.launch`es. Gives: a module of `cuda.file`s that passed
/// `cuda-verify-emittable`. A module of files already is only named anew.
void buildEmissionPipeline(mlir::OpPassManager &manager);

} // namespace delta

#endif // DELTA_ARTEFACT_EMISSION_H
