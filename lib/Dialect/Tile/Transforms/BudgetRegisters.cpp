//===- BudgetRegisters.cpp - predicted registers of a thread ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-budget-registers`: the peak of live tiles a thread, from layouts and
/// liveness, in program order. What a compiler holds besides (addresses,
/// operands of the product at hand) is a fixed reserve, measured on kernels
/// with roles and on kernels without.
///
//===----------------------------------------------------------------------===//

#include "KernelMachine.h"
#include "Occupancy.h"
#include "Rests.h"
#include "delta/Dialect/Tile/IR/Tile.h"
#include "delta/Dialect/Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace delta::tile {
#define GEN_PASS_DEF_BUDGETREGISTERS
#include "delta/Dialect/Tile/IR/TilePasses.h.inc"
} // namespace delta::tile

using namespace mlir;
using namespace delta::tile;

/// Registers of a thread besides live tiles, where all threads also issue
/// copies.
static constexpr int64_t kReserve = 40;

/// The same in a role, which has no copies to issue beside tiles. Measured: a
/// loop with 208 live compiled without spills for 224 registers, not for 216.
static constexpr int64_t kRoleReserve = 16;

/// Registers besides live tiles that a kernel spends on overlap where it has
/// them: operands of later products on their way. Kernels that were held closer
/// to their prediction by `min_blocks` spilled.
static constexpr int64_t kOverlap = 96;

/// The same of a kernel in which nothing overlaps: the more CTAs an SM holds,
/// the better.
static constexpr int64_t kAlone = 10;

/// Registers are given to a warp in units of eight a thread.
static constexpr int64_t kRegisterUnit = 8;

/// Whether `value` is never whole, but made element by element where it is
/// used: a product that is only added to something is contracted with the sum
/// (fused multiply-add); what is extended for a rest goes into the difference;
/// arithmetic on the way to memory, or into a sum, is done where the last op of
/// the chain stands.
static bool isFused(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def || value.use_empty() ||
      !(OpTrait::hasElementwiseMappableTraits(def) || isa<MaskOp>(def)))
    return false;
  if (auto extend = dyn_cast<arith::ExtFOp>(def); extend && makesRest(extend))
    return true;
  Operation *user = *value.user_begin();
  if (user->getBlock() != def->getBlock() || !llvm::all_equal(value.getUsers()))
    return false;
  if (isa<WriteOp, StoreOp, ReduceOp, TriInverseOp>(user) ||
      (isa<arith::MulFOp>(def) && value.hasOneUse() &&
       isa<arith::AddFOp, arith::SubFOp>(user)))
    return true;
  return user->getNumResults() == 1 && isFused(user->getResult(0));
}

/// Registers that a value occupies by itself. Repeated vectors are read from
/// the vector's registers, constants from the instruction.
static int64_t registersOf(Value value) {
  Type held = value.getType();
  if (auto async = dyn_cast<AsyncType>(held))
    held = async.getValue();
  auto type = dyn_cast<RankedTensorType>(held);
  if (!type)
    return 0;
  if (Operation *def = value.getDefiningOp())
    if (isa<SpreadOp, tensor::SplatOp, arith::ConstantOp>(def))
      return 0;
  if (isFused(value))
    return 0;
  auto layout = dyn_cast_or_null<LayoutInterface>(type.getEncoding());
  return layout ? layout.getRegisters(type) : 0;
}

/// Registers that an op uses while it runs. An inverse of several blocks holds
/// those of a column, 8 each, and 40 for sums and operands, or 56 where
/// operands are in two parts and the blocks stay in registers; one block is
/// solved for 16 entries of a column a thread (TriangularInverse.cuh).
static int64_t workOf(Operation *op) {
  auto inverse = dyn_cast<TriInverseOp>(op);
  if (!inverse)
    return 0;
  int64_t blocks = inverse.getInput().getType().getDimSize(0) / 16;
  bool isWide = inverse.getPrecision() == InversePrecision::F32 &&
                inverse.getTransposed();
  return blocks == 1 ? 16 : 8 * blocks + (isWide ? 56 : 40);
}

