//===- SelectInversePrecision.cpp - precision of inverses ----------------*- C++
//-*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-select-inverse-precision`. TF32 rounds operands by a relative 2^-12.
/// The result is then the exact inverse of a matrix that differs by as little
/// in each entry, so its error is M dA M. For beta up to 1 this error is a
/// random walk that stays below a rounding to bf16 (2^-9). For larger beta the
/// entries of M alternate without decay, and with correlated keys the error
/// exceeds it.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace delta::tile {
#define GEN_PASS_DEF_SELECTINVERSEPRECISION
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// The largest `entry_bound` of an inverse that amplifies no rounding: 1, plus
/// the rounding errors of the keys.
static constexpr float kLargestBound = 1.0f + 0x1p-6f;

/// Whether every use rounds `value` to bf16, as it is or multiplied by another
/// value.
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

struct SelectInversePrecisionPass
    : public delta::tile::impl::SelectInversePrecisionBase<
          SelectInversePrecisionPass> {
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
