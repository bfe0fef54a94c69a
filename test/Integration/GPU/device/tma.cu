//===- tma.cu - copies by tensor map ----------------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tma.cuh and TensorMap.h: tiles of every panel width out of and into arrays of
// two to five axes. Rows past the end of a sequence arrive as zeros and are not
// stored, so that the next sequence, which follows directly, stays as it is.
//
// REQUIRES: nvcc, gpu, sm_90a
// RUN: %nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a \
// RUN:   -I %device_include %s -o %t && %t
//
//===----------------------------------------------------------------------===//

#include "Inputs/check.h"
#include "delta/Device/Sm90a.cuh"
#include "delta/Device/TensorMap.h"

#include <thread>

using namespace delta;
using namespace test;

/// The coordinates (c[0], .., c[Rank - 1]), passed to f one by one.
template <int Rank, class F> __device__ void spread(const int *c, F f) {
  if constexpr (Rank == 2)
    f(c[0], c[1]);
  else if constexpr (Rank == 3)
    f(c[0], c[1], c[2]);
  else if constexpr (Rank == 4)
    f(c[0], c[1], c[2], c[3]);
  else
    f(c[0], c[1], c[2], c[3], c[4]);
}

struct Coordinates {
  int c[5];
};

/// Loads a tile by one warp and writes it row-major to `out`.
template <class T, int Rows, int Cols, int Rank>
__global__ void load_tile(const __grid_constant__ CUtensorMap map,
                          const Coordinates at, T *out) {
  const SharedBase base = shared_base();
  const SharedTile<T, Rows, Cols> tile(base, 0);
  const Ring<1, 1, 1> ring(base, tile.bytes);
  if (threadIdx.x == 0)
    ring_init(ring);
  cta_sync();
  if (uniform_warp_index() == 0) {
    ring_acquire(ring, 0);
    ring_expect(ring, 0, tile.bytes);
    spread<Rank>(at.c, [&](auto... c) { tma_load(tile, map, ring, 0, c...); });
  }
  ring_peek(ring, 0);
  for (int i = threadIdx.x; i < Rows * Cols; i += blockDim.x)
    out[i] = *static_cast<T *>(__cvta_shared_to_generic(
        tile.piece(i / Cols, i % Cols / 8) + i % 8 * 2));
}

/// Writes a tile by all warps and stores it by the last one, twice through one
/// slot: first the negated values, then the values.
template <class T, int Rows, int Cols, int Rank>
__global__ void store_tile(const __grid_constant__ CUtensorMap map,
                           const Coordinates at, const T *values) {
  const SharedBase base = shared_base();
  const SharedTile<T, Rows, Cols> tile(base, 0);
  const Ring<1, 3, 1> ring(base, tile.bytes);
  if (threadIdx.x == 0)
    ring_init(ring);
  cta_sync();
  const int warp = uniform_warp_index();
  for (uint32_t use = 0; use < 2; ++use) {
    if (warp < 3) {
      ring_acquire(ring, use);
      for (int i = threadIdx.x; i < Rows * Cols; i += 96)
        *static_cast<T *>(__cvta_shared_to_generic(
            tile.piece(i / Cols, i % Cols / 8) + i % 8 * 2)) =
            use == 0 ? T(-values[i]) : values[i];
      ring_commit(ring, use);
    } else {
      ring_peek(ring, use);
      spread<Rank>(at.c, [&](auto... c) { tma_store(map, tile, c...); });
      store_wait_read();
      ring_release(ring, use);
    }
  }
  if (warp == 3)
    store_wait_all();
}

