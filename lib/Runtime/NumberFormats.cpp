//===- NumberFormats.cpp - bf16 and f16 bit patterns ------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Both formats go through one function that is told the field widths; it
/// works on the bits of the double and uses no floating point arithmetic.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/NumberFormats.h"

#include <cmath>
#include <cstring>

namespace delta::runtime {

/// Rounds \p value to a 16-bit format with the given field widths.
template <int exponentBits, int fractionBits>
static uint16_t narrow(double value) {
  static_assert(1 + exponentBits + fractionBits == 16);
  constexpr int bias = (1 << (exponentBits - 1)) - 1;
  constexpr uint64_t infinity = ((uint64_t(1) << exponentBits) - 1)
                                << fractionBits;

  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const auto sign = static_cast<uint16_t>((bits >> 63) << 15);
  const int biased = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);

  if (biased == 0x7ff) {
    if (fraction == 0)
      return static_cast<uint16_t>(sign | infinity);
    // The quiet bit keeps a NaN from becoming infinity if its payload lies in
    // the bits that are cut off.
    const uint64_t quiet = uint64_t(1) << (fractionBits - 1);
    return static_cast<uint16_t>(sign | infinity | quiet |
                                 (fraction >> (52 - fractionBits)));
  }
  if (biased == 0)
    return sign; // below 2^-1022: far under half of either smallest number

  const int exponent = biased - 1023;
  const uint64_t significand = fraction | (uint64_t(1) << 52);
  // Below the normal range the last place is fixed, so more bits are cut off.
  int shift = 52 - fractionBits;
  const bool subnormal = exponent < 1 - bias;
  if (subnormal)
    shift += 1 - bias - exponent;
  if (shift > 53)
    return sign;

  uint64_t quotient = significand >> shift;
  const uint64_t rest = significand & ((uint64_t(1) << shift) - 1);
  const uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1)))
    ++quotient;

  // The implicit bit in the quotient adds one to the exponent field, and a
  // carry out of the rounding goes into that field too, up to infinity.
  uint64_t magnitude = quotient;
  if (!subnormal)
    magnitude += static_cast<uint64_t>(exponent + bias - 1) << fractionBits;
  if (magnitude > infinity)
    magnitude = infinity;
  return static_cast<uint16_t>(sign | magnitude);
}

uint16_t toBF16Bits(double value) { return narrow<8, 7>(value); }

uint16_t toF16Bits(double value) { return narrow<5, 10>(value); }

float fromBF16Bits(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

float fromF16Bits(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t fraction = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign ? -magnitude : magnitude;
  }
  const uint32_t wideExponent = exponent == 0x1f ? 0xff : exponent + 127 - 15;
  const uint32_t wide = sign | (wideExponent << 23) | (fraction << 13);
  float value;
  std::memcpy(&value, &wide, sizeof(value));
  return value;
}

} // namespace delta::runtime
