//===- KernelParameters.h - what a launch passes to a kernel ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Cuda/Transforms. The parameters that `cuda.kernel`
/// documents, for one launch. Makes no exit IR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_CUDA_TRANSFORMS_KERNELPARAMETERS_H
#define DELTA_LIB_DIALECT_CUDA_TRANSFORMS_KERNELPARAMETERS_H

#include "HostProgram.h"

namespace delta::cuda {

/// One parameter of a kernel.
struct KernelParameter {
  enum Kind {
    /// Of array `input` the first element, a stride, a tensor map.
    Pointer,
    Stride,
    TensorMap,
    /// The index value `input`.
    Size,
    /// Extent `axis` of the grid.
    Extent
  };
  Kind kind;
  unsigned input = 0;
  int64_t axis = 0;
  TensorMapAttr map = {};
};

/// The parameters of a launch in order, as its inputs and grid and the tensor
/// maps of the kernel ask for them.
llvm::SmallVector<KernelParameter> getParameters(const HostLaunch &launch);

/// Checks the kernel's own parameters against these, and that its tensor maps
/// can be made.
mlir::LogicalResult checkParameters(const HostLaunch &launch);

} // namespace delta::cuda

#endif // DELTA_LIB_DIALECT_CUDA_TRANSFORMS_KERNELPARAMETERS_H
