//===- Target.h - limits of the GPUs that delta compiles for ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A table of facts about GPUs: what one CTA may use and which instructions
/// exist. Facts only: what is decided by them is in plans. Includes neither
/// MLIR nor LLVM.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_SUPPORT_TARGET_H
#define DELTA_SUPPORT_TARGET_H

#include <cstdint>
#include <string_view>

namespace delta {

/// One GPU, by the name that nvcc's `-arch` has for it.
struct Target {
  std::string_view name;
  /// Ten times the compute capability.
  int32_t capability;
  /// Bytes of shared memory that one CTA may have (the opt-in limit).
  int64_t sharedBytes;
  /// 32-bit registers of an SM, all of which one CTA may have.
  int64_t registers;
  /// Most registers that one thread may have.
  int64_t threadRegisters;
  /// Most threads of one CTA, and of all CTAs that an SM holds at once.
  int64_t threads, smThreads;
  /// Instructions of sm_90a: wgmma, setmaxnreg, TMA and bulk copies with
  /// mbarriers. (TMA and mbarriers are there on sm_90 too; delta uses them with
  /// the others or not at all.)
  bool hasWarpgroups;

  /// Whether code for it runs on devices of that capability alone, and not on
  /// later ones of the same generation.
  constexpr bool isExact() const { return name.back() == 'a'; }

  /// Bytes of shared memory that every CTA takes besides its own. An SM has
  /// this much more than one CTA may have.
  static constexpr int64_t reservedSharedBytes = 1024;
};

/// Threads of a warp, warps of a warpgroup: the same on every target.
inline constexpr int64_t warpThreads = 32;
inline constexpr int64_t warpgroupWarps = 4;

/// The target of that name; null for an unknown one.
const Target *lookupTarget(std::string_view name);

/// The known names, as a diagnostic lists them: "sm_80, sm_86, ...".
std::string_view getTargetNames();

} // namespace delta

#endif // DELTA_SUPPORT_TARGET_H
