//===- HostTranslator.cpp - what a host function computes, C++ --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One op, one expression; names are the locations'. What it cannot translate
/// has been refused by readHostProgram.
///
//===----------------------------------------------------------------------===//

#include "HostTranslator.h"

#include "Launcher.h"
#include "delta/Dialect/Cuda/IR/Comparison.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

Value HostTranslator::product(ArrayRef<Value> values, int64_t factor,
                              StringRef name) {
  Value result;
  for (auto [i, value] : llvm::enumerate(values)) {
    bool last = i + 1 == values.size() && factor == 1;
    result = result ? code.mul(result, value, last ? name : "") : value;
  }
  if (!result)
    return code.index(factor, name);
  return factor == 1 ? result : code.mul(result, code.index(factor), name);
}

Value HostTranslator::getDim(Value memref, int64_t axis) {
  auto type = cast<MemRefType>(memref.getType());
  if (!type.isDynamicDim(axis))
    return code.index(type.getDimSize(axis));
  if (auto cast = memref.getDefiningOp<memref::CastOp>())
    return getDim(cast.getSource(), axis);
  if (auto collapse = memref.getDefiningOp<memref::CollapseShapeOp>()) {
    SmallVector<Value> extents;
    int64_t factor = 1;
    auto source = collapse.getSrcType();
    ReassociationIndices group = collapse.getReassociationIndices()[axis];
    for (int64_t inner : group)
      if (source.isDynamicDim(inner))
        extents.push_back(getDim(collapse.getSrc(), inner));
      else
        factor *= source.getDimSize(inner);
    return product(extents, factor, "");
  }
  if (auto alloc = memref.getDefiningOp<memref::AllocOp>())
    return getSize(alloc.getDynamicSizes()[type.getDynamicDimIndex(axis)]);
  return axis == BatchAxis ? batch : length;
}

Value HostTranslator::getElements(Value memref, int64_t axis, int64_t factor,
                                  StringRef name) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> extents;
  for (; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      extents.push_back(getDim(memref, axis));
    else
      factor *= type.getDimSize(axis);
  return product(extents, factor, name);
}

/// The name that a size asks for: the location's, else that of what it
/// usually is.
static StringRef getSizeName(Operation *op) {
  if (auto name = dyn_cast<NameLoc>(op->getLoc()))
    return name.getName();
  // A chunked program rounds up to count chunks.
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op) ? "chunks" : "";
}

void HostTranslator::translate(tile::ChooseSegmentsOp op) {
  auto tiles = llvm::map_to_vector(op.getTiles(), [&](int64_t count) {
    return Attribute(code.builder.getI64IntegerAttr(count));
  });
  ArrayRef<int64_t> c = op.getCosts();
  std::string costs = llvm::formatv(
      "ScanCosts{{{{{{{0}, {1}}, {{{2}, {3}}}, {{{{{4}, {5}}, {{{6}, {7}}}, "
      "{8}, {9}}",
      c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9]);
  Value choice =
      CallOp::create(code.builder, code.loc, code.opaque("Segments"),
                     "choose_segments", code.builder.getArrayAttr(tiles),
                     {code.builtin(costs, code.opaque("ScanCosts")),
                      getSize(op.getChains()), getSize(op.getChunks()),
                      code.index(op.getParts()),
                      getSize(op.getMultiprocessors())},
                     /*pure=*/true, code.builder.getStringAttr(getSizeName(op)))
          .getResult();
  sizes[op.getCount()] = code.member(choice, "count", index);
  sizes[op.getLength()] = code.member(choice, "length", index);
}

