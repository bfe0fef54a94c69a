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

/// A recurrence without a state, compiled with products of one kind.
struct KnownSpill {
  FeatureKernel write;
  bool isTied, isF16;
  plan::Products products;
  /// What spills, and by which ptxas it was seen.
  StringLiteral what;
};

} // namespace

static constexpr KnownSpill kKnownSpills[] = {
    {FeatureKernel::Exp, /*isTied=*/false, /*isF16=*/true,
     plan::Products::Wgmma,
     "the solution and its residual spill 76 to 96 bytes a thread where exp "
     "writes f16 for another read (ptxas 13.0.88)"},
};

std::string delta::findKnownSpills(RecurrenceOp op, plan::Products products) {
  if (op.getKernel().hasState())
    return "";
  for (const KnownSpill &known : kKnownSpills)
    if (known.write == op.getKernel().getWrite() &&
        known.isTied == op.isTied() &&
        known.isF16 == getElementTypeOrSelf(op.getValue()).isF16() &&
        known.products == products)
      return known.what.str();
  return "";
}
