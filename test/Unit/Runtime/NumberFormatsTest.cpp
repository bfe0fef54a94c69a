//===- NumberFormatsTest.cpp - bf16 and f16 rounding ------------*- C++ -*-===//
//
// Part of the delta project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Every bit pattern, every midpoint between neighbours, and the special
/// values.
///
//===----------------------------------------------------------------------===//

#include "delta/Runtime/NumberFormats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace delta::runtime;

namespace {

struct Format {
  const char *name;
  uint16_t (*encode)(double);
  float (*decode)(uint16_t);
  uint16_t infinity;
};

class NumberFormats : public ::testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(
    All, NumberFormats,
    ::testing::Values(Format{"bf16", toBF16Bits, fromBF16Bits, 0x7f80},
                      Format{"f16", toF16Bits, fromF16Bits, 0x7c00}),
    [](const auto &info) { return info.param.name; });

TEST_P(NumberFormats, EveryPatternComesBack) {
  const Format &f = GetParam();
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float value = f.decode(static_cast<uint16_t>(bits));
    if ((bits & 0x7fff) > f.infinity) {
      ASSERT_TRUE(std::isnan(value)) << bits;
      const uint16_t back = f.encode(value);
      ASSERT_GT(back & 0x7fff, f.infinity) << "a NaN became a number";
      ASSERT_EQ(back & 0x8000, bits & 0x8000) << "a NaN lost its sign";
      continue;
    }
    ASSERT_EQ(f.encode(value), bits);
  }
}

/// Between neighbours a and b: everything up to the midpoint goes to a,
/// everything beyond to b, the midpoint to the even one. This covers the
/// subnormals and the step to infinity.
TEST_P(NumberFormats, NearestWithTiesToEven) {
  const Format &f = GetParam();
  for (uint16_t bits = 0; bits < f.infinity; ++bits) {
    const double low = f.decode(bits);
    // The step above the largest number is as wide as the one below it.
    const double high = bits + 1 < f.infinity
                            ? f.decode(bits + 1)
                            : low + (low - f.decode(bits - 1));
    const double middle = 0.5 * (low + high); // exact in double
    const uint16_t even = bits % 2 == 0 ? bits : bits + 1;
    const double up = std::numeric_limits<double>::infinity();
    ASSERT_EQ(f.encode(middle), even) << bits;
    ASSERT_EQ(f.encode(std::nextafter(middle, 0.0)), bits) << bits;
    ASSERT_EQ(f.encode(std::nextafter(middle, up)), bits + 1) << bits;
    ASSERT_EQ(f.encode(-middle), even | 0x8000) << bits;
  }
}

TEST_P(NumberFormats, SpecialValues) {
  const Format &f = GetParam();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(f.encode(infinity), f.infinity);
  EXPECT_EQ(f.encode(-infinity), f.infinity | 0x8000);
  EXPECT_EQ(f.encode(std::numeric_limits<double>::max()), f.infinity);
  EXPECT_EQ(f.encode(0.0), 0);
  EXPECT_EQ(f.encode(-0.0), 0x8000);
  EXPECT_EQ(f.encode(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(f.encode(-std::numeric_limits<double>::min()), 0x8000);
}

/// A value that rounds to a bf16 midpoint in f32, but lies above it.
TEST(NumberFormatsDouble, RoundsOnce) {
  const double value = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(toBF16Bits(value), 0x3f81);
  EXPECT_EQ(toBF16Bits(static_cast<float>(value)), 0x3f80);
}

TEST(NumberFormatsDouble, KnownPatterns) {
  EXPECT_EQ(toBF16Bits(1.0), 0x3f80);
  EXPECT_EQ(toBF16Bits(-2.5), 0xc020);
  EXPECT_EQ(toF16Bits(1.0), 0x3c00);
  EXPECT_EQ(toF16Bits(65504.0), 0x7bff);
  EXPECT_EQ(toF16Bits(65520.0), 0x7c00);
  EXPECT_EQ(toF16Bits(0x1p-24), 0x0001);
  EXPECT_EQ(toF16Bits(0x1p-25), 0x0000);
  EXPECT_EQ(fromF16Bits(0x8001), -0x1p-24f);
}

} // namespace
