//===- Gpu.h - a GPU through the driver's API -------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One device, one stream, arrays in device memory and a clock. The driver is
/// loaded at run time, so that a program that uses this file links against no
/// CUDA library and also starts on machines without one. Knows nothing of
/// recurrences or of artefacts. Needs neither MLIR nor fmt.
///
/// Everything here belongs to the thread that called Gpu::open(), whose current
/// context it sets, and a GpuBuffer must not outlive its Gpu.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_GPU_H
#define DELTA_RUNTIME_GPU_H

#include "delta/Runtime/Result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

namespace delta::runtime {

/// The reason why kernels cannot run on this machine; none if the driver has a
/// device.
std::optional<std::string> whyNoGpu();

/// The first device that the driver lists, its primary context and a stream of
/// its own. The primary context is the one that the CUDA runtime inside an
/// artefact uses.
class Gpu {
public:
  /// An error if there is no device or the driver refuses.
  static Result<Gpu> open();

  Gpu(Gpu &&other)
      : device(other.device), arch(std::move(other.arch)),
        context(std::exchange(other.context, nullptr)),
        queue(std::exchange(other.queue, nullptr)) {}
  Gpu &operator=(Gpu &&) = delete;
  ~Gpu();

  /// nvcc's name of the device, including its architecture-specific
  /// instructions if it has any: "sm_80", "sm_90a".
  const std::string &architecture() const { return arch; }

  /// A cudaStream_t. It does not wait for the default stream.
  void *stream() const { return queue; }

  /// Waits for all work in the stream; returns an error if any of it failed.
  MaybeError synchronize() const;

  /// Seconds between two events around the work that \p enqueue puts into the
  /// stream. Waits for that work.
  Result<double> time(const std::function<MaybeError()> &enqueue) const;

private:
  explicit Gpu(int device) : device(device) {}
  MaybeError initialise();

  int device;
  std::string arch;
  void *context = nullptr;
  void *queue = nullptr;
};

/// Device memory of a fixed size, aligned to at least 256 bytes and
/// uninitialised. The operations are in the order of the GPU's stream.
class GpuBuffer {
public:
  /// 0 bytes are no memory: data() is null then.
  static Result<GpuBuffer> allocate(const Gpu &gpu, size_t bytes);

  GpuBuffer(GpuBuffer &&other)
      : gpu(other.gpu), address(std::exchange(other.address, 0)),
        bytes(std::exchange(other.bytes, 0)) {}
  GpuBuffer &operator=(GpuBuffer &&) = delete;
  ~GpuBuffer();

  /// The address in device memory.
  void *data() const { return reinterpret_cast<void *>(address); }
  size_t size() const { return bytes; }

  /// Sets every byte.
  MaybeError fill(unsigned char value) const;
  /// Copies size() bytes from host memory, which is free for use on return.
  MaybeError upload(const void *host) const;
  /// Copies size() bytes to host memory and waits for them.
  MaybeError download(void *host) const;

private:
  GpuBuffer(const Gpu &gpu, size_t bytes) : gpu(&gpu), bytes(bytes) {}

  const Gpu *gpu;
  unsigned long long address = 0;
  size_t bytes;
};

} // namespace delta::runtime

#endif // DELTA_RUNTIME_GPU_H
