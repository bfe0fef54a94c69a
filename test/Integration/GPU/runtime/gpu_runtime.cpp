//===- gpu_runtime.cpp - the runtime's GPU and artefact ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Drives delta/Runtime/Gpu.h and Library.h on a real GPU, as the gpu stage of
// delta-run does, without the compiler around them:
//
//   g++ -std=c++17 -I include -o gpu_runtime lib/Runtime/{Gpu,Library}.cpp
//       test/Integration/GPU/runtime/gpu_runtime.cpp -ldl
//   ./gpu_runtime libNAME.so NAME BATCH LENGTH ARRAY ..
//
// An ARRAY is "in:BYTES:RANK" or "out:BYTES:RANK", in the struct's order. All
// arguments are zero, for which the results of every recurrence here are zero.
// Exits with 1 if a check fails.
//
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Gpu.h"
#include "delta/Runtime/Library.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace delta::runtime;

namespace {

struct Array {
  bool isResult;
  size_t bytes, rank;
};

int failures = 0;

void report(bool passed, const std::string &what) {
  printf("%s %s\n", passed ? "PASS" : "FAIL", what.c_str());
  failures += !passed;
}

[[noreturn]] void stop(const std::string &message) {
  printf("FAIL %s\n", message.c_str());
  exit(1);
}

void check(const MaybeError &error) {
  if (error)
    stop(error->message);
}

template <typename T> T take(Result<T> result) {
  if (!result)
    stop(result.error());
  return std::move(*result);
}

Array parseArray(const char *text) {
  char kind[4];
  Array array;
  if (sscanf(text, "%3[a-z]:%zu:%zu", kind, &array.bytes, &array.rank) != 3 ||
      (strcmp(kind, "in") != 0 && strcmp(kind, "out") != 0))
    stop(std::string("not an array: ") + text);
  array.isResult = strcmp(kind, "out") == 0;
  return array;
}

/// Whether every byte is \p value, apart from the bits set in \p ignored.
bool holds(const GpuBuffer &buffer, unsigned char value,
           unsigned char ignored = 0) {
  std::vector<unsigned char> host(buffer.size());
  check(buffer.download(host.data()));
  for (unsigned char byte : host)
    if ((byte & ~ignored) != value)
      return false;
  return true;
}

/// Written data is read back, in the order of the stream.
void testBuffers(const Gpu &gpu) {
  GpuBuffer buffer = take(GpuBuffer::allocate(gpu, 1000003));
  check(buffer.fill(0xff));
  report(holds(buffer, 0xff), "a buffer is filled");
  std::vector<unsigned char> sent(buffer.size()), received(buffer.size());
  for (size_t i = 0; i < sent.size(); ++i)
    sent[i] = static_cast<unsigned char>(i * 7);
  check(buffer.upload(sent.data()));
  check(buffer.download(received.data()));
  report(sent == received, "a buffer comes back as it was sent");
  report(take(GpuBuffer::allocate(gpu, 0)).data() == nullptr,
         "an empty buffer is null");
  Result<GpuBuffer> tooLarge = GpuBuffer::allocate(gpu, size_t(1) << 60);
  report(!tooLarge, "too large a buffer is an error");
  if (!tooLarge)
    printf("     %s\n", tooLarge.error().c_str());
}

void testLaunch(const Gpu &gpu, const Library &library, int64_t batch,
                int64_t length, const std::vector<Array> &arrays) {
  std::vector<GpuBuffer> buffers;
  std::vector<LibraryArray> pointers;
  for (const Array &array : arrays) {
    buffers.push_back(take(GpuBuffer::allocate(gpu, array.bytes)));
    check(buffers.back().fill(array.isResult ? 0xff : 0));
    pointers.push_back({buffers.back().data(), array.rank});
  }
  const std::vector<std::byte> arguments =
      packArguments(batch, length, pointers);
  GpuBuffer workspace =
      take(GpuBuffer::allocate(gpu, library.workspaceSize(arguments)));
  check(workspace.fill(0xff));

  const double seconds = take(gpu.time([&] {
    return library.launch(arguments, workspace.data(), gpu.stream());
  }));
  report(seconds > 0, "a launch takes time: " + std::to_string(seconds) + " s");
  for (size_t i = 0; i < arrays.size(); ++i)
    report(holds(buffers[i], 0, 0x80), // -0.0 is a zero
           "array " + std::to_string(i) + " holds zeros");

  const MaybeError refused = library.launch(packArguments(-1, length, pointers),
                                            workspace.data(), gpu.stream());
  report(refused.has_value(), "a negative batch is refused");
  if (refused)
    printf("     %s\n", refused->message.c_str());
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 6) {
    fprintf(stderr,
            "usage: gpu_runtime libNAME.so NAME BATCH LENGTH ARRAY ..\n");
    return 2;
  }
  std::vector<Array> arrays;
  for (int i = 5; i < argc; ++i)
    arrays.push_back(parseArray(argv[i]));
  const Gpu gpu = take(Gpu::open());
  printf("     %s\n", gpu.architecture().c_str());
  testBuffers(gpu);
  testLaunch(gpu, take(Library::open(argv[1], argv[2])), atoll(argv[3]),
             atoll(argv[4]), arrays);
  return failures == 0 ? 0 : 1;
}
