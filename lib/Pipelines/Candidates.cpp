//===- Candidates.cpp - plans worth a trial ---------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Implements Candidates.h. Orders of preference are measured
/// (docs/performance.md).
///
//===----------------------------------------------------------------------===//

#include "Candidates.h"

#include "KnownSpills.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace delta;
using namespace delta::plan;

/// Rows of a chunk, and of a query block: of one warpgroup, and of two that
/// share each key and each row of u that they load.
static constexpr int64_t kChunk = 64, kWarpgroupsBlock = 128;

/// Keys of a cache that a CTA takes in at once. A CTA of two warps takes in
/// twice as many, where a multiprocessor holds two such CTAs: half of the CTAs,
/// and of the sums of segments, then load as much at a time.
static constexpr int64_t kCacheChunk = 32;

/// Bytes that the query blocks of a group of heads read again and again: L2
/// caches hold 40 to 60 MB (docs/notes/head-groups.md).
static constexpr int64_t kGroupBytes = int64_t(64) << 20;

/// Columns of a CTA that multiplies states from the left. Its fragments are
/// rows of the matrix, and the fewer columns it has, the more CTAs share the
/// products.
static constexpr int64_t kFoldColumns = 16;

bool Candidate::usesWgmma() const {
  return llvm::any_of(plans, [](const auto &entry) {
    return entry.second.front().usesWgmma();
  });
}

DictionaryAttr Candidate::getPlans(MLIRContext *context) const {
  Builder b(context);
  SmallVector<NamedAttribute> entries;
  for (const auto &[name, alternatives] : plans) {
    SmallVector<Attribute> attributes(alternatives.begin(), alternatives.end());
    entries.push_back(b.getNamedAttr(name, b.getArrayAttr(attributes)));
  }
  return b.getDictionaryAttr(entries);
}

namespace {

class Proposer {
public:
  Proposer(RecurrenceOp op, MachineAttr machine,
           const llvm::StringMap<Alternatives> &given)
      : op(op), machine(machine), given(given), chunk(op.getChunk()) {}

  Candidates run();

private:
  std::string findRefusal();
  std::string findObstacle(int64_t columns);
  void proposeScans();
  void proposeAttention();
  void proposeDecode();
  /// Adds the kernels of a recurrence with a state whose scan has these plans.
  void addScan(int64_t rows, const Alternatives &scan);
  /// Adds those of a recurrence without, whose write kernel has this plan.
  void addAttention(int64_t rows, KernelPlanAttr write);

  /// A plan of warps, one role.
  KernelPlanAttr warps(int64_t stages, int64_t columns, Work work = Work::Grid,
                       Residency residency = Residency::Overlapping) {
    return KernelPlanAttr::get(
        op.getContext(), machine, Products::MmaSync, Copies::CpAsync, stages,
        columns, /*chains=*/1, Split::Rows, work,
        work == Work::Queue ? kGroupBytes : 0, residency);
  }
  /// A plan of warpgroups with roles.
  KernelPlanAttr warpgroups(int64_t stages, int64_t columns, int64_t chains,
                            Split split, Work work) {
    return KernelPlanAttr::get(op.getContext(), machine, Products::Wgmma,
                               Copies::Tma, stages, columns, chains, split,
                               work, work == Work::Queue ? kGroupBytes : 0,
                               Residency::Overlapping);
  }
  /// Puts what the recurrence says in place of what is proposed.
  Alternatives choose(StringRef name, const Alternatives &proposed) {
    auto found = given.find(name);
    return found == given.end() ? proposed : found->second;
  }
  bool has16Bits(Value array) {
    if (Operation *prologue = array.getDefiningOp())
      array = prologue->getOperand(0);
    return getElementTypeOrSelf(array).getIntOrFloatBitWidth() == 16;
  }

  RecurrenceOp op;
  MachineAttr machine;
  const llvm::StringMap<Alternatives> &given;
  std::optional<int64_t> chunk;
  Candidates result;
};

} // namespace

/// Sizes and types that no kernel has, whatever the plan.
std::string Proposer::findRefusal() {
  const bool hasState = op.getKernel().hasState();
  for (auto [name, size] :
       {std::pair("key", op.getKeyDim()), std::pair("value", op.getValueDim())})
    if (size != 64 && size != 128 && (size != 256 || hasState || op.isDecode()))
      return (Twine(name) + " dim " + Twine(size) +
              " has no GPU kernel yet; accepted: 64, 128" +
              (hasState        ? ""
               : op.isDecode() ? " behind a cache"
                               : ", 256"))
          .str();
  if (!has16Bits(op.getValue()))
    return "products in f32 have no GPU kernel; the value's dtype must be bf16 "
           "or f16";
  return "";
}

void Proposer::addScan(int64_t rows, const Alternatives &scan) {
  const int64_t stages = scan.front().getStages();
  Candidate candidate;
  candidate.chunk = rows;
  candidate.plans = {
      {"chain", scan},
      {"prepare", choose("prepare", {warps(stages, scan.front().getColumns(),
                                           Work::Grid, Residency::Alone)})}};
  if (scan.front().getWork() == Work::Segments)
    candidate.plans.push_back(
        {"combine", choose("combine", {warps(stages, kFoldColumns)})});
  result.all.push_back(candidate);
}

