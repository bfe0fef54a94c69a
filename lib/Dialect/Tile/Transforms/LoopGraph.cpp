//===- LoopGraph.cpp - dependences and costs of one iteration ---*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements LoopGraph.h.
///
//===----------------------------------------------------------------------===//

#include "LoopGraph.h"
#include "SharedEffects.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

//===----------------------------------------------------------------------===//
// Cycles
//===----------------------------------------------------------------------===//

std::pair<int64_t, int64_t> delta::tile::getContraction(DotStartOp start) {
  if (std::optional<ArrayRef<int64_t>> k = start.getK())
    return {(*k)[0], (*k)[1]};
  auto type = cast<ShapedType>(start.getA().getType());
  return {0, type.getDimSize(start.getContract()[0])};
}

int64_t LoopGraph::getDuration(DotStartOp start) const {
  auto [first, last] = getContraction(start);
  return (last - first) / cycles.step * getStepDuration(start);
}

int64_t LoopGraph::getStepDuration(DotStartOp start) const {
  auto type = cast<RankedTensorType>(start.getInflight().getType().getValue());
  return type.getDimSize(1) / cycles.columns;
}

/// The number of elements of a tile that a thread holds; 0 for any other type.
static int64_t countElements(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  auto layout = dyn_cast_or_null<LayoutInterface>(tile ? tile.getEncoding()
                                                       : Attribute());
  if (!layout)
    return 0;
  return layout.getRegisters(tile) * (32 / tile.getElementTypeBitWidth());
}

