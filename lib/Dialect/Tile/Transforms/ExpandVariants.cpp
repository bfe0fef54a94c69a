//===- ExpandVariants.cpp - one kernel for each chains a CTA ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-expand-variants`. Which number of chains a CTA is best depends on the
/// sizes of a call, so all are compiled and the host function chooses. In value
/// form the variants differ by an attribute alone.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Delta/Transforms/ChainCost.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"

namespace delta::tile {
#define GEN_PASS_DEF_EXPANDVARIANTS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta;
using namespace delta::tile;

/// Replaces `launch` by a choice among the kernels `variants`, of which each
/// has the number of chains a CTA that `tiles` says.
static void choose(LaunchOp launch, const ChainCost &cost,
                   ArrayRef<int64_t> tiles, ArrayRef<std::string> variants) {
  ImplicitLocOpBuilder b(launch.getLoc(), launch);
  auto name = [&](const Twine &text) {
    b.setLoc(NameLoc::get(b.getStringAttr(text), launch.getLoc()));
  };
  name("multiprocessor_count");
  Value multiprocessors = MultiprocessorsOp::create(b, b.getIndexType());
  name("chains");
  Value chains = launch.getGrid().front();
  for (Value extent : launch.getGrid().drop_front())
    chains = arith::MulIOp::create(b, chains, extent);
  SmallVector<Value> times;
  for (int64_t count : tiles) {
    name("time_by" + Twine(count));
    const plan::ScanCosts::PerChunk &chunk = cost.getChunk(count);
    times.push_back(ChunkTimeOp::create(b, b.getIndexType(), chains,
                                        multiprocessors, count, chunk.wave,
                                        chunk.half));
  }
  // From the last variant: it runs if it is faster than all before it.
  for (size_t i = tiles.size(); i-- > 1;) {
    b.setLoc(launch.getLoc());
    Value others = times[0];
    for (Value time : ArrayRef(times).slice(1, i - 1))
      others = arith::MinUIOp::create(b, others, time);
    name("faster_by" + Twine(tiles[i]));
    Value faster =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, times[i], others);
    b.setLoc(launch.getLoc());
    auto choice = scf::IfOp::create(b, faster, /*withElseRegion=*/true);
    b.setInsertionPointToStart(choice.thenBlock());
    auto chosen = cast<LaunchOp>(b.clone(*launch));
    chosen.setKernel(variants[i]);
    b.setInsertionPointToStart(choice.elseBlock());
  }
  auto chosen = cast<LaunchOp>(b.clone(*launch));
  chosen.setKernel(variants[0]);
  launch.erase();
}

namespace {

struct ExpandVariants
    : public delta::tile::impl::ExpandVariantsBase<ExpandVariants> {
  void runOnOperation() override {
    SmallVector<KernelOp> kernels;
    for (KernelOp kernel : getOperation().getOps<KernelOp>())
      if (kernel.getAlternatives())
        kernels.push_back(kernel);
    for (KernelOp kernel : kernels)
      if (failed(expand(kernel)))
        return signalPassFailure();
  }

  LogicalResult expand(KernelOp kernel) {
    SmallVector<LaunchOp> launches;
    std::optional<int64_t> columnTiles;
    getOperation().walk([&](LaunchOp launch) {
      if (launch.getKernel() != kernel.getSymName())
        return;
      launches.push_back(launch);
      columnTiles = getConstantIntValue(launch.getGrid().front());
    });
    ArrayAttr plans = kernel.getAlternativesAttr();
    kernel.removeAlternativesAttr();
    if (!columnTiles)
      return success();
    std::optional<ChainCost> cost = ChainCost::get(plans);
    if (!cost)
      return kernel.emitError("alternatives: expected one plan on ")
             << kernel.getPlan()->getMachine().getName()
             << ", where no scan was measured";
    SmallVector<int64_t> tiles = cost->getVariants(*columnTiles);
    if (tiles.size() == 1) {
      kernel.setPlanAttr(kernel.getPlan()->withChains(tiles.front()));
      return success();
    }
    SymbolTable symbols(getOperation());
    SmallVector<std::string> variants;
    for (int64_t count : tiles) {
      KernelOp variant = kernel.clone();
      variant.setPlanAttr(kernel.getPlan()->withChains(count));
      if (auto comment = kernel->getAttrOfType<StringAttr>(kCommentAttr))
        variant->setAttr(
            kCommentAttr,
            StringAttr::get(
                &getContext(),
                comment.getValue() + " " + Twine(count) +
                    (count == 1 ? " column tile" : " column tiles") +
                    " a CTA."));
      variant.setSymName((kernel.getSymName() + "_by" + Twine(count)).str());
      symbols.insert(variant, kernel->getIterator());
      variants.push_back(variant.getSymName().str());
    }
    for (LaunchOp launch : launches)
      choose(launch, *cost, tiles, variants);
    remark::passed(kernel.getLoc(), remark::RemarkOpts::name("Variants")
                                        .category("tile-expand-variants")
                                        .function(kernel.getSymName()))
        << llvm::join(variants, ", ")
        << ": the launcher takes the one whose waves of CTAs take "
           "least time for a chunk";
    kernel.erase();
    return success();
  }
};

} // namespace
