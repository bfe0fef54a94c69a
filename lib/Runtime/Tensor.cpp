//===- Tensor.cpp - dense tensors in host memory ----------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Storage, element access and conversion of HostTensor.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/Tensor.h"

#include "delta/Runtime/NumberFormats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace delta::runtime {

int64_t byteWidth(DType dtype) {
  switch (dtype) {
  case DType::F64:
  case DType::I64:
    return 8;
  case DType::F32:
  case DType::I32:
    return 4;
  case DType::BF16:
  case DType::F16:
    return 2;
  }
  return 0;
}

const char *dtypeName(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return "f64";
  case DType::F32:
    return "f32";
  case DType::BF16:
    return "bf16";
  case DType::F16:
    return "f16";
  case DType::I64:
    return "i64";
  case DType::I32:
    return "i32";
  }
  return "";
}

bool isFloat(DType dtype) { return dtype != DType::I64 && dtype != DType::I32; }

/// The integer nearest to \p value, ties to even, clamped to Int's range.
template <typename Int> static Int toInteger(double value) {
  if (std::isnan(value))
    return 0;
  // 2^31 and 2^63 are exact as doubles; the largest integers below them need
  // not be.
  const double limit = std::ldexp(1.0, 8 * sizeof(Int) - 1);
  const double rounded = std::nearbyint(value);
  if (rounded >= limit)
    return std::numeric_limits<Int>::max();
  if (rounded < -limit)
    return std::numeric_limits<Int>::min();
  return static_cast<Int>(rounded);
}

double roundTo(DType dtype, double value) {
  switch (dtype) {
  case DType::F64:
    return value;
  case DType::F32:
    return static_cast<float>(value);
  case DType::BF16:
    return fromBF16Bits(toBF16Bits(value));
  case DType::F16:
    return fromF16Bits(toF16Bits(value));
  case DType::I64:
    return static_cast<double>(toInteger<int64_t>(value));
  case DType::I32:
    return toInteger<int32_t>(value);
  }
  return value;
}

std::string shapeString(const std::vector<int64_t> &shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Result<int64_t> countElements(const std::vector<int64_t> &shape, DType dtype) {
  // A zero dimension makes the product zero, but the other dimensions are still
  // checked.
  int64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return Error{
          fmt::format("shape {} has a negative dimension", shapeString(shape))};
    empty |= dim == 0;
    if (dim != 0 && __builtin_mul_overflow(count, dim, &count))
      return Error{fmt::format("shape {} is too large", shapeString(shape))};
  }
  int64_t bytes;
  if (__builtin_mul_overflow(count, byteWidth(dtype), &bytes))
    return Error{fmt::format("shape {} is too large", shapeString(shape))};
  return empty ? 0 : count;
}

void HostTensor::Free::operator()(std::byte *memory) const {
  std::free(memory);
}

HostTensor::HostTensor() : HostTensor(DType::F64, {0}) {}

HostTensor::HostTensor(DType dtype, std::vector<int64_t> shape)
    : elementType(dtype), dims(std::move(shape)) {
  Result<int64_t> elements = countElements(dims, dtype);
  assert(elements && "the caller checks the shape");
  count = *elements;
  // aligned_alloc wants a multiple of the alignment; one line even when empty
  // keeps data() non-null.
  constexpr size_t alignment = 64;
  const size_t size =
      (static_cast<size_t>(sizeInBytes()) / alignment + 1) * alignment;
  auto *memory = static_cast<std::byte *>(std::aligned_alloc(alignment, size));
  if (!memory) {
    fmt::print(stderr, "error: out of memory: {} bytes for a tensor\n", size);
    std::exit(EXIT_FAILURE);
  }
  std::memset(memory, 0, size);
  bytes.reset(memory);
}

HostTensor HostTensor::clone() const {
  HostTensor copy(elementType, dims);
  std::memcpy(copy.data(), data(), sizeInBytes());
  return copy;
}

HostTensor HostTensor::convertTo(DType dtype) const {
  if (dtype == elementType)
    return clone();
  HostTensor converted(dtype, dims);
  constexpr int64_t block = 1024;
  double values[block];
  for (int64_t begin = 0; begin < count; begin += block) {
    const int64_t n = std::min(block, count - begin);
    read(begin, n, values);
    converted.write(begin, n, values);
  }
  return converted;
}

double HostTensor::get(int64_t index) const {
  double value;
  read(index, 1, &value);
  return value;
}

void HostTensor::set(int64_t index, double value) { write(index, 1, &value); }

void HostTensor::read(int64_t begin, int64_t n, double *out) const {
  assert(begin >= 0 && n >= 0 && begin + n <= count && "read out of range");
  auto copy = [&](const auto *from, auto decode) {
    for (int64_t i = 0; i < n; ++i)
      out[i] = static_cast<double>(decode(from[begin + i]));
  };
  auto same = [](auto value) { return value; };
  switch (elementType) {
  case DType::F64:
    return copy(as<double>(), same);
  case DType::F32:
    return copy(as<float>(), same);
  case DType::BF16:
    return copy(as<uint16_t>(), fromBF16Bits);
  case DType::F16:
    return copy(as<uint16_t>(), fromF16Bits);
  case DType::I64:
    return copy(as<int64_t>(), same);
  case DType::I32:
    return copy(as<int32_t>(), same);
  }
}

void HostTensor::write(int64_t begin, int64_t n, const double *values) {
  assert(begin >= 0 && n >= 0 && begin + n <= count && "write out of range");
  auto copy = [&](auto *to, auto encode) {
    for (int64_t i = 0; i < n; ++i)
      to[begin + i] = encode(values[i]);
  };
  switch (elementType) {
  case DType::F64:
    return copy(as<double>(), [](double value) { return value; });
  case DType::F32:
    return copy(as<float>(),
                [](double value) { return static_cast<float>(value); });
  case DType::BF16:
    return copy(as<uint16_t>(), toBF16Bits);
  case DType::F16:
    return copy(as<uint16_t>(), toF16Bits);
  case DType::I64:
    return copy(as<int64_t>(), toInteger<int64_t>);
  case DType::I32:
    return copy(as<int32_t>(), toInteger<int32_t>);
  }
}

} // namespace delta::runtime
