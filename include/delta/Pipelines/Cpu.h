//===- Cpu.h - lowering of a phase for the CPU ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How a phase that can be executed becomes LLVM IR for the host. Says nothing
/// about how it is then compiled and called.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_PIPELINES_CPU_H
#define DELTA_PIPELINES_CPU_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace delta {

/// From a phase whose every op is upstream or a DecomposableOpInterface to the
/// LLVM dialect. `pm` is anchored on builtin.module.
///
/// Input: functions on memrefs with tensors inside, loops of scf (the chunked
/// phase, or any other phase of that form). Output: LLVM dialect only. A public
/// function f(memref, ..) can be called through `_mlir_ciface_f` with one
/// pointer to a descriptor for each argument; bf16 and f16 elements are 16-bit
/// words. Arrays must be contiguous in row-major order. The code allocates with
/// malloc, frees all that it allocated before it returns, and needs no symbol
/// but those of libc and libm.
void buildCpuPipeline(mlir::OpPassManager &pm);

/// Registers the above as `delta-cpu-pipeline`.
void registerCpuPipeline();

} // namespace delta

#endif // DELTA_PIPELINES_CPU_H
