/*===- host_driver.c - a CUDA driver without a GPU ---------------*- C -*-===//
 *
 * Part of delta, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===//
 *
 * A libcuda.so.1 for tests of what stands around a launch: one device of
 * capability 8.0 whose memory is the host's, with DEVICES=0 none, and with
 * BYTES the most that one allocation may have. It has the calls of
 * lib/Runtime/Gpu.cpp alone, so the CUDA runtime refuses it and nothing is
 * ever launched.
 */

#include <stdlib.h>
#include <string.h>

#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef BYTES
#define BYTES ((size_t)-1)
#endif

typedef void *handle;

int cuInit(unsigned flags) { return flags != 0; }
int cuGetErrorName(int status, const char **name) {
  *name = status == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_UNKNOWN";
  return 0;
}
int cuDeviceGetCount(int *count) { return *count = DEVICES, 0; }
int cuDeviceGet(int *device, int index) { return *device = index, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 8 : 0;
  return device;
}
int cuDevicePrimaryCtxRetain(handle *context, int device) {
  *context = context;
  return device;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return device; }
int cuCtxSetCurrent(handle context) { return context == NULL; }
int cuStreamCreate(handle *stream, unsigned flags) {
  *stream = stream;
  return flags != 1;
}
int cuStreamDestroy_v2(handle stream) { return stream == NULL; }
int cuStreamSynchronize(handle stream) { return stream == NULL; }
int cuEventCreate(handle *event, unsigned flags) {
  *event = event;
  return flags != 0;
}
int cuEventDestroy_v2(handle event) { return event == NULL; }
int cuEventRecord(handle event, handle stream) {
  return event == NULL || stream == NULL;
}
int cuEventElapsedTime(float *milliseconds, handle start, handle stop) {
  *milliseconds = 1.0f;
  return start == NULL || stop == NULL;
}
int cuMemAlloc_v2(unsigned long long *address, size_t bytes) {
  if (bytes > BYTES)
    return 2;
  *address = (unsigned long long)aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *address == 0;
}
int cuMemFree_v2(unsigned long long address) {
  return free((void *)address), 0;
}
int cuMemsetD8Async(unsigned long long address, unsigned char value,
                    size_t bytes, handle stream) {
  memset((void *)address, value, bytes);
  return stream == NULL;
}
int cuMemcpyHtoDAsync_v2(unsigned long long address, const void *host,
                         size_t bytes, handle stream) {
  memcpy((void *)address, host, bytes);
  return stream == NULL;
}
int cuMemcpyDtoHAsync_v2(void *host, unsigned long long address, size_t bytes,
                         handle stream) {
  memcpy(host, (const void *)address, bytes);
  return stream == NULL;
}
