//===- FinalRoles.cpp - rules F7 and F8 -------------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The division of a CTA's warps into roles, and the rings between roles.
///
//===----------------------------------------------------------------------===//

#include "FinalRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace delta;
using namespace delta::tile;

Role delta::tile::getRole(KernelOp kernel, Operation *op) {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    auto roles = dyn_cast<RolesOp>(region->getParentOp());
    if (!roles)
      continue;
    auto role = cast<RoleAttr>(roles.getRoles()[region->getRegionNumber()]);
    return {role, region, role.getWarps() / role.getInstances()};
  }
  return {RoleAttr(), &kernel.getBody(),
          static_cast<int64_t>(kernel.getWarps())};
}

//===----------------------------------------------------------------------===//
// F8
//===----------------------------------------------------------------------===//

/// Register caps: setmaxnreg sets one value per warpgroup.
static LogicalResult verifyCaps(const KernelScope &scope, RolesOp roles) {
  int64_t warp = 0, registers = 0;
  RoleAttr first; // of the warpgroup that `warp` is in
  for (Attribute attribute : roles.getRoles()) {
    auto role = cast<RoleAttr>(attribute);
    for (int64_t end = warp + role.getWarps(); warp < end; ++warp) {
      if (warp % warpgroupWarps == 0) {
        first = role;
        registers += role.getRegisters() * warpgroupWarps * warpThreads;
      }
      if (first.getRegisters() != role.getRegisters())
        return roles.emitOpError()
               << "role " << role.getName() << ": expected "
               << first.getRegisters() << " registers as role "
               << first.getName() << " has in the same warpgroup, got "
               << role.getRegisters();
    }
  }
  if (registers <= scope.target.registers)
    return success();
  return roles.emitOpError()
         << "registers: expected at most " << scope.target.registers
         << " in a CTA, got " << registers;
}

LogicalResult delta::tile::verifyRoles(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  auto all = llvm::to_vector(kernel.getBody().getOps<RolesOp>());
  if (all.empty()) {
    if (!kernel.hasRoles())
      return success();
    return kernel.emitOpError("plan copies: expected roles with tma, got none");
  }
  RolesOp roles = all.front();
  if (all.size() > 1)
    return all[1].emitOpError()
           << "expected one in a kernel, got " << all.size();
  if (!scope.target.hasWarpgroups)
    return roles.emitOpError() << "expected a target that has setmaxnreg, got "
                               << StringRef(scope.target.name);
  int64_t warps = 0;
  for (Attribute attribute : roles.getRoles()) {
    auto role = cast<RoleAttr>(attribute);
    if (role.getWarps() % role.getInstances() != 0)
      return roles.emitOpError()
             << "role " << role.getName() << ": expected a multiple of its "
             << role.getInstances() << " instances as warps, got "
             << role.getWarps();
    warps += role.getWarps();
  }
  if (warps != static_cast<int64_t>(kernel.getWarps()))
    return roles.emitOpError() << "warps: expected the kernel's "
                               << kernel.getWarps() << " in sum, got " << warps;
  return verifyCaps(scope, roles);
}

//===----------------------------------------------------------------------===//
// F7
//===----------------------------------------------------------------------===//

/// The common role of all ops at one end of a ring; none, with a diagnostic, if
/// they have different roles.
static std::optional<Role> getEnd(KernelOp kernel, RingCreateOp ring,
                                  ArrayRef<Operation *> ops, StringRef name) {
  if (ops.empty()) {
    ring.emitOpError() << "ring " << ring.getNameAttr() << ": expected one "
                       << name << " role, got none";
    return std::nullopt;
  }
  Role role = getRole(kernel, ops.front());
  for (Operation *op : ops) {
    if (getRole(kernel, op).region == role.region)
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError() << "ring " << ring.getNameAttr() << ": expected one "
                          << name << " role, got a second one";
    diagnostic.attachNote(ops.front()->getLoc()) << "the first one is here";
    return std::nullopt;
  }
  return role;
}

