//===- ScheduleLoop.cpp - a loop with products in flight --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// List scheduling on a model of two machines: a warp that issues in order and
/// stops at an await, and the tensor cores, which run products in the order of
/// issue. Ops on which the next state depends (the chain) go first; all other
/// ops fill the time in which the chain waits.
///
//===----------------------------------------------------------------------===//

#include "ScheduleLoop.h"
#include "LoopGraph.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

namespace {

class LoopScheduler {
public:
  LoopScheduler(scf::ForOp loop, const plan::IssueCycles &cycles, bool cut)
      : body(*loop.getBody()), graph(loop, cycles), cut(cut) {}

  void run();

private:
  SmallVector<Node *> collectReady();
  Node *choose();
  Node *chooseStart(ArrayRef<Node *> ready);
  int64_t waitFor(const Node &node) const;
  SmallVector<Node *> collectNextStarts() const;
  int64_t estimateStart(const Node &next, ArrayRef<Node *> ready) const;
  void issue(Node &node);

  void sinkAwaits();
  void placeReads();
  void placeAcquires();
  void emit(Operation *op);
  void writeBack();

  Block &body;
  LoopGraph graph;
  bool cut;
  /// The clock of the warp; the cycle in which the tensor cores finish all
  /// issued products, and the one in which they begin the last step of these.
  int64_t now = 0, tensorFree = 0, lastStep = 0;
  /// The cycle in which a product in flight completes.
  DenseMap<Value, int64_t> complete;
  SmallVector<Node *> order;
  /// Reads and acquires, by the node directly after them.
  DenseMap<Node *, SmallVector<Operation *>> preceding;
  llvm::SetVector<Operation *> text;
};

} // namespace

//===----------------------------------------------------------------------===//
// Choice of the next node
//===----------------------------------------------------------------------===//

/// Whether `node` may be issued now. A derived node must wait until the
/// products are issued for which its users wait.
static bool isWanted(const Node &node) {
  if (!node.isDerived)
    return true;
  return llvm::any_of(node.after, [](Node *user) {
    if (user->isDerived)
      return isWanted(*user);
    return llvm::all_of(user->starts,
                        [](Node *start) { return start->isIssued(); });
  });
}

SmallVector<Node *> LoopScheduler::collectReady() {
  SmallVector<Node *> ready;
  for (const std::unique_ptr<Node> &node : graph.getNodes())
    if (!node->isIssued() && isWanted(*node) &&
        llvm::all_of(node->before,
                     [](Node *before) { return before->isIssued(); }))
      ready.push_back(node.get());
  return ready;
}

/// Cycles until `node` can be issued without stopping the warp.
int64_t LoopScheduler::waitFor(const Node &node) const {
  int64_t end = now;
  if (auto await = dyn_cast<AwaitOp>(node.op))
    for (Value inflight : await.getInflight())
      end = std::max(end, complete.lookup(inflight));
  return end - now;
}

/// The highest of `nodes` that `accept` takes; the first one of equal nodes.
static Node *findHighest(ArrayRef<Node *> nodes,
                         function_ref<bool(Node *)> accept) {
  Node *highest = nullptr;
  for (Node *node : nodes)
    if (accept(node) && (!highest || node->height > highest->height))
      highest = node;
  return highest;
}

/// The products of the chain that are not issued yet.
SmallVector<Node *> LoopScheduler::collectNextStarts() const {
  SmallVector<Node *> starts;
  for (const std::unique_ptr<Node> &node : graph.getNodes())
    if (node->isStart() && node->onChain && !node->isIssued())
      starts.push_back(node.get());
  return starts;
}

/// The cycle in which `next`, a product of the chain, can be issued if no other
/// work delays it.
int64_t LoopScheduler::estimateStart(const Node &next,
                                     ArrayRef<Node *> ready) const {
  int64_t time = now;
  for (Node *node : ready)
    if (node->onChain && node->height > next.height)
      time = std::max(time, now + waitFor(*node) + node->height - next.height);
  return time;
}

/// Chooses a product of the chain, or another product that does not delay the
/// next one of the chain. Without a better place, a delay of at most half of
/// the other product's duration is accepted.
Node *LoopScheduler::chooseStart(ArrayRef<Node *> ready) {
  if (Node *start = findHighest(
          ready, [](Node *node) { return node->isStart() && node->onChain; }))
    return start;
  Node *start = findHighest(ready, [](Node *node) { return node->isStart(); });
  SmallVector<Node *> next = collectNextStarts();
  if (!start || next.empty())
    return start;
  auto dot = cast<DotStartOp>(start->op);
  int64_t time =
      estimateStart(*findHighest(next, [](Node *) { return true; }), ready);
  int64_t gap = time - std::max(now, tensorFree);
  int64_t duration = graph.getDuration(dot);
  if (duration <= gap)
    return start;
  if (duration / 2 > gap)
    return nullptr;
  // A second half is not cut again; it may find a gap later.
  if (dot.getK())
    return next.size() == 1 ? start : nullptr;
  auto [first, last] = getContraction(dot);
  bool canCut = cut && dot.getBPart() == Part::Full && (last - first) % 32 == 0;
  return canCut ? graph.cutInTwo(*start) : start;
}

