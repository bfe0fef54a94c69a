//===- launch_plan.cpp - launch artefacts, as a C program would -*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the launches of a plan (harness/plan.py), each on arrays of exactly the
// size that the ABI asks for, allocated one by one and with nothing written to
// the workspace, so that compute-sanitizer sees an access out of bounds or a
// read of memory that was never written. Results start as NaN, because the tool
// does not see stores by tensor copies. Checks only that results are finite;
// run_tests.py compares their values.
//
//   launch_plan FOLDER PLAN      paths in the plan are relative to FOLDER
//
// Built by nvcc alone. Exits with 1 if a launch failed, with 2 if the plan
// cannot be read.
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Array {
  std::string field, dtype;
  bool isResult = false;
  size_t elements = 0, rank = 0;
  float low = 0.0f, high = 0.0f;
};

struct Case {
  std::string name, library, function;
  uint32_t version = 0;
  int64_t batch = 0, length = 0;
  std::vector<Array> arrays;
};

[[noreturn]] void stop(int status, const std::string &message) {
  fprintf(stderr, "launch_plan: error: %s\n", message.c_str());
  exit(status);
}

void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    stop(1, std::string(what) + ": " + cudaGetErrorString(error));
}

size_t elementBytes(const std::string &dtype) {
  return dtype == "int64" ? 8 : dtype == "float32" ? 4 : 2;
}

/// An element of `dtype` from and to a float, in host memory. Counts (int64)
/// are only arguments.
void store(const std::string &dtype, float value, char *at) {
  if (dtype == "float32") {
    memcpy(at, &value, 4);
  } else if (dtype == "int64") {
    const int64_t count = std::lround(value);
    memcpy(at, &count, 8);
  } else if (dtype == "bfloat16") {
    const __nv_bfloat16 narrow = __float2bfloat16(value);
    memcpy(at, &narrow, 2);
  } else {
    const __half narrow = __float2half(value);
    memcpy(at, &narrow, 2);
  }
}

float load(const std::string &dtype, const char *at) {
  if (dtype == "float32") {
    float value;
    memcpy(&value, at, 4);
    return value;
  }
  if (dtype == "bfloat16") {
    __nv_bfloat16 narrow;
    memcpy(&narrow, at, 2);
    return __bfloat162float(narrow);
  }
  __half narrow;
  memcpy(&narrow, at, 2);
  return __half2float(narrow);
}

std::vector<Case> readPlan(const char *path) {
  std::ifstream file(path);
  if (!file)
    stop(2, std::string("cannot read ") + path);
  std::vector<Case> cases;
  bool open = false;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    bool good = true;
    if (kind == "case" && !open) {
      Case next;
      words >> next.name >> next.library >> next.function >> next.version >>
          next.batch >> next.length;
      cases.push_back(next);
      open = true;
    } else if ((kind == "argument" || kind == "result") && open) {
      Array array;
      array.isResult = kind == "result";
      words >> array.field >> array.dtype >> array.elements >> array.rank;
      if (!array.isResult)
        words >> array.low >> array.high;
      cases.back().arrays.push_back(array);
    } else if (kind == "end" && open) {
      open = false;
    } else {
      good = false;
    }
    if (!good || words.fail())
      stop(2, std::string(path) + ":" + std::to_string(number) +
                  ": not a line of a plan: " + line);
  }
  if (open || cases.empty())
    stop(2, std::string(path) + ": the plan is not complete");
  return cases;
}

/// The bytes of the argument struct: a field is a pointer and its strides,
/// which stay 0.
std::vector<char> makeArgs(const Case &launch,
                           const std::vector<void *> &pointers) {
  std::vector<char> args(2 * sizeof(uint32_t) + 2 * sizeof(int64_t));
  memcpy(args.data() + 4, &launch.version, 4);
  memcpy(args.data() + 8, &launch.batch, 8);
  memcpy(args.data() + 16, &launch.length, 8);
  for (size_t i = 0; i < pointers.size(); ++i) {
    const size_t at = args.size();
    args.resize(at + 8 + 8 * launch.arrays[i].rank);
    memcpy(args.data() + at, &pointers[i], 8);
  }
  const uint32_t size = static_cast<uint32_t>(args.size());
  memcpy(args.data(), &size, 4);
  return args;
}