/// One slot per iteration: no loop has two ops at the same end of the ring.
/// Within one role no other block has two either, except for the slots that a
/// producer fills before its loop.
static LogicalResult verifyOneSlot(RingCreateOp ring, ArrayRef<Operation *> ops,
                                   bool oneRole) {
  llvm::SmallPtrSet<Block *, 4> blocks;
  for (Operation *op : ops)
    if (((oneRole && isa<PeekOp>(op)) || isa<scf::ForOp>(op->getParentOp())) &&
        !blocks.insert(op->getBlock()).second)
      return op->emitOpError() << "ring " << ring.getNameAttr()
                               << ": expected one slot an iteration, got two";
  return success();
}

/// A use of slots at one end of a ring between two roles: in a loop each
/// iteration takes the slot of the induction variable; outside of loops the use
/// takes one slot.
struct SlotUse {
  Operation *op;
  scf::ForOp loop;

  /// The second operand of acquire and of peek.
  Value getIndex() const { return op->getOperand(1); }
  OpFoldResult getFirst() {
    return getAsOpFoldResult(loop ? loop.getLowerBound() : getIndex());
  }
};

static FailureOr<SmallVector<SlotUse>> getUses(RingCreateOp ring,
                                               ArrayRef<Operation *> ops) {
  SmallVector<SlotUse> uses;
  for (Operation *op : ops) {
    SlotUse use{op, dyn_cast<scf::ForOp>(op->getParentOp())};
    bool isKnown = use.loop ? use.loop.getInductionVar() == use.getIndex()
                            : isa<RolesOp>(op->getParentOp());
    if (!isKnown)
      return op->emitOpError() << "ring " << ring.getNameAttr()
                               << ": expected the slot of the induction "
                                  "variable of one scf.for around it";
    uses.push_back(use);
  }
  return uses;
}

/// Several uses take the slots in order, as the barriers of the ring require.
static LogicalResult verifyOrder(RingCreateOp ring,
                                 MutableArrayRef<SlotUse> uses) {
  if (uses.size() == 1 && uses.front().loop)
    return success();
  Builder b(ring.getContext());
  // Null after a slot whose number is not a constant.
  OpFoldResult next = b.getIndexAttr(0);
  for (SlotUse &use : uses) {
    OpFoldResult first = use.getFirst();
    bool isNext = next && isEqualConstantIntOrValue(first, next);
    if (!isNext || (use.loop && getConstantIntValue(use.loop.getStep()) != 1))
      return use.op->emitOpError()
             << "ring " << ring.getNameAttr()
             << ": expected its slots in order, from 0 in "
                "steps of 1";
    std::optional<int64_t> number = getConstantIntValue(first);
    next = use.loop ? getAsOpFoldResult(use.loop.getUpperBound())
           : number ? OpFoldResult(b.getIndexAttr(*number + 1))
                    : OpFoldResult();
  }
  return success();
}

static bool sameExtent(scf::ForOp a, scf::ForOp b) {
  return isEqualConstantIntOrValue(a.getLowerBound(), b.getLowerBound()) &&
         isEqualConstantIntOrValue(a.getUpperBound(), b.getUpperBound()) &&
         isEqualConstantIntOrValue(a.getStep(), b.getStep());
}

