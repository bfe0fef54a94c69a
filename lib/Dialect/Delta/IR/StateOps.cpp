//===- StateOps.cpp - reads and updates of the state ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What reads a state of K x V and what makes the next one.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "TileBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace delta;

/// exp(G_i) for role `read`, exp(G_R - G_i) for role `write`; G_R is `last`.
static Value decayFactor(TileBuilder &b, ReadRole role, Value prefix,
                         Value last) {
  return b.exp(role == ReadRole::Read ? prefix : b.sub(last, prefix));
}

static Value lastElement(TileBuilder &b, Value vector) {
  return tensor::ExtractOp::create(b, vector,
                                   b.index(getTileShape(vector)[0] - 1));
}

LogicalResult ReadOp::verify() {
  // N14
  if (failed(expectRank(*this, "state", getState(), 2)) ||
      failed(expectRank(*this, "input", getInput(), 2)))
    return failure();
  int64_t from = extent(getState(), 0), to = extent(getState(), 1);
  if (getTranspose())
    std::swap(from, to);
  int64_t rows = extent(getInput(), 0);
  if (failed(expectShape(*this, "input", getInput(), {rows, from})) ||
      failed(expectShape(*this, "result", getResult(), {rows, to})) ||
      (getDecay() && failed(expectShape(*this, "decay", getDecay(), rows))))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

Results ReadOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  ArrayRef<int64_t> shape = getTileShape(getResult());
  Value state = getTranspose() ? b.transpose(getState()) : Value(getState());
  Value product = b.multiply(getInput(), state, b.filled(shape, 0.0f));
  Value scale = b.f32(getScale().convertToFloat());
  if (!getDecay())
    return results(b.elementwise(
        shape, product, b.elements(),
        [&](TileBuilder &b, ValueRange in) { return b.mul(in[0], scale); }));
  Value last = lastElement(b, getDecay());
  return results(
      b.elementwise(shape, {product, getDecay()}, {b.elements(), b.rows()},
                    [&](TileBuilder &b, ValueRange in) {
                      Value factor = decayFactor(b, getRole(), in[1], last);
                      return b.mul(in[0], b.mul(scale, factor));
                    }));
}

SmallVector<ProductFactor, 2> ReadOp::getFactors() {
  return {{&getInputMutable()}, {&getStateMutable()}};
}

/// Columns of a transposed read are rows of the state.
SmallVector<Value, 2> ReadOp::getLinearOperands() {
  if (getTranspose())
    return {};
  return {getState()};
}

std::optional<RowFactorPlace> ReadOp::getRowFactorPlace(OpOperand &x) {
  if (&x != &getInputMutable())
    return std::nullopt;
  return RowFactorPlace{};
}

bool ReadOp::scalesResult() { return true; }

OpOperand &ReadOp::getDecayedRows() { return getInputMutable(); }

OpOperand *ReadOp::getDecayedState() { return nullptr; }

void ReadOp::clearDecay() {
  getDecayMutable().clear();
  setRole(ReadRole::Read);
}

LogicalResult UpdateOp::verify() {
  // N15
  if (failed(expectRank(*this, "state", getState(), 2)) ||
      failed(expectRank(*this, "key", getKey(), 2)))
    return failure();
  int64_t rows = extent(getKey(), 0);
  if (failed(
          expectShape(*this, "key", getKey(), {rows, extent(getState(), 0)})) ||
      failed(expectShape(*this, "value", getValue(),
                         {rows, extent(getState(), 1)})) ||
      (getDecay() && failed(expectShape(*this, "decay", getDecay(), rows))))
    return failure();
  return expectFinite(*this, "scale", getScale());
}

Results UpdateOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  Value scale = b.f32(getScale().convertToFloat());
  if (!getDecay()) {
    Value keys = b.elementwise(
        getTileShape(getKey()), getKey(), b.elements(),
        [&](TileBuilder &b, ValueRange in) { return b.mul(in[0], scale); });
    return results(b.multiply(keys, getValue(),
                              b.accumulator(getState(), getState()),
                              /*transposeLhs=*/true));
  }
  Value last = lastElement(b, getDecay());
  Value keys = b.elementwise(
      getTileShape(getKey()), {getKey(), getDecay()}, {b.elements(), b.rows()},
      [&](TileBuilder &b, ValueRange in) {
        Value factor = decayFactor(b, getRole(), in[1], last);
        return b.mul(in[0], b.mul(scale, factor));
      });
  Value factor = b.exp(last);
  Value decayed = b.elementwise(
      getTileShape(getState()), getState(), b.elements(),
      [&](TileBuilder &b, ValueRange in) { return b.mul(in[0], factor); });
  return results(b.multiply(keys, getValue(), decayed, /*transposeLhs=*/true));
}

SmallVector<ProductFactor, 2> UpdateOp::getFactors() {
  return {{&getKeyMutable()}, {&getValueMutable()}};
}

SmallVector<Value, 2> UpdateOp::getLinearOperands() {
  return {getState(), getValue()};
}

/// f_i k_i^T u_i is k_i^T f_i u_i.
std::optional<RowFactorPlace> UpdateOp::getRowFactorPlace(OpOperand &x) {
  if (&x != &getKeyMutable())
    return std::nullopt;
  return RowFactorPlace{&getValueMutable()};
}

bool UpdateOp::scalesResult() { return false; }

OpOperand &UpdateOp::getDecayedRows() { return getKeyMutable(); }

OpOperand *UpdateOp::getDecayedState() { return &getStateMutable(); }

void UpdateOp::clearDecay() {
  getDecayMutable().clear();
  setRole(ReadRole::Write);
}

LogicalResult IdentityOp::verify() {
  // N20
  return expectRank(*this, "result", getResult(), 2);
}

Results IdentityOp::decompose(OpBuilder &builder) {
  TileBuilder b(getLoc(), builder);
  return results(b.elementwise(
      getTileShape(getResult()), ValueRange(), {},
      [&](TileBuilder &b, ValueRange) {
        Value column = arith::AddIOp::create(b, b.coordinate(0), getDiagonal());
        Value on = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                         b.coordinate(1), column);
        return b.orZero(on, b.f32(1.0f));
      }));
}
