//===- TensorMap.h - tensor maps, made on the host --------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code: the maps by which kernels copy boxes of arrays (Tma.cuh). The
// driver makes a map; its entry point comes from the runtime, so that nothing
// links to libcuda. Nothing is allocated, aborted or synchronised.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_TENSORMAP_H
#define DELTA_DEVICE_TENSORMAP_H

#include "delta/Device/Element.cuh"

#include <cuda.h>
#include <cuda_runtime.h>

namespace delta {

namespace detail {

/// The driver's function of that name; null if there is no driver, or the
/// driver lacks it. No library needs to be linked for it.
template <class Function>
Function *driver_function(const char *name, unsigned version) {
  void *entry = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault,
                                       &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return nullptr;
  return reinterpret_cast<Function *>(entry);
}

/// Gives the calling thread the current device's primary context if it has
/// none, as the first launch by the runtime would. An existing context is left
/// alone. The driver makes maps only in a context.
inline cudaError_t bind_context() {
  static const auto get_current =
      driver_function<decltype(cuCtxGetCurrent)>("cuCtxGetCurrent", 4000);
  CUcontext context = nullptr;
  if (get_current && get_current(&context) == CUDA_SUCCESS && context)
    return cudaSuccess;
  int device = 0;
  const cudaError_t error = cudaGetDevice(&device);
  return error == cudaSuccess ? cudaSetDevice(device) : error;
}

} // namespace detail

/// Makes `map` the map of an array of T (bf16 or half_t). Its boxes have
/// `columns` elements of the innermost axis (16, 32 or 64: a panel of a
/// SharedTile), `rows` of axis `row_axis`, and one of every other axis. Axes
/// are numbered from the innermost, 0.
///
///   base     address of the first element, a multiple of 16
///   extents  Rank extents in elements, each at most 2^32
///   strides  Rank strides in elements; strides[0] is 1, the others are
///            multiples of 8 below 2^39 (2^40 bytes)
///
/// The map of an array without elements is zeroed; no kernel may read it.
/// Returns cudaErrorInvalidValue if a map cannot have an extent, a stride, a
/// box or the address, cudaErrorNotSupported without a driver that makes maps,
/// and another error if no context can be created. Any thread may call it, also
/// one that has not used CUDA before.
template <class T, int Rank>
cudaError_t make_tensor_map(CUtensorMap *map, const T *base,
                            const int64_t (&extents)[Rank],
                            const int64_t (&strides)[Rank], int columns,
                            int rows, int row_axis) {
  static_assert(Rank >= 2 && Rank <= 5, "maps have 2 to 5 axes");
  static_assert(sizeof(T) == 2, "elements are bf16 or half_t");
  *map = CUtensorMap{};
  cuuint64_t size[Rank], stride[Rank - 1];
  cuuint32_t box[Rank], step[Rank];
  bool empty = false;
  for (int i = 0; i < Rank; ++i) {
    // The values are cast for the driver, so bounds are checked before.
    if (extents[i] < 0 || extents[i] > int64_t(1) << 32 || strides[i] < 0 ||
        strides[i] >= int64_t(1) << 39)
      return cudaErrorInvalidValue;
    empty |= extents[i] == 0;
    size[i] = static_cast<cuuint64_t>(extents[i]);
    if (i > 0)
      stride[i - 1] = static_cast<cuuint64_t>(strides[i]) * sizeof(T);
    box[i] = step[i] = 1;
  }
  if (strides[0] != 1 || row_axis < 1 || row_axis >= Rank || rows < 1 ||
      rows > 256 || (columns != 16 && columns != 32 && columns != 64))
    return cudaErrorInvalidValue;
  if (empty)
    return cudaSuccess;
  static const auto encode =
      detail::driver_function<decltype(cuTensorMapEncodeTiled)>(
          "cuTensorMapEncodeTiled", 12000);
  if (!encode)
    return cudaErrorNotSupported;
  const cudaError_t bound = detail::bind_context();
  if (bound != cudaSuccess)
    return bound;
  box[0] = static_cast<cuuint32_t>(columns);
  box[row_axis] = static_cast<cuuint32_t>(rows);
  const CUresult result = encode(map,
                                 is_bf16<T> ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                            : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
                                 Rank, const_cast<T *>(base), size, stride, box,
                                 step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 columns == 64   ? CU_TENSOR_MAP_SWIZZLE_128B
                                 : columns == 32 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                 : CU_TENSOR_MAP_SWIZZLE_32B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

} // namespace delta

#endif // DELTA_DEVICE_TENSORMAP_H
