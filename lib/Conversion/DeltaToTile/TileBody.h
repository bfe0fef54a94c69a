//===- TileBody.h - ops of one kernel, chunked to tile ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Conversion/DeltaToTile. Rewrites the ops of a kernel's body,
/// one rule an op. What it keeps track of is how the axes of each tile lie and
/// in which precision it exists:
///
/// * Tensor instructions want their rows in multiples of 16 a warp, and an
///   accumulator is an A operand as it lies. So tiles with a value axis are
///   kept transposed (rows are value columns) where the state is read and
///   updated, and a product of which only the second operand has enough rows is
///   computed transposed. A tile is asked for in an orientation; a load obeys,
///   a computed tile has the one its product gave it.
/// * Products round their operands, so a tile may be asked for in 16 bits. One
/// that
///   is 16-bit to begin with (an array, a normalised row) never passes through
///   f32.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_CONVERSION_DELTATOTILE_TILEBODY_H
#define DELTA_LIB_CONVERSION_DELTATOTILE_TILEBODY_H

#include "delta/Conversion/OpRules.h"
#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {

/// How the axes of a tile lie compared with the chunked phase.
enum class Orientation { Natural, Transposed };

/// Row blocks that are CTAs of one kernel and read what earlier blocks stored.
struct BlockChain {
  /// The loop of the chunked phase whose iterations the CTAs are; null where
  /// there is none. Its induction variable is mapped already.
  mlir::scf::ForOp blocks;
  /// The array, in the chunked phase, that blocks leave to later ones.
  mlir::Value array;
  /// The counter of finished blocks of the CTA's head: an element of `flags`.
  mlir::Value flags, flag;
};

/// What a kernel decides for all of its ops.
struct BodyOptions {
  /// Rows of the kernel's fragments: 16 a warp.
  int64_t fragmentRows = 0;
  /// Tiles with a value axis of which one CTA owns columns, from `firstColumn`
  /// on, and how they lie. Empty and null where the kernel has none, or owns
  /// all of it.
  llvm::DenseSet<mlir::Value> valueAxis;
  Orientation valueOrientation = Orientation::Natural;
  int64_t valueColumns = 0;
  mlir::Value firstColumn;
  BlockChain chain;
};

/// The type that a product's operands are rounded to. Tensor instructions have
/// no f32 operands, so a product that may not round has no kernel.
template <typename OpT> mlir::FailureOr<mlir::FloatType> operandType(OpT op) {
  if (PrecAttr prec = op.getPrecAttr())
    return prec.getOperands();
  return op.emitError("product in f32 has no tile form; expected a `prec`");
}

class TileBody {
public:
  /// Writes at the builder's insertion point. `map` holds the kernel's grid
  /// indices, arrays and sizes for the loop's.
  TileBody(mlir::ImplicitLocOpBuilder &builder, mlir::IRMapping &map,
           const BodyOptions &options)
      : b(builder), map(map), options(options) {}

  /// Converts the ops of `block` except its terminator. On failure a diagnostic
  /// has been emitted.
  mlir::LogicalResult convertBlock(mlir::Block &block);

  /// The rule of an op: a specialisation for each op that has one.
  template <typename OpT> mlir::LogicalResult lower(OpT op);

private:
  /// A tile that exists: the value in f32 and in 16 bits, by orientation.
  struct Forms {
    mlir::Value wide[2], narrow[2], rest[2];
  };

  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertElementwise(mlir::Operation *op);

  // Implicit features: ImplicitRules.cpp.
  /// kappa, element by element, of scaled scores.
  mlir::Value applyKernel(FeatureKernel kernel, mlir::Value scores);
  /// What scores are a positive multiple of, -infinity where they do not count,
  /// and the factor.
  std::pair<mlir::Value, float> presentScores(mlir::Value scores, Part part,
                                              mlir::Value columns);
  /// exp(s_ij - m_i) on `part`, 0 elsewhere. m is finite.
  mlir::Value exponentials(mlir::Value scores, mlir::Value max, Part part,
                           mlir::Value columns = {});
  /// The diagonal of the gram of `lhs` and `rhs`, which is the row sums of
  /// their products; null where there is no such gram.
  mlir::Value diagonalOfGram(mlir::Value lhs, mlir::Value rhs);
  /// 1 / l_i, and 1 in rows that have seen no score.
  mlir::Value inverseSums(mlir::Value sum);
  /// Waits until the block that `load` reads is finished, or says that the
  /// block that `store` writes is.
  void expectBlock(LoadOp load);
  void signalBlock(StoreOp store);

