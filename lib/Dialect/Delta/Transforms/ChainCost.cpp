//===- ChainCost.cpp - what chains cost on a GPU ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns what a machine says of scans into arithmetic of the host program.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/ChainCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace delta;

std::optional<ChainCost> ChainCost::get(ArrayAttr plans) {
  auto first = cast<plan::KernelPlanAttr>(plans[0]);
  std::optional<plan::ScanCosts> costs =
      first.getMachine().getScanCosts(first.getProducts());
  if (!costs)
    return std::nullopt;
  ChainCost cost(*costs);
  for (auto plan : plans.getAsRange<plan::KernelPlanAttr>())
    cost.variants.push_back(plan.getChains());
  return cost;
}

SmallVector<int64_t> ChainCost::getVariants(int64_t columnTiles) const {
  SmallVector<int64_t> found;
  for (int64_t tiles : variants)
    if (columnTiles % tiles == 0)
      found.push_back(tiles);
  if (found.empty())
    found.push_back(1);
  return found;
}
