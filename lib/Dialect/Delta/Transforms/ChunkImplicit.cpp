//===- ChunkImplicit.cpp - chunked form of implicit features ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The chunked form of a recurrence without a state over whole sequences
/// (DeltaFormer, 2505.19488, section 3.3): row block c, in order, with every
/// earlier block of u known. ImplicitTiles.h has the equations of a block.
///
/// A read that is not tied is an ordinary attention over (K, U) that starts
/// when u is complete: its row blocks are independent, so they are a parallel
/// loop of their own and no part of the chain.
///
/// Keys with an l2 norm are normalised by a loop in front, into an array: every
/// later block of rows reads them. So are queries where warpgroups share a
/// block, whose products take them from where the copy engine brings them.
///
/// The choice of the form is made here; which kernel computes what is not.
///
//===----------------------------------------------------------------------===//

#include "ImplicitTiles.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace delta;

namespace {

class ImplicitChunks : ImplicitTiles {
public:
  explicit ImplicitChunks(ChunkBuilder &builder)
      : ImplicitTiles(builder, builder.chunk) {}

  void build();

private:
  /// A block and its number among the sequence's.
  struct NumberedBlock : RowBlock {
    Value number;
  };

  /// An array of the function's own, of the shape of `like`.
  Value makeArray(StringRef name, Value like, Type element);
  /// The array that u is stored in.
  Value makeU();
  /// Whether the plan of `kernel` copies its operands into shared memory by
  /// warps of their own, where no thread sees them before a product does.
  bool isCopied(StringRef kernel);
  /// Arrays with the l2 norms of keys, and of what else is to be normalised in
  /// front, applied by a loop that is written here, in place of the caller's.
  void normaliseInFront();
  NumberedBlock makeBlock(Value batch, Value head, Value keyHead, Value number);
  /// u of one block, and its output where the read is tied.
  void write(const NumberedBlock &block);
  /// The output of one block, u being complete.
  void read(const NumberedBlock &block);

  /// The sums over every block before `block`. `isChain`: u is still being
  /// written, by the loop that `block` is an iteration of.
  RowSums earlierBlocks(const NumberedBlock &block, Value query,
                        FeatureKernel kernel, bool isChain);

  /// How many blocks a sequence has.
  Value blocks;
  /// [B, T, HV, V].
  Value u;
  /// The same in f32, for the block that reads its own; null where `u` is in
  /// f32, or does.
  Value ownU;
};

} // namespace

ImplicitChunks::NumberedBlock ImplicitChunks::makeBlock(Value batch, Value head,
                                                        Value keyHead,
                                                        Value number) {
  Value length = b.index(rows);
  b.name("first_row");
  Value first = arith::MulIOp::create(b, number, length);
  b.name("left");
  Value left = arith::SubIOp::create(b, b.tokens(), first);
  b.name("rows");
  Value count = arith::MinUIOp::create(b, left, length);
  return {{batch, head, keyHead, first, count}, number};
}

