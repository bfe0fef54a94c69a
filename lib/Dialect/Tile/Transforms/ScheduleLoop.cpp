//===- ScheduleLoop.cpp - a loop with products in flight --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// List scheduling against a model of two machines: a warp that issues in order
/// and stops at an await, and the tensor cores, which run products in the order
/// of issue. What the next state depends on (the chain) goes first; everything
/// else fills the time in which the chain waits.
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
  /// The warp's clock; when the tensor cores have done all that was issued, and
  /// when they begin the last step of it.
  int64_t now = 0, tensorFree = 0, lastStep = 0;
  /// When a product in flight is complete.
  DenseMap<Value, int64_t> complete;
  SmallVector<Node *> order;
  /// Reads and acquires, by the node that they stand in front of.
  DenseMap<Node *, SmallVector<Operation *>> inFront;
  llvm::SetVector<Operation *> text;
};

} // namespace

//===----------------------------------------------------------------------===//
// What comes next
//===----------------------------------------------------------------------===//

/// Whether `node` may be computed now: if it only depends on what was read, not
/// before the products are issued that its users wait for.
static bool isWanted(const Node &node) {
  if (!node.isDerived)
    return true;
  return llvm::any_of(node.behind, [](Node *user) {
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

/// The highest of `nodes` that `accept` takes, the first among equals.
static Node *findHighest(ArrayRef<Node *> nodes,
                         function_ref<bool(Node *)> accept) {
  Node *highest = nullptr;
  for (Node *node : nodes)
    if (accept(node) && (!highest || node->height > highest->height))
      highest = node;
  return highest;
}

/// Products of the chain that are not issued yet.
SmallVector<Node *> LoopScheduler::collectNextStarts() const {
  SmallVector<Node *> starts;
  for (const std::unique_ptr<Node> &node : graph.getNodes())
    if (node->isStart() && node->onChain && !node->isIssued())
      starts.push_back(node.get());
  return starts;
}

/// When `next` of the chain can be issued, if nothing holds it up.
int64_t LoopScheduler::estimateStart(const Node &next,
                                     ArrayRef<Node *> ready) const {
  int64_t time = now;
  for (Node *node : ready)
    if (node->onChain && node->height > next.height)
      time = std::max(time, now + waitFor(*node) + node->height - next.height);
  return time;
}

/// A product of the chain; or another one that does not hold up the chain's
/// next, by more than half of its time if there is no better place for it.
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
  // A second half stays whole, and may find a gap later.
  if (dot.getK())
    return next.size() == 1 ? start : nullptr;
  auto [first, last] = getContraction(dot);
  bool canCut = cut && dot.getBPart() == Part::Full && (last - first) % 32 == 0;
  return canCut ? graph.cutInTwo(*start) : start;
}

Node *LoopScheduler::choose() {
  SmallVector<Node *> ready = collectReady();
  // Somebody waits for the slot.
  for (Node *node : ready)
    if (isa<CommitOp, ReleaseOp>(node->op))
      return node;
  if (Node *start = chooseStart(ready))
    return start;

  // The chain, unless it has to wait; meanwhile the rest, as far as it is done
  // by then; each without waiting, if possible.
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
// The text
//===----------------------------------------------------------------------===//

/// Puts each await directly in front of what needs it: an accumulator that is
/// complete while another product runs should be used at once.
void LoopScheduler::sinkAwaits() {
  SmallVector<Node *> awaits;
  for (Node *node : order)
    if (isa<AwaitOp>(node->op))
      awaits.push_back(node);
  for (Node *await : awaits) {
    llvm::erase(order, await);
    order.insert(
        llvm::find_if(order,
                      [&](Node *node) { return await->behind.contains(node); }),
        await);
  }
}

/// Reads wait until all products that were issued before are under way. So they
/// stand behind the peek, or in front of a later product: the last one in front
/// of which they come in time, or, for what the chain does not need, the last
/// one. Compilers mix the ops behind an await, so what these read must be there
/// when the await ends.
void LoopScheduler::placeReads() {
  // Reads by the last await in front of their first use.
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
    bool isBehindProduct = false;
    for (auto node = place; await && *node != await; ++node) {
      if (!(*node)->isStart())
        continue;
      int64_t ready = std::max((*node)->time, (*node)->queue) + cycles;
      int64_t needed = await->time + graph.getIssueCycles(await->op);
      if (isBehindProduct && (!await->onChain || ready <= needed))
        place = node;
      isBehindProduct = true;
    }
    inFront[*place].append(group);
  }
}

/// The wait for a free slot goes in front of the await before its first use:
/// while a product runs, but as late as can be.
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
    inFront[place].push_back(acquire);
  }
}

/// Appends an op behind those that go with it.
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
    for (Operation *op : inFront.lookup(node))
      emit(op);
    emit(node->op);
  }
  // What only the next iteration needs, or nobody.
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