/// A warpgroup keeps a state of 64 value columns in registers, which leaves
/// room for its 16-bit copy and three products. One chain a CTA, and two where
/// a head has them: the sizes of a call decide which runs, and into how many
/// segments its sequences are cut. As many stages as fit.
void Proposer::proposeScans() {
  const int64_t rows = chunk.value_or(kChunk);
  if (auto scan = given.find("chain"); scan != given.end())
    return addScan(rows, scan->second);
  if (machine.hasWarpgroups() && rows == kChunk) {
    for (int64_t stages : {4, 3, 2, 1}) {
      Alternatives scan;
      for (int64_t chains : {1, 2})
        if (op.getValueDim() % (64 * chains) == 0)
          scan.push_back(
              warpgroups(stages, 64, chains, Split::Chains, Work::Segments));
      addScan(rows, scan);
    }
  } else if (machine.hasWarpgroups()) {
    result.obstacle =
        (Twine("a chunk has ") + Twine(rows) + " rows, not " + Twine(kChunk))
            .str();
  }
  for (int64_t columns : {64, 32})
    for (int64_t stages : {2, 1})
      addScan(rows, {warps(stages, columns)});
}

void Proposer::addAttention(int64_t rows, KernelPlanAttr write) {
  Candidate candidate;
  candidate.chunk = rows;
  // A kernel that only reads waits for nobody. A CTA of warpgroups is all that
  // a multiprocessor holds, so the longest blocks come first.
  KernelPlanAttr read = write.usesWgmma()
                            ? warpgroups(write.getStages(), write.getColumns(),
                                         1, Split::Rows, Work::LongestFirst)
                            : warps(write.getStages(), write.getColumns());
  candidate.plans = {
      {"write", {write}},
      {"read", choose("read", {read})},
      {"normalise",
       choose("normalise", {warps(write.getStages(), write.getColumns())})}};
  result.all.push_back(candidate);
}

/// Why no query block of this recurrence is for warpgroups with `columns`
/// value columns; empty where one may be.
std::string Proposer::findObstacle(int64_t columns) {
  auto isTiled = [](int64_t dim) { return dim == 64 || dim == 128; };
  const int64_t length =
      cast<ShapedType>(op.getQuery().getType()).getDimSize(1);
  if (chunk && *chunk != kWarpgroupsBlock)
    return (Twine("a query block has ") + Twine(*chunk) + " rows, not " +
            Twine(kWarpgroupsBlock))
        .str();
  if (!ShapedType::isDynamic(length) && length <= kWarpgroupsBlock)
    return "the sequence has one query block";
  if (!isTiled(op.getKeyDim()) || !isTiled(op.getValueDim()))
    return "heads of 256 do not fit a CTA's registers";
  if (!has16Bits(op.getQuery()) || !has16Bits(op.getKey()) ||
      (op.getWrite() && !has16Bits(op.getWrite())))
    return "TMA copies bring 16-bit queries and keys alone";
  if (getElementTypeOrSelf(op.getOutput()) !=
      getElementTypeOrSelf(op.getValue()))
    return "outputs are of another type than values";
  return findKnownSpills(op, warpgroups(/*stages=*/1, columns, /*chains=*/1,
                                        Split::Rows, Work::Queue));
}

/// A query block owns all of the value axis, as far as registers hold its sums:
/// its weights, half of the work, are computed once. With warpgroups a third
/// stage makes up for an earlier block that is late; without, two stages hide
/// one block's loads behind another's products.
void Proposer::proposeAttention() {
  const int64_t most = std::min<int64_t>(op.getValueDim(), 128);
  if (auto write = given.find("write"); write != given.end()) {
    KernelPlanAttr plan = write->second.front();
    const int64_t rows = plan.usesWgmma() ? kWarpgroupsBlock : kChunk;
    return addAttention(chunk.value_or(rows), plan);
  }
  if (machine.hasWarpgroups())
    result.obstacle = findObstacle(most);
  if (machine.hasWarpgroups() && result.obstacle.empty())
    for (int64_t columns : {most, int64_t(64)})
      for (int64_t stages : {3, 2, 1})
        addAttention(kWarpgroupsBlock,
                     warpgroups(stages, columns, 1, Split::Rows, Work::Queue));
  for (int64_t columns : {most, int64_t(64), int64_t(32)})
    for (int64_t stages : {2, 1})
      if (KernelPlanAttr plan = warps(stages, columns, Work::Queue);
          columns <= most && findKnownSpills(op, plan).empty())
        addAttention(chunk.value_or(kChunk), plan);
}

/// One warp a CTA reads a cache as fast on every machine. With three stages two
/// blocks of keys are always on their way.
void Proposer::proposeDecode() {
  auto add = [&](int64_t rows) -> Candidate & {
    Candidate candidate;
    candidate.chunk = rows;
    for (StringRef name : {"attend", "attend_read", "append"})
      candidate.plans.push_back(
          {name, choose(name, {warps(3, op.getValueDim())})});
    return result.all.emplace_back(candidate);
  };
  if (chunk) {
    add(*chunk);
    return;
  }
  Candidate &twice = add(2 * kCacheChunk);
  twice.leastWarps = 2;
  twice.leastCtas = 2;
  add(kCacheChunk);
}

Candidates Proposer::run() {
  result.refusal = findRefusal();
  if (!result.refusal.empty())
    return result;
  if (op.getKernel().hasState())
    proposeScans();
  else if (op.isDecode())
    proposeDecode();
  else
    proposeAttention();
  if (!has16Bits(op.getQuery()) || !has16Bits(op.getKey()))
    result.advice =
        (Twine("queries and keys in f32 of key dim ") + Twine(op.getKeyDim()) +
         " fit no kernel; accepted: bf16 or f16")
            .str();
  return result;
}

Candidates delta::getCandidates(RecurrenceOp op, MachineAttr machine,
                                const llvm::StringMap<Alternatives> &given) {
  return Proposer(op, machine, given).run();
}
