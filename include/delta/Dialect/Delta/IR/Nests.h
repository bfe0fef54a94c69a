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

/// Attribute of a chunked function, a dictionary: for each kernel the array of
/// its plans.
constexpr llvm::StringLiteral kPlansAttr = "delta.plans";

/// Attribute of a function without plans, a string: why no kernel fits the GPU.
constexpr llvm::StringLiteral kNoPlanAttr = "delta.no_plan";

/// The name under which the plans of `nest` stand: scans of segments have those
/// of the scan that they are part of.
inline llvm::StringRef getPlanName(NestAttr nest) {
  return nest.getKind() == NestKind::Scan ? "chain" : nest.getName().getValue();
}

/// The plans of the kernels `name` of `func`; null where it has none.
inline mlir::ArrayAttr getPlans(mlir::Operation *func, llvm::StringRef name) {
  auto plans = func->getAttrOfType<mlir::DictionaryAttr>(kPlansAttr);
  return plans ? plans.getAs<mlir::ArrayAttr>(name) : mlir::ArrayAttr();
}

/// Attributes for readers of the emitted text, which no pass looks at: of a
/// nest and the kernel that it becomes, what is computed, and of an op, the
/// phase that begins with it; of a function, the recurrence in the paper's
/// notation, and how tiles lie.
constexpr llvm::StringLiteral kCommentAttr = "delta.comment";
constexpr llvm::StringLiteral kNotationAttr = "delta.notation";
constexpr llvm::StringLiteral kOrientationAttr = "delta.orientation";

/// What `loop` computes; null where nobody said.
inline NestAttr getNest(mlir::scf::ForallOp loop) {
  return loop->getAttrOfType<NestAttr>(kNestAttr);
}

/// Whether `loop` is a nest of the kind `kind`.
inline bool isNest(mlir::scf::ForallOp loop, NestKind kind) {
  NestAttr nest = getNest(loop);
  return nest && nest.getKind() == kind;
}

/// An empty nest; `bounds` has one extent for each axis of `nest`, `comment`
/// says to a reader what it computes.
inline mlir::scf::ForallOp
createNest(mlir::ImplicitLocOpBuilder &b, NestAttr nest,
           const llvm::Twine &comment,
           llvm::ArrayRef<mlir::OpFoldResult> bounds) {
  auto loop =
      mlir::scf::ForallOp::create(b, bounds, /*outputs=*/mlir::ValueRange(),
                                  /*mapping=*/std::nullopt);
  loop->setAttr(kNestAttr, nest);
  loop->setAttr(kCommentAttr, b.getStringAttr(comment));
  return loop;
}

} // namespace delta

#endif // DELTA_DIALECT_DELTA_IR_NESTS_H
