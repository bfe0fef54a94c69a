//===- Gpu.cpp - a GPU through the driver's API -----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The entry points of the driver API are declared here, because machines that
/// run kernels need not have cuda.h. Their signatures are those of the CUDA
/// Driver API reference; a suffix _v2 is the ABI that cuda.h's macros select.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Gpu.h"

#include <dlfcn.h>
#include <type_traits>

using namespace delta::runtime;

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

namespace {

using Status = int;                 // CUresult; 0 is success
using Device = int;                 // CUdevice
using Address = unsigned long long; // CUdeviceptr
using Handle = void *;              // CUcontext, CUstream, CUevent

// Values of CUdevice_attribute and CUstream_flags.
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;
constexpr unsigned kNonBlocking = 1;

/// The entry points; either all of them are set or none.
struct Driver {
  Status (*init)(unsigned);
  Status (*getErrorName)(Status, const char **);
  Status (*deviceGetCount)(int *);
  Status (*deviceGet)(Device *, int);
  Status (*deviceGetAttribute)(int *, int, Device);
  Status (*primaryRetain)(Handle *, Device);
  Status (*primaryRelease)(Device);
  Status (*setCurrent)(Handle);
  Status (*streamCreate)(Handle *, unsigned);
  Status (*streamDestroy)(Handle);
  Status (*streamSynchronize)(Handle);
  Status (*eventCreate)(Handle *, unsigned);
  Status (*eventDestroy)(Handle);
  Status (*eventRecord)(Handle, Handle);
  Status (*eventElapsedTime)(float *, Handle, Handle);
  Status (*memAlloc)(Address *, size_t);
  Status (*memFree)(Address);
  Status (*memsetD8)(Address, unsigned char, size_t, Handle);
  Status (*copyToDevice)(Address, const void *, size_t, Handle);
  Status (*copyToHost)(void *, Address, size_t, Handle);

  /// The reason why the driver cannot be used; empty if it can.
  std::string problem;
  int devices = 0;

  /// Loads and initialises on the first call. A driver that was initialised
  /// must not be unloaded, so it stays until the process ends.
  static const Driver &get();

  /// An error that names the call, unless \p status is success.
  MaybeError check(Status status, const char *call) const;

private:
  Driver() : problem(load()) {}
  std::string load();
  bool resolve(void *library);
};

} // namespace

const Driver &Driver::get() {
  static const Driver driver;
  return driver;
}

bool Driver::resolve(void *library) {
  auto find = [&](auto &entry, const char *name) {
    entry =
        reinterpret_cast<std::decay_t<decltype(entry)>>(dlsym(library, name));
    return entry != nullptr;
  };
  return find(init, "cuInit") && find(getErrorName, "cuGetErrorName") &&
         find(deviceGetCount, "cuDeviceGetCount") &&
         find(deviceGet, "cuDeviceGet") &&
         find(deviceGetAttribute, "cuDeviceGetAttribute") &&
         find(primaryRetain, "cuDevicePrimaryCtxRetain") &&
         find(primaryRelease, "cuDevicePrimaryCtxRelease_v2") &&
         find(setCurrent, "cuCtxSetCurrent") &&
         find(streamCreate, "cuStreamCreate") &&
         find(streamDestroy, "cuStreamDestroy_v2") &&
         find(streamSynchronize, "cuStreamSynchronize") &&
         find(eventCreate, "cuEventCreate") &&
         find(eventDestroy, "cuEventDestroy_v2") &&
         find(eventRecord, "cuEventRecord") &&
         find(eventElapsedTime, "cuEventElapsedTime") &&
         find(memAlloc, "cuMemAlloc_v2") && find(memFree, "cuMemFree_v2") &&
         find(memsetD8, "cuMemsetD8Async") &&
         find(copyToDevice, "cuMemcpyHtoDAsync_v2") &&
         find(copyToHost, "cuMemcpyDtoHAsync_v2");
}

std::string Driver::load() {
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return "no CUDA driver is installed";
  if (!resolve(library))
    return "the CUDA driver is incomplete";
  if (Status status = init(0))
    return "the CUDA driver does not start (status " + std::to_string(status) +
           ")";
  if (Status status = deviceGetCount(&devices))
    return "the CUDA driver lists no device (status " + std::to_string(status) +
           ")";
  return devices == 0 ? "the CUDA driver has no device" : "";
}

MaybeError Driver::check(Status status, const char *call) const {
  if (status == 0)
    return std::nullopt;
  const char *name = nullptr;
  if (getErrorName(status, &name) != 0 || !name)
    name = "an unknown status";
  return Error{std::string("the GPU: ") + call + " returned " + name + " (" +
               std::to_string(status) + ")"};
}

std::optional<std::string> delta::runtime::whyNoGpu() {
  const Driver &driver = Driver::get();
  if (driver.problem.empty())
    return std::nullopt;
  return driver.problem;
}

//===----------------------------------------------------------------------===//
// Gpu
//===----------------------------------------------------------------------===//