template <class Function>
Function *find(void *library, const std::string &name) {
  void *symbol = dlsym(library, name.c_str());
  if (!symbol)
    stop(1, "the library has no " + name);
  return reinterpret_cast<Function *>(symbol);
}

void *allocate(size_t bytes) {
  void *memory = nullptr;
  if (bytes != 0)
    check(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}

/// Memory for an array: a result is NaN, an argument drawn.
void *makeArray(const Array &array, std::mt19937 &random) {
  const size_t bytes = array.elements * elementBytes(array.dtype);
  void *memory = allocate(bytes);
  if (bytes == 0)
    return memory;
  if (array.isResult) {
    // All ones are a NaN of every dtype.
    check(cudaMemset(memory, 0xff, bytes), "cudaMemset");
    return memory;
  }
  std::vector<char> host(bytes);
  std::uniform_real_distribution<float> draw(array.low, array.high);
  for (size_t i = 0; i < array.elements; ++i)
    store(array.dtype, draw(random),
          host.data() + i * elementBytes(array.dtype));
  check(cudaMemcpy(memory, host.data(), bytes, cudaMemcpyHostToDevice),
        "copy to the GPU");
  return memory;
}

/// Whether every element that the launch should have written is a number.
bool isFinite(const Array &array, const void *memory) {
  const size_t bytes = array.elements * elementBytes(array.dtype);
  std::vector<char> host(bytes);
  if (bytes != 0)
    check(cudaMemcpy(host.data(), memory, bytes, cudaMemcpyDeviceToHost),
          "copy from the GPU");
  for (size_t i = 0; i < array.elements; ++i)
    if (!std::isfinite(
            load(array.dtype, host.data() + i * elementBytes(array.dtype))))
      return false;
  return true;
}

bool run(const std::string &folder, const Case &launch) {
  const std::string path = folder + "/" + launch.library;
  void *library = dlopen(path.c_str(), RTLD_NOW);
  if (!library)
    stop(1, std::string("dlopen: ") + dlerror());
  auto *workspaceSize =
      find<size_t(const void *)>(library, launch.function + "_workspace_size");
  auto *start = find<int(const void *, void *, cudaStream_t)>(
      library, launch.function + "_launch");
  auto *statusString =
      find<const char *(int)>(library, launch.function + "_status_string");

  std::mt19937 random(0);
  std::vector<void *> pointers;
  for (const Array &array : launch.arrays)
    pointers.push_back(makeArray(array, random));
  const std::vector<char> args = makeArgs(launch, pointers);
  void *workspace = allocate(workspaceSize(args.data()));

  bool good = true;
  const int status = start(args.data(), workspace, nullptr);
  if (status != 0) {
    printf("FAIL %s: %s\n", launch.name.c_str(), statusString(status));
    good = false;
  }
  check(cudaDeviceSynchronize(), launch.name.c_str());
  for (size_t i = 0; good && i < pointers.size(); ++i)
    if (launch.arrays[i].isResult && !isFinite(launch.arrays[i], pointers[i])) {
      printf("FAIL %s: %s is not finite\n", launch.name.c_str(),
             launch.arrays[i].field.c_str());
      good = false;
    }
  if (good)
    printf("PASS %s\n", launch.name.c_str());
  for (void *memory : pointers)
    check(cudaFree(memory), "cudaFree");
  check(cudaFree(workspace), "cudaFree");
  return good;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: launch_plan FOLDER PLAN\n");
    return 2;
  }
  bool good = true;
  for (const Case &launch : readPlan(argv[2]))
    good &= run(argv[1], launch);
  return good ? 0 : 1;
}
