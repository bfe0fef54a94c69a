//===- Trial.cpp - whether a candidate's kernels fit ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements Trial.h.
///
//===----------------------------------------------------------------------===//

#include "Trial.h"

#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Delta/Transforms/Passes.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Pipelines/Final.h"
#include "delta/Pipelines/Tile.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace delta;

Trials::Trials(func::FuncOp func)
    : context(func.getContext()->getDialectRegistry(),
              MLIRContext::Threading::DISABLED) {
  std::string text;
  llvm::raw_string_ostream os(text);
  func.print(os);
  spec = parseSourceString<ModuleOp>(text, ParserConfig(&context));
}

TrialResult Trials::run(const Candidate &candidate) {
  TrialResult result;
  OwningOpRef<ModuleOp> module = spec->clone();
  module->walk([&](RecurrenceOp op) {
    op.setChunk(candidate.chunk);
    // The attributes are of the other context.
    std::string text;
    llvm::raw_string_ostream os(text);
    os << candidate.getPlans(
        candidate.plans.front().second.front().getContext());
    op.setPlansAttr(cast<DictionaryAttr>(mlir::parseAttribute(text, &context)));
  });
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && result.fits())
      result.reason = diagnostic.str();
    return success();
  });
  PassManager pm(&context);
  // Each pipeline ends with the contract of its phase.
  pm.enableVerifier(false);
  pm.addNestedPass<func::FuncOp>(createChunk());
  pm.addNestedPass<func::FuncOp>(createVerifyChunked());
  buildTileValuePipeline(pm);
  buildTileFinalPipeline(pm);
  if (failed(pm.run(*module))) {
    if (result.fits())
      result.reason = "its kernels cannot be lowered";
    return result;
  }
  for (auto func : module->getOps<func::FuncOp>())
    if (auto plans = func->getAttrOfType<DictionaryAttr>(kPlansAttr))
      for (NamedAttribute entry : plans)
        result.used.insert(entry.getName());
  for (auto kernel : module->getOps<tile::KernelOp>()) {
    int64_t warps = kernel.getWarps();
    int64_t ctas = kernel.getMinBlocks().value_or(1);
    if (kernel.getSymName().ends_with("attend") &&
        (warps < candidate.leastWarps || ctas < candidate.leastCtas))
      result.reason =
          (Twine("attend has ") + Twine(warps) + " warps and " + Twine(ctas) +
           " CTAs a multiprocessor; expected " + Twine(candidate.leastWarps) +
           " and " + Twine(candidate.leastCtas))
              .str();
  }
  // An op that the device library has no function for does not fit either.
  PassManager emission(&context);
  buildCudaPipeline(emission);
  if (result.fits() && failed(emission.run(*module)) && result.fits())
    result.reason = "the device library lacks a function";
  return result;
}
