//===- Shared.cuh - tiles and vectors in shared memory ----------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles of tiles, vectors and f32 scratch matrices in shared memory. A handle
// is a 32-bit shared address; it owns nothing and costs nothing to copy.
// Callers synchronise their accesses (SharedAccess.cuh); nothing here may
// synchronise.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_SHARED_CUH
#define DELTA_DEVICE_SHARED_CUH

#include "delta/Device/Element.cuh"

namespace delta {

/// Start of the dynamic shared memory of the CTA, 1024-byte aligned.
struct SharedBase {
  uint32_t address;
};

/// The kernel's dynamic shared memory. The launch sets its size.
DELTA_DEVICE SharedBase shared_base() {
  extern __shared__ __align__(1024) unsigned char delta_dynamic_shared[];
  return {
      static_cast<uint32_t>(__cvta_generic_to_shared(delta_dynamic_shared))};
}

/// A Rows x Cols tile of a 16-bit type T, row-major in panels of 64 columns
/// (one narrower panel for 16 or 32 columns), each panel Rows rows of 128, 64
/// or 32 bytes. Inside a panel the 16-byte pieces of a row are permuted by the
/// XOR pattern of the tensor-map swizzles of the same width (128, 64, 32
/// bytes): eight rows of one column of pieces lie in eight different groups of
/// four banks, so ldmatrix along either axis has no bank conflict. The tile
/// starts at a multiple of 1024 bytes.
template <class T, int Rows, int Cols> struct SharedTile {
  static_assert(sizeof(T) == 2, "elements are bf16 or half_t");
  static_assert(Rows % 8 == 0, "rows come in groups of 8");
  static_assert(Cols == 16 || Cols == 32 || Cols % 64 == 0,
                "columns fill 64-column panels, or one panel of 16 or 32");
  using element = T;
  static constexpr int rows = Rows, cols = Cols;
  static constexpr int panel_cols = Cols < 64 ? Cols : 64;
  static constexpr int row_bytes = panel_cols * 2;
  static constexpr int bytes = Rows * Cols * 2;

  uint32_t address;

  DELTA_DEVICE explicit SharedTile(SharedBase base, uint32_t byte_offset = 0)
      : address(base.address + byte_offset) {}

  /// Address of the 16-byte piece of elements (row, 8 column8 .. 8 column8 +
  /// 7).
  DELTA_DEVICE uint32_t piece(int row, int column8) const {
    constexpr int pieces = panel_cols / 8;
    // Address bits 7 and up select the permutation of bits 4 and up.
    const int phase = row_bytes == 128  ? row & 7
                      : row_bytes == 64 ? (row >> 1) & 3
                                        : (row >> 2) & 1;
    return address + column8 / pieces * (Rows * row_bytes) + row * row_bytes +
           (((column8 % pieces) ^ phase) << 4);
  }
};

/// N contiguous floats, 16-byte aligned.
template <class T, int N> struct SharedVector {
  static_assert(sizeof(T) == 4, "elements are float");
  using element = T;
  static constexpr int length = N;
  static constexpr int bytes = N * 4;

  uint32_t address;

  DELTA_DEVICE explicit SharedVector(SharedBase base, uint32_t byte_offset = 0)
      : address(base.address + byte_offset) {}

  /// Address of element i.
  DELTA_DEVICE uint32_t at(int i) const { return address + i * 4; }
};

/// Rows x Cols floats, row-major, 128-byte aligned, with a gap of eight floats
/// after each row. Consecutive rows then begin eight banks apart: pairs (i, j),
/// (i, j + 1) of a fragment are read and written without bank conflict, columns
/// of its transpose in two passes. Addresses are sums, so that their constant
/// terms become part of the instruction.
template <class T, int Rows, int Cols> struct SharedMatrix {
  static_assert(sizeof(T) == 4, "elements are float");
  static_assert(Cols == 16 || Cols % 32 == 0,
                "columns fill the 32 banks, or half of them");
  using element = T;
  static constexpr int rows = Rows, cols = Cols;
  static constexpr int row_cols = Cols + 8;
  static constexpr int bytes = Rows * row_cols * 4;

  uint32_t address;

  DELTA_DEVICE explicit SharedMatrix(SharedBase base, uint32_t byte_offset = 0)
      : address(base.address + byte_offset) {}

  /// Address of element (row, column). Four elements from a multiple of four
  /// on are 16-byte aligned.
  DELTA_DEVICE uint32_t at(int row, int column) const {
    return address + (row * row_cols + column) * 4;
  }
};

} // namespace delta

#endif // DELTA_DEVICE_SHARED_CUH
