//===- Gpu.h - is there a GPU -----------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Asks the driver for a GPU at run time, so that delta-run links against no
/// CUDA library.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_EXECUTION_GPU_H
#define DELTA_LIB_EXECUTION_GPU_H

#include <optional>
#include <string>

namespace delta {

/// Why kernels cannot run here, or nothing where the driver has a device.
std::optional<std::string> whyNoGpu();

} // namespace delta

#endif // DELTA_LIB_EXECUTION_GPU_H