  /// The orientation that the kernel keeps `value` in where nothing else
  /// decides.
  Orientation keptOrientation(mlir::Value value) {
    return options.valueAxis.contains(value) ? options.valueOrientation
                                             : Orientation::Natural;
  }
  /// The orientation that `value` was computed in, or `otherwise` for tiles
  /// that obey (loads, constants).
  Orientation orientationOf(mlir::Value value,
                            Orientation otherwise = Orientation::Natural);
  /// `value` in f32, or in the 16-bit type `type`.
  mlir::Value wide(mlir::Value value, Orientation orientation);
  mlir::Value narrow(mlir::Value value, Orientation orientation,
                     mlir::FloatType type);
  mlir::Value vector(mlir::Value value) {
    return wide(value, Orientation::Natural);
  }
  /// What `narrow` loses of `value`, rounded to `type` too.
  mlir::Value remainder(mlir::Value value, Orientation orientation,
                        mlir::FloatType type);
  /// What the 16-bit tile `rounded` loses of `exact`, rounded likewise.
  mlir::Value lost(mlir::Value exact, mlir::Value rounded);
  void loadForms(LoadOp load, Orientation orientation);
  /// Puts the builder where `load` belongs: in front of the outermost loop at
  /// hand that it is not part of. Returns the forms that hold there.
  llvm::DenseMap<mlir::Value, Forms> *leaveLoops(LoadOp load);
  void define(mlir::Value value, mlir::Value tile, Orientation orientation);

  /// The tile type of a chunk-phase tile: value axis cut, axes exchanged.
  mlir::RankedTensorType typeOf(mlir::Value value, Orientation orientation,
                                mlir::Type element);
  mlir::Value splat(mlir::RankedTensorType type, float value);
  mlir::Value spread(mlir::Value vector, int64_t axis, mlir::Value like,
                     Orientation orientation);
  /// `tile` times a number.
  mlir::Value times(mlir::Value tile, float scale);
  /// `d[m, n] = acc[m, n] + sum_k a b`, k along axis 1 of `a` and `axis` of
  /// `b`.
  mlir::Value dot(mlir::RankedTensorType type, mlir::Value lhs, mlir::Value rhs,
                  mlir::Value acc, int64_t axis,
                  tile::Part part = tile::Part::Full, int64_t columnSteps = 1);
  /// `other` outside `part` of a tile in the given orientation, and from column
  /// `columns` on where that is given.
  mlir::Value mask(mlir::Value tile, Part part, int64_t steps,
                   Orientation orientation, float other = 0.0f,
                   mlir::Value columns = {});
  /// The indices of a load or store, moved to this CTA's value columns.
  mlir::SmallVector<mlir::Value> indicesOf(mlir::Value tile,
                                           mlir::ValueRange indices,
                                           llvm::ArrayRef<int64_t> dims);
  /// A comment before the statement that makes `first`, which is the first
  /// of a phase.
  static void beginPhase(mlir::Value first, llvm::StringRef comment);
  /// Names what is created next, after `value` with `suffix`.
  void name(mlir::Value value, llvm::StringRef suffix = "");
  void nameAs(llvm::StringRef text, mlir::Location loc);

  mlir::ImplicitLocOpBuilder &b;
  mlir::IRMapping &map;
  const BodyOptions &options;
  llvm::DenseMap<mlir::Value, Forms> forms;
  /// A loop that is being converted, what became of it, and the forms that hold
  /// outside of it.
  struct Scope {
    mlir::scf::ForOp loop, converted;
    llvm::DenseMap<mlir::Value, Forms> outside;
  };
  llvm::SmallVector<Scope, 2> scopes;
  llvm::DenseMap<mlir::Value, Orientation> orientations;
  /// Products of grams before their scale and kernel, by operands.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Value>, mlir::Value> products;
};

using TileRules = OpRules<TileBody>;

/// Rules of ops that both kinds of kernel have, and of those with a state.
void addLinearRules(TileRules &rules);
/// Rules of implicit features.
void addImplicitRules(TileRules &rules);

} // namespace delta

#endif // DELTA_LIB_CONVERSION_DELTATOTILE_TILEBODY_H