/// Calls `visit` for what keeps `value` computable: the vector behind a
/// repeated one, the operands of what is fused, else the value itself.
static void forEachSource(Value value, function_ref<void(Value)> visit) {
  if (auto spread = value.getDefiningOp<SpreadOp>())
    return forEachSource(spread.getInput(), visit);
  if (!isFused(value))
    return visit(value);
  for (Value operand : value.getDefiningOp()->getOperands())
    forEachSource(operand, visit);
}

namespace {

/// Where the most tiles are alive, and how many registers of a thread they are.
struct Peak {
  int64_t registers = 0;
  Operation *op = nullptr;

  void include(const Peak &other) {
    if (!op || other.registers > registers)
      *this = other;
  }
};

} // namespace

static int64_t sum(const llvm::SetVector<Value> &values) {
  int64_t registers = 0;
  for (Value value : values)
    registers += registersOf(value);
  return registers;
}

/// Calls `visit` for the tiles that `op` itself needs. What a product in flight
/// reads must stay where it is until the product is awaited.
static void forEachUse(Operation *op, function_ref<void(Value)> visit) {
  if (op->getNumResults() == 1 && isFused(op->getResult(0)))
    return;
  for (Value operand : op->getOperands())
    forEachSource(operand, visit);
  if (!isa<AwaitOp>(op))
    return;
  for (Value operand : op->getOperands())
    for (auto dot = operand.getDefiningOp<DotStartOp>(); dot;
         dot = dot.getAcc() ? dot.getAcc().getDefiningOp<DotStartOp>()
                            : DotStartOp())
      visit(dot.getA());
}

/// Tiles from outside of `op` that it, or anything inside it, uses.
static void collectUses(Operation *op, llvm::SetVector<Value> &uses) {
  op->walk([&](Operation *inner) {
    forEachUse(inner, [&](Value value) {
      if (registersOf(value) != 0 &&
          !op->isAncestor(value.getParentRegion()->getParentOp()))
        uses.insert(value);
    });
  });
}

/// Whether the results of `op` take over the registers of `use`, which dies
/// there: elementwise work happens in place, a product in its accumulator, and
/// a loop in what it starts from.
static bool isReused(Operation *op, Value use) {
  if (auto dot = dyn_cast<DotOp>(op))
    return dot.getAcc() == use;
  if (auto dot = dyn_cast<DotStartOp>(op))
    return dot.getAcc() == use;
  if (auto await = dyn_cast<AwaitOp>(op))
    return llvm::is_contained(await.getInflight(), use);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return llvm::is_contained(loop.getInits(), use);
  // What is inverted lies in shared memory before the work begins.
  if (isa<TriInverseOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op);
}

/// Peak inside `block` while `outside` is alive all along.
static Peak measure(Block &block, const llvm::SetVector<Value> &outside) {
  // Backwards: what is alive behind each op.
  llvm::SetVector<Value> alive = outside;
  Peak peak;
  for (Operation &op : llvm::reverse(block)) {
    for (Value result : op.getResults())
      alive.insert(result);
    int64_t behind = sum(alive);
    llvm::SetVector<Value> uses;
    collectUses(&op, uses);
    llvm::SetVector<Value> dying;
    for (Value use : uses)
      if (!alive.contains(use))
        dying.insert(use);
    int64_t results = 0;
    for (Value result : op.getResults()) {
      results += registersOf(result);
      alive.remove(result);
    }
    int64_t reused = 0, kept = 0;
    for (Value use : dying)
      (isReused(&op, use) ? reused : kept) += registersOf(use);
    int64_t across = behind - results;
    peak.include(
        {across + kept + std::max({results, reused, workOf(&op)}), &op});
    for (Value use : dying)
      alive.insert(use);
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        llvm::SetVector<Value> around = alive;
        // What a loop carries takes over the registers of its init.
        for (Value operand : op.getOperands())
          if (dying.contains(operand) &&
              llvm::none_of(operand.getUsers(), [&](Operation *user) {
                return op.isProperAncestor(user);
              }))
            around.remove(operand);
        peak.include(measure(inner, around));
      }
  }
  for (BlockArgument argument : block.getArguments())
    alive.insert(argument);
  peak.include({sum(alive), block.getParentOp()});
  return peak;
}

