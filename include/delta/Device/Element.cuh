//===- Element.cuh - 16-bit element types -----------------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// bf16 and fp16 and their conversion from and to f32. Every conversion to 16
// bits rounds to nearest even and does not saturate: a value that is too large
// becomes an infinity, a NaN stays a NaN. Nothing here may hold a layout.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_ELEMENT_CUH
#define DELTA_DEVICE_ELEMENT_CUH

#include "delta/Device/Base.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace delta {

using bf16 = __nv_bfloat16;
using half_t = __half;

/// Conversions of an element type T (float, bf16, half_t): of one element, and
/// for 16-bit types of a pair in one register, with the element of the lower
/// index in the low half.
template <class T> struct Element;

/// Whether T is bf16. (Not every compiler offers <type_traits>.)
template <class T> inline constexpr bool is_bf16 = false;
template <> inline constexpr bool is_bf16<bf16> = true;

template <> struct Element<float> {
  static DELTA_DEVICE float to_float(float x) { return x; }
  static DELTA_DEVICE float from_float(float x) { return x; }
};

template <> struct Element<bf16> {
  static DELTA_DEVICE float to_float(bf16 x) { return __bfloat162float(x); }
  static DELTA_DEVICE bf16 from_float(float x) {
    return __float2bfloat16_rn(x);
  }

  static DELTA_DEVICE uint32_t pack(float low, float high) {
    uint32_t r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
  }
  static DELTA_DEVICE float low(uint32_t pair) {
    return __uint_as_float(pair << 16);
  }
  static DELTA_DEVICE float high(uint32_t pair) {
    return __uint_as_float(pair & 0xffff0000u);
  }
};

template <> struct Element<half_t> {
  static DELTA_DEVICE float to_float(half_t x) { return __half2float(x); }
  static DELTA_DEVICE half_t from_float(float x) { return __float2half_rn(x); }

  static DELTA_DEVICE uint32_t pack(float low, float high) {
    uint32_t r;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
  }
  static DELTA_DEVICE float low(uint32_t pair) {
    float r;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, l; }"
        : "=f"(r)
        : "r"(pair));
    return r;
  }
  static DELTA_DEVICE float high(uint32_t pair) {
    float r;
    asm("{ .reg .b16 l, h; mov.b32 {l, h}, %1; cvt.f32.f16 %0, h; }"
        : "=f"(r)
        : "r"(pair));
    return r;
  }
};

} // namespace delta

#endif // DELTA_DEVICE_ELEMENT_CUH
