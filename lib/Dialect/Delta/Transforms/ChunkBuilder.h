//===- ChunkBuilder.h - what the chunk builders share -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Private to lib/Dialect/Delta/Transforms. `delta-chunk` (Chunk.cpp) turns the
/// function's signature into memrefs and hands one ChunkBuilder to the builder
/// of the recurrence's family, which writes the body. The builders decide the
/// algebra; this file decides how the caller's arrays are reached.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_DELTA_TRANSFORMS_CHUNKBUILDER_H
#define DELTA_LIB_DIALECT_DELTA_TRANSFORMS_CHUNKBUILDER_H

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Nests.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace delta {

/// An array of the caller: its memref, and the prologue op (`delta.l2norm` or
/// `delta.sigmoid`, or null) that stood between it and the recurrence and that
/// is now applied to every tile. False where the function has no such array.
struct CallerArray {
  mlir::Value memref;
  mlir::Operation *prologue = nullptr;

  explicit operator bool() const { return static_cast<bool>(memref); }
};

/// The arrays of one function by their role in the recurrence. Shapes are those
/// that `delta.recurrence` documents.
struct CallerArrays {
  CallerArray query, key, value, beta, decay, initial, write, alpha;
  /// Destinations; all but `output` are null where the caller does not ask.
  mlir::Value output, state, u, ubar, writeLse, readLse;
  /// Keys and u of earlier tokens, and how many a sequence has. Null without a
  /// cache.
  mlir::Value keyCache, uCache, cached;
};

/// Builds the chunked form of one recurrence at its insertion point. The
/// recurrence itself is only read.
class ChunkBuilder : public mlir::ImplicitLocOpBuilder {
public:
  ChunkBuilder(RecurrenceOp recurrence, const CallerArrays &arrays,
               int64_t chunk);

  RecurrenceOp recurrence;
  CallerArrays arrays;
  /// Rows of a chunk.
  const int64_t chunk;
  /// The rounding that the value dtype permits on products.
  PrecAttr prec;

  /// Gives what is created next the name that it has in the papers. Names
  /// travel as locations, down to the emitted kernel.
  void name(llvm::StringRef text);

  mlir::Value index(int64_t value);
  /// Extent of the query's batch and token axis.
  mlir::Value batches();
  mlir::Value tokens();
  /// The key head that `valueHead` reads.
  mlir::Value keyHead(mlir::Value valueHead);
  /// A tile of zeros.
  mlir::Value zeros(llvm::ArrayRef<int64_t> shape);

  /// The nest `nest` over every batch and value head; `body` gets both
  /// coordinates. `comment` says to a reader what it computes.
  mlir::scf::ForallOp
  forEachValueHead(NestAttr nest, llvm::StringRef comment,
                   llvm::function_ref<void(mlir::Value, mlir::Value)> body);
  /// The nest `nest` over every batch, head (of `heads`) and chunk (of
  /// `chunks`); these must not depend on each other.
  mlir::scf::ForallOp forEachChunk(
      NestAttr nest, llvm::StringRef comment, int64_t heads, mlir::Value chunks,
      llvm::function_ref<void(mlir::Value, mlir::Value, mlir::Value)> body);
  /// What a nest of query blocks is, of which `publishes` names the array that
  /// later blocks read.
  NestAttr attentionNest(llvm::StringRef name,
                         llvm::ArrayRef<llvm::StringRef> axes,
                         llvm::StringRef publishes = {});

  /// A tile of `array` of the given shape, with the array's prologue applied.
  /// Arguments as of `delta.load`; a null `rows` reads every row.
  ///
  /// A prologue rounds to its own result type and the tile is extended again:
  /// the rounding is part of the recurrence's meaning. On the zero rows of a
  /// ragged chunk l2norm gives 0, but sigmoid does not. That is harmless for
  /// beta and alpha: they scale rows of k and v, which are 0 there, or rows of
  /// weights and sums that no row of the sequence reads.
  mlir::Value load(const CallerArray &array, mlir::ValueRange indices,
                   mlir::Value rows, llvm::ArrayRef<int64_t> dims,
                   llvm::ArrayRef<int64_t> shape, int64_t steps = 1);

  /// The first `rows` rows of `tile` into `dest`, arguments as of
  /// `delta.store`.
  void store(mlir::Value tile, mlir::Value dest, mlir::ValueRange indices,
             mlir::Value rows, llvm::ArrayRef<int64_t> dims);
};

/// Bodies of the linear kernel (state) and of implicit features (no state). On
/// failure a diagnostic has been emitted.
mlir::LogicalResult buildLinearChunks(ChunkBuilder &builder);
mlir::LogicalResult buildImplicitChunks(ChunkBuilder &builder);
/// The body of implicit features behind a cache.
mlir::LogicalResult buildDecodeChunks(ChunkBuilder &builder);
/// Rows of the block of queries that it reads a cache for, 16 for each warp.
int64_t getDecodeRows(RecurrenceOp op);

} // namespace delta

#endif // DELTA_LIB_DIALECT_DELTA_TRANSFORMS_CHUNKBUILDER_H
