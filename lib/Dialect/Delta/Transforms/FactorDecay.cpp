//===- FactorDecay.cpp - decays as factors of rows --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta-factor-decay`. Writes out what the `decay` of a read or an update
/// means (DeltaChunkOps.td), with vectors of factors.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace delta {
#define GEN_PASS_DEF_FACTORDECAY
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

using namespace mlir;
using namespace delta;

/// Elements of e_chunk: 16 bytes, the least that a bulk copy moves.
static constexpr int64_t kRepeats = 4;

namespace {

/// Factors of one prefix sum, written in front of the op that needs them.
class Factors {
public:
  Factors(Operation *user, Value prefix)
      : b(user->getLoc(), user), loc(user->getLoc()), prefix(prefix) {}

  /// exp(G) for role `read`, exp(G_R - G) for role `write`, under the name
  /// `text`.
  Value rows(ReadRole role, StringRef text);
  /// exp(G_R), `kRepeats` times.
  Value chunk();

private:
  void name(StringRef text) {
    b.setLoc(NameLoc::get(b.getStringAttr(text), loc));
  }
  /// G_R `extent` times. Rows beyond the sequence add no decay, so it is the
  /// last element.
  Value total(int64_t extent);

  ImplicitLocOpBuilder b;
  Location loc;
  Value prefix;
};

} // namespace

Value Factors::total(int64_t extent) {
  name("G_last");
  int64_t rows = cast<RankedTensorType>(prefix.getType()).getShape()[0];
  Value last = arith::ConstantIndexOp::create(b, rows - 1);
  Value element = tensor::ExtractOp::create(b, prefix, last);
  return tensor::SplatOp::create(b, element,
                                 RankedTensorType::get(extent, b.getF32Type()));
}

Value Factors::rows(ReadRole role, StringRef text) {
  Value exponent = prefix;
  if (role == ReadRole::Write) {
    int64_t rows = cast<RankedTensorType>(prefix.getType()).getShape()[0];
    Value last = total(rows);
    name("G_rest");
    exponent = arith::SubFOp::create(b, last, prefix);
  }
  name(text);
  return math::ExpOp::create(b, exponent);
}

Value Factors::chunk() {
  Value last = total(kRepeats);
  name("e_chunk");
  return math::ExpOp::create(b, last);
}

static void factor(ReadOp op) {
  // Queries are read with a scale, which their factors take over.
  StringRef name = op.getScale() == APFloat(1.0f) ? "e_in" : "e_read";
  Value factors = Factors(op, op.getDecay()).rows(op.getRole(), name);
  op.getDecayMutable().clear();
  op.setRole(ReadRole::Read);
  // Behind a factor that is there already: what they merge to has this name.
  Value result = op.getResult();
  if (op->hasOneUse())
    if (auto scale = dyn_cast<ScaleOp>(*op->user_begin()))
      result = scale.getResult();
  OpBuilder b(op.getContext());
  b.setInsertionPointAfterValue(result);
  auto scaled = ScaleOp::create(b, op.getLoc(), op.getType(), result, factors,
                                /*axis=*/0);
  result.replaceAllUsesExcept(scaled.getResult(), scaled);
}

static void factor(UpdateOp op) {
  Factors factors(op, op.getDecay());
  Value chunk = factors.chunk(), rows = factors.rows(op.getRole(), "e_out");
  op.getDecayMutable().clear();
  op.setRole(ReadRole::Write);
  ImplicitLocOpBuilder b(op.getState().getLoc(), op);
  Value first = arith::ConstantIndexOp::create(b, 0);
  Value element = tensor::ExtractOp::create(b, chunk, first);
  Value everywhere =
      tensor::SplatOp::create(b, element, op.getState().getType());
  Value state = arith::MulFOp::create(b, op.getState(), everywhere);
  op.getStateMutable().assign(state);
  b.setLoc(op.getValue().getLoc());
  Value value = ScaleOp::create(b, op.getValue().getType(), op.getValue(), rows,
                                /*axis=*/0);
  op.getValueMutable().assign(value);
}

namespace {

struct FactorDecayPass : public delta::impl::FactorDecayBase<FactorDecayPass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (auto read = dyn_cast<ReadOp>(op); read && read.getDecay())
        factor(read);
      else if (auto update = dyn_cast<UpdateOp>(op);
               update && update.getDecay())
        factor(update);
    });
    // Not the whole canonicalizer: it would dissolve a loop of one chunk.
    RewritePatternSet patterns(&getContext());
    ScaleOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