RowSums ImplicitChunks::earlierBlocks(const NumberedBlock &block, Value query,
                                      FeatureKernel kernel, bool isChain) {
  SmallVector<Value, 3> none = noSums(kernel, rows).pack();
  auto loop = scf::ForOp::create(b, b.index(0), block.number, b.index(1), none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  loop.getInductionVar().setLoc(named("earlier"));
  // Only a sequence's last block is ragged, and that one is before no other.
  RowBlock earlier = block;
  earlier.count = b.index(rows);
  b.name("earlier_row");
  earlier.first =
      arith::MulIOp::create(b, loop.getInductionVar(), earlier.count);
  b.name("K_j");
  Value key = loadKeys(b.arrays.key, earlier, rows);
  b.name("U_j");
  Value known = LoadOp::create(b, values, u, at(earlier, block.head),
                               earlier.count, ArrayRef<int64_t>{1, 3},
                               /*steps=*/1, /*before=*/isChain);
  b.name("s_j");
  Value scores = gram(query, key, kernel, Part::Full);
  b.name("acc");
  RowSums next = advance(kernel, RowSums::unpack(loop.getRegionIterArgs()),
                         scores, known, Part::Full, /*columns=*/Value(),
                         /*areRounded=*/static_cast<bool>(b.arrays.u));
  scf::YieldOp::create(b, next.pack());
  return RowSums::unpack(loop.getResults());
}

void ImplicitChunks::write(const NumberedBlock &block) {
  WriteTiles tiles = loadWrite(block);
  RowSums sums = earlierBlocks(block, tiles.query, op.getKernel().getWrite(),
                               /*isChain=*/true);
  SolvedTiles solved = solve(tiles, sums);
  b.store(solved.u, u, at(block, block.head), block.count, {1, 3});
  if (ownU)
    b.store(solved.u, ownU, at(block, block.head), block.count, {1, 3});
  // Behind the store: later blocks wait for u.
  storeSolved(tiles, solved, block);
}

void ImplicitChunks::read(const NumberedBlock &block) {
  b.name("Q");
  Value query = loadKeys(b.arrays.query, block, rows);
  RowSums sums = earlierBlocks(block, query, op.getKernel().getRead(),
                               /*isChain=*/false);
  b.name("K");
  Value key = loadKeys(b.arrays.key, block, rows);
  b.name("U");
  Value known = b.load({ownU ? ownU : u}, at(block, block.head), block.count,
                       {1, 3}, values.getShape());
  storeRead(addOwn(query, key, known, sums), block);
}

Value ImplicitChunks::makeArray(StringRef name, Value like, Type element) {
  auto type =
      MemRefType::get(cast<MemRefType>(like.getType()).getShape(), element);
  SmallVector<Value> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      sizes.push_back(memref::DimOp::create(b, like, axis));
  auto array = memref::AllocOp::create(b, type, sizes);
  array->setAttr("delta.name", b.getStringAttr(name));
  return array;
}

Value ImplicitChunks::makeU() {
  if (b.arrays.u)
    return b.arrays.u;
  // f32: only a caller who asks for u in 16 bits also asks for its rounding,
  // and for later u that make up for it.
  return makeArray("u", b.arrays.value.memref, b.getF32Type());
}

bool ImplicitChunks::isCopied(StringRef kernel) {
  DictionaryAttr plans = op.getPlansAttr();
  auto alternatives = plans ? plans.getAs<ArrayAttr>(kernel) : ArrayAttr();
  return alternatives && cast<plan::KernelPlanAttr>(alternatives[0]).hasRoles();
}

void ImplicitChunks::normaliseInFront() {
  struct Use {
    StringRef array, tile;
    CallerArray *caller;
  };
  SmallVector<Use, 3> uses = {{"k_normalised", "K", &b.arrays.key}};
  // Left operands that a copy brings cannot be scaled on their way.
  if (isCopied("write")) {
    uses.push_back({"q_normalised", "Q", &b.arrays.query});
    uses.push_back({"w_normalised", "W", &b.arrays.write});
  }
  // One array a norm: a write query may be the key or the query.
  llvm::MapVector<Operation *, std::pair<CallerArray, Use>> norms;
  for (const Use &use : uses)
    if (auto norm = dyn_cast_or_null<L2NormOp>(use.caller->prologue)) {
      CallerArray caller = *use.caller;
      auto [entry, isNew] = norms.try_emplace(norm, caller, use);
      *use.caller = isNew ? CallerArray{makeArray(
                                use.array, caller.memref,
                                norm.getOutput().getType().getElementType())}
                          : *entry->second.second.caller;
    }
  if (norms.empty())
    return;
  auto nest = NestAttr::get(b.getContext(), NestKind::Rows, "normalise",
                            {"batch", "head", "block"});
  b.forEachChunk(
      nest, "Divides the rows of keys and queries by their l2 norms.",
      op.getKeyHeads(), blocks, [&](Value batch, Value head, Value number) {
        RowBlock block = makeBlock(batch, head, head, number);
        for (const auto &[norm, entry] : norms) {
          const auto &[caller, use] = entry;
          b.name(use.tile);
          Value tile = loadKeys(caller, block, rows);
          b.store(tile, use.caller->memref, at(block, head), block.count,
                  {1, 3});
        }
      });
}

void ImplicitChunks::build() {
  blocks = arith::CeilDivUIOp::create(b, b.tokens(), b.index(rows));
  u = makeU();
  if (!op.isTied() && sumsCancel() && b.arrays.u)
    ownU = makeArray("u_own", b.arrays.value.memref, b.getF32Type());
  normaliseInFront();
  auto blockOf = [&](Value batch, Value head, Value number) {
    b.name("key_head");
    return makeBlock(batch, head, b.keyHead(head), number);
  };
  NestAttr writes = b.attentionNest("write", {"batch", "head"}, "u");
  StringRef comment =
      op.isTied()
          ? "Solves for u, one query block after the other: what earlier "
            "blocks "
            "contribute by an online softmax or a sum, then the triangular "
            "system of the block itself. Reads with the same weights."
          : "Solves for u, one query block after the other: what earlier "
            "blocks "
            "contribute by an online softmax or a sum, then the triangular "
            "system of the block itself.";
  b.forEachValueHead(writes, comment, [&](Value batch, Value head) {
    auto chain = scf::ForOp::create(b, b.index(0), blocks, b.index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(chain.getBody());
    write(blockOf(batch, head, chain.getInductionVar()));
  });
  if (op.isTied())
    return;
  NestAttr reads = b.attentionNest("read", {"batch", "head", "block"});
  b.forEachChunk(reads,
                 "Attention of a query block over the keys and u before "
                 "and in it.",
                 op.getValueHeads(), blocks,
                 [&](Value batch, Value head, Value number) {
                   read(blockOf(batch, head, number));
                 });
}

LogicalResult delta::buildImplicitChunks(ChunkBuilder &builder) {
  ImplicitChunks(builder).build();
  return success();
}
