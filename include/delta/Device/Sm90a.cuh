//===- Sm90a.cuh - the device library of warpgroups -------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that a kernel with wgmma products may call: the headers of
// Sm80.cuh, and roles, rings, the tensor memory accelerator, flags for its
// stores, wgmma, triangular systems. Includes the other headers and defines
// nothing.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_SM90A_CUH
#define DELTA_DEVICE_SM90A_CUH

#include "delta/Device/PublishedStores.cuh"
#include "delta/Device/Ring.cuh"
#include "delta/Device/Roles.cuh"
#include "delta/Device/Sm80.cuh"
#include "delta/Device/Tma.cuh"
#include "delta/Device/TriangularSolve.cuh"
#include "delta/Device/Wgmma.cuh"
#include "delta/Device/ZeroShared.cuh"

#endif // DELTA_DEVICE_SM90A_CUH
