//===- KnownSpills.cpp - what only ptxas tells ------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements KnownSpills.h.
///
//===----------------------------------------------------------------------===//

#include "KnownSpills.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace delta;

namespace {

/// A recurrence without a state, of which a kernel has such a plan.
struct KnownSpill {
  FeatureKernel write;
  bool isTied;
  /// Of the values; absent where it does not matter.
  std::optional<bool> isF16;
  plan::Products products;
  /// 0 where it does not matter.
  int64_t keyDim, columns;
  /// What spills, and by which ptxas it was seen.
  StringLiteral what;
};

} // namespace

static constexpr KnownSpill kKnownSpills[] = {
    {FeatureKernel::Exp, /*isTied=*/false, /*isF16=*/true,
     plan::Products::Wgmma, /*keyDim=*/0, /*columns=*/0,
     "the solution and its residual spill 76 to 96 bytes a thread where exp "
     "writes f16 for another read (ptxas 13.0.88)"},
    {FeatureKernel::Exp, /*isTied=*/false, /*isF16=*/std::nullopt,
     plan::Products::MmaSync, /*keyDim=*/128, /*columns=*/128,
     "reads of what exp wrote spill 4 to 8 bytes a thread with keys of 128 and "
     "128 columns (ptxas 13.0.88)"},
};

std::string delta::findKnownSpills(RecurrenceOp op, plan::KernelPlanAttr plan) {
  if (op.getKernel().hasState())
    return "";
  const bool isF16 = getElementTypeOrSelf(op.getValue()).isF16();
  auto isAny = [](int64_t known, int64_t size) {
    return known == 0 || known == size;
  };
  for (const KnownSpill &known : kKnownSpills)
    if (known.write == op.getKernel().getWrite() &&
        known.isTied == op.isTied() && known.isF16.value_or(isF16) == isF16 &&
        known.products == plan.getProducts() &&
        isAny(known.keyDim, op.getKeyDim()) &&
        isAny(known.columns, plan.getColumns()))
      return known.what.str();
  return "";
}
