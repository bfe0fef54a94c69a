//===- IndexArithmetic.cpp - indices as sums --------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements IndexArithmetic.h.
///
//===----------------------------------------------------------------------===//

#include "IndexArithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace delta::tile;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

/// Splits the operands of `op` into a constant and the other one.
static std::optional<std::pair<Value, int64_t>> splitConstant(Operation *op) {
  for (int i = 0; i < 2; ++i)
    if (std::optional<int64_t> constant = getConstant(op->getOperand(i)))
      return std::pair(op->getOperand(1 - i), *constant);
  return std::nullopt;
}

void LinearIndex::add(Value index, int64_t factor) {
  Operation *def = index.getDefiningOp();
  if (std::optional<int64_t> value = getConstant(index)) {
    constant += factor * *value;
  } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(def)) {
    add(def->getOperand(0), factor);
    add(def->getOperand(1), isa<arith::AddIOp>(def) ? factor : -factor);
  } else if (auto split = isa_and_nonnull<arith::MulIOp>(def)
                              ? splitConstant(def)
                              : std::nullopt) {
    add(split->first, factor * split->second);
  } else {
    int64_t &coefficient = terms[index];
    coefficient += factor;
    if (coefficient == 0)
      terms.erase(index);
  }
}

bool delta::tile::dependsOn(Value value, Value other) {
  if (value == other)
    return true;
  Operation *def = value.getDefiningOp();
  return def && llvm::any_of(def->getOperands(), [&](Value operand) {
           return dependsOn(operand, other);
         });
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// The axis of the interface's arrays whose size `extent` is.
static std::optional<int64_t> getInterfaceAxis(Value extent) {
  auto dim = extent.getDefiningOp<memref::DimOp>();
  return dim && isa<BlockArgument>(dim.getSource()) ? dim.getConstantIndex()
                                                    : std::nullopt;
}

/// Whether `extent`, a value of the host function, times `multiple` is the size
/// of axis `axis` of `array`.
static bool isHostExtent(Value array, int64_t axis, Value extent,
                         int64_t multiple) {
  while (auto cast = array.getDefiningOp<memref::CastOp>())
    array = cast.getSource();
  // Householder steps are rows: a collapsed group of axes, of which one is
  // dynamic.
  if (auto collapse = array.getDefiningOp<memref::CollapseShapeOp>()) {
    int64_t dynamic = -1;
    ReassociationIndices group = collapse.getReassociationIndices()[axis];
    for (int64_t source : group) {
      if (!collapse.getSrcType().isDynamicDim(source)) {
        if (multiple % collapse.getSrcType().getDimSize(source) != 0)
          return false;
        multiple /= collapse.getSrcType().getDimSize(source);
      } else if (std::exchange(dynamic, source) != -1) {
        return false;
      }
    }
    array = collapse.getSrc();
    axis = dynamic;
  }
  if (multiple != 1)
    return false;
  // A workspace has the extents of its allocation.
  if (auto alloc = array.getDefiningOp<memref::AllocOp>()) {
    if (axis < 0 || !alloc.getType().isDynamicDim(axis))
      return false;
    unsigned position = alloc.getType().getDynamicDimIndex(axis);
    Value size = alloc.getDynamicSizes()[position];
    std::optional<int64_t> ofInterface = getInterfaceAxis(extent);
    return size == extent ||
           (ofInterface && getInterfaceAxis(size) == ofInterface);
  }
  return isa<BlockArgument>(array) && getInterfaceAxis(extent) == axis;
}

/// Whether `multiple` times `size` is the extent of the dynamic axis `axis` of
/// `array`.
static bool isDynamicExtent(Value array, int64_t axis, Value size,
                            int64_t multiple) {
  if (auto dim = size.getDefiningOp<memref::DimOp>())
    return multiple == 1 && dim.getSource() == array &&
           dim.getConstantIndex() == axis;
  auto sizeArgument = dyn_cast<BlockArgument>(size);
  auto arrayArgument = dyn_cast<BlockArgument>(array);
  if (!sizeArgument || !arrayArgument)
    return false;
  auto kernel = dyn_cast<KernelOp>(sizeArgument.getOwner()->getParentOp());
  if (!kernel || arrayArgument.getOwner() != sizeArgument.getOwner())
    return false;
  unsigned grid = kernel.getGrid();
  if (sizeArgument.getArgNumber() < grid)
    return false;
  bool launched = false, isExtent = true;
  kernel->getParentOfType<ModuleOp>().walk([&](LaunchOp launch) {
    if (launch.getKernel() != kernel.getSymName())
      return;
    launched = true;
    isExtent &= isHostExtent(
        launch.getInputs()[arrayArgument.getArgNumber() - grid], axis,
        launch.getInputs()[sizeArgument.getArgNumber() - grid], multiple);
  });
  return launched && isExtent;
}

static bool isExtent(Value array, int64_t axis, const LinearIndex &end) {
  auto type = cast<MemRefType>(array.getType());
  if (!type.isDynamicDim(axis))
    return end.terms.empty() && end.constant == type.getDimSize(axis);
  if (end.constant != 0 || end.terms.size() != 1)
    return false;
  auto [size, multiple] = end.terms.front();
  return isDynamicExtent(array, axis, size, multiple);
}

FailureOr<int64_t> delta::tile::getMappedRows(Operation *op, Value array,
                                              Value start, int64_t rowAxis,
                                              Value bound, int64_t tileRows) {
  // A constant bound past the end of the box has no effect.
  if (!bound || getConstant(bound).value_or(0) >= tileRows)
    return tileRows;
  Value minimum = bound;
  int64_t scale = 1, rows = tileRows;
  if (auto multiple = bound.getDefiningOp<arith::MulIOp>())
    if (auto split = splitConstant(multiple))
      std::tie(minimum, scale) = *split;
  if (auto min = minimum.getDefiningOp<arith::MinUIOp>())
    if (auto split = splitConstant(min)) {
      minimum = split->first;
      rows = std::min(rows, scale * split->second);
    }
  LinearIndex end(start);
  end.add(minimum, scale);
  if (rows > 0 && isExtent(array, rowAxis, end))
    return rows;
  return op->emitError()
         << "bound: expected the extent of axis " << rowAxis
         << " of the array less the start of the box, or the minimum of that "
            "and a constant, for a tensor map ends where the array does";
}
