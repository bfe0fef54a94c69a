//===- Tensor.h - dense tensors in host memory ------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The operands and results of a recurrence as plain host memory: row-major,
/// contiguous, 64-byte aligned, one of six element types. This file knows
/// nothing of recurrences, of devices or of MLIR.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_TENSOR_H
#define DELTA_RUNTIME_TENSOR_H

#include "delta/Runtime/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace delta::runtime {

/// Element types.
enum class DType { F64, F32, BF16, F16, I64, I32 };

/// Bytes of one element.
int64_t byteWidth(DType dtype);

/// The MLIR spelling of an element type: "f64", "f32", "bf16", "f16", "i64",
/// "i32".
const char *dtypeName(DType dtype);

/// True for f64, f32, bf16 and f16.
bool isFloat(DType dtype);

/// \p value rounded to the nearest number that \p dtype can hold, ties to
/// even. Integer types round the same way and saturate; NaN becomes 0 there.
double roundTo(DType dtype, double value);

/// A shape in the form "[2, 7, 4]" for messages.
std::string shapeString(const std::vector<int64_t> &shape);

/// The number of elements of \p shape; an error if a dimension is negative or
/// the number of bytes needs more than 63 bits.
Result<int64_t> countElements(const std::vector<int64_t> &shape, DType dtype);

/// A dense row-major tensor that owns its memory. Moves; copies only through
/// clone(), so that a large copy is always visible.
class HostTensor {
public:
  /// A rank-1 f64 tensor with no elements.
  HostTensor();

  /// Zero-initialised. countElements() must accept the shape; check shapes of
  /// external origin there first.
  HostTensor(DType dtype, std::vector<int64_t> shape);

  HostTensor(HostTensor &&) = default;
  HostTensor &operator=(HostTensor &&) = default;

  HostTensor clone() const;

  /// The same values rounded to \p dtype.
  HostTensor convertTo(DType dtype) const;

  DType dtype() const { return elementType; }
  const std::vector<int64_t> &shape() const { return dims; }
  int64_t rank() const { return static_cast<int64_t>(dims.size()); }
  int64_t dim(int64_t axis) const { return dims[axis]; }
  int64_t size() const { return count; }
  int64_t sizeInBytes() const { return count * byteWidth(elementType); }

  std::byte *data() { return bytes.get(); }
  const std::byte *data() const { return bytes.get(); }

  /// The elements as T, which must be as wide as the element type (uint16_t
  /// for bf16 and f16).
  template <typename T> T *as() { return reinterpret_cast<T *>(bytes.get()); }
  template <typename T> const T *as() const {
    return reinterpret_cast<const T *>(bytes.get());
  }

  /// Element \p index in row-major order, exactly (an i64 beyond 2^53 is
  /// rounded).
  double get(int64_t index) const;

  /// Stores roundTo(dtype(), value).
  void set(int64_t index, double value);

  /// Reads \p n consecutive elements from \p begin into \p out. One dispatch
  /// on the element type for the whole run.
  void read(int64_t begin, int64_t n, double *out) const;

  /// Stores \p n values from \p begin on, each rounded.
  void write(int64_t begin, int64_t n, const double *values);

private:
  struct Free {
    void operator()(std::byte *memory) const;
  };

  DType elementType;
  std::vector<int64_t> dims;
  int64_t count;
  std::unique_ptr<std::byte[], Free> bytes;
};

} // namespace delta::runtime

#endif // DELTA_RUNTIME_TENSOR_H
