//===- LowerConverts.cpp - layout changes through shared memory -*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-lower-converts`. A vector with several conversions is written once.
/// `tile-place-barriers` adds the barrier between write and reads.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/Passes.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Builders.h"

namespace delta::tile {
#define GEN_PASS_DEF_LOWERCONVERTS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// The shared vector to which `value` is written, directly after its
/// definition.
static Value writeOut(OpBuilder &b, KernelOp kernel, Value value) {
  for (Operation *user : value.getUsers())
    if (auto write = dyn_cast<WriteOp>(user))
      return write.getBuffer();
  auto type = cast<RankedTensorType>(value.getType());
  b.setInsertionPointToStart(&kernel.getBody().front());
  Value buffer = AllocOp::create(
      b, value.getLoc(), getSharedType(type.getShape(), type.getElementType()),
      /*offset=*/IntegerAttr());
  b.setInsertionPointAfterValue(value);
  WriteOp::create(b, value.getLoc(), value, buffer, /*transpose=*/false);
  return buffer;
}

static LogicalResult lowerConverts(KernelOp kernel) {
  SmallVector<ConvertOp> converts;
  kernel.walk([&](ConvertOp convert) { converts.push_back(convert); });
  OpBuilder b(kernel.getContext());
  llvm::DenseMap<Value, Value> buffers;
  for (ConvertOp convert : converts) {
    Value input = convert.getInput();
    auto from = cast<RankedTensorType>(input.getType());
    auto to = cast<RankedTensorType>(convert.getType());
    auto rows = dyn_cast_or_null<SliceAttr>(from.getEncoding());
    bool isWritable = isa_and_nonnull<FlatAttr>(from.getEncoding()) ||
                      (rows && rows.getAxis() == 0);
    if (!isWritable ||
        !isa_and_nonnull<FlatAttr, SliceAttr>(to.getEncoding()) ||
        !from.getElementType().isF32())
      return convert.emitError("no way through shared memory from ")
             << from << " to " << to;
    Value &buffer = buffers[input];
    if (!buffer)
      buffer = writeOut(b, kernel, input);
    b.setInsertionPoint(convert);
    auto read = ReadOp::create(b, convert.getLoc(), to, buffer,
                               /*transpose=*/false);
    convert.replaceAllUsesWith(read.getTile());
    convert.erase();
  }
  return success();
}

namespace {

struct LowerConvertsPass
    : public delta::tile::impl::LowerConvertsBase<LowerConvertsPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (failed(lowerConverts(kernel)))
        return signalPassFailure();
  }
};

} // namespace
