//===- ValueNames.h - what the values of a kernel are called ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Conversion/TileToCuda. A rule that makes a value in several
/// ops gives all of them the name of the value (a NameLoc). Here the last of
/// them, which is the value, gets the name; the ones before it are named after
/// what their op does: K_rnorm_sum, K_rnorm_shifted, K_rnorm. So is what is
/// made of a value later under its name: U, U_scaled.
///
/// Names are chosen before text is made, so that a comment and the statement
/// below it agree.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_CONVERSION_TILETOCUDA_VALUENAMES_H
#define DELTA_LIB_CONVERSION_TILETOCUDA_VALUENAMES_H

#include "delta/Dialect/Tile/IR/Tile.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

namespace delta {

/// The name that the IR gives to a value (NameLoc), or "".
llvm::StringRef nameOf(mlir::Value value);

/// Whether the text has no variable for the value: a vector that is repeated
/// for a single operation is repeated in its statement.
bool isWrittenInUse(mlir::Value value);

class ValueNames {
public:
  explicit ValueNames(tile::KernelOp kernel);

  /// The name of a tile, a number, a product in flight or an index; "" where
  /// nobody named it, and for an index whose name says something else.
  llvm::StringRef lookup(mlir::Value value) const;

  /// Whether some value of the kernel has this name.
  bool contains(llvm::StringRef name) const { return all.contains(name); }

private:
  /// Names that are visible where text is written: a block's so far and those
  /// of the blocks around it.
  struct Scope {
    const Scope *parent;
    llvm::StringSet<> names;

    bool contains(llvm::StringRef name) const {
      return names.contains(name) || (parent && parent->contains(name));
    }
  };

  /// What the IR calls a value; a variable of a loop is called what it starts
  /// or ends as, where it has no name itself.
  llvm::StringRef own(mlir::Value value) const;
  /// Whether `value` is a step on the way to a value of the same name: all of
  /// its users make such.
  bool isIntermediate(mlir::Value value) const;
  /// What a factor or a term is called in the name of a result.
  llvm::StringRef getFactorName(mlir::Value operand) const;
  void nameBlock(mlir::Block &block, const Scope *parent);
  void nameResult(mlir::Operation *op, mlir::Value result, Scope &scope);
  void nameIndex(mlir::Value value, Scope &scope);
  /// A product in flight has the name of the product.
  void nameInFlight(tile::DotStartOp dot, Scope &scope);
  /// The first of `wanted` that is free, or the first one with a number.
  void choose(mlir::Value value, llvm::ArrayRef<std::string> wanted,
              Scope &scope);

  llvm::DenseMap<mlir::Value, std::string> names;
  /// Names that own() returns for variables of loops.
  llvm::DenseMap<mlir::Value, llvm::StringRef> variables;
  /// Suffixes of what enters a variable of its name, or leaves it.
  llvm::DenseMap<mlir::Value, llvm::StringRef> phases;
  llvm::StringSet<> all;
  /// Names of tiles; index arithmetic made for one may carry its name too.
  llvm::StringSet<> tileNames;
};

} // namespace delta

#endif // DELTA_LIB_CONVERSION_TILETOCUDA_VALUENAMES_H
