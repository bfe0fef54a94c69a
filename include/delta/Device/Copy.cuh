//===- Copy.cuh - asynchronous copies to shared memory ----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async from global to shared memory by all threads of a CTA. Rows and
// columns outside the source become zero and are never read. A copy has landed
// for its own thread after copy_wait, and for the CTA after a barrier that
// follows. No other function here waits.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_COPY_CUH
#define DELTA_DEVICE_COPY_CUH

#include "delta/Device/Shared.cuh"

namespace delta {

namespace detail {

/// Copies Bytes bytes, or writes as many zeros and reads nothing.
template <int Bytes>
DELTA_DEVICE void copy_piece(uint32_t to, const void *from, bool valid) {
  static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4, "sizes of cp.async");
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
                 "l"(from), "r"(valid ? 16 : 0)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to),
                 "l"(from), "n"(Bytes), "r"(valid ? Bytes : 0)
                 : "memory");
}

/// `rows` clamped to 0 .. Rows.
template <int Rows> DELTA_DEVICE int bounded_rows(int64_t rows) {
  return rows < 0 ? 0 : rows > Rows ? Rows : static_cast<int>(rows);
}

} // namespace detail

/// tile(i, j) = src[i row_stride + j] for i < rows and j < Width, 0 elsewhere
/// (Width 0: all columns). Called by all Threads threads of the CTA. row_stride
/// counts elements. Bytes, one of 16, 8, 4, divides the byte lengths of a row
/// and of row_stride and the address src; 16 is the fast case; the others serve
/// rows such as 60 or 100 elements. If rows <= 0, nothing is read and src may
/// be anything.
template <int Threads, int Width = 0, int Bytes = 16, class T, int Rows,
          int Cols>
DELTA_DEVICE void copy_async(const SharedTile<T, Rows, Cols> &tile,
                             const T *src, int64_t row_stride, int64_t rows) {
  constexpr int width = Width == 0 ? Cols : Width;
  constexpr int elements = Bytes / 2;
  constexpr int pieces = Cols / elements; // of a row
  constexpr int total = Rows * pieces;
  static_assert(width <= Cols && width % elements == 0,
                "a row is a whole number of pieces");
  static_assert(Threads % pieces == 0, "a pass of the CTA copies whole rows");
  constexpr int step = Threads / pieces; // rows of one pass
  const int thread = unhoisted_thread_index();
  const int first = thread / pieces, column = thread % pieces * elements;
  const int bound = column < width ? detail::bounded_rows<Rows>(rows) : 0;
  const T *from = src + first * row_stride + column;
#pragma unroll
  for (int i = 0; i * Threads < total; ++i) {
    const int row = first + i * step;
    if ((i + 1) * Threads <= total || row < Rows) {
      const bool valid = row < bound;
      detail::copy_piece<Bytes>(tile.piece(row, column / 8) + column % 8 * 2,
                                valid ? from : src, valid);
    }
    from += step * row_stride;
  }
}

/// vector[i] = src[i] for i < count, 0 elsewhere. src is 16-byte aligned; N and
/// count are multiples of 4. Called by all Threads threads of the CTA. If count
/// <= 0, nothing is read and src may be anything.
template <int Threads, int N>
DELTA_DEVICE void copy_async(const SharedVector<float, N> &vector,
                             const float *src, int64_t count = N) {
  static_assert(N % 4 == 0, "the vector is a whole number of 16-byte pieces");
#pragma unroll
  for (int first = 0; first < N / 4; first += Threads) {
    const int i = first + static_cast<int>(threadIdx.x);
    if (i < N / 4)
      detail::copy_piece<16>(vector.at(4 * i), src + 4 * i, 4 * i < count);
  }
}

/// Closes a group: all copies of this thread since the last commit.
DELTA_DEVICE void copy_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Waits until at most the Pending latest groups of this thread are in flight.
template <int Pending> DELTA_DEVICE void copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

} // namespace delta

#endif // DELTA_DEVICE_COPY_CUH
