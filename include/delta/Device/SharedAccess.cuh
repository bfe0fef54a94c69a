//===- SharedAccess.cuh - registers to shared memory and back ---*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves fragments, slices and flat vectors between registers and shared
// memory: ldmatrix for reads of 16-bit tiles, stmatrix from sm_90 on and plain
// stores before it for writes. Every function must be called by all threads of
// the CTA. Nothing here may synchronise: a read sees the values written before
// the last barrier.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_SHAREDACCESS_CUH
#define DELTA_DEVICE_SHAREDACCESS_CUH

#include "delta/Device/Shared.cuh"
#include "delta/Device/Slices.cuh"

namespace delta {

namespace detail {

DELTA_DEVICE float load_shared(uint32_t address) {
  float x;
  asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(address) : "memory");
  return x;
}

DELTA_DEVICE void load_shared(uint32_t address, float &x, float &y) {
  asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];"
               : "=f"(x), "=f"(y)
               : "r"(address)
               : "memory");
}

DELTA_DEVICE void store_shared(uint32_t address, float x) {
  asm volatile("st.shared.f32 [%0], %1;" ::"r"(address), "f"(x) : "memory");
}

DELTA_DEVICE void store_shared(uint32_t address, float x, float y) {
  asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(x), "f"(y)
               : "memory");
}

/// Four 8x8 matrices of 16-bit elements; lanes 8 i .. 8 i + 7 give the
/// addresses of the rows of matrix i.
template <bool Transposed>
DELTA_DEVICE void load_matrices(uint32_t address, uint32_t *x) {
  if constexpr (Transposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(address)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 "
                 "{%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "r"(address)
                 : "memory");
}

/// The transpose of an 8x8 matrix of 16-bit elements, of which each lane holds
/// two elements of a row.
DELTA_DEVICE uint32_t transpose_matrix(uint32_t x) {
  uint32_t r;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r) : "r"(x));
  return r;
}

#if __CUDA_ARCH__ >= 900
template <bool Transposed>
DELTA_DEVICE void store_matrices(uint32_t address, const uint32_t *x) {
  if constexpr (Transposed)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], "
                 "{%1, %2, %3, %4};" ::"r"(address),
                 "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
                 : "memory");
  else
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
                 "{%1, %2, %3, %4};" ::"r"(address),
                 "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3])
                 : "memory");
}
#endif

/// Address that the calling lane gives to ldmatrix or stmatrix for the m16k16
/// block k of a fragment whose rows are the tile's rows.
template <class Tile>
DELTA_DEVICE uint32_t block_address(const Tile &tile, int warp, int k) {
  const int lane = lane_index();
  return tile.piece(16 * warp + (lane & 15), 2 * k ^ (lane >> 4));
}

/// The same for a fragment whose rows are the tile's columns.
template <class Tile>
DELTA_DEVICE uint32_t transposed_block_address(const Tile &tile, int warp,
                                               int k) {
  const int lane = lane_index();
  return tile.piece(16 * k + (lane & 7) + (lane >> 4 << 3),
                    2 * warp ^ ((lane >> 3) & 1));
}

} // namespace detail

/// The fragment F whose element (i, j) is tile(i, j), or with a float F the
/// matrix's. Tile and fragment have the same shape and, for 16-bit tiles, the
/// same element type.
template <class F, class T, int Rows, int Cols>
DELTA_DEVICE F read(const SharedTile<T, Rows, Cols> &tile) {
  static_assert(F::rows == Rows && F::cols == Cols, "shapes differ");
  static_assert(sizeof(typename F::element) == 2, "the tile holds 16 bits");
  F r;
#pragma unroll
  for (int k = 0; k < Cols / 16; ++k)
    detail::load_matrices<false>(
        detail::block_address(tile, fragment_warp<F::warps>(), k), r.x + 4 * k);
  return r;
}

