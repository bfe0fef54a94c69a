//===- LinearLayoutTest.cpp - register layouts as bit maps ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The maps of the layouts against the tables of the instructions, element by
/// element.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>
#include <set>

using namespace mlir;
using namespace delta::tile;

namespace {

class LinearLayoutTest : public testing::Test {
protected:
  LinearLayoutTest() { context.loadDialect<TileDialect>(); }

  template <typename Layout>
  static LinearLayout map(Layout layout, ArrayRef<int64_t> shape) {
    FailureOr<LinearLayout> map =
        layout.toLinearLayout(shape, /*emitError=*/nullptr);
    EXPECT_TRUE(succeeded(map));
    return *map;
  }

  FragAttr frag(int64_t warps) { return FragAttr::get(&context, warps); }
  SliceAttr slice(int64_t axis, int64_t warps) {
    return SliceAttr::get(&context, axis, frag(warps));
  }
  FlatAttr flat(int64_t warps) { return FlatAttr::get(&context, warps); }

  RankedTensorType tensor(ArrayRef<int64_t> shape, Type element) {
    return RankedTensorType::get(shape, element);
  }

  MLIRContext context;
};

using Element = LinearLayout::Basis;

// PTX ISA, mma.m16n8k16, accumulators: c0, c1 in row group, c2, c3 in row
// group + 8, columns 2 * threadInGroup and the next one.
TEST_F(LinearLayoutTest, FragIsTheAccumulatorMap) {
  LinearLayout layout = map(frag(4), {64, 32});
  EXPECT_EQ(layout.getExtent(LinearLayout::Register), 16);
  EXPECT_EQ(layout.getExtent(LinearLayout::Lane), 32);
  EXPECT_EQ(layout.getExtent(LinearLayout::Warp), 4);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t c = 0; c < 16; ++c) {
        int64_t group = lane / 4, thread = lane % 4, block = c / 4;
        int64_t row = 16 * warp + group + (c % 4 >= 2 ? 8 : 0);
        int64_t column = 8 * block + 2 * thread + c % 2;
        EXPECT_EQ(layout.apply(c, lane, warp), (Element{row, column}));
      }
}

// PTX ISA, mma.m16n8k16, the 16-bit A operand: a0, a1 and a4, a5 in row group,
// a2, a3 and a6, a7 in row group + 8; columns 2 * threadInGroup + (i & 1), and
// 8 more from a4 on.
TEST_F(LinearLayoutTest, FragIsTheOperandMap) {
  LinearLayout layout = map(frag(1), {16, 16});
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t a = 0; a < 8; ++a) {
      int64_t row = lane / 4 + (a == 2 || a == 3 || a == 6 || a == 7 ? 8 : 0);
      int64_t column = lane % 4 * 2 + (a & 1) + (a >= 4 ? 8 : 0);
      EXPECT_EQ(layout.apply(a, lane, 0), (Element{row, column}));
    }
}

TEST_F(LinearLayoutTest, FragHoldsEveryElementOnce) {
  LinearLayout layout = map(frag(2), {32, 64});
  std::set<std::pair<int64_t, int64_t>> seen;
  for (int64_t warp = 0; warp < 2; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < layout.getElements(); ++reg) {
        Element at = layout.apply(reg, lane, warp);
        EXPECT_TRUE(seen.emplace(at[0], at[1]).second);
      }
  EXPECT_EQ(seen.size(), size_t(32 * 64));
}

TEST_F(LinearLayoutTest, RowSliceIsHeldByTheRow) {
  LinearLayout rows = map(slice(0, 4), {64});
  LinearLayout tile = map(frag(4), {64, 8});
  EXPECT_EQ(rows.getElements(), 2);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < 2; ++reg)
        // Register 2 reg of the tile is the first one in that row.
        EXPECT_EQ(rows.apply(reg, lane, warp)[0],
                  tile.apply(2 * reg, lane, warp)[0]);
}

TEST_F(LinearLayoutTest, ColumnSliceIsHeldByEveryWarp) {
  LinearLayout columns = map(slice(1, 4), {64});
  EXPECT_EQ(columns.getElements(), 16);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < 16; ++reg)
        EXPECT_EQ(columns.apply(reg, lane, warp)[0],
                  reg / 2 * 8 + lane % 4 * 2 + reg % 2);
}

TEST_F(LinearLayoutTest, FlatIsOneElementAThread) {
  LinearLayout layout = map(flat(4), {64});
  EXPECT_EQ(layout.getElements(), 1);
  // Only two of the four warps hold elements.
  EXPECT_EQ(layout.getExtent(LinearLayout::Warp), 2);
  for (int64_t thread = 0; thread < 64; ++thread)
    EXPECT_EQ(layout.apply(0, thread % 32, thread / 32)[0], thread);
  EXPECT_EQ(map(flat(1), {8}).getExtent(LinearLayout::Lane), 8);
}

TEST_F(LinearLayoutTest, EqualityIsOfMaps) {
  // Different attributes with the same places.
  EXPECT_EQ(map(flat(2), {64}), map(flat(4), {64}));
  EXPECT_NE(map(flat(2), {64}), map(flat(2), {32}));
  EXPECT_NE(map(frag(4), {64, 64}), map(frag(4), {64, 128}));
  EXPECT_NE(map(slice(0, 4), {64}), map(slice(1, 4), {64}));
  EXPECT_NE(map(slice(0, 4), {64}), map(flat(4), {64}));
}

TEST_F(LinearLayoutTest, Prints) {
  std::string text;
  llvm::raw_string_ostream(text) << map(frag(2), {32, 16});
  EXPECT_EQ(text, "register (0,1) (8,0) (0,8) lane (0,2) (0,4) (1,0) (2,0) "
                  "(4,0) warp (16,0)");
  text.clear();
  llvm::raw_string_ostream(text) << map(slice(1, 2), {8});
  EXPECT_EQ(text, "register (1) lane (2) (4) (0) (0) (0) warp (0)");
}

TEST_F(LinearLayoutTest, CountsRegisters) {
  Type f32 = Float32Type::get(&context), bf16 = BFloat16Type::get(&context);
  EXPECT_EQ(frag(4).getRegisters(tensor({64, 128}, f32)), 64);
  EXPECT_EQ(frag(4).getRegisters(tensor({64, 128}, bf16)), 32);
  EXPECT_EQ(slice(0, 4).getRegisters(tensor({64}, f32)), 2);
  EXPECT_EQ(slice(1, 4).getRegisters(tensor({64}, f32)), 16);
  EXPECT_EQ(flat(4).getRegisters(tensor({64}, bf16)), 1);
  // A shape that the layout cannot hold.
  EXPECT_EQ(frag(4).getRegisters(tensor({32, 128}, f32)), 0);
}

TEST_F(LinearLayoutTest, RefusesShapes) {
  auto holds = [](auto layout, ArrayRef<int64_t> shape) {
    return succeeded(layout.toLinearLayout(shape, /*emitError=*/nullptr));
  };
  EXPECT_FALSE(holds(frag(4), {64}));
  EXPECT_FALSE(holds(frag(4), {32, 64}));
  EXPECT_FALSE(holds(frag(4), {64, 4}));
  EXPECT_FALSE(holds(frag(4), {64, 24}));
  EXPECT_FALSE(holds(slice(0, 4), {64, 64}));
  EXPECT_FALSE(holds(slice(0, 4), {32}));
  EXPECT_FALSE(holds(flat(1), {64}));
  EXPECT_FALSE(holds(flat(1), {24}));
}

} // namespace