Value HostTranslator::translate(Operation *op) {
  auto operand = [&](unsigned i) { return getSize(op->getOperand(i)); };
  StringRef name = getSizeName(op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::ConstantOp op) -> Value {
        auto number = cast<IntegerAttr>(op.getValue());
        return op.getType().isIndex() ? code.index(number.getInt())
                                      : code.truth(!number.getValue().isZero());
      })
      .Case([&](memref::DimOp op) {
        return getDim(op.getSource(), *op.getConstantIndex());
      })
      .Case([&](tile::MultiprocessorsOp) {
        return code.call("multiprocessors", {}, index, name, /*pure=*/true);
      })
      .Case([&](tile::ChunkTimeOp op) {
        std::string cost =
            llvm::formatv("ChunkCost{{{0}, {1}}", op.getWave(), op.getHalf());
        return code.call("chunk_time",
                         {code.builtin(cost, code.opaque("ChunkCost")),
                          code.index(op.getTiles()), getSize(op.getChains()),
                          getSize(op.getMultiprocessors())},
                         index, name, /*pure=*/true);
      })
      .Case(
          [&](arith::AddIOp) { return code.add(operand(0), operand(1), name); })
      .Case(
          [&](arith::SubIOp) { return code.sub(operand(0), operand(1), name); })
      .Case(
          [&](arith::MulIOp) { return code.mul(operand(0), operand(1), name); })
      // Nothing here is negative, so that rounding has one direction.
      .Case<arith::DivSIOp, arith::DivUIOp>(
          [&](auto) { return code.div(operand(0), operand(1), name); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([&](auto) {
        Value below = code.sub(operand(1), code.index(1));
        if (auto literal = operand(1).template getDefiningOp<LiteralOp>())
          below =
              code.index(cast<IntegerAttr>(literal.getValue()).getInt() - 1);
        return code.div(code.add(operand(0), below), operand(1), name);
      })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) {
        return code.binary(BinaryKind::Rem, operand(0), operand(1), name);
      })
      .Case([&](arith::CmpIOp op) {
        return code.binary(getComparison(op.getPredicate()), operand(0),
                           operand(1), name);
      })
      .Case([&](arith::AndIOp) {
        return code.binary(BinaryKind::And, operand(0), operand(1), name);
      })
      .Case([&](arith::OrIOp) {
        return code.binary(BinaryKind::Or, operand(0), operand(1), name);
      })
      .Case([&](arith::XOrIOp) {
        return code.binary(BinaryKind::Ne, operand(0), operand(1), name);
      })
      .Case([&](arith::SelectOp) {
        return code.select(operand(0), operand(1), operand(2), name);
      })
      .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) {
        return code.select(code.binary(BinaryKind::Lt, operand(0), operand(1)),
                           operand(0), operand(1), name);
      })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) {
        return code.select(code.binary(BinaryKind::Gt, operand(0), operand(1)),
                           operand(0), operand(1), name);
      });
}

void HostTranslator::translateBlock(Block &block) {
  for (Operation &op : block) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      translateIf(branch);
      continue;
    }
    if (auto choice = dyn_cast<tile::ChooseSegmentsOp>(op)) {
      translate(choice);
      continue;
    }
    Type type = op.getNumResults() == 1 ? op.getResult(0).getType() : Type();
    if (type && (type.isIndex() || type.isInteger(1)))
      sizes[op.getResult(0)] = translate(&op);
  }
}

void HostTranslator::translateIf(scf::IfOp op) {
  translateBlock(*op.thenBlock());
  if (!op.elseBlock())
    return;
  translateBlock(*op.elseBlock());
  for (auto [result, yes, no] :
       llvm::zip(op.getResults(), op.thenYield().getOperands(),
                 op.elseYield().getOperands()))
    sizes[result] = code.select(getSize(op.getCondition()), getSize(yes),
                                getSize(no), getSizeName(op));
}

void HostTranslator::translateSizes() {
  translateBlock(program.function.getBody().front());
}

Value HostTranslator::select(const HostCondition &condition, Value size) {
  for (auto [value, expected] : llvm::reverse(condition)) {
    Value none = code.index(0);
    size = expected ? code.select(getSize(value), size, none)
                    : code.select(getSize(value), none, size);
  }
  return size;
}

Value HostTranslator::layOutBuffers() {
  Value end;
  for (auto [i, buffer] : llvm::enumerate(program.buffers)) {
    if (end)
      offsets[buffer.op] = end;
    MemRefType type = buffer.op.getType();
    Value bytes = getElements(buffer.op.getResult(), 0,
                              type.getElementTypeBitWidth() / 8);
    bytes =
        code.giveName(select(buffer.condition, bytes), buffer.name + "_bytes");
    // Up to where the next buffer may start.
    Value alignment = code.index(workspaceAlignment);
    Value rounded =
        code.mul(code.div(code.add(bytes, code.index(workspaceAlignment - 1)),
                          alignment),
                 alignment);
    bool last = i + 1 == program.buffers.size();
    end = code.giveName(end ? code.add(end, rounded) : rounded,
                        last ? "workspace_bytes"
                             : program.buffers[i + 1].name + "_offset");
  }
  return end ? end : code.index(0);
}