template <class F, int Rows, int Cols>
DELTA_DEVICE F read(const SharedMatrix<float, Rows, Cols> &matrix) {
  static_assert(F::rows == Rows && F::cols == Cols, "shapes differ");
  const int row = 16 * fragment_warp<F::warps>() + fragment_row();
  F r;
#pragma unroll
  for (int n = 0; n < Cols / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      detail::load_shared(matrix.at(row + 8 * half, 8 * n ^ fragment_column()),
                          r.x[4 * n + 2 * half], r.x[4 * n + 2 * half + 1]);
  return r;
}

/// The fragment F whose element (i, j) is tile(j, i).
template <class F, class T, int Rows, int Cols>
DELTA_DEVICE F read_transposed(const SharedTile<T, Rows, Cols> &tile) {
  static_assert(F::rows == Cols && F::cols == Rows, "shapes differ");
  static_assert(sizeof(typename F::element) == 2, "the tile holds 16 bits");
  F r;
#pragma unroll
  for (int k = 0; k < Rows / 16; ++k)
    detail::load_matrices<true>(
        detail::transposed_block_address(tile, fragment_warp<F::warps>(), k),
        r.x + 4 * k);
  return r;
}

/// tile(i, j) = a(i, j).
template <class T, int Rows, int Cols, int Warps>
DELTA_DEVICE void write(const Fragment<T, Rows, Cols, Warps> &a,
                        const SharedTile<T, Rows, Cols> &tile) {
  const int warp = fragment_warp<Warps>();
#if __CUDA_ARCH__ >= 900
#pragma unroll
  for (int k = 0; k < Cols / 16; ++k)
    detail::store_matrices<false>(detail::block_address(tile, warp, k),
                                  a.x + 4 * k);
#else
#pragma unroll
  for (int n = 0; n < Cols / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(
                       tile.piece(16 * warp + 8 * half + fragment_row(), n) +
                       2 * fragment_column()),
                   "r"(a.x[2 * n + half])
                   : "memory");
#endif
}

/// matrix(i, j) = a(i, j).
template <int Rows, int Cols, int Warps>
DELTA_DEVICE void write(const Fragment<float, Rows, Cols, Warps> &a,
                        const SharedMatrix<float, Rows, Cols> &matrix) {
  const int row = 16 * fragment_warp<Warps>() + fragment_row();
#pragma unroll
  for (int n = 0; n < Cols / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      detail::store_shared(matrix.at(row + 8 * half, 8 * n ^ fragment_column()),
                           a.x[4 * n + 2 * half], a.x[4 * n + 2 * half + 1]);
}

/// tile(j, i) = a(i, j).
template <class T, int Rows, int Cols, int Warps>
DELTA_DEVICE void write_transposed(const Fragment<T, Rows, Cols, Warps> &a,
                                   const SharedTile<T, Cols, Rows> &tile) {
  const int warp = fragment_warp<Warps>();
#if __CUDA_ARCH__ >= 900
#pragma unroll
  for (int k = 0; k < Cols / 16; ++k)
    detail::store_matrices<true>(
        detail::transposed_block_address(tile, warp, k), a.x + 4 * k);
#else
#pragma unroll
  for (int n = 0; n < Cols / 8; ++n)
#pragma unroll
    for (int half = 0; half < 2; ++half)
      asm volatile("st.shared.b32 [%0], %1;" ::"r"(
                       tile.piece(8 * n + fragment_row(), 2 * warp + half) +
                       2 * fragment_column()),
                   "r"(detail::transpose_matrix(a.x[2 * n + half]))
                   : "memory");
#endif
}

/// vector[i] = a[i], written by thread i < N.
template <int N>
DELTA_DEVICE void write(const Flat<N> &a,
                        const SharedVector<float, N> &vector) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < N)
    detail::store_shared(vector.at(i), a.x[0]);
}

/// The flat vector of the elements of `vector`; 0 in threads without one.
template <int N>
DELTA_DEVICE Flat<N> read_flat(const SharedVector<float, N> &vector) {
  const int i = static_cast<int>(threadIdx.x);
  return {{i < N ? detail::load_shared(vector.at(i)) : 0.0f}};
}

/// vector[i] = a[i], written by the first lane of the quad that holds a[i].
template <int Rows, int Warps>
DELTA_DEVICE void write(const RowSlice<Rows, Warps> &a,
                        const SharedVector<float, Rows> &vector) {
  const int row = 16 * fragment_warp<Warps>() + fragment_row();
  if (fragment_column() == 0) {
    detail::store_shared(vector.at(row), a.x[0]);
    detail::store_shared(vector.at(row + 8), a.x[1]);
  }
}

/// The row slice of the elements of `vector`.
template <int Rows, int Warps>
DELTA_DEVICE RowSlice<Rows, Warps>
read_row_slice(const SharedVector<float, Rows> &vector) {
  const int row = 16 * fragment_warp<Warps>() + fragment_row();
  return {{detail::load_shared(vector.at(row)),
           detail::load_shared(vector.at(row + 8))}};
}

/// The column slice of the elements of `vector`.
template <int Cols>
DELTA_DEVICE ColumnSlice<Cols>
read_column_slice(const SharedVector<float, Cols> &vector) {
  ColumnSlice<Cols> r;
#pragma unroll
  for (int n = 0; n < Cols / 8; ++n)
    detail::load_shared(vector.at(8 * n + fragment_column()), r.x[2 * n],
                        r.x[2 * n + 1]);
  return r;
}

/// Element i of `vector`, the same in every thread.
template <int N>
DELTA_DEVICE float element(const SharedVector<float, N> &vector, int i) {
  return detail::load_shared(vector.at(i));
}

} // namespace delta

#endif // DELTA_DEVICE_SHAREDACCESS_CUH
