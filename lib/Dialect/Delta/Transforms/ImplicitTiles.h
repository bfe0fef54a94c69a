//===- ImplicitTiles.h - row blocks of implicit features --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to the chunk builders. What a block of rows of a recurrence without
/// a state (DeltaFormer, 2505.19488, section 3.3) computes once the sums over
/// all earlier keys are at hand:
///
/// ```
/// a    = the sum over earlier keys of kappa(s W k^T) u
/// P    = strict_lower(kappa(s W K^T))
/// U    = (I + diag(beta) P)^-1 (diag(alpha) V - diag(beta) a)
/// ubar = a + P U                                  what the write query reads
/// ```
/// A softmax runs over earlier keys online and then takes in the diagonal
/// block's scores, whose u are unknown still; a and P are divided by the sum
/// that results, so the inverse cannot start before it. Other kernels have no
/// row statistics.
///
/// Tied reads. Where the read query and kernel are the write's
/// (`RecurrenceOp::isTied`), o_t differs from ubar_t by token t alone, and the
/// attention of the read is not computed at all. With s_t = s <q_t, k_t> and
/// the write's row statistics m and l (maximum; sum of exp(. - m)):
///
/// ```
/// softmax   o_t = rho_t ubar_t + (1 - rho_t) u_t,
///           rho_t = l / (l + exp(s_t - m))
/// others    o_t = ubar_t + kappa(s_t) u_t, so P takes in its diagonal
/// ```
/// Row statistics as a result are lse = m + log(l), of the write query over i <
/// t and of the read query over i <= t. A tied read's takes in the own score:
/// with n = max(m, s_t) it is n + log(l exp(m - n) + exp(s_t - n)).
///
/// Where earlier keys come from, and who computes the sums, is the builders'.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_TRANSFORMS_IMPLICITTILES_H
#define DELTA_LIB_DIALECT_DELTA_TRANSFORMS_IMPLICITTILES_H

#include "ChunkBuilder.h"

namespace delta {

/// A block of rows of one value head.
struct RowBlock {
  mlir::Value batch, head, keyHead;
  /// Its first token, and how many tokens it holds.
  mlir::Value first, count;
};

/// Sums over keys for the rows of a block: the weighted sum of u and, for a
/// softmax, the row maximum and the row sum that it is relative to (else null).
struct RowSums {
  mlir::Value max, sum, acc;

  /// As loops carry them, and back.
  llvm::SmallVector<mlir::Value, 3> pack() const;
  static RowSums unpack(mlir::ValueRange values);
};

/// What a block writes with. `alpha`, factors of `value`, is null where the
/// function has none: values are scaled where they are used, and in 16 bits
/// till then.
struct WriteTiles {
  mlir::Value query, key, value, beta, alpha;
};

/// u of a block, and what its ubar is made of: the weights inside the block and
/// the weighted sum over earlier keys. `share` is how much of a tied softmax is
/// earlier tokens' (rho), else null: own weights of other kernels, where the
/// read is tied, are the diagonal of `weights`. Row statistics are null where
/// the caller does not ask, and where the read is not tied that of the read.
struct SolvedTiles {
  mlir::Value u, weights, carried, share, writeLse, readLse;
};

/// Tiles of blocks of `rows` rows.
class ImplicitTiles {
public:
  ImplicitTiles(ChunkBuilder &builder, int64_t rows);

protected:
  /// Operands of a product, weights and rows of u, that are more than their
  /// rounding.
  struct Split {
    bool weights = false, values = false;
  };

  static bool isNormalised(FeatureKernel kernel) {
    return kernel == FeatureKernel::Softmax;
  }

  /// Rows of an array with one row a token and key head, of `count` rows.
  mlir::Value loadKeys(const CallerArray &array, const RowBlock &block,
                       int64_t count);
  /// A factor of each row: beta, alpha.
  mlir::Value loadFactors(const CallerArray &array, const RowBlock &block);
  WriteTiles loadWrite(const RowBlock &block);

  /// Scores, with the kernel applied where it is elementwise.
  mlir::Value gram(mlir::Value query, mlir::Value key, FeatureKernel kernel,
                   Part part);
  mlir::Value apply(mlir::Value weights, mlir::Value input,
                    mlir::Value accumulator, Part part, Split split);
  mlir::Value scaleRows(mlir::Value input, mlir::Value factors);

