//===- LoopGraph.h - dependences and costs of one iteration -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The dependences between the ops of one iteration of a loop with products in
/// flight, and the cycles that each op takes: the input of `scheduleLoop`.
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

/// The unit of scheduling: an op, and the ops that are placed directly before
/// it.
struct Node {
  mlir::Operation *op;
  /// The nodes that must be issued before and after this one.
  llvm::SetVector<Node *> before, after;
  /// The products that the op waits for.
  llvm::SetVector<Node *> starts;
  /// Whether the next iteration's tiles depend on it.
  bool onChain = false;
  /// Whether all its inputs come from reads of slots. The op could then run at
  /// once, but its result would take up registers until its use.
  bool isDerived = false;
  /// Cycles from the issue of the op to the end of its longest path; for nodes
  /// on the chain, of the longest path on the chain.
  int64_t height = 0;

  // The schedule: the cycle of the op's issue, and the cycle in which the
  // tensor cores begin the last instruction issued before it.
  int64_t time = -1, queue = 0;

  bool isStart() const { return llvm::isa<DotStartOp>(op); }
  bool isIssued() const { return time >= 0; }
};

/// The graph of a loop's body. Three kinds of ops are not nodes: ops that are
/// placed with their first user, reads of slots, which may stand anywhere while
/// the slot is open, and acquires, which may stand anywhere before the first
/// use of the slot.
class LoopGraph {
public:
  LoopGraph(mlir::scf::ForOp loop, const plan::IssueCycles &cycles);

  /// Cycles for which a product, and one of its instructions, keep the tensor
  /// cores busy.
  int64_t getDuration(DotStartOp start) const;
  int64_t getStepDuration(DotStartOp start) const;
  /// Cycles for which an op keeps the issuing warp busy.
  int64_t getIssueCycles(mlir::Operation *op) const;
  /// Cycles from the issue of a read to its value.
  int64_t getReadCycles() const { return cycles.read; }

  /// Whether the graph can order all ops of the body: no nested regions, no
  /// barriers, and one slot of each ring.
  static bool accepts(mlir::scf::ForOp loop);

  /// In program order; the first half of a cut product is added at the end.
  llvm::ArrayRef<std::unique_ptr<Node>> getNodes() const { return nodes; }
  llvm::ArrayRef<mlir::Operation *> getReads() const { return reads; }
  llvm::ArrayRef<mlir::Operation *> getAcquires() const { return acquires; }
  /// Whether `node` uses the value of the read, or the slot of the acquire,
  /// `op`.
  bool isUser(Node *node, mlir::Operation *op) const {
    return users.find(op)->second.contains(node);
  }
  /// The node that opens the slot that `read` reads.
  Node *getSlot(mlir::Operation *read) const;

  /// Cuts a product in two along k. Returns the first half; the node becomes
  /// the second, which accumulates onto the first.
  Node *cutInTwo(Node &node);

private:
  /// Sets the height of `node` and of all nodes after it.
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
  /// Represents the next iteration; comes after all nodes that it needs.
  Node end;
};

} // namespace delta::tile

#endif // DELTA_LIB_DIALECT_TILE_TRANSFORMS_LOOPGRAPH_H
