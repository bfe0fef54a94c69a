//===- Elementwise.cuh - arithmetic on f32 values ---------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic element by element on every distributed f32 value (Fragment,
// RowSlice, ColumnSlice, Flat) and on plain floats under the same names. A
// value type takes part by naming `elementwise`, `size` and an array x[size].
// Both operands of an operator have the same type; spread_rows and
// spread_columns make shapes equal. Nothing here may move data between threads
// or touch memory.
//
// The names of the scalar functions are those of the CUDA math library; call
// them as delta::exp and so on, or from inside namespace delta.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_DEVICE_ELEMENTWISE_CUH
#define DELTA_DEVICE_ELEMENTWISE_CUH

#include "delta/Device/Element.cuh"

namespace delta {

/// The smaller operand; NaN if either is NaN (as arith.minimumf).
DELTA_DEVICE float min(float a, float b) {
  float r;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}

/// The larger operand; NaN if either is NaN (as arith.maximumf).
DELTA_DEVICE float max(float a, float b) {
  float r;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(r) : "f"(a), "f"(b));
  return r;
}

/// 2^x within 2 ulp; exact at 0; results below 2^-126 are 0.
DELTA_DEVICE float exp2(float x) {
  float r;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r;
}

/// e^x as exp2(x log2 e). The product is rounded once, so the relative error is
/// at most 2^-22 + |x| 2^-24; exact at 0; 0 below x = -87.3.
DELTA_DEVICE float exp(float x) { return exp2(x * 1.4426950408889634f); }

/// The natural logarithm, absolute error at most 2^-22 between 0.5 and 2 and
/// relative error 2^-21 elsewhere; exactly 0 at 1, -inf at 0, NaN below 0.
DELTA_DEVICE float log(float x) {
  float r;
  asm("lg2.approx.f32 %0, %1;" : "=f"(r) : "f"(x));
  return r * 0.6931471805599453f;
}

/// x^(-1/2) within 1 ulp: the hardware's estimate and one Newton step. Infinity
/// at 0, 0 at infinity, NaN below 0.
DELTA_DEVICE float rsqrt(float x) {
  float y;
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  const float residual = fmaf(-x * y, y, 1.0f);
  const float step = fmaf(0.5f * y, residual, y);
  // At 0 and infinity the estimate is exact, and the residual would be 0 x
  // infinity.
  return x > 0.0f && x < __int_as_float(0x7f800000) ? step : y;
}

/// x rounded to the nearest integer, halves to even (as math.roundeven).
DELTA_DEVICE float round_even(float x) { return rintf(x); }

/// 1 / (1 + e^-x), relative error about 2^-21 + |x| 2^-24; exactly 0.5 at 0.
DELTA_DEVICE float sigmoid(float x) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(1.0f + exp(-x)));
  return r;
}

/// x rounded to the 16-bit type T (nearest even), as a float.
template <class T> DELTA_DEVICE float round_to(float x) {
  return Element<T>::to_float(Element<T>::from_float(x));
}

namespace detail {

template <class F, class Op> DELTA_DEVICE F map(const F &a, Op op) {
  F r;
#pragma unroll
  for (int i = 0; i < F::size; ++i)
    r.x[i] = op(a.x[i]);
  return r;
}

template <class F, class Op> DELTA_DEVICE F map(const F &a, const F &b, Op op) {
  F r;
#pragma unroll
  for (int i = 0; i < F::size; ++i)
    r.x[i] = op(a.x[i], b.x[i]);
  return r;
}

} // namespace detail

/// The value of type F whose elements are all `x`.
template <class F, class = typename F::elementwise>
DELTA_DEVICE F fill(float x) {
  F r;
#pragma unroll
  for (int i = 0; i < F::size; ++i)
    r.x[i] = x;
  return r;
}

template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator+(const F &a, const F &b) {
  return detail::map(a, b, [](float x, float y) { return x + y; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator-(const F &a, const F &b) {
  return detail::map(a, b, [](float x, float y) { return x - y; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator*(const F &a, const F &b) {
  return detail::map(a, b, [](float x, float y) { return x * y; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator/(const F &a, const F &b) {
  return detail::map(a, b, [](float x, float y) { return x / y; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator-(const F &a) {
  return detail::map(a, [](float x) { return -x; });
}

template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator+(const F &a, float b) {
  return detail::map(a, [b](float x) { return x + b; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator-(const F &a, float b) {
  return detail::map(a, [b](float x) { return x - b; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator*(const F &a, float b) {
  return detail::map(a, [b](float x) { return x * b; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator/(const F &a, float b) {
  return detail::map(a, [b](float x) { return x / b; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator/(float a, const F &b) {
  return detail::map(b, [a](float x) { return a / x; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator+(float a, const F &b) {
  return b + a;
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator-(float a, const F &b) {
  return detail::map(b, [a](float x) { return a - x; });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F operator*(float a, const F &b) {
  return b * a;
}

template <class F, class = typename F::elementwise>
DELTA_DEVICE F min(const F &a, const F &b) {
  return detail::map(a, b, [](float x, float y) { return min(x, y); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F min(const F &a, float b) {
  return detail::map(a, [b](float x) { return min(x, b); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F max(const F &a, const F &b) {
  return detail::map(a, b, [](float x, float y) { return max(x, y); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F max(const F &a, float b) {
  return detail::map(a, [b](float x) { return max(x, b); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F exp2(const F &a) {
  return detail::map(a, [](float x) { return exp2(x); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F exp(const F &a) {
  return detail::map(a, [](float x) { return exp(x); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F log(const F &a) {
  return detail::map(a, [](float x) { return log(x); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F rsqrt(const F &a) {
  return detail::map(a, [](float x) { return rsqrt(x); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F round_even(const F &a) {
  return detail::map(a, [](float x) { return round_even(x); });
}
template <class F, class = typename F::elementwise>
DELTA_DEVICE F sigmoid(const F &a) {
  return detail::map(a, [](float x) { return sigmoid(x); });
}
template <class T, class F, class = typename F::elementwise>
DELTA_DEVICE F round_to(const F &a) {
  return detail::map(a, [](float x) { return round_to<T>(x); });
}

} // namespace delta

#endif // DELTA_DEVICE_ELEMENTWISE_CUH