  /// The sums of `count` rows over no keys.
  RowSums noSums(FeatureKernel kernel, int64_t count);
  /// `sums` with one more block of keys, weighed by `kernel`; `known` are its
  /// u, null where they are not known yet (softmax: the row statistics alone
  /// advance). `columns`: how many keys there are; null where all are.
  /// `areRounded`: u have 16 bits, whatever is made of them.
  RowSums advance(FeatureKernel kernel, const RowSums &sums, mlir::Value scores,
                  mlir::Value known, Part part, mlir::Value columns = {},
                  bool areRounded = false);

  /// u of the block whose sums over earlier keys are `sums`.
  SolvedTiles solve(const WriteTiles &tiles, RowSums sums);
  /// Stores what the caller asks of a block that is solved, besides u: what the
  /// write query reads, row statistics, and a tied read's output.
  void storeSolved(const WriteTiles &tiles, const SolvedTiles &solved,
                   const RowBlock &block);
  /// `sums` of a read with a query of its own, with the keys of its block
  /// added, whose u are `known`.
  RowSums addOwn(mlir::Value query, mlir::Value key, mlir::Value known,
                 const RowSums &sums);
  /// Stores the output of such a read, from the sums over all keys, and its row
  /// statistics where the caller asks for them.
  void storeRead(const RowSums &sums, const RowBlock &block);

  /// Whether sums of u cancel: weights of `exp` are nearly equal, and where
  /// they write, the recurrence makes each u undo the sum of those before it.
  /// Roundings of u and of what weighs it, by whatever kernel it is read, add
  /// up, and grow with u where that grows.
  bool sumsCancel() { return op.getKernel().getWrite() == FeatureKernel::Exp; }

  mlir::Location named(llvm::StringRef name) {
    return mlir::NameLoc::get(b.getStringAttr(name), op.getLoc());
  }
  static mlir::RankedTensorType tileType(mlir::OpBuilder &b,
                                         llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, b.getF32Type());
  }
  llvm::SmallVector<mlir::Value> at(const RowBlock &block, mlir::Value head) {
    return {block.batch, block.first, head, b.index(0)};
  }
  const CallerArray &writeQuery() {
    return b.arrays.write ? b.arrays.write : b.arrays.query;
  }

  ChunkBuilder &b;
  RecurrenceOp op;
  const int64_t rows;
  const llvm::APFloat scale;
  /// A factor a row; a row of u a row.
  const mlir::RankedTensorType perRow, values;

private:
  /// Whether weights of `kernel` may differ by less than 16 bits resolve, or
  /// what they weigh cancels. Exponentials of small scores are near 1. The
  /// recurrence damps what they have in common, the sum of all u, and leaves
  /// the error of rounding each of them: in bf16 it would grow past every limit
  /// with the number of tokens.
  bool splitsWeights(FeatureKernel kernel) {
    return sumsCancel() || kernel == FeatureKernel::Exp;
  }
  /// The part of the weights inside a block that is applied to u besides the
  /// solve.
  Part readPart() {
    bool readsOwn = op.isTied() && !isNormalised(op.getKernel().getRead());
    return readsOwn ? Part::Lower : Part::StrictLower;
  }
  /// What the rows of a block read of earlier blocks and, by `weights`, of
  /// their own.
  mlir::Value readOwn(const SolvedTiles &solved, mlir::Value weights,
                      Part part);
  mlir::Value readUbar(const WriteTiles &tiles, const SolvedTiles &solved);
  /// The output of a tied read; `ubar` is looked at in a softmax alone.
  mlir::Value readTied(const SolvedTiles &solved, mlir::Value ubar);
  /// The logarithm of the sum that a row of a softmax is divided by; -inf where
  /// it has no score.
  mlir::Value logSum(mlir::Value max, mlir::Value sum);
  /// That of a tied read, from the write's sums and each row's own score.
  mlir::Value logSumTied(const RowSums &sums, mlir::Value own);
  void storeFactors(mlir::Value factors, mlir::Value dest,
                    const RowBlock &block);
  /// `SolvedTiles::share`, of the scores of each row's own token.
  mlir::Value ownShare(const RowSums &sums, mlir::Value own);
};

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_TRANSFORMS_IMPLICITTILES_H
