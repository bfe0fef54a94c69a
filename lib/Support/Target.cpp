//===- Target.cpp - limits of the GPUs that delta compiles for --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table of Target.h. Source: CUDA C++ Programming Guide, technical
/// specifications per compute capability (163, 99 and 227 KB a CTA).
///
//===----------------------------------------------------------------------===//

#include "delta/Support/Target.h"

static constexpr delta::Target targets[] = {
    {"sm_80", 80, 166912, 65536, 255, 1024, 2048, false},
    {"sm_86", 86, 101376, 65536, 255, 1024, 1536, false},
    {"sm_87", 87, 166912, 65536, 255, 1024, 1536, false},
    {"sm_89", 89, 101376, 65536, 255, 1024, 1536, false},
    {"sm_90", 90, 232448, 65536, 255, 1024, 2048, false},
    {"sm_90a", 90, 232448, 65536, 255, 1024, 2048, true},
    {"sm_100", 100, 232448, 65536, 255, 1024, 2048, false},
    {"sm_120", 120, 101376, 65536, 255, 1024, 1536, false},
};

const delta::Target *delta::lookupTarget(std::string_view name) {
  for (const Target &target : targets)
    if (target.name == name)
      return &target;
  return nullptr;
}

std::string_view delta::getTargetNames() {
  return "sm_80, sm_86, sm_87, sm_89, sm_90, sm_90a, sm_100, sm_120";
}
