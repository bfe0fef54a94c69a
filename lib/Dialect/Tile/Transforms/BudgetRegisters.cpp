//===- BudgetRegisters.cpp - predicted registers of a thread ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `tile-budget-registers`: computes the peak of live tiles per thread, from
/// layouts and liveness, in program order. A fixed reserve, measured on kernels
/// with roles and on kernels without, covers what nvcc holds besides
/// (addresses, operands of the current product).
///
//===----------------------------------------------------------------------===//

#include "KernelMachine.h"
#include "Occupancy.h"
#include "Residual.h"
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

/// Registers that a thread needs besides live tiles, in kernels whose threads
/// also issue copies.
static constexpr int64_t kReserve = 40;

/// The same in a role, whose threads with tiles issue no copies. Measured: a
/// loop with 208 live registers compiled without spills for 224 registers, but
/// not for 216.
static constexpr int64_t kRoleReserve = 16;

/// Registers besides live tiles that a kernel uses for overlap if they are
/// available: operands of later products in flight. Kernels with a `min_blocks`
/// that left them less than that spilled.
static constexpr int64_t kOverlap = 96;

/// The same in a kernel in which nothing overlaps: it profits more from
/// additional CTAs on an SM.
static constexpr int64_t kAlone = 10;

/// A warp gets registers in units of eight per thread.
static constexpr int64_t kRegisterUnit = 8;

/// Whether `value` is computed element by element at its use, and so never
/// occupies registers as a whole tile. A multiplication that only feeds an
/// addition becomes a fused multiply-add; an extension for a residual becomes
/// part of the difference; arithmetic that only feeds a store or a sum is done
/// at the last op of the sequence.
static bool isFused(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def || value.use_empty() ||
      !(OpTrait::hasElementwiseMappableTraits(def) || isa<MaskOp>(def)))
    return false;
  if (auto extend = dyn_cast<arith::ExtFOp>(def);
      extend && feedsResidual(extend))
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

/// Registers that a value occupies by itself. Spread vectors are read from the
/// registers of the vector, constants from the instruction.
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
/// the blocks of a column, 8 registers each, and 40 registers for sums and
/// operands, or 56 if operands are split in two and the blocks stay in
/// registers. An inverse of one block holds 16 entries of a column per thread
/// (TriangularInverse.cuh).
static int64_t workOf(Operation *op) {
  auto inverse = dyn_cast<TriInverseOp>(op);
  if (!inverse)
    return 0;
  int64_t blocks = inverse.getInput().getType().getDimSize(0) / 16;
  bool isWide = inverse.getPrecision() == InversePrecision::F32 &&
                inverse.getTransposed();
  return blocks == 1 ? 16 : 8 * blocks + (isWide ? 56 : 40);
}

/// Calls `visit` for the values that must stay live for `value`: the input of a
/// spread, the operands of a fused value, else the value itself.
static void forEachSource(Value value, function_ref<void(Value)> visit) {
  if (auto spread = value.getDefiningOp<SpreadOp>())
    return forEachSource(spread.getInput(), visit);
  if (!isFused(value))
    return visit(value);
  for (Value operand : value.getDefiningOp()->getOperands())
    forEachSource(operand, visit);
}

namespace {

/// The op at which most registers hold live tiles, and their number per thread.
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

/// Calls `visit` for the tiles that `op` itself needs. The operands of a
/// product in flight must stay in their registers until the product is awaited.
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

/// Adds to `uses` the tiles from outside of `op` that it, or an op inside it,
/// uses.
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
/// there: elementwise work happens in place, a product reuses its accumulator,
/// and a loop reuses its inits.
static bool isReused(Operation *op, Value use) {
  if (auto dot = dyn_cast<DotOp>(op))
    return dot.getAcc() == use;
  if (auto dot = dyn_cast<DotStartOp>(op))
    return dot.getAcc() == use;
  if (auto await = dyn_cast<AwaitOp>(op))
    return llvm::is_contained(await.getInflight(), use);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return llvm::is_contained(loop.getInits(), use);
  // The input of an inverse lies in shared memory before its work begins.
  if (isa<TriInverseOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(op);
}

/// The peak inside `block` if the values in `outside` are live throughout.
static Peak measure(Block &block, const llvm::SetVector<Value> &outside) {
  // Walks backwards; `alive` holds the values that are live after each op.
  llvm::SetVector<Value> alive = outside;
  Peak peak;
  for (Operation &op : llvm::reverse(block)) {
    for (Value result : op.getResults())
      alive.insert(result);
    int64_t liveAfter = sum(alive);
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
    int64_t across = liveAfter - results;
    peak.include(
        {across + kept + std::max({results, reused, workOf(&op)}), &op});
    for (Value use : dying)
      alive.insert(use);
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        llvm::SetVector<Value> around = alive;
        // A carried value takes over the registers of its init.
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
                             << " live registers per thread; expected at most "
                             << cap - kReserve << ", which leaves " << kReserve
                             << " of " << cap << " for addresses and copies";
      return refuse(diagnostic, peak);
    }
    kernel.setRegisters(peak.registers);

    int64_t besides = isAlone(kernel) ? kAlone : kOverlap;
    int64_t registers =
        llvm::alignTo(std::min(peak.registers + besides, cap), kRegisterUnit);
    int64_t byRegisters = limits.registers / (registers * threads);
    // The driver reserves some shared memory for each resident CTA.
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

  /// A kernel with roles: each role has its own cap, and the CTA has the whole
  /// SM.
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
            << " live registers per thread; expected at most "
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
