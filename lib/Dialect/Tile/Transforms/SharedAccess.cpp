//===- SharedAccess.cpp - accesses to shared buffers ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements SharedAccess.h. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta::tile;

/// Columns in a panel of a swizzled tile: 128 bytes of 16-bit elements.
static constexpr int64_t kPanelColumns = 64;

MemRefType delta::tile::getSharedType(ArrayRef<int64_t> shape,
                                      Type elementType) {
  int64_t swizzle = 0;
  if (elementType.getIntOrFloatBitWidth() == 16) {
    if (shape.size() != 2 || shape[0] % 8 != 0 ||
        (shape[1] != 16 && shape[1] != 32 && shape[1] % kPanelColumns != 0))
      return {};
    swizzle = 2 * std::min(shape[1], kPanelColumns);
  } else if (!elementType.isF32() || shape.empty() || shape.size() > 2) {
    return {};
  }
  return MemRefType::get(shape, elementType, MemRefLayoutAttrInterface(),
                         SmemAttr::get(elementType.getContext(), swizzle));
}

SmallVector<SharedAccess> delta::tile::getSharedAccesses(Operation *op) {
  SmallVector<SharedAccess> accesses;
  auto add = [&](Value buffer, bool reads, bool writes) {
    auto type =
        dyn_cast_or_null<MemRefType>(buffer ? buffer.getType() : Type());
    if (type && isa_and_nonnull<SmemAttr>(type.getMemorySpace()))
      accesses.push_back({buffer, reads, writes});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<CopyOp>([&](CopyOp copy) {
        add(copy.getShared(), copy.getToGlobal(), !copy.getToGlobal());
      })
      .Case<AwaitOp>([&](AwaitOp await) {
        for (Value inflight : await.getInflight()) {
          if (auto copy = inflight.getDefiningOp<CopyOp>())
            add(copy.getShared(), copy.getToGlobal(), !copy.getToGlobal());
          // The products read their operands until then.
          for (auto dot = inflight.getDefiningOp<DotStartOp>(); dot;
               dot = dot.getAcc() ? dot.getAcc().getDefiningOp<DotStartOp>()
                                  : DotStartOp()) {
            add(dot.getA(), true, false);
            add(dot.getB(), true, false);
          }
        }
      })
      .Case<ReadOp>([&](ReadOp read) { add(read.getBuffer(), true, false); })
      .Case<WriteOp>(
          [&](WriteOp write) { add(write.getBuffer(), false, true); })
      .Case<DotOp, DotStartOp>([&](auto dot) {
        add(dot.getA(), true, false);
        add(dot.getB(), true, false);
      })
      .Case<ScanOp>([&](ScanOp scan) { add(scan.getScratch(), true, true); })
      .Case<TicketOp>(
          [&](TicketOp ticket) { add(ticket.getScratch(), true, true); })
      .Case<TriInverseOp>(
          [&](TriInverseOp inverse) { add(inverse.getScratch(), true, true); })
      .Case<TriSolveOp>([&](TriSolveOp solve) {
        add(solve.getFactors(), true, false);
        add(solve.getScratch(), true, true);
      })
      .Case<memref::LoadOp>(
          [&](memref::LoadOp load) { add(load.getMemRef(), true, false); });
  return accesses;
}

std::optional<GlobalAccess> delta::tile::getGlobalAccess(Operation *op) {
  using Access = std::optional<GlobalAccess>;
  return llvm::TypeSwitch<Operation *, Access>(op)
      .Case<LoadOp>([](LoadOp load) -> Access {
        return GlobalAccess{load.getSource(), false};
      })
      .Case<LoadIndexOp>([](LoadIndexOp load) -> Access {
        return GlobalAccess{load.getSource(), false};
      })
      .Case<StoreOp>([](StoreOp store) -> Access {
        return GlobalAccess{store.getDest(), true};
      })
      .Case<CopyOp>([](CopyOp copy) -> Access {
        return GlobalAccess{copy.getGlobal(), copy.getToGlobal()};
      })
      .Case<SignalOp, ExpectOp, TicketOp>(
          [](auto) -> Access { return GlobalAccess{Value(), true}; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether `value` is a multiple of `factor` for all arguments of the kernel.
static bool isMultipleOf(Value value, int64_t factor) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue() % factor == 0;
  if (auto product = value.getDefiningOp<arith::MulIOp>())
    return isMultipleOf(product.getLhs(), factor) ||
           isMultipleOf(product.getRhs(), factor);
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return isMultipleOf(sum.getLhs(), factor) &&
           isMultipleOf(sum.getRhs(), factor);
  return false;
}

bool delta::tile::isAligned(Value array, ValueRange indices, int64_t bytes) {
  auto type = cast<MemRefType>(array.getType());
  int64_t elements = bytes * 8 / type.getElementTypeBitWidth();
  return type.getLayout().isIdentity() &&
         !type.isDynamicDim(type.getRank() - 1) &&
         type.getShape().back() % elements == 0 &&
         isMultipleOf(indices.back(), elements);
}

bool delta::tile::containsBarrier(Operation *op) {
  // A scan within one warp has none.
  if (auto scan = dyn_cast<ScanOp>(op))
    return scan.getScratch() &&
           cast<RankedTensorType>(scan.getType()).getShape()[0] > 32;
  if (auto inverse = dyn_cast<TriInverseOp>(op))
    return inverse.getScratch() != nullptr;
  if (auto solve = dyn_cast<TriSolveOp>(op))
    return solve.getScratch() != nullptr;
  return isa<BarrierOp>(op);
}

int64_t delta::tile::getRoleBarrier(Operation *op) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    auto roles = dyn_cast<RolesOp>(region->getParentOp());
    if (!roles)
      continue;
    int64_t id = 1;
    for (Attribute role :
         roles.getRoles().getValue().take_front(region->getRegionNumber()))
      id += cast<RoleAttr>(role).getInstances();
    return id;
  }
  return 0;
}
