//===- Global.cuh - registers and tiles to global memory --------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads from and stores to global memory that do not go through cp.async.
// Strides count elements. Rows and columns outside the bounds are never read
// (they load as 0) and never written. Every function is called by all threads
// of the CTA; nothing here may synchronise.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_GLOBAL_CUH
#define DELTA_DEVICE_GLOBAL_CUH

#include "delta/Device/Copy.cuh"
#include "delta/Device/Slices.cuh"

namespace delta {

namespace detail {

/// *from as a float if `valid`, else 0 without reading. The instruction is
/// predicated: a branch for each load would serialise the loads of a fragment.
template <class T> DELTA_DEVICE float load_if(const T *from, bool valid) {
  if constexpr (sizeof(T) == 4) {
    float x;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0; mov.f32 %0, 0f00000000;"
                 " @p ld.global.f32 %0, [%1]; }"
                 : "=f"(x)
                 : "l"(from), "r"(static_cast<int>(valid))
                 : "memory");
    return x;
  } else {
    uint32_t x;
    asm volatile("{ .reg .pred p; .reg .b16 h; setp.ne.s32 p, %2, 0;"
                 " mov.b16 h, 0; @p ld.global.b16 h, [%1]; cvt.u32.u16 %0, h; }"
                 : "=r"(x)
                 : "l"(from), "r"(static_cast<int>(valid))
                 : "memory");
    return Element<T>::low(x);
  }
}

/// Copies Bytes bytes, 16, 8, 4 or 2, from shared to global memory if `valid`.
/// The instructions are predicated: after a branch, addresses would be computed
/// again.
template <int Bytes>
DELTA_DEVICE void store_piece(void *to, uint32_t from, bool valid) {
  if constexpr (Bytes == 16)
    asm volatile("{ .reg .pred p; .reg .b32 a, b, c, d;\n"
                 "setp.ne.s32 p, %2, 0;\n"
                 "@p ld.shared.v4.b32 {a, b, c, d}, [%1];\n"
                 "@p st.global.v4.b32 [%0], {a, b, c, d}; }" ::"l"(to),
                 "r"(from), "r"(static_cast<int>(valid))
                 : "memory");
  else if constexpr (Bytes == 8)
    asm volatile("{ .reg .pred p; .reg .b64 a; setp.ne.s32 p, %2, 0;\n"
                 "@p ld.shared.b64 a, [%1];\n"
                 "@p st.global.b64 [%0], a; }" ::"l"(to),
                 "r"(from), "r"(static_cast<int>(valid))
                 : "memory");
  else if constexpr (Bytes == 4)
    asm volatile("{ .reg .pred p; .reg .b32 a; setp.ne.s32 p, %2, 0;\n"
                 "@p ld.shared.b32 a, [%1];\n"
                 "@p st.global.b32 [%0], a; }" ::"l"(to),
                 "r"(from), "r"(static_cast<int>(valid))
                 : "memory");
  else
    asm volatile("{ .reg .pred p; .reg .b16 a; setp.ne.s32 p, %2, 0;\n"
                 "@p ld.shared.b16 a, [%1];\n"
                 "@p st.global.b16 [%0], a; }" ::"l"(to),
                 "r"(from), "r"(static_cast<int>(valid))
                 : "memory");
}

/// Two floats from `from`, 8-byte aligned, if `valid`, else zeros without
/// reading.
DELTA_DEVICE void load_pair_if(const float *from, bool valid, float &x,
                               float &y) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0; mov.f32 %0, 0f00000000;"
               " mov.f32 %1, 0f00000000; @p ld.global.v2.f32 {%0, %1}, [%2]; }"
               : "=f"(x), "=f"(y)
               : "l"(from), "r"(static_cast<int>(valid))
               : "memory");
}

} // namespace detail

/// The f32 fragment F with element (i, j) = src[i row_stride + j col_stride]
/// for i < rows and j < cols, 0 elsewhere. T is float, bf16 or half_t.
template <class F, class T>
DELTA_DEVICE F load(const T *src, int64_t row_stride, int64_t col_stride,
                    int64_t rows = F::rows, int64_t cols = F::cols) {
  const int first = 16 * fragment_warp<F::warps>() + fragment_row();
  const int column = fragment_column();
  const T *from = src + first * row_stride + column * col_stride;
  F r;
#pragma unroll
  for (int i = 0; i < F::size; ++i) {
    const int down = i / 2 % 2 * 8, right = i / 4 * 8 + i % 2;
    r.x[i] = detail::load_if(from + down * row_stride + right * col_stride,
                             first + down < rows && column + right < cols);
  }
  return r;
}

/// The f32 fragment F with element (i, j) = src[i row_stride + j] for i < rows,
/// 0 elsewhere, two elements at a time: src is 8-byte aligned and row_stride
/// even. One instruction uses all of each 32-byte piece that it reads.
template <class F>
DELTA_DEVICE F load_pairs(const float *src, int64_t row_stride,
                          int64_t rows = F::rows) {
  const int first = 16 * fragment_warp<F::warps>() + fragment_row();
  const float *from = src + first * row_stride + fragment_column();
  F r;
#pragma unroll
  for (int i = 0; i < F::size; i += 2) {
    const int down = i / 2 % 2 * 8, right = i / 4 * 8;
    detail::load_pair_if(from + down * row_stride + right, first + down < rows,
                         r.x[i], r.x[i + 1]);
  }
  return r;
}