int64_t LoopGraph::getIssueCycles(Operation *op) const {
  if (isa<DotStartOp>(op))
    return cycles.start;
  if (isa<AwaitOp>(op))
    return cycles.await;
  if (isa<PeekOp, AcquireOp, ReleaseOp, CommitOp>(op))
    return cycles.ring;
  int64_t elements = 0;
  for (Type type : op->getOperandTypes())
    elements = std::max(elements, countElements(type));
  for (Type type : op->getResultTypes())
    elements = std::max(elements, countElements(type));
  return elements *
         (isa<math::ExpOp, math::Exp2Op>(op) ? cycles.exp : cycles.element);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether `op` is placed directly before its first user, because it costs
/// nothing (addresses, spreads) or only takes up registers (extensions).
static bool goesWithUser(Operation *op) {
  if (isa<SpreadOp, tensor::SplatOp, arith::ExtFOp>(op) ||
      isa<ViewLikeOpInterface>(op))
    return true;
  return isPure(op) && llvm::none_of(op->getResultTypes(), [](Type type) {
           return countElements(type) != 0;
         });
}

/// Whether `op` only reads a slot that was opened in its block.
static bool isSlotRead(Operation *op) {
  if (!isa<ReadOp, memref::LoadOp>(op))
    return false;
  SmallVector<SharedAccess> accesses = getSharedAccesses(op);
  if (accesses.empty())
    return false;
  auto peek = getBuffer(accesses.front().buffer).getDefiningOp<PeekOp>();
  return peek && peek->getBlock() == op->getBlock();
}

Node *LoopGraph::getSlot(Operation *read) const {
  Value buffer = getSharedAccesses(read).front().buffer;
  return nodeOf.lookup(getBuffer(buffer).getDefiningOp());
}

bool LoopGraph::accepts(scf::ForOp loop) {
  llvm::SetVector<Value> filled, drained;
  for (Operation &op : *loop.getBody()) {
    if (op.getNumRegions() != 0 || containsBarrier(&op))
      return false;
    if (auto acquire = dyn_cast<AcquireOp>(op))
      if (!filled.insert(acquire.getRing()))
        return false;
    if (auto peek = dyn_cast<PeekOp>(op))
      if (!drained.insert(peek.getRing()))
        return false;
  }
  return true;
}

/// Collects the products that `node` waits for.
static void collectStarts(Node &node, llvm::SetVector<Node *> &visited) {
  if (!visited.insert(&node))
    return;
  for (Node *before : node.before) {
    collectStarts(*before, visited);
    node.starts.insert_range(before->starts);
    if (before->isStart())
      node.starts.insert(before);
  }
}

void LoopGraph::measureHeight(Node &node, llvm::SetVector<Node *> &visited) {
  if (!visited.insert(&node))
    return;
  int64_t rest = 0;
  for (Node *after : node.after) {
    measureHeight(*after, visited);
    if (after->onChain || !node.onChain)
      rest = std::max(rest, after->height);
  }
  node.height = getIssueCycles(node.op) + rest;
  if (auto start = dyn_cast<DotStartOp>(node.op))
    node.height += getDuration(start);
}

LoopGraph::LoopGraph(scf::ForOp loop, const plan::IssueCycles &cycles)
    : cycles(cycles), body(*loop.getBody()) {
  for (Operation &op : body.without_terminator()) {
    if (isSlotRead(&op) || isa<AcquireOp>(op)) {
      (isa<AcquireOp>(op) ? acquires : reads).push_back(&op);
      users[&op];
    } else if (!goesWithUser(&op)) {
      nodes.push_back(std::make_unique<Node>());
      nodes.back()->op = &op;
      nodeOf[&op] = nodes.back().get();
    }
  }
  for (const std::unique_ptr<Node> &node : nodes)
    for (Value operand : node->op->getOperands())
      addSources(*node, operand);
  end.op = body.getTerminator();
  for (Value operand : end.op->getOperands())
    addSources(end, operand);
  addConflicts();
  for (Operation &op : body)
    if (isa<PeekOp, AcquireOp>(op))
      addSlotEnd(&op);

  for (const std::unique_ptr<Node> &node : nodes)
    node->isDerived = isPure(node->op) &&
                      llvm::all_of(node->op->getOperands(), [&](Value operand) {
                        return isDerived(operand);
                      });
  SmallVector<Node *> worklist = {&end};
  while (!worklist.empty())
    for (Node *before : worklist.pop_back_val()->before)
      if (!before->onChain) {
        before->onChain = true;
        worklist.push_back(before);
      }
  llvm::SetVector<Node *> collected, measured;
  for (const std::unique_ptr<Node> &node : nodes)
    collectStarts(*node, collected);
  addCarriedUses();
  for (const std::unique_ptr<Node> &node : nodes)
    measureHeight(*node, measured);
  addCarriedEnds(loop);
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

static void addEdge(Node *before, Node *after) {
  if (before == after)
    return;
  before->after.insert(after);
  after->before.insert(before);
}

/// Whether `node` depends on `other`.
static bool waitsFor(Node &node, Node &other,
                     llvm::SetVector<Node *> &visited) {
  return &node == &other ||
         (visited.insert(&node) && llvm::any_of(node.before, [&](Node *before) {
            return waitsFor(*before, other, visited);
          }));
}

/// Adds edges to `node` from the nodes that compute `value`.
void LoopGraph::addSources(Node &node, Value value) {
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != &body)
    return;
  if (Node *source = nodeOf.lookup(def))
    return addEdge(source, &node);
  if (auto read = users.find(def); read != users.end())
    read->second.insert(&node);
  for (Value operand : def->getOperands())
    addSources(node, operand);
}

/// Adds edges between conflicting accesses to memory.
void LoopGraph::addConflicts() {
  SmallVector<SharedEffects> touched;
  for (const std::unique_ptr<Node> &node : nodes)
    touched.push_back(SharedEffects(node->op));
  for (size_t later = 0; later < nodes.size(); ++later)
    for (size_t earlier = 0; earlier < later; ++earlier)
      if (touched[earlier].conflictsWith(touched[later]))
        addEdge(nodes[earlier].get(), nodes[later].get());
}

bool LoopGraph::usesAccumulator(Value value) const {
  Operation *def = value.getDefiningOp();
  if (!def)
    return value.getParentBlock() == &body &&
           countElements(value.getType()) != 0 &&
           getElementTypeOrSelf(value.getType()).isF32();
  return def->getBlock() == &body && !nodeOf.contains(def) &&
         llvm::any_of(def->getOperands(),
                      [&](Value operand) { return usesAccumulator(operand); });
}

/// Orders work on carried accumulators before all products. Compilers do not
/// follow a product around a loop: when such an accumulator is used, they wait
/// for all products in flight.
void LoopGraph::addCarriedUses() {
  for (const std::unique_ptr<Node> &node : nodes) {
    bool isFirst = !node->isStart() && node->starts.empty() &&
                   llvm::any_of(node->op->getOperands(), [&](Value operand) {
                     return usesAccumulator(operand);
                   });
    if (!isFirst)
      continue;
    for (const std::unique_ptr<Node> &start : nodes)
      if (start->isStart())
        addEdge(node.get(), start.get());
  }
}

/// Orders the awaits of products that read a carried operand before the op that
/// computes its next value, which has the same registers.
void LoopGraph::addCarriedEnds(scf::ForOp loop) {
  for (auto [carried, next] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    Node *maker = nodeOf.lookup(next.getDefiningOp());
    for (Operation *user : carried.getUsers()) {
      auto start = dyn_cast<DotStartOp>(user);
      if (!maker || !start || start.getA() != carried)
        continue;
      Node *await = nodeOf.lookup(user);
      while (await && await->isStart())
        await = nodeOf.lookup(*await->op->user_begin());
      llvm::SetVector<Node *> waited;
      if (await && !waitsFor(*await, *maker, waited))
        addEdge(await, maker);
    }
  }
}

/// Orders all uses of a slot before the op that closes it. The use by a product
/// ends when the product is awaited.
void LoopGraph::addSlotEnd(Operation *open) {
  for (Operation *user : open->getResult(0).getUsers()) {
    Node *close = nodeOf.lookup(user);
    if (!close)
      continue;
    SmallVector<Value> worklist(open->getResults().drop_front());
    while (!worklist.empty())
      for (Operation *access : worklist.pop_back_val().getUsers()) {
        if (isa<ViewLikeOpInterface>(access))
          llvm::append_range(worklist, access->getResults());
        if (auto read = users.find(access); read != users.end())
          for (Node *reader : read->second)
            addEdge(reader, close);
        Node *node = nodeOf.lookup(access);
        while (node && node->isStart()) {
          addEdge(node, close);
          node = nodeOf.lookup(*node->op->user_begin());
        }
        if (node)
          addEdge(node, close);
      }
  }
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

bool LoopGraph::isDerived(Value value) const {
  Operation *def = value.getDefiningOp();
  if (!def)
    return value.getParentBlock() != &body ||
           countElements(value.getType()) == 0;
  if (def->getBlock() != &body || users.contains(def))
    return true;
  if (Node *node = nodeOf.lookup(def))
    return node->isDerived;
  return llvm::all_of(def->getOperands(),
                      [&](Value operand) { return isDerived(operand); });
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

Node *LoopGraph::cutInTwo(Node &node) {
  auto second = cast<DotStartOp>(node.op);
  auto [first, last] = getContraction(second);
  int64_t middle = first + (last - first) / 2;
  OpBuilder b(second);
  auto half = cast<DotStartOp>(b.clone(*second));
  half.setK(ArrayRef<int64_t>{first, middle});
  second.setK(ArrayRef<int64_t>{middle, last});
  second.getAccMutable().assign(half.getInflight());

  nodes.push_back(std::make_unique<Node>());
  Node *added = nodes.back().get();
  added->op = half;
  nodeOf[half] = added;
  for (Node *before : llvm::to_vector(node.before))
    addEdge(before, added);
  addEdge(added, &node);
  return added;
}
