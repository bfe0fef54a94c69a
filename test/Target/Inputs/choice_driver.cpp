//===- choice_driver.cpp - which kernel set a device gets -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Links with gated_deltanet.cpp of three kernel sets in place of the sets and
// of the CUDA runtime. Each argument is a device, by ten times its capability;
// 0 is one that cannot be asked. Prints whose launcher is called for each,
// twice, and how often the device was asked what it is.
//
//===----------------------------------------------------------------------===//

#include "gated_deltanet.h"

#include <cstdio>
#include <cstdlib>
#include <cuda_runtime_api.h>

static char **devices;
static int current, questions;

extern "C" cudaError_t cudaGetDevice(int *device) {
  *device = current;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr asked,
                                              int device) {
  const int capability = atoi(devices[device]);
  ++questions;
  if (capability == 0)
    return cudaErrorInvalidDevice;
  *value = asked == cudaDevAttrComputeCapabilityMajor ? capability / 10
                                                      : capability % 10;
  return cudaSuccess;
}

extern "C" const char *cudaGetErrorString(cudaError_t) { return "an error"; }

static gated_deltanet_args args;
static char workspace, stream;

namespace delta::gated_deltanet_artefact {

static int launch(int set, const gated_deltanet_args *given, void *space,
                  cudaStream_t on) {
  const bool passed = given == &args && space == &workspace &&
                      on == reinterpret_cast<cudaStream_t>(&stream);
  return passed ? set : -1;
}

size_t workspace_size_sm_80(const gated_deltanet_args *) { return 100; }
size_t workspace_size_sm_86(const gated_deltanet_args *) { return 300; }
size_t workspace_size_sm_90a(const gated_deltanet_args *) { return 200; }
int launch_sm_80(const gated_deltanet_args *given, void *space,
                 cudaStream_t on) {
  return launch(80, given, space, on);
}
int launch_sm_86(const gated_deltanet_args *given, void *space,
                 cudaStream_t on) {
  return launch(86, given, space, on);
}
int launch_sm_90a(const gated_deltanet_args *given, void *space,
                  cudaStream_t on) {
  return launch(90, given, space, on);
}

} // namespace delta::gated_deltanet_artefact

int main(int count, char **arguments) {
  devices = arguments + 1;
  auto launch = [] {
    return gated_deltanet_launch(&args, &workspace,
                                 reinterpret_cast<cudaStream_t>(&stream));
  };
  for (current = 0; current < count - 1; ++current) {
    questions = 0;
    const int first = launch(), second = launch();
    printf("%s: %d, then %d, %d questions\n", devices[current], first, second,
           questions);
  }
  printf("workspace: %zu\n", gated_deltanet_workspace_size(&args));
  printf("text: %s\n",
         gated_deltanet_status_string(gated_deltanet_error_device));
}
