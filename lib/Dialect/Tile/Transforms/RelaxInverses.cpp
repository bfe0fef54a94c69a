//===- RelaxInverses.cpp - precision of inverses ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-relax-inverses`. With operands rounded by a relative 2^-12 the result
/// is the inverse of a matrix that differs as little, entry by entry: an error
/// of M dA M. For beta up to 1 it is a random walk that ends below a rounding
/// to bf16 (2^-9); for larger beta the entries of M alternate without decay,
/// and with correlated keys it does not.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace delta::tile {
#define GEN_PASS_DEF_RELAXINVERSES
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// The largest `entry_bound` of an inverse that amplifies no rounding: 1 but
/// for what the roundings of keys add.
static constexpr float kLargestBound = 1.0f + 0x1p-6f;

/// Whether every use of `value` rounds it to bf16, as it is or times something.
static bool isRoundedToBF16(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           if (isa<arith::TruncFOp>(user))
             return getElementTypeOrSelf(user->getResult(0)).isBF16();
           return isa<arith::MulFOp>(user) &&
                  isRoundedToBF16(user->getResult(0));
         });
}

namespace {

struct RelaxInversesPass
    : public delta::tile::impl::RelaxInversesBase<RelaxInversesPass> {
  void runOnOperation() override {
    getOperation().walk([](TriInverseOp inverse) {
      std::optional<APFloat> bound = inverse.getEntryBound();
      if (bound && bound->convertToFloat() <= kLargestBound &&
          inverse.getMethod() == InverseMethod::Substitute16Merge &&
          isRoundedToBF16(inverse.getResult()))
        inverse.setPrecision(InversePrecision::TF32);
    });
  }
};

} // namespace
