//===- LoopGraph.h - what waits for what in an iteration --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The dependences of one iteration of a loop with products in flight, and what
/// each op takes: the input of `scheduleLoop`.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_LIB_DIALECT_TILE_TRANSFORMS_LOOPGRAPH_H
#define DELTA_LIB_DIALECT_TILE_TRANSFORMS_LOOPGRAPH_H

#include "delta/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace delta::tile {

/// The contraction indices [first, last) of a product.
std::pair<int64_t, int64_t> getContraction(DotStartOp start);

/// What is scheduled: an op, with those in front that go with it.
struct Node {
  mlir::Operation *op;
  /// What must be issued before and behind it.
  llvm::SetVector<Node *> before, behind;
  /// Products that it waits for.
  llvm::SetVector<Node *> starts;
  /// Whether the next iteration's tiles depend on it.
  bool onChain = false;
  /// Whether it depends on what is read from slots alone. It could be computed
  /// at once, but its result would take up registers until it is used.
  bool isDerived = false;
  /// Cycles from its issue to the end of the longest path; for what is on the
  /// chain, of the longest path there.
  int64_t height = 0;

  // The schedule: when it was issued, and when the tensor cores were to begin
  // the last instruction that was issued before.
  int64_t time = -1, queue = 0;

  bool isStart() const { return llvm::isa<DotStartOp>(op); }
  bool isIssued() const { return time >= 0; }
};

/// The graph of a loop's body. Its nodes are all ops but those that go with
/// their first user, reads of slots, which may stand anywhere while the slot is
/// open, and acquires, which may stand anywhere in front of the slot's first
/// use.
class LoopGraph {
public:
  LoopGraph(mlir::scf::ForOp loop, const plan::IssueCycles &cycles);

  /// Cycles that a product, and one instruction of it, keeps the tensor cores
  /// busy.
  int64_t getDuration(DotStartOp start) const;
  int64_t getStepDuration(DotStartOp start) const;
  /// Cycles that an op keeps the issuing warp busy.
  int64_t getIssueCycles(mlir::Operation *op) const;
  /// Cycles from the issue of a read to its value.
  int64_t getReadCycles() const { return cycles.read; }

  /// Whether the body has only ops whose order the graph knows: no nested
  /// regions, no barriers, one slot of a ring.
  static bool accepts(mlir::scf::ForOp loop);

  /// In program order; a product's first half is added at the end.
  llvm::ArrayRef<std::unique_ptr<Node>> getNodes() const { return nodes; }
  llvm::ArrayRef<mlir::Operation *> getReads() const { return reads; }
  llvm::ArrayRef<mlir::Operation *> getAcquires() const { return acquires; }
  /// Whether `node` uses a read's value or an acquired slot.
  bool isUser(Node *node, mlir::Operation *op) const {
    return users.find(op)->second.contains(node);
  }
  /// What opens the slot that is read.
  Node *getSlot(mlir::Operation *read) const;

  /// Cuts a product in two along k. Returns the first half; the node becomes
  /// the second, which accumulates onto the first.
  Node *cutInTwo(Node &node);

private:
  /// Sets the height of `node`, and of those after it.
  void measureHeight(Node &node, llvm::SetVector<Node *> &visited);
  void addSources(Node &node, mlir::Value value);
  void addSlotEnd(mlir::Operation *open);
  void addConflicts();
  void addCarriedUses();
  void addCarriedEnds(mlir::scf::ForOp loop);
  bool usesAccumulator(mlir::Value value) const;
  bool isDerived(mlir::Value value) const;

  const plan::IssueCycles cycles;
  mlir::Block &body;
  llvm::SmallVector<std::unique_ptr<Node>> nodes;
  llvm::DenseMap<mlir::Operation *, Node *> nodeOf;
  llvm::SmallVector<mlir::Operation *> reads, acquires;
  llvm::DenseMap<mlir::Operation *, llvm::SetVector<Node *>> users;
  /// Stands for the next iteration; behind what it needs.
  Node end;
};

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_LOOPGRAPH_H
