//===- FactorDecay.cpp - decays as factors of rows --------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `delta-factor-decay`. Writes out what the `decay` of an op means
/// (DecayOpInterface), with vectors of factors.
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

/// Multiplies `state` by the first of the factors `chunk`.
static void decayState(OpOperand &state, Value chunk) {
  ImplicitLocOpBuilder b(chunk.getLoc(), state.getOwner());
  Value first = arith::ConstantIndexOp::create(b, 0);
  Value element = tensor::ExtractOp::create(b, chunk, first);
  b.setLoc(state.get().getLoc());
  Value everywhere = tensor::SplatOp::create(b, element, state.get().getType());
  state.set(arith::MulFOp::create(b, state.get(), everywhere));
}

/// Multiplies rows by `factors` where the decay's may go.
static void scaleRows(DecayOpInterface op, RowFactorPlace place,
                      Value factors) {
  OpBuilder b(op);
  if (place.operand) {
    Value tile = place.operand->get();
    place.operand->set(ScaleOp::create(b, tile.getLoc(), tile.getType(), tile,
                                       factors, /*axis=*/0));
    return;
  }
  // After a factor that is there already: what they merge to has this name.
  Value result = op->getResult(0);
  if (op->hasOneUse())
    if (auto scale = dyn_cast<ScaleOp>(*op->user_begin()))
      result = scale.getResult();
  b.setInsertionPointAfterValue(result);
  auto scaled = ScaleOp::create(b, op.getLoc(), result.getType(), result,
                                factors, place.axis);
  result.replaceAllUsesExcept(scaled.getResult(), scaled);
}

static void factor(DecayOpInterface op) {
  RowFactorPlace place = *op.getRowFactorPlace(op.getDecayedRows());
  // Queries are read with a scale, which their factors take over.
  StringRef name = place.operand                    ? "e_out"
                   : op.getScale() == APFloat(1.0f) ? "e_in"
                                                    : "e_read";
  Factors factors(op, op.getDecay());
  OpOperand *state = op.getDecayedState();
  Value chunk = state ? factors.chunk() : Value();
  Value rows = factors.rows(op.getRole(), name);
  op.clearDecay();
  if (state)
    decayState(*state, chunk);
  scaleRows(op, place, rows);
}

namespace {

struct FactorDecayPass : public delta::impl::FactorDecayBase<FactorDecayPass> {
  void runOnOperation() override {
    getOperation().walk([](DecayOpInterface op) {
      if (op.getDecay())
        factor(op);
    });
    // Not the whole canonicalizer: it would dissolve a loop of one chunk.
    RewritePatternSet patterns(&getContext());
    ScaleOp::getCanonicalizationPatterns(patterns, &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