Result<Gpu> Gpu::open() {
  const Driver &driver = Driver::get();
  if (!driver.problem.empty())
    return Error{driver.problem};
  Device device = 0;
  if (MaybeError error =
          driver.check(driver.deviceGet(&device, 0), "cuDeviceGet"))
    return *error;
  Gpu gpu(device);
  if (MaybeError error = gpu.initialise())
    return *error;
  return gpu;
}

MaybeError Gpu::initialise() {
  const Driver &driver = Driver::get();
  int major = 0, minor = 0;
  for (auto [attribute, value] : {std::pair(kCapabilityMajor, &major),
                                  std::pair(kCapabilityMinor, &minor)})
    if (MaybeError error =
            driver.check(driver.deviceGetAttribute(value, attribute, device),
                         "cuDeviceGetAttribute"))
      return error;
  // Architecture-specific instructions, nvcc's suffix "a", exist since 9.0.
  arch = "sm_" + std::to_string(major * 10 + minor) + (major >= 9 ? "a" : "");
  if (MaybeError error = driver.check(driver.primaryRetain(&context, device),
                                      "cuDevicePrimaryCtxRetain"))
    return error;
  if (MaybeError error =
          driver.check(driver.setCurrent(context), "cuCtxSetCurrent"))
    return error;
  return driver.check(driver.streamCreate(&queue, kNonBlocking),
                      "cuStreamCreate");
}

// Errors are ignored: nothing depends on the released objects, and an earlier
// call has reported the broken context that would make a release fail.
Gpu::~Gpu() {
  const Driver &driver = Driver::get();
  if (queue)
    driver.streamDestroy(queue);
  if (context)
    driver.primaryRelease(device);
}

MaybeError Gpu::synchronize() const {
  const Driver &driver = Driver::get();
  return driver.check(driver.streamSynchronize(queue), "cuStreamSynchronize");
}

namespace {

/// A point in a stream.
class Event {
public:
  ~Event() {
    if (handle)
      Driver::get().eventDestroy(handle);
  }
  MaybeError create() {
    const Driver &driver = Driver::get();
    return driver.check(driver.eventCreate(&handle, 0), "cuEventCreate");
  }
  MaybeError record(Handle stream) {
    const Driver &driver = Driver::get();
    return driver.check(driver.eventRecord(handle, stream), "cuEventRecord");
  }
  Result<double> secondsSince(const Event &start) {
    const Driver &driver = Driver::get();
    float milliseconds = 0.0f;
    if (MaybeError error = driver.check(
            driver.eventElapsedTime(&milliseconds, start.handle, handle),
            "cuEventElapsedTime"))
      return *error;
    return milliseconds * 1e-3;
  }

private:
  Handle handle = nullptr;
};

} // namespace

Result<double> Gpu::time(const std::function<MaybeError()> &enqueue) const {
  Event start, stop;
  if (MaybeError error = start.create())
    return *error;
  if (MaybeError error = stop.create())
    return *error;
  if (MaybeError error = start.record(queue))
    return *error;
  if (MaybeError error = enqueue())
    return *error;
  if (MaybeError error = stop.record(queue))
    return *error;
  if (MaybeError error = synchronize())
    return *error;
  return stop.secondsSince(start);
}

//===----------------------------------------------------------------------===//
// GpuBuffer
//===----------------------------------------------------------------------===//

Result<GpuBuffer> GpuBuffer::allocate(const Gpu &gpu, size_t bytes) {
  GpuBuffer buffer(gpu, bytes);
  const Driver &driver = Driver::get();
  if (bytes != 0)
    if (MaybeError error =
            driver.check(driver.memAlloc(&buffer.address, bytes), "cuMemAlloc"))
      return Error{error->message + " for " + std::to_string(bytes) + " bytes"};
  return buffer;
}

GpuBuffer::~GpuBuffer() {
  if (address)
    Driver::get().memFree(address);
}

MaybeError GpuBuffer::fill(unsigned char value) const {
  if (bytes == 0)
    return std::nullopt;
  const Driver &driver = Driver::get();
  return driver.check(driver.memsetD8(address, value, bytes, gpu->stream()),
                      "cuMemsetD8Async");
}

MaybeError GpuBuffer::upload(const void *host) const {
  if (bytes == 0)
    return std::nullopt;
  const Driver &driver = Driver::get();
  if (MaybeError error =
          driver.check(driver.copyToDevice(address, host, bytes, gpu->stream()),
                       "cuMemcpyHtoDAsync"))
    return error;
  return gpu->synchronize();
}

MaybeError GpuBuffer::download(void *host) const {
  if (bytes == 0)
    return std::nullopt;
  const Driver &driver = Driver::get();
  if (MaybeError error =
          driver.check(driver.copyToHost(host, address, bytes, gpu->stream()),
                       "cuMemcpyDtoHAsync"))
    return error;
  return gpu->synchronize();
}
