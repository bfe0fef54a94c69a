//===- Gpu.cpp - is there a GPU ---------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Two entry points of the driver API, declared here because cuda.h need not be
/// installed where kernels run.
///
//===----------------------------------------------------------------------===//

#include "Gpu.h"

#include "llvm/Support/DynamicLibrary.h"

#include <fmt/format.h>

using namespace delta;

std::optional<std::string> delta::whyNoGpu() {
  std::string error;
  // Loaded for good: a driver that was initialised must not be unloaded.
  auto driver =
      llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &error);
  if (!driver.isValid())
    return "no CUDA driver is installed";
  auto init =
      reinterpret_cast<int (*)(unsigned)>(driver.getAddressOfSymbol("cuInit"));
  auto getCount = reinterpret_cast<int (*)(int *)>(
      driver.getAddressOfSymbol("cuDeviceGetCount"));
  if (!init || !getCount)
    return "the CUDA driver is incomplete";
  if (int status = init(0))
    return fmt::format("the CUDA driver does not start (status {})", status);
  int count = 0;
  if (int status = getCount(&count))
    return fmt::format("the CUDA driver lists no device (status {})", status);
  if (count == 0)
    return "the CUDA driver has no device";
  return std::nullopt;
}
