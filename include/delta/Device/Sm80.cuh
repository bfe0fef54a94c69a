//===- Sm80.cuh - the device library of every GPU ---------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that a kernel with mma.sync products may call: cp.async, ldmatrix,
// mma.sync. Includes the other headers and defines nothing.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_SM80_CUH
#define DELTA_DEVICE_SM80_CUH

#include "delta/Device/Copy.cuh"
#include "delta/Device/Flags.cuh"
#include "delta/Device/Global.cuh"
#include "delta/Device/Mma.cuh"
#include "delta/Device/Scan.cuh"
#include "delta/Device/TriangularInverse.cuh"

#endif // DELTA_DEVICE_SM80_CUH
