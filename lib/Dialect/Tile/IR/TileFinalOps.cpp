//===- TileFinalOps.cpp - ops of the final form alone -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers of the ops of the final form: they check an op and its operand
/// types. `verify-tile-final` checks rules about a whole kernel.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace delta::tile;

static LogicalResult expectShared(Operation *op, StringRef name,
                                  MemRefType type) {
  if (isa_and_nonnull<SmemAttr>(type.getMemorySpace()))
    return success();
  return op->emitOpError() << name << ": expected a buffer in #tile.smem, got "
                           << type;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

static LogicalResult expectOffset(Operation *op, std::optional<int64_t> offset,
                                  int64_t alignment) {
  if (!offset || (*offset >= 0 && *offset % alignment == 0))
    return success();
  return op->emitOpError() << "offset: expected a multiple of " << alignment
                           << " bytes, got " << *offset;
}

LogicalResult AllocOp::verify() {
  auto type = cast<MemRefType>(getBuffer().getType());
  if (failed(verifySharedBuffer(type, [&] { return emitOpError(); })))
    return failure();
  return expectOffset(*this, getOffset(), getSharedAlignment(type));
}

int64_t CopyOp::getCopiedRows() {
  int64_t extent = cast<MemRefType>(getShared().getType()).getShape().front();
  return getRows() ? getRows() : extent;
}

LogicalResult CopyOp::verify() {
  auto global = cast<MemRefType>(getGlobal().getType());
  auto shared = cast<MemRefType>(getShared().getType());
  if (global.getMemorySpace())
    return emitOpError() << "global: expected a memref of global memory, got "
                         << global;
  if (failed(expectShared(*this, "shared", shared)) ||
      failed(expectBox(
          *this, "global", global, shared, getIndices().size(), getDims(),
          // A tensor map bounds rows, too.
          getBound() || getEngine() == Engine::Tma ? std::optional<int64_t>(0)
                                                   : std::nullopt)))
    return failure();
  if (getCopiedRows() > shared.getShape().front())
    return emitOpError() << "rows: expected at most the "
                         << shared.getShape().front()
                         << " rows of the shared buffer, got " << getRows();
  if (getBound() && getEngine() == Engine::Tma)
    return emitOpError() << "bound: expected none for a tma copy, which ends "
                            "where its array does";
  if (getToGlobal() && getEngine() == Engine::CpAsync)
    return emitOpError()
           << "engine: expected bulk or tma to global memory, got cp_async";
  if (getMulticast() && (getToGlobal() || getEngine() != Engine::Tma))
    return emitOpError() << "multicast: expected a tma copy into shared memory";
  return success();
}

/// The checks that `tile.read` and `tile.write` share.
static LogicalResult expectMove(Operation *op, RankedTensorType tile,
                                MemRefType buffer, bool transpose) {
  if (failed(expectShared(op, "buffer", buffer)) ||
      failed(expectElement(op, "tile", tile, buffer.getElementType())))
    return failure();
  SmallVector<int64_t> shape(buffer.getShape());
  if (transpose) {
    if (failed(expectRank(op, "buffer", buffer, 2)))
      return failure();
    std::swap(shape[0], shape[1]);
  }
  return expectShape(op, "tile", tile, shape);
}

LogicalResult ReadOp::verify() {
  return expectMove(*this, getTile().getType(),
                    cast<MemRefType>(getBuffer().getType()), getTranspose());
}

LogicalResult WriteOp::verify() {
  return expectMove(*this, getTile().getType(),
                    cast<MemRefType>(getBuffer().getType()), getTranspose());
}

LogicalResult BarrierOp::verify() {
  int64_t id = getId();
  if (id >= 0 && id <= 15)
    return success();
  return emitOpError() << "id: expected 0 to 15, got " << id;
}

//===----------------------------------------------------------------------===//
// In flight
//===----------------------------------------------------------------------===//

LogicalResult DotStartOp::verify() {
  if (failed(expectProduct(*this, getA().getType(), getB().getType(),
                           getInflight().getType(), getContract())))
    return failure();
  Type value = getInflight().getType().getValue();
  if (Value acc = getAcc()) {
    Type type = acc.getType();
    if (type != value && type != getInflight().getType())
      return emitOpError() << "acc: expected " << value
                           << ", possibly in flight, got " << type;
  }
  std::optional<ArrayRef<int64_t>> k = getK();
  if (!k)
    return success();
  int64_t extent =
      cast<ShapedType>(getA().getType()).getDimSize(getContract()[0]);
  if (k->size() == 2 && 0 <= (*k)[0] && (*k)[0] < (*k)[1] && (*k)[1] <= extent)
    return success();
  return emitOpError() << "k: expected a range [k0, k1) within [0, " << extent
                       << "), got [" << *k << "]";
}

LogicalResult AwaitOp::verify() {
  if (getInflight().empty())
    return emitOpError() << "inflight: expected at least one operand, got none";
  if (std::optional<int64_t> pending = getPending(); pending && *pending < 0)
    return emitOpError() << "pending: expected at least 0, got " << *pending;
  SmallVector<Type> expected;
  for (Value operand : getInflight()) {
    Type value = cast<AsyncType>(operand.getType()).getValue();
    if (!isa<NoneType>(value))
      expected.push_back(value);
  }
  if (expected.size() != getValues().size())
    return emitOpError() << "values: expected " << expected.size()
                         << ", one for each operand that carries a value, got "
                         << getValues().size();
  for (auto [i, value] : llvm::enumerate(getValues()))
    if (value.getType() != expected[i])
      return emitOpError() << "values " << i << ": expected " << expected[i]
                           << ", got " << value.getType();
  return success();
}

//===----------------------------------------------------------------------===//
// Roles and rings
//===----------------------------------------------------------------------===//

LogicalResult RolesOp::verify() {
  if (getRoles().size() != getBodies().size())
    return emitOpError() << "bodies: expected one region for each of the "
                         << getRoles().size() << " roles, got "
                         << getBodies().size();
  if (getRoles().empty())
    return emitOpError() << "roles: expected at least one, got none";
  llvm::StringSet<> names;
  for (auto [attribute, body] : llvm::zip_equal(getRoles(), getBodies())) {
    auto role = cast<RoleAttr>(attribute);
    if (!names.insert(role.getName().getValue()).second)
      return emitOpError() << "roles: expected different names, got "
                           << role.getName() << " twice";
    if (body.getNumArguments() != 1 || !body.getArgument(0).getType().isIndex())
      return emitOpError() << "role " << role.getName()
                           << ": expected one argument of type index, the "
                              "instance, got "
                           << body.getArgumentTypes();
  }
  if (isa_and_nonnull<KernelOp>(getOperation()->getParentOp()))
    return success();
  return emitOpError() << "expected directly in a tile.kernel";
}

LogicalResult RingCreateOp::verify() {
  if (getName().empty())
    return emitOpError() << "name: expected a name, got none";
  int64_t consumers = getConsumers();
  if (consumers < 1)
    return emitOpError() << "consumers: expected at least 1, got " << consumers;
  return expectOffset(*this, getOffset(),
                      getSlotAlignment(getRing().getType()));
}

/// The checks that `tile.acquire` and `tile.peek` share.
static LogicalResult expectBuffers(Operation *op, RingType ring,
                                   TypeRange buffers) {
  ArrayRef<MemRefType> expected = ring.getBuffers();
  if (llvm::equal(buffers, expected))
    return success();
  return op->emitOpError() << "buffers: expected those of the ring, "
                           << expected << ", got " << buffers;
}

LogicalResult AcquireOp::verify() {
  return expectBuffers(*this, getRing().getType(), getBuffers().getTypes());
}

LogicalResult PeekOp::verify() {
  return expectBuffers(*this, getRing().getType(), getBuffers().getTypes());
}
