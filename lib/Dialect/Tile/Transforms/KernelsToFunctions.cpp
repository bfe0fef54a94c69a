//===- KernelsToFunctions.cpp - kernels as functions, for the CPU -*- C++ -*-=//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns kernels into functions and launches into loops of calls. Inside a
/// kernel, changes only the terminator.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace delta::tile;

namespace delta::tile {
#define GEN_PASS_DEF_KERNELSTOFUNCTIONS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

static void lowerLaunch(IRRewriter &rewriter, LaunchOp launch) {
  Location loc = launch.getLoc();
  rewriter.setInsertionPoint(launch);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  // The last grid extent is the outermost loop.
  SmallVector<Value> extents(llvm::reverse(launch.getGrid()));
  SmallVector<Value> lower(extents.size(), zero), step(extents.size(), one);
  scf::buildLoopNest(
      rewriter, loc, lower, extents, step,
      [&](OpBuilder &builder, Location nested, ValueRange variables) {
        SmallVector<Value> operands(llvm::reverse(variables));
        llvm::append_range(operands, launch.getInputs());
        func::CallOp::create(builder, nested, launch.getKernel(), TypeRange{},
                             operands);
      });
  rewriter.eraseOp(launch);
}

static void lowerKernel(IRRewriter &rewriter, KernelOp kernel) {
  rewriter.setInsertionPoint(kernel);
  auto function = func::FuncOp::create(
      rewriter, kernel.getLoc(), kernel.getSymName(), kernel.getFunctionType());
  function.setPrivate();
  rewriter.inlineRegionBefore(kernel.getBody(), function.getBody(),
                              function.end());
  Operation *terminator = function.getBody().front().getTerminator();
  rewriter.setInsertionPoint(terminator);
  rewriter.replaceOpWithNewOp<func::ReturnOp>(terminator);
  rewriter.eraseOp(kernel);
}

namespace {

struct KernelsToFunctions
    : public delta::tile::impl::KernelsToFunctionsBase<KernelsToFunctions> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<LaunchOp> launches;
    getOperation().walk([&](LaunchOp launch) { launches.push_back(launch); });
    for (LaunchOp launch : launches)
      lowerLaunch(rewriter, launch);
    for (KernelOp kernel :
         llvm::make_early_inc_range(getOperation().getOps<KernelOp>()))
      lowerKernel(rewriter, kernel);
  }
};

} // namespace