Node *LoopScheduler::choose() {
  SmallVector<Node *> ready = collectReady();
  // Another role may wait for the slot.
  for (Node *node : ready)
    if (isa<CommitOp, ReleaseOp>(node->op))
      return node;
  if (Node *start = chooseStart(ready))
    return start;

  // Prefers other ops that are done before the chain can go on, and of these
  // the ones that wait least; then the op of the chain that waits least; then
  // any op.
  int64_t chainWait = std::numeric_limits<int64_t>::max();
  for (Node *node : ready)
    if (node->onChain && !node->isStart())
      chainWait = std::min(chainWait, waitFor(*node));
  auto isTimely = [&](Node *node) {
    return !node->onChain && !node->isStart() &&
           waitFor(*node) + graph.getIssueCycles(node->op) <= chainWait;
  };
  int64_t restWait = std::numeric_limits<int64_t>::max();
  for (Node *node : ready)
    if (isTimely(node))
      restWait = std::min(restWait, waitFor(*node));
  if (Node *node = findHighest(ready, [&](Node *node) {
        return isTimely(node) && waitFor(*node) <= restWait;
      }))
    return node;
  if (Node *node = findHighest(ready, [&](Node *node) {
        return node->onChain && !node->isStart() && waitFor(*node) <= chainWait;
      }))
    return node;
  return findHighest(ready, [](Node *) { return true; });
}

void LoopScheduler::issue(Node &node) {
  now += waitFor(node);
  node.time = now;
  node.queue = lastStep;
  now += graph.getIssueCycles(node.op);
  if (auto start = dyn_cast<DotStartOp>(node.op)) {
    tensorFree = std::max(now, tensorFree) + graph.getDuration(start);
    lastStep = tensorFree - graph.getStepDuration(start);
    complete[start.getInflight()] = tensorFree;
  }
  order.push_back(&node);
}

//===----------------------------------------------------------------------===//
// Program order
//===----------------------------------------------------------------------===//

/// Places each await directly before its first user: an accumulator that
/// completes while another product runs should be used at once.
void LoopScheduler::sinkAwaits() {
  SmallVector<Node *> awaits;
  for (Node *node : order)
    if (isa<AwaitOp>(node->op))
      awaits.push_back(node);
  for (Node *await : awaits) {
    llvm::erase(order, await);
    order.insert(
        llvm::find_if(order,
                      [&](Node *node) { return await->after.contains(node); }),
        await);
  }
}

/// Places the reads. A read waits until the tensor cores have begun all
/// products issued before it. So reads follow the peek directly, or stand
/// before a later product: the latest one before which they are still in time,
/// or, if the chain does not need them, the latest one of all. Compilers
/// reorder the ops after an await, so their reads must be complete when the
/// await ends.
void LoopScheduler::placeReads() {
  // Reads, grouped by the last await before their first use.
  llvm::MapVector<Node *, SmallVector<Operation *>> groups;
  for (Operation *read : graph.getReads()) {
    Node *await = nullptr;
    for (Node *node : order) {
      if (graph.isUser(node, read))
        break;
      if (isa<AwaitOp>(node->op))
        await = node;
    }
    groups[await].push_back(read);
  }
  for (auto &[await, group] : groups) {
    int64_t cycles = graph.getReadCycles();
    SmallVector<Node *>::iterator place = order.begin();
    for (Operation *read : group) {
      cycles += graph.getIssueCycles(read);
      place =
          std::max(place, std::next(llvm::find(order, graph.getSlot(read))));
    }
    bool isAfterProduct = false;
    for (auto node = place; await && *node != await; ++node) {
      if (!(*node)->isStart())
        continue;
      int64_t ready = std::max((*node)->time, (*node)->queue) + cycles;
      int64_t needed = await->time + graph.getIssueCycles(await->op);
      if (isAfterProduct && (!await->onChain || ready <= needed))
        place = node;
      isAfterProduct = true;
    }
    preceding[*place].append(group);
  }
}

/// Places the acquires. The wait for a free slot stands before the last await
/// before the slot's first use: while a product runs, but as late as possible.
void LoopScheduler::placeAcquires() {
  for (Operation *acquire : graph.getAcquires()) {
    Node *place = nullptr;
    for (Node *node : order) {
      bool isFirst = graph.isUser(node, acquire);
      if (isa<AwaitOp>(node->op) || (isFirst && !place))
        place = node;
      if (isFirst)
        break;
    }
    preceding[place].push_back(acquire);
  }
}

/// Appends an op after the ops that are placed with it.
void LoopScheduler::emit(Operation *op) {
  if (text.contains(op))
    return;
  for (Value operand : op->getOperands())
    if (Operation *def = operand.getDefiningOp();
        def && def->getBlock() == &body)
      emit(def);
  text.insert(op);
}

void LoopScheduler::writeBack() {
  for (Node *node : order) {
    for (Operation *op : preceding.lookup(node))
      emit(op);
    emit(node->op);
  }
  // Ops that only the next iteration needs, or that have no user.
  for (Operation &op : body.without_terminator())
    emit(&op);
  for (Operation *op : text)
    op->moveBefore(body.getTerminator());
}

void LoopScheduler::run() {
  while (Node *node = choose())
    issue(*node);
  sinkAwaits();
  placeReads();
  placeAcquires();
  writeBack();
}

void delta::tile::scheduleLoop(scf::ForOp loop, const plan::IssueCycles &cycles,
                               bool cut) {
  if (LoopGraph::accepts(loop))
    LoopScheduler(loop, cycles, cut).run();
}
