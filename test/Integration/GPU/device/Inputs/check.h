//===- check.h - harness of the device library's GPU tests ------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each test is one program: it runs kernels on small inputs, compares with a
// plain f64 computation on the host, prints PASS or FAIL for each check and
// exits with the number of failures. Buffers stand between guards: memory that
// a kernel must not read holds NaN, memory that it must not write must keep its
// canary. Needs nvcc and a GPU, nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_TEST_GPU_DEVICE_CHECK_H
#define DELTA_TEST_GPU_DEVICE_CHECK_H

#include "delta/Device/Element.cuh"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace test {

inline int failures = 0;

inline void report(bool passed, const std::string &name,
                   const std::string &detail = "") {
  std::printf("%s %s%s%s\n", passed ? "PASS" : "FAIL", name.c_str(),
              detail.empty() ? "" : ": ", detail.c_str());
  failures += !passed;
}

inline int finish() {
  if (failures)
    std::printf("%d checks failed\n", failures);
  return failures ? 1 : 0;
}

inline void require(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::printf("FAIL %s: %s\n", what, cudaGetErrorString(status));
  std::exit(2);
}

/// Reproducible random numbers (splitmix64).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  /// Uniform in [low, high).
  double uniform(double low, double high) {
    return low + (high - low) * (next() >> 11) * 0x1p-53;
  }
  /// Uniform integer in [low, high].
  int integer(int low, int high) {
    return low + static_cast<int>(next() % (high - low + 1));
  }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += uniform(0, 1);
    return sum;
  }

private:
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint64_t state;
};

template <class T> double to_double(T x);
template <> inline double to_double(float x) { return x; }
template <> inline double to_double(delta::bf16 x) {
  return __bfloat162float(x);
}
template <> inline double to_double(delta::half_t x) { return __half2float(x); }

template <class T> T from_double(double x);
template <> inline float from_double(double x) { return static_cast<float>(x); }
template <> inline delta::bf16 from_double(double x) {
  return __float2bfloat16_rn(static_cast<float>(x));
}
template <> inline delta::half_t from_double(double x) {
  return __float2half_rn(static_cast<float>(x));
}

template <class T> double rounded(double x) {
  return to_double(from_double<T>(x));
}

template <class T> const char *type_name();
template <> inline const char *type_name<float>() { return "f32"; }
template <> inline const char *type_name<delta::bf16>() { return "bf16"; }
template <> inline const char *type_name<delta::half_t>() { return "f16"; }

/// Device memory of `size` elements between two guards of 4096 elements. All of
/// it starts as NaN; the bytes of the guards never change if all is well.
template <class T> class Buffer {
public:
  explicit Buffer(size_t size) : count(size) {
    require(cudaMalloc(&memory, bytes()), "cudaMalloc");
    require(cudaMemset(memory, 0xff, bytes()), "cudaMemset");
  }
  explicit Buffer(const std::vector<T> &values) : Buffer(values.size()) {
    if (count)
      require(cudaMemcpy(data(), values.data(), count * sizeof(T),
                         cudaMemcpyHostToDevice),
              "cudaMemcpy");
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { cudaFree(memory); }

  T *data() const { return memory + guard; }
  size_t size() const { return count; }

  std::vector<T> values() const {
    std::vector<T> all = everything();
    return std::vector<T>(all.begin() + guard, all.begin() + guard + count);
  }
  /// Whether nothing was written before or after the buffer.
  bool guards_intact() const {
    std::vector<T> all = everything();
    const auto *p = reinterpret_cast<const unsigned char *>(all.data());
    for (size_t i = 0; i < bytes(); ++i)
      if ((i < guard * sizeof(T) || i >= (guard + count) * sizeof(T)) &&
          p[i] != 0xff)
        return false;
    return true;
  }

private:
  static constexpr size_t guard = 4096;
  size_t bytes() const { return (count + 2 * guard) * sizeof(T); }
  std::vector<T> everything() const {
    std::vector<T> all(count + 2 * guard);
    require(cudaMemcpy(all.data(), memory, bytes(), cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    return all;
  }
  T *memory = nullptr;
  size_t count;
};

/// Whether an element still has the bytes that Buffer filled it with.
template <class T> bool untouched(const T &x) {
  const T canary = [] {
    T y;
    std::memset(&y, 0xff, sizeof y);
    return y;
  }();
  return std::memcmp(&x, &canary, sizeof x) == 0;
}

/// Runs one CTA and waits for it.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), int threads, size_t shared,
            Args... args) {
  require(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared)),
          "cudaFuncSetAttribute");
  kernel<<<1, threads, shared>>>(args...);
  require(cudaGetLastError(), "launch");
  require(cudaDeviceSynchronize(), "kernel");
}

/// Compares element by element: |got - want| <= absolute + relative |want|;
/// a NaN is wrong unless a NaN is wanted there, and likewise infinities.
template <class T>
void compare(const std::string &name, const std::vector<T> &got,
             const std::vector<double> &want, double absolute = 0,
             double relative = 0) {
  if (got.size() != want.size())
    return report(false, name, "sizes differ");
  for (size_t i = 0; i < got.size(); ++i) {
    const double x = to_double(got[i]), y = want[i];
    const bool same =
        std::isnan(y) ? std::isnan(x)
        : std::isinf(y) || std::isinf(x)
            ? x == y
            : std::fabs(x - y) <= absolute + relative * std::fabs(y);
    if (!same) {
      char text[160];
      std::snprintf(text, sizeof text, "element %zu is %.9g, expected %.9g", i,
                    x, y);
      return report(false, name, text);
    }
  }
  report(true, name);
}

/// sqrt(sum (got - want)^2 / sum want^2).
template <class T>
double relative_error(const std::vector<T> &got,
                      const std::vector<double> &want) {
  double difference = 0, norm = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double d = to_double(got[i]) - want[i];
    difference += d * d;
    norm += want[i] * want[i];
  }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

template <class T>
void compare_norm(const std::string &name, const std::vector<T> &got,
                  const std::vector<double> &want, double tolerance) {
  const double error = relative_error(got, want);
  char text[80];
  std::snprintf(text, sizeof text, "relative error %.2e, at most %.0e", error,
                tolerance);
  report(error <= tolerance, name, text);
}

template <class T> std::vector<T> convert(const std::vector<double> &x) {
  std::vector<T> r;
  r.reserve(x.size());
  for (double v : x)
    r.push_back(from_double<T>(v));
  return r;
}

} // namespace test

#endif // DELTA_TEST_GPU_DEVICE_CHECK_H
