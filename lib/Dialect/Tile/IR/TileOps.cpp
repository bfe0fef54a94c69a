//===- TileOps.cpp - kernels, launches and ops of both forms ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Syntax, verifiers, folders and effects of the ops that both forms have.
/// Labels V1 to V5 and F2 are those of docs/tile-dialect.md; what concerns a
/// whole kernel is `verify-tile-value`'s and `verify-tile-final`'s.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace delta::tile;

#define GET_OP_CLASSES
#include "delta/Dialect/Tile/IR/TileOps.cpp.inc"

//===----------------------------------------------------------------------===//
// KernelOp
//===----------------------------------------------------------------------===//

/// kernel ::= `tile.kernel` visibility? @name `(` arguments `)`
///            `attributes` dictionary region
ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult KernelOp::verify() { return success(); }

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr()))
    return emitOpError() << "kernel: no tile.kernel named " << getKernelAttr();
  return success();
}

LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }
LogicalResult DotOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ScanOp::verify() { return success(); }
LogicalResult SpreadOp::verify() { return success(); }
LogicalResult MaskOp::verify() { return success(); }
LogicalResult TransposeOp::verify() { return success(); }
LogicalResult TriInverseOp::verify() { return success(); }
LogicalResult ConvertOp::verify() { return success(); }
LogicalResult TicketOp::verify() { return success(); }
LogicalResult SignalOp::verify() { return success(); }
LogicalResult ExpectOp::verify() { return success(); }

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  return {};
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// An op that touches shared memory has a place in the kernel's schedule.
static void addScheduleEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get(), ScheduleResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), ScheduleResource::get());
}

void DotOp::getEffects(Effects &effects) {
  if (isa<MemRefType>(getB().getType()))
    addScheduleEffects(effects);
}

void ScanOp::getEffects(Effects &effects) {
  if (getScratch())
    addScheduleEffects(effects);
}

void TriInverseOp::getEffects(Effects &effects) {
  if (getScratch())
    addScheduleEffects(effects);
}