/// dst[i row_stride + j] = a(i, j) for i < rows, two elements at a time: dst is
/// 8-byte aligned and row_stride even.
template <int Rows, int Cols, int Warps>
DELTA_DEVICE void store_pairs(const Fragment<float, Rows, Cols, Warps> &a,
                              float *dst, int64_t row_stride,
                              int64_t rows = Rows) {
  const int first = 16 * fragment_warp<Warps>() + fragment_row();
  float *to = dst + first * row_stride + fragment_column();
#pragma unroll
  for (int i = 0; i < a.size; i += 2) {
    const int down = i / 2 % 2 * 8, right = i / 4 * 8;
    if (first + down < rows)
      *reinterpret_cast<float2 *>(to + down * row_stride + right) =
          make_float2(a.x[i], a.x[i + 1]);
  }
}

/// dst[i row_stride + j col_stride] = a(i, j) rounded to T, for i < rows and
/// j < cols. T is float, bf16 or half_t.
template <class T, int Rows, int Cols, int Warps>
DELTA_DEVICE void store(const Fragment<float, Rows, Cols, Warps> &a, T *dst,
                        int64_t row_stride, int64_t col_stride,
                        int64_t rows = Rows, int64_t cols = Cols) {
  const int first = 16 * fragment_warp<Warps>() + fragment_row();
  const int column = fragment_column();
  T *to = dst + first * row_stride + column * col_stride;
#pragma unroll
  for (int i = 0; i < a.size; ++i) {
    const int down = i / 2 % 2 * 8, right = i / 4 * 8 + i % 2;
    if (first + down < rows && column + right < cols)
      to[down * row_stride + right * col_stride] =
          Element<T>::from_float(a.x[i]);
  }
}

/// dst[j row_stride + i] = a(i, j) rounded to T, for j < rows. The stores are
/// scattered, 2 or 4 bytes each. For 16-bit results, transposing into a tile
/// (write_transposed) and storing from there (store_tile) is faster.
template <class T, int Rows, int Cols, int Warps>
DELTA_DEVICE void store_transposed(const Fragment<float, Rows, Cols, Warps> &a,
                                   T *dst, int64_t row_stride, int64_t rows) {
  store(a, dst, 1, row_stride, Rows, rows);
}

/// dst[i row_stride + j] = tile(i, j) for i < rows and j < Width (0: all
/// columns), in pieces of Bytes bytes (16, 8, 4 or 2), which divide the byte
/// lengths of a row and of row_stride and the address dst.
template <int Threads, int Width = 0, int Bytes = 16, class T, int Rows,
          int Cols>
DELTA_DEVICE void store_tile(const SharedTile<T, Rows, Cols> &tile, T *dst,
                             int64_t row_stride, int64_t rows) {
  constexpr int width = Width == 0 ? Cols : Width;
  static_assert(Bytes == 16 || Bytes == 8 || Bytes == 4 || Bytes == 2,
                "sizes of a store");
  constexpr int elements = Bytes / 2;
  constexpr int pieces = Cols / elements; // of a row
  constexpr int total = Rows * pieces;
  static_assert(width <= Cols && width % elements == 0,
                "a row is a whole number of pieces");
  static_assert(Threads % pieces == 0, "a pass of the CTA stores whole rows");
  constexpr int step = Threads / pieces; // rows of one pass
  const int thread = unhoisted_thread_index();
  // In a whole tile every row is valid, and no predicate is left.
  __builtin_assume(thread >= 0 && thread < Threads);
  const int first = thread / pieces, column = thread % pieces * elements;
  const int bound = column < width ? detail::bounded_rows<Rows>(rows) : 0;
  T *to = dst + first * row_stride + column;
  // Computed here once, and not again for each piece.
  asm volatile("" : "+l"(to));
// Fully unrolled, all loads from the tile would be issued first and hold
// registers.
#pragma unroll 2
  for (int i = 0; i * Threads < total; ++i) {
    const int row = first + i * step;
    detail::store_piece<Bytes>(to, tile.piece(row, column / 8) + column % 8 * 2,
                               row < bound);
    to += step * row_stride;
  }
}

/// Element i = src[i stride] for i < rows, 0 elsewhere. T is float, bf16 or
/// half_t.
template <int N, class T>
DELTA_DEVICE Flat<N> load_flat(const T *src, int64_t stride, int64_t rows) {
  const int i = static_cast<int>(threadIdx.x);
  return {{detail::load_if(src + i * stride, i < N && i < rows)}};
}

/// A value for the first of each token's Steps micro-steps, such as a decay:
/// element Steps r = src[r stride] for r < tokens, 0 elsewhere.
template <int N, int Steps, class T>
DELTA_DEVICE Flat<N> load_flat_steps(const T *src, int64_t stride,
                                     int64_t tokens) {
  const int i = static_cast<int>(threadIdx.x);
  const int token = i / Steps;
  return {{detail::load_if(src + token * stride,
                           i < N && i % Steps == 0 && token < tokens)}};
}

/// dst[i stride] = a[i] rounded to T, for i < rows.
template <class T, int N>
DELTA_DEVICE void store(const Flat<N> &a, T *dst, int64_t stride,
                        int64_t rows = N) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < N && i < rows)
    dst[i * stride] = Element<T>::from_float(a.x[0]);
}

} // namespace delta

#endif // DELTA_DEVICE_GLOBAL_CUH