/// Checks that both ends take the same slots.
static LogicalResult verifyStep(RingCreateOp ring, ArrayRef<SlotUse> from,
                                ArrayRef<SlotUse> to) {
  if (from.size() != to.size())
    return ring.emitOpError()
           << "ring " << ring.getNameAttr()
           << ": expected as many uses of the consumer as of the producer, "
           << from.size() << ", got " << to.size();
  for (auto [producer, consumer] : llvm::zip(from, to)) {
    if (producer.loop && consumer.loop) {
      scf::ForOp loop = consumer.loop;
      if (sameExtent(producer.loop, loop))
        continue;
      InFlightDiagnostic diagnostic =
          loop.emitOpError() << "ring " << ring.getNameAttr()
                             << ": expected the extent of the producer's loop";
      diagnostic.attachNote(scf::ForOp(producer.loop).getLoc())
          << "the producer's loop is here";
      return diagnostic;
    }
    if (!producer.loop && !consumer.loop &&
        isEqualConstantIntOrValue(producer.getIndex(), consumer.getIndex()))
      continue;
    InFlightDiagnostic diagnostic = consumer.op->emitOpError()
                                    << "ring " << ring.getNameAttr()
                                    << ": expected the producer's slot";
    diagnostic.attachNote(producer.op->getLoc())
        << "the producer fills it here";
    return diagnostic;
  }
  return success();
}

static LogicalResult verifyInstances(RingCreateOp ring, const Role &producer,
                                     const Role &consumer) {
  int64_t from = producer.getInstances(), to = consumer.getInstances();
  int64_t consumers = ring.getConsumers();
  // Either one ring whose slots every consumer releases, or one ring per pair.
  int64_t expected = from == 1 ? to : 1;
  if (from != 1 && from != to)
    return ring.emitOpError()
           << "ring " << ring.getNameAttr() << ": expected " << from
           << " instances of the consumer as of the producer, got " << to;
  if (consumers == expected)
    return success();
  return ring.emitOpError()
         << "ring " << ring.getNameAttr() << ": consumers: expected "
         << expected << ", got " << consumers;
}

static LogicalResult verifyRing(const KernelScope &scope, RingCreateOp ring) {
  SmallVector<Operation *> acquires, peeks;
  for (Operation *user : ring.getRing().getUsers())
    if (!isa<AcquireOp, PeekOp>(user))
      return user->emitOpError() << "ring " << ring.getNameAttr()
                                 << ": expected a use by acquire or peek";
  // The list of uses is not in program order.
  KernelOp kernel = scope.kernel;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto acquire = dyn_cast<AcquireOp>(op);
        acquire && acquire.getRing() == ring.getRing())
      acquires.push_back(op);
    else if (auto peek = dyn_cast<PeekOp>(op);
             peek && peek.getRing() == ring.getRing())
      peeks.push_back(op);
  });
  std::optional<Role> producer = getEnd(kernel, ring, acquires, "producer");
  if (!producer)
    return failure();
  std::optional<Role> consumer = getEnd(kernel, ring, peeks, "consumer");
  if (!consumer)
    return failure();
  bool oneRole = producer->region == consumer->region;
  if (failed(verifyOneSlot(ring, acquires, oneRole)) ||
      failed(verifyOneSlot(ring, peeks, oneRole)))
    return failure();
  Protocol expected = oneRole ? Protocol::CpAsyncGroup : Protocol::Mbarrier;
  if (ring.getProtocol() != expected)
    return ring.emitOpError()
           << "ring " << ring.getNameAttr() << ": protocol: expected "
           << stringifyProtocol(expected) << " between "
           << (oneRole ? "the ends of one role" : "two roles") << ", got "
           << stringifyProtocol(ring.getProtocol());
  if (failed(verifyInstances(ring, *producer, *consumer)))
    return failure();
  // Within one role a prologue lets the producer run ahead, and program order
  // keeps both ends in step. Between roles the uses must agree.
  if (oneRole)
    return success();
  FailureOr<SmallVector<SlotUse>> from = getUses(ring, acquires);
  if (failed(from) || failed(verifyOrder(ring, *from)))
    return failure();
  FailureOr<SmallVector<SlotUse>> to = getUses(ring, peeks);
  if (failed(to))
    return failure();
  return verifyStep(ring, *from, *to);
}

LogicalResult delta::tile::verifyRings(const KernelScope &scope) {
  KernelOp kernel = scope.kernel;
  WalkResult result = kernel.getBody().walk([&](RingCreateOp ring) {
    return failed(verifyRing(scope, ring)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