template <class T, int Rows, int Cols, int Rank>
static void check(const int64_t (&extents)[Rank], int row_axis,
                  const Coordinates &at) {
  int64_t strides[Rank], size = 1;
  for (int i = 0; i < Rank; ++i) {
    strides[i] = size;
    size *= extents[i];
  }
  // The place of a tile's element in the array, -1 outside.
  const auto place = [&](int row, int column) {
    int64_t offset = 0;
    for (int i = 0; i < Rank; ++i) {
      const int64_t c = at.c[i] + (i == 0 ? column : i == row_axis ? row : 0);
      if (c < 0 || c >= extents[i])
        return int64_t(-1);
      offset += c * strides[i];
    }
    return offset;
  };
  Random random(size);
  std::vector<double> array(size), tile(Rows * Cols), want_tile(Rows * Cols);
  for (double &x : array)
    x = rounded<T>(random.normal());
  for (double &x : tile)
    x = rounded<T>(random.normal());
  std::vector<double> want_array = array;
  for (int i = 0; i < Rows; ++i)
    for (int j = 0; j < Cols; ++j) {
      const int64_t offset = place(i, j);
      want_tile[i * Cols + j] = offset < 0 ? 0 : array[offset];
      if (offset >= 0)
        want_array[offset] = tile[i * Cols + j];
    }
  Buffer<T> global(test::convert<T>(array)), values(test::convert<T>(tile)),
      loaded(Rows * Cols);
  CUtensorMap map;
  constexpr int panel = Cols < 64 ? Cols : 64;
  require(make_tensor_map(&map, global.data(), extents, strides, panel, Rows,
                          row_axis),
          "make_tensor_map");
  const size_t shared = Rows * Cols * 2 + 16;
  launch(load_tile<T, Rows, Cols, Rank>, 128, shared, map, at, loaded.data());
  launch(::store_tile<T, Rows, Cols, Rank>, 128, shared, map, at,
         static_cast<const T *>(values.data()));
  char name[120];
  std::snprintf(name, sizeof name, "%s tile %d x %d of %d axes from row %d",
                type_name<T>(), Rows, Cols, Rank, at.c[row_axis]);
  compare(std::string(name) + ", loaded", loaded.values(), want_tile);
  compare(std::string(name) + ", stored", global.values(), want_array);
  report(global.guards_intact(), std::string(name) + ", nothing else");
}

/// Arrays that no map can describe, and one without elements.
static void check_status() {
  Buffer<bf16> x(4096);
  CUtensorMap map;
  const auto status = [&](const bf16 *base, int64_t columns, int64_t rows,
                          int64_t stride, int box) {
    const int64_t extents[2] = {columns, rows}, strides[2] = {1, stride};
    return make_tensor_map(&map, base, extents, strides, box, 16, 1);
  };
  report(status(x.data(), 64, 64, 64, 64) == cudaSuccess, "a plain map");
  report(status(x.data(), 60, 64, 60, 64) == cudaErrorInvalidValue,
         "a stride of 120 bytes");
  report(status(x.data() + 1, 64, 32, 64, 64) == cudaErrorInvalidValue,
         "an address that is no multiple of 16");
  report(status(x.data(), 64, (int64_t(1) << 32) + 1, 64, 64) ==
             cudaErrorInvalidValue,
         "an extent past 2^32");
  report(status(x.data(), 64, 64, int64_t(1) << 39, 64) ==
             cudaErrorInvalidValue,
         "a stride of 2^40 bytes");
  report(status(x.data(), 64, -1, 64, 64) == cudaErrorInvalidValue,
         "a negative extent");
  report(status(x.data(), 64, 64, 64, 48) == cudaErrorInvalidValue,
         "a box that is no panel");
  const CUtensorMap zero{};
  report(status(nullptr, 64, 0, 64, 64) == cudaSuccess &&
             std::memcmp(&map, &zero, sizeof map) == 0,
         "an array without elements has a zeroed map");
  // Launches may come from threads that have not used CUDA before.
  cudaError_t elsewhere = cudaErrorUnknown;
  std::thread([&] { elsewhere = status(x.data(), 64, 64, 64, 64); }).join();
  report(elsewhere == cudaSuccess, "a map made by a new thread");
}

int main() {
  // [batch 2, tokens 100, heads 3, 128]: a whole tile, a tail that the next
  // sequence follows, the last tail, a tile past the end.
  const int64_t tokens[4] = {128, 3, 100, 2};
  check<bf16, 64, 128>(tokens, 2, {0, 1, 0, 0});
  check<bf16, 64, 128>(tokens, 2, {0, 1, 64, 0});
  check<bf16, 64, 64>(tokens, 2, {64, 2, 64, 1});
  check<bf16, 64, 64>(tokens, 2, {64, 2, 128, 0});
  check<half_t, 64, 128>(tokens, 2, {0, 0, 64, 0});
  check<bf16, 16, 64>(tokens, 2, {0, 0, 96, 0});
  const int64_t records[5] = {64, 64, 3, 2, 2};
  check<bf16, 64, 64>(records, 1, {0, 0, 2, 1, 1});
  const int64_t narrow[3] = {32, 40, 2};
  check<bf16, 32, 32>(narrow, 1, {0, 16, 1});
  check<half_t, 64, 32>(narrow, 1, {0, 0, 0});
  const int64_t columns[2] = {200, 24};
  check<bf16, 16, 16>(columns, 1, {192, 16});
  check<bf16, 8, 256>(columns, 1, {0, 8});
  check_status();
  return finish();
}
