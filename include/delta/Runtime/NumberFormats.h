//===- NumberFormats.h - bf16 and f16 bit patterns --------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Conversions between the 16-bit floating point formats and double. All
/// rounding is to nearest, ties to even, in a single step from double: going
/// through float first would round twice. Subnormals are kept, values beyond
/// the largest finite number become infinity, and a NaN stays a (quiet) NaN
/// with its sign. A float argument converts to double without loss, so the
/// same functions round from f32.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_RUNTIME_NUMBERFORMATS_H
#define DELTA_RUNTIME_NUMBERFORMATS_H

#include <cstdint>

namespace delta::runtime {

/// The bfloat16 (1 sign, 8 exponent, 7 fraction bits) nearest to \p value.
uint16_t toBF16Bits(double value);

/// The IEEE binary16 (1 sign, 5 exponent, 10 fraction bits) nearest to
/// \p value.
uint16_t toF16Bits(double value);

/// The exact value of a bfloat16.
float fromBF16Bits(uint16_t bits);

/// The exact value of an IEEE binary16.
float fromF16Bits(uint16_t bits);

} // namespace delta::runtime

#endif // DELTA_RUNTIME_NUMBERFORMATS_H
