//===- main.cpp - launch Gated DeltaNet and check it ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Random inputs, one launch through the C ABI, and the error against a double
/// precision reference. Exits with 0 if it is within tolerance, with 77 where
/// there is no GPU.
///
///   gated_deltanet [BATCH] [LENGTH]
///
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "gated_deltanet.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <random>

/// RMS(reference - got) / RMS(reference) up to which a bfloat16 result and the
/// state that came through bfloat16 products count as right: 16 bits give about
/// 2e-3 each.
constexpr double tolerance = 5e-3;

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Device memory with a copy of `host`, or `bytes` uninitialised ones.
static void *allocate(size_t bytes, const void *host = nullptr) {
  void *device = nullptr;
  check(cudaMalloc(&device, bytes ? bytes : 1), "cudaMalloc");
  if (host && bytes)
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice),
          "cudaMemcpy");
  return device;
}

template <class T> static void *upload(const std::vector<T> &host) {
  return allocate(host.size() * sizeof(T), host.data());
}

template <class T>
static std::vector<T> download(const void *device, size_t count) {
  std::vector<T> host(count);
  if (count)
    check(cudaMemcpy(host.data(), device, count * sizeof(T),
                     cudaMemcpyDeviceToHost),
          "cudaMemcpy");
  return host;
}

static Arrays makeInputs(int64_t batch, int64_t length) {
  std::mt19937_64 generator(0);
  std::normal_distribution<float> normal;
  auto half = [&](int64_t count) {
    std::vector<uint16_t> x(count);
    for (uint16_t &bits : x)
      bits = toBfloat16(normal(generator));
    return x;
  };
  Arrays arrays;
  arrays.batch = batch;
  arrays.length = length;
  int64_t tokens = batch * length;
  arrays.q = half(tokens * keyHeads * headDim);
  arrays.k = half(tokens * keyHeads * headDim);
  arrays.v = half(tokens * valueHeads * headDim);
  arrays.beta = half(tokens * valueHeads);
  arrays.g.resize(tokens * valueHeads);
  // Log decays: the logarithm of a sigmoid is negative.
  for (float &g : arrays.g)
    g = -std::log1p(std::exp(-normal(generator) - 3));
  arrays.s0.resize(batch * valueHeads * headDim * headDim);
  for (float &x : arrays.s0)
    x = 0.1f * normal(generator);
  return arrays;
}

/// Prints the error of one result; whether it is within tolerance.
template <class T, class F>
static bool compare(const char *name, const std::vector<double> &reference,
                    const std::vector<T> &got, F &&toFloat) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    double difference = reference[i] - toFloat(got[i]);
    error += difference * difference;
    norm += reference[i] * reference[i];
  }
  double ratio = norm > 0 ? std::sqrt(error / norm) : std::sqrt(error);
  // Written so that NaN fails.
  bool right = ratio <= tolerance;
  std::printf("%s: RMS error %.2e, tolerance %.0e: %s\n", name, ratio,
              tolerance, right ? "ok" : "WRONG");
  return right;
}

int main(int argc, char **argv) {
  int64_t batch = argc > 1 ? std::atoll(argv[1]) : 2;
  int64_t length = argc > 2 ? std::atoll(argv[2]) : 200;
  if (batch < 0 || length < 0) {
    std::fprintf(stderr, "usage: gated_deltanet [BATCH] [LENGTH]\n");
    return 1;
  }
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
    std::printf("no GPU here: nothing was launched\n");
    return 77;
  }

  Arrays inputs = makeInputs(batch, length);
  gated_deltanet_args args = {};
  args.size = sizeof(args);
  args.version = gated_deltanet_args_version;
  args.batch = batch;
  args.length = length;
  args.q = upload(inputs.q);
  args.k = upload(inputs.k);
  args.v = upload(inputs.v);
  args.beta = upload(inputs.beta);
  args.g = upload(inputs.g);
  args.s0 = upload(inputs.s0);
  args.o = allocate(inputs.v.size() * sizeof(uint16_t));
  args.s = allocate(inputs.s0.size() * sizeof(float));
  void *workspace = allocate(gated_deltanet_workspace_size(&args));

  cudaStream_t stream;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  int status = gated_deltanet_launch(&args, workspace, stream);
  if (status != gated_deltanet_success) {
    std::fprintf(stderr, "gated_deltanet_launch: %s\n",
                 gated_deltanet_status_string(status));
    return 1;
  }
  check(cudaStreamSynchronize(stream), "the kernels");

  std::vector<double> o, s;
  computeReference(inputs, o, s);
  bool right = compare("o", o, download<uint16_t>(args.o, inputs.v.size()),
                       fromBfloat16);
  right &= compare("s", s, download<float>(args.s, inputs.s0.size()),
                   [](float x) { return x; });
  return right ? 0 : 1;
}
