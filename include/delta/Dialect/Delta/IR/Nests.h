//===- Nests.h - the loop nests of the chunked phase ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Each outermost `scf.forall` of a chunked function is one nest and becomes
/// one kernel. Its `#delta.nest` says what it computes; passes ask for that
/// attribute and never look for ops that give the nest away.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_DELTA_IR_NESTS_H
#define DELTA_DIALECT_DELTA_IR_NESTS_H

#include "delta/Dialect/Delta/IR/DeltaDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {

/// Attribute of an outermost `scf.forall`: a NestAttr.
constexpr llvm::StringLiteral kNestAttr = "delta.nest";

/// What `loop` computes; null where nobody said.
inline NestAttr getNest(mlir::scf::ForallOp loop) {
  return loop->getAttrOfType<NestAttr>(kNestAttr);
}

/// Whether `loop` is a nest of the kind `kind`.
inline bool isNest(mlir::scf::ForallOp loop, NestKind kind) {
  NestAttr nest = getNest(loop);
  return nest && nest.getKind() == kind;
}

/// An empty nest; `bounds` has one extent for each axis of `nest`.
inline mlir::scf::ForallOp
createNest(mlir::ImplicitLocOpBuilder &b, NestAttr nest,
           llvm::ArrayRef<mlir::OpFoldResult> bounds) {
  auto loop =
      mlir::scf::ForallOp::create(b, bounds, /*outputs=*/mlir::ValueRange(),
                                  /*mapping=*/std::nullopt);
  loop->setAttr(kNestAttr, nest);
  return loop;
}

} // namespace delta

#endif // DELTA_DIALECT_DELTA_IR_NESTS_H
