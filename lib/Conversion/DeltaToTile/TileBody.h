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
///   kept transposed (rows are value columns), and a product of which only the
///   second operand has enough rows is computed transposed. A tile is asked for
///   in an orientation; a load obeys, a computed tile has the one its product
///   gave it.
/// * Products round their operands, so a tile may be asked for in 16 bits. One
/// that
///   is 16-bit to begin with (an array, a normalised row) never passes through
///   f32.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_CONVERSION_DELTATOTILE_TILEBODY_H
#define DELTA_LIB_CONVERSION_DELTATOTILE_TILEBODY_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {

/// How the axes of a tile lie compared with the chunked phase.
enum class Orientation { Natural, Transposed };

/// What a kernel decides for all of its ops.
struct BodyOptions {
  /// Rows of the kernel's fragments: 16 a warp.
  int64_t fragmentRows;
  /// Tiles with a value axis, which this kernel keeps transposed, and the
  /// columns of it that one CTA owns, from `firstColumn` on. Empty and null
  /// where the kernel has none.
  llvm::DenseSet<mlir::Value> valueAxis;
  int64_t valueColumns = 0;
  mlir::Value firstColumn;
};

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

private:
  /// A tile that exists: the value in f32 and in 16 bits, by orientation.
  struct Forms {
    mlir::Value wide[2], narrow[2];
  };

  mlir::LogicalResult convert(mlir::Operation *op);
  mlir::LogicalResult convertLoop(mlir::scf::ForOp loop);
  mlir::LogicalResult convertStore(StoreOp op);
  mlir::LogicalResult convertGram(GramOp op);
  mlir::LogicalResult convertRead(ReadOp op);
  mlir::LogicalResult convertApply(ApplyOp op);
  mlir::LogicalResult convertUpdate(UpdateOp op);
  mlir::LogicalResult convertRowDot(RowDotOp op);
  mlir::LogicalResult convertElementwise(mlir::Operation *op);
  void convertRounding(mlir::arith::TruncFOp op);
  void convertIdentity(IdentityOp op);
  void convertDecay(DecayOp op);
  void convertScale(ScaleOp op);
  void convertL2Norm(L2NormOp op);
  void convertSigmoid(SigmoidOp op);

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
  void loadForms(LoadOp load, Orientation orientation);
  void define(mlir::Value value, mlir::Value tile, Orientation orientation);

  /// The tile type of a chunk-phase tile: value axis cut, axes exchanged.
  mlir::RankedTensorType typeOf(mlir::Value value, Orientation orientation,
                                mlir::Type element);
  mlir::Value splat(mlir::RankedTensorType type, float value);
  mlir::Value spread(mlir::Value vector, int64_t axis, mlir::Value like,
                     Orientation orientation);
  /// `tile` times a number.
  mlir::Value times(mlir::Value tile, float scale);
  /// Zero outside `part` of a tile in the given orientation.
  mlir::Value mask(mlir::Value tile, Part part, int64_t steps,
                   Orientation orientation);
  /// The indices of a load or store, moved to this CTA's value columns.
  mlir::SmallVector<mlir::Value> indicesOf(mlir::Value tile,
                                           mlir::ValueRange indices,
                                           llvm::ArrayRef<int64_t> dims);
  /// Names what is created next, after `value` with `suffix`.
  void name(mlir::Value value, llvm::StringRef suffix = "");
  void nameAs(llvm::StringRef text, mlir::Location loc);

  mlir::ImplicitLocOpBuilder &b;
  mlir::IRMapping &map;
  const BodyOptions &options;
  llvm::DenseMap<mlir::Value, Forms> forms;
  llvm::DenseMap<mlir::Value, Orientation> orientations;
};

} // namespace delta

#endif // DELTA_LIB_CONVERSION_DELTATOTILE_TILEBODY_H