bool delta::tile::isAlone(KernelOp kernel) {
  return kernel.getPlan() &&
         kernel.getPlan()->getResidency() == plan::Residency::Alone;
}

namespace {

struct BudgetRegistersPass
    : public delta::tile::impl::BudgetRegistersBase<BudgetRegistersPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<KernelOp>()) {
      const delta::Target *limits = requireMachine(kernel);
      if (!limits)
        return signalPassFailure();
      auto roles = kernel.getBody().getOps<RolesOp>();
      if (failed(roles.empty() ? budget(kernel, *limits)
                               : budget(kernel, *roles.begin())))
        return signalPassFailure();
    }
  }

private:
  static LogicalResult budget(KernelOp kernel, const delta::Target &limits) {
    int64_t threads =
        delta::warpThreads * static_cast<int64_t>(kernel.getWarps());
    int64_t cap = std::min(limits.threadRegisters, limits.registers / threads);
    Peak peak = measure(kernel.getBody().front(), {});
    if (peak.registers + kReserve > cap) { // F11
      InFlightDiagnostic diagnostic =
          kernel.emitError() << "predicted " << peak.registers
                             << " live registers a thread; expected at most "
                             << cap - kReserve << ", which leaves " << kReserve
                             << " of " << cap << " for addresses and copies";
      return refuse(diagnostic, peak);
    }
    kernel.setRegisters(peak.registers);

    int64_t besides = isAlone(kernel) ? kAlone : kOverlap;
    int64_t registers =
        llvm::alignTo(std::min(peak.registers + besides, cap), kRegisterUnit);
    int64_t byRegisters = limits.registers / (registers * threads);
    // The driver takes some shared memory for every resident CTA; one CTA may
    // have all but that.
    int64_t bytes =
        kernel.getSharedBytes().value_or(0) + limits.reservedSharedBytes;
    int64_t byShared =
        (limits.sharedBytes + limits.reservedSharedBytes) / bytes;
    int64_t byThreads = isAlone(kernel)
                            ? kAloneWarps * delta::warpThreads / threads
                            : limits.smThreads / threads;
    kernel.setMinBlocks(
        std::max<int64_t>(1, std::min({byRegisters, byShared, byThreads})));
    return success();
  }

  /// A kernel with roles: each has a cap of its own, and the CTA an SM.
  static LogicalResult budget(KernelOp kernel, RolesOp roles) {
    llvm::SetVector<Value> outside;
    collectUses(roles, outside);
    int64_t registers = 0;
    for (auto [attribute, body] :
         llvm::zip_equal(roles.getRoles(), roles.getBodies())) {
      auto role = cast<RoleAttr>(attribute);
      Peak peak = measure(body.front(), outside);
      if (peak.registers + kRoleReserve > role.getRegisters()) { // F11
        InFlightDiagnostic diagnostic =
            roles.emitError()
            << "role " << role.getName() << ": predicted " << peak.registers
            << " live registers a thread; expected at most "
            << role.getRegisters() - kRoleReserve << ", which leaves "
            << kRoleReserve << " of " << role.getRegisters()
            << " for addresses";
        return refuse(diagnostic, peak);
      }
      registers = std::max(registers, peak.registers);
    }
    kernel.setRegisters(registers);
    kernel.setMinBlocks(1);
    return success();
  }

  static LogicalResult refuse(InFlightDiagnostic &diagnostic,
                              const Peak &peak) {
    diagnostic.attachNote(peak.op->getLoc()) << "the most are alive here";
    return failure();
  }
};

} // namespace
