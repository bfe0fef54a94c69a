//===- OpRules.h - one rule an op -------------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The table through which a conversion finds what it does with an op. A rule
/// is a specialisation of the converter's member `lower` for the op's class;
/// the file that holds the rule adds it to the table, and no other place names
/// it.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_CONVERSION_OPRULES_H
#define DELTA_CONVERSION_OPRULES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace delta {

/// Rules of `ConverterT`, by op.
template <typename ConverterT> class OpRules {
public:
  using Rule = mlir::LogicalResult (*)(ConverterT &, mlir::Operation *);

  /// Adds `ConverterT::lower` for each of the ops, which must be specialised
  /// before this call.
  template <typename... OpTs> void add() {
    (rules.try_emplace(mlir::TypeID::get<OpTs>(), &lower<OpTs>), ...);
  }

  /// The rule of `op`, or null.
  Rule find(mlir::Operation *op) const {
    return rules.lookup(op->getName().getTypeID());
  }

private:
  template <typename OpT>
  static mlir::LogicalResult lower(ConverterT &converter, mlir::Operation *op) {
    return converter.lower(mlir::cast<OpT>(op));
  }

  llvm::DenseMap<mlir::TypeID, Rule> rules;
};

} // namespace delta

#endif // DELTA_CONVERSION_OPRULES_H
