//===- DecayOps.cpp - decay inside a chunk ----------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Prefix sums of log decays, and a decay of each element of a square.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "TileBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace delta;

LogicalResult GatePrefixOp::verify() {
  return expectRank(*this, "decay", getDecay(), 1); // N6
}

Results GatePrefixOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value empty =
      tensor::EmptyOp::create(b, getTileShape(getDecay()), b.getF32Type());
  auto loop = scf::ForOp::create(
      b, b.index(0), b.index(getTileShape(getDecay())[0]), b.index(1),
      {b.f32(0.0f), empty},
      [&](OpBuilder &inner, Location loc, Value row, ValueRange carried) {
        TileBuilder b(loc, inner);
        Value decay = tensor::ExtractOp::create(b, getDecay(), row);
        Value sum = b.add(carried[0], decay);
        Value prefix = tensor::InsertOp::create(b, sum, carried[1], row);
        scf::YieldOp::create(b, ValueRange{sum, prefix});
      });
  return results(loop.getResult(1));
}

LogicalResult DecayOp::verify() {
  if (failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  // N7: above the diagonal the exponent is positive and unbounded.
  if (getPart() == Part::Full)
    return emitOpError("part: expected lower or strict_lower, got full");
  return success(
      succeeded(
          expectTriangle(*this, "input", getInput(), getPart(), getSteps())) &&
      succeeded(expectShape(*this, "rows", getRows(), extent(getInput(), 0))) &&
      succeeded(
          expectShape(*this, "columns", getColumns(), extent(getInput(), 1))));
}

Results DecayOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(
      getTileShape(getInput()), {getInput(), getRows(), getColumns()},
      {b.elements(), b.rows(), b.columns()},
      [&](TileBuilder &b, ValueRange in) {
        Value kept =
            b.onPart(b.coordinate(0), b.coordinate(1), getPart(), getSteps());
        return b.orZero(kept, b.mul(in[0], b.exp(b.sub(in[1], in[2]))));
      }));
}

bool DecayOp::ignoresOutside(OpOperand &x, Part part, int64_t steps) {
  return &x == &getInputMutable() &&
         static_cast<uint64_t>(steps) == getSteps() &&
         (getPart() == part || getPart() == Part::StrictLower);
}
