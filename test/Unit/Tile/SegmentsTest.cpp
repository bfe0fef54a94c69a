//===- SegmentsTest.cpp - tests of the choice of segments -------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "delta/Device/Segments.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace delta;

namespace {

constexpr ScanCosts costs = {
    {{800, 110}, {1000, 450}}, {{680, 30}, {850, 100}}, 2350, 7000};
constexpr int64_t numbers[] = {800, 110, 1000, 450,  680,
                               30,  850, 100,  2350, 7000};

// A call of one sequence with many chunks fills the GPU with segments, a call
// of many sequences needs none.
TEST(SegmentsTest, FewChainsAreCut) {
  constexpr int64_t multiprocessors = 132;
  auto choose = [](int64_t chains, int64_t chunks) {
    return choose_segments<1, 2>(costs, chains, chunks,
                                 /*parts=*/2, multiprocessors);
  };
  EXPECT_EQ(choose(/*chains=*/64, /*chunks=*/1).count, 1);
  EXPECT_GT(choose(/*chains=*/4, /*chunks=*/1024).count, 4);
  EXPECT_EQ(choose(/*chains=*/1024, /*chunks=*/1024).count, 1);
  // Segments cover the sequence, and none of them is empty.
  Segments cut = choose(4, 1000);
  EXPECT_GE(cut.count * cut.length, 1000);
  EXPECT_LT((cut.count - 1) * cut.length, 1000);
}

TEST(SegmentsTest, ChunksTakeWaves) {
  const ChunkCost chunk[2] = {{100, 10}, {150, 20}};
  EXPECT_EQ(chunk_time(chunk[0], 1, 0, 4), 0);
  EXPECT_EQ(chunk_time(chunk[0], 1, 2, 4), 100 + 10);
  EXPECT_EQ(chunk_time(chunk[0], 1, 4, 4), 100 + 2 * 10);
  EXPECT_EQ(chunk_time(chunk[0], 1, 5, 4), 2 * 100 + 3 * 10);
  EXPECT_EQ(chunk_time(chunk[1], 2, 5, 4), 150 + 2 * 20);
  EXPECT_EQ((least_chunk_time<1, 2>(chunk, 8, 4)), 150 + 2 * 20);
}

/// Folds what `op`, whose operands are constants, decomposes to.
SmallVector<int64_t> fold(ModuleOp module, DecomposableOpInterface op) {
  OpBuilder builder(op);
  FailureOr<SmallVector<Value>> results = op.decompose(builder);
  EXPECT_TRUE(succeeded(results));
  auto keep = func::ReturnOp::create(builder, op->getLoc(), *results);
  (void)applyPatternsGreedily(module, RewritePatternSet(module.getContext()));
  SmallVector<int64_t> numbers;
  for (Value value : keep.getOperands()) {
    APInt number;
    EXPECT_TRUE(matchPattern(value, m_ConstantInt(&number)));
    numbers.push_back(number.getSExtValue());
  }
  return numbers;
}

// The op means on the CPU, and in the manifest, what the launcher computes.
TEST(SegmentsTest, DecompositionIsTheFunction) {
  MLIRContext context;
  context
      .loadDialect<arith::ArithDialect, func::FuncDialect, tile::TileDialect>();
  for (int64_t multiprocessors : {1, 108, 132})
    for (int64_t chains : {0, 1, 3, 64, 200})
      for (int64_t chunks : {0, 1, 2, 17, 256, 4096})
        for (bool arePaired : {false, true}) {
          OwningOpRef<ModuleOp> module =
              ModuleOp::create(UnknownLoc::get(&context));
          ImplicitLocOpBuilder b(module->getLoc(), &context);
          b.setInsertionPointToStart(module->getBody());
          auto func = func::FuncOp::create(b, "f", b.getFunctionType({}, {}));
          b.setInsertionPointToStart(func.addEntryBlock());
          auto index = [&](int64_t value) -> Value {
            return arith::ConstantIndexOp::create(b, value);
          };
          SmallVector<int64_t> tiles = {1};
          if (arePaired)
            tiles.push_back(2);
          auto op = tile::ChooseSegmentsOp::create(
              b, b.getIndexType(), b.getIndexType(), index(chunks),
              index(chains), index(multiprocessors), /*parts=*/2, tiles,
              numbers);
          SmallVector<int64_t> folded = fold(*module, op);
          Segments expected = arePaired
                                  ? choose_segments<1, 2>(costs, chains, chunks,
                                                          2, multiprocessors)
                                  : choose_segments<1>(costs, chains, chunks, 2,
                                                       multiprocessors);
          EXPECT_EQ(folded[0], expected.count);
          EXPECT_EQ(folded[1], expected.length);
        }
}

} // namespace
