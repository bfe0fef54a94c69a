//===- KernelOps.cpp - kernels and launches ---------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Syntax and verifiers of `tile.kernel` and `tile.launch`. The two contracts,
/// `verify-tile-value` and `verify-tile-final`, decide which ops a kernel may
/// contain.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace delta::tile;

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

LogicalResult KernelOp::verify() {
  if (!llvm::hasSingleElement(getBody()))
    return emitOpError() << "body: expected one block, got "
                         << getBody().getBlocks().size();
  if (!getFunctionType().getResults().empty())
    return emitOpError() << "results: expected none, got "
                         << getFunctionType().getNumResults();
  int64_t grid = getGrid(), warps = getWarps();
  if (grid < 1 || grid > 3)
    return emitOpError() << "grid: expected 1 to 3 indices, got " << grid;
  if (warps < 1 || warps > 32)
    return emitOpError() << "warps: expected 1 to 32, got " << warps;
  if (getPlan() && !getPlan()->getMachine())
    return emitOpError() << "plan: expected a machine, got " << *getPlan();
  if (getAlternatives() && (getAlternatives()->empty() || !getPlan() ||
                            (*getAlternatives())[0] != *getPlan()))
    return emitOpError("alternatives: expected the plan first");
  ArrayRef<Type> inputs = getFunctionType().getInputs();
  if (static_cast<int64_t>(inputs.size()) < grid)
    return emitOpError() << "arguments: expected at least the " << grid
                         << " grid indices, got " << inputs.size();
  for (auto [i, type] : llvm::enumerate(inputs)) {
    if (static_cast<int64_t>(i) < grid) {
      if (!type.isIndex())
        return emitOpError()
               << "argument " << i
               << ": expected a grid index of type index, got " << type;
      continue;
    }
    auto array = dyn_cast<MemRefType>(type);
    bool global = array && !array.getMemorySpace();
    if (!global && !type.isIndex() && !type.isInteger(32))
      return emitOpError()
             << "argument " << i
             << ": expected a memref of global memory, index or i32, got "
             << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *symbol = symbols.lookupNearestSymbolFrom(*this, getKernelAttr());
  // Once kernels are in the exit dialect, `cuda-plan-launcher` checks launches.
  if (symbol && symbol->getName().getStringRef() == "cuda.kernel")
    return success();
  auto kernel = dyn_cast_or_null<KernelOp>(symbol);
  if (!kernel)
    return emitOpError() << "kernel: no tile.kernel named " << getKernelAttr();
  if (getOperation()->getParentOfType<KernelOp>())
    return emitOpError() << "expected in a host function, got in a kernel";
  auto refuse = [&](StringRef name) {
    InFlightDiagnostic diagnostic = emitOpError() << name << ": expected ";
    diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
    return diagnostic;
  };
  size_t grid = kernel.getGrid();
  if (getGrid().size() != grid)
    return refuse("grid") << grid << " extents, got " << getGrid().size();
  ArrayRef<Type> expected =
      kernel.getFunctionType().getInputs().drop_front(grid);
  if (getInputs().size() != expected.size())
    return refuse("args") << expected.size() << ", got " << getInputs().size();
  for (auto [i, input] : llvm::enumerate(getInputs()))
    if (input.getType() != expected[i])
      return refuse("args " + std::to_string(i))
             << expected[i] << ", got " << input.getType();
  return success();
}
