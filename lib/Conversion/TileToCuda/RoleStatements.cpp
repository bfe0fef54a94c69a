//===- RoleStatements.cpp - warps with different work -----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Roles become branches on the index of the warp, rings between them objects
/// of two mbarriers a slot. How many arrivals fill and free a slot follows from
/// the warps at its ends: copies count as one, of registers each warp does.
///
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "Spelling.h"

#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Support/Target.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace delta;
using cuda::BinaryKind;

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// Whether no warp of a role holds anything that others do not.
static bool holdsNoTile(Region &body) {
  return !body.walk([](Operation *op) {
                bool holds = llvm::any_of(op->getResultTypes(), [](Type type) {
                  return isa<RankedTensorType>(type);
                });
                return holds ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// The warps of each role, in order.
static SmallVector<RoleWarps> placeRoles(tile::RolesOp op) {
  SmallVector<RoleWarps> all;
  int64_t first = 0;
  for (auto [attribute, body] : llvm::zip(op.getRoles(), op.getBodies())) {
    auto role = cast<tile::RoleAttr>(attribute);
    all.push_back({role, first, holdsNoTile(body)});
    first = all.back().getEnd();
  }
  return all;
}

/// The role that runs `op`, in a kernel with roles.
static RoleWarps findRole(Operation *op) {
  auto roles = op->getParentOfType<tile::RolesOp>();
  Operation *child = op;
  while (child->getParentOp() != roles)
    child = child->getParentOp();
  return placeRoles(roles)[child->getParentRegion()->getRegionNumber()];
}

bool delta::isInRole(Operation *op) {
  return op->getParentOfType<tile::RolesOp>() != nullptr;
}

bool delta::runsOnOneWarp(Operation *op) {
  RoleWarps role = findRole(op);
  return role.isSingle && role.role.getInstances() == 1;
}

/// Registers a thread that a CTA is launched with, at most: what setmaxnreg
/// raises or lowers.
static int64_t launchRegisters(int64_t threads) {
  constexpr int64_t registers = 65536, unit = 8;
  return registers / threads / unit * unit;
}

template <> LogicalResult KernelBody::lower(tile::RolesOp op) {
  SmallVector<RoleWarps> roles = placeRoles(op);
  for (const RoleWarps &role : roles)
    if (role.isSingle && role.role.getInstances() > 1 &&
        role.getInstanceWarps() > 1)
      return op.emitError("role ")
             << role.role.getName()
             << ": expected one warp for each instance that only copies, got "
             << role.getInstanceWarps();
  initialiseRings();
  warp = callInPlace(b.getIndexType(), "uniform_warp_index", {}, {},
                     named("warp"));
  auto compare = [&](BinaryKind kind, int64_t value) {
    return binary(kind, warp, literal(value));
  };
  /// Whether `warp`, one of [first, end), is of the role; null if it must be.
  auto isOf = [&](const RoleWarps &role, int64_t first, int64_t end) -> Value {
    int64_t roleEnd = role.getEnd();
    if (role.isSingle && role.role.getInstances() == 1)
      roleEnd = role.first + 1;
    if (roleEnd == role.first + 1 && end - first > 1)
      return compare(BinaryKind::Eq, role.first);
    Value lower, upper;
    if (role.first > first)
      lower = compare(BinaryKind::Ge, role.first);
    if (roleEnd < end)
      upper = compare(BinaryKind::Lt, roleEnd);
    if (!lower || !upper)
      return lower ? lower : upper;
    return binary(BinaryKind::And, lower, upper);
  };

  bool setsRegisters = llvm::any_of(roles, [&](const RoleWarps &role) {
    return role.role.getRegisters() != roles.front().role.getRegisters();
  });
  OpBuilder::InsertionGuard guard(b);
  for (size_t begin = 0; begin < roles.size();) {
    // Roles with one cap, whole warpgroups together: they set it as one.
    int64_t registers = roles[begin].role.getRegisters();
    size_t size = begin;
    while (size < roles.size() && roles[size].role.getRegisters() == registers)
      ++size;
    int64_t first = roles[begin].first, end = roles[size - 1].getEnd();
    cuda::IfOp others;
    if (size < roles.size()) {
      others = cuda::IfOp::create(b, compare(BinaryKind::Lt, end),
                                  /*withElse=*/true);
      b.setInsertionPointToEnd(&others.getThenBody().front());
    }
    if (setsRegisters)
      callInPlace({},
                  registers > launchRegisters(threads) ? "increase_registers"
                                                       : "decrease_registers",
                  integer(registers), {});
    for (; begin < size; ++begin) {
      cuda::IfOp branch;
      bool isLast = begin + 1 == size;
      if (Value condition = isOf(roles[begin], first, end)) {
        branch = cuda::IfOp::create(b, condition, /*withElse=*/!isLast);
        b.setInsertionPointToEnd(&branch.getThenBody().front());
      }
      if (failed(convertRoleBody(roles[begin], op.getBodies()[begin])))
        return failure();
      if (!isLast)
        b.setInsertionPointToEnd(&branch.getElseBody().front());
    }
    if (others)
      b.setInsertionPointToEnd(&others.getElseBody().front());
  }
  return success();
}

LogicalResult KernelBody::convertRoleBody(const RoleWarps &warps,
                                          Region &body) {
  StringRef name = warps.role.getName().getValue();
  int64_t instances = warps.role.getInstances();
  cuda::CommentOp::create(
      b, instances == 1
             ? llvm::formatv("The role {0}.", name).str()
             : llvm::formatv("The role {0}, {1} instances.", name, instances)
                   .str());
  instance = {};
  watches.clear(); // variables of another role
  if (instances > 1) {
    Value own = warps.first == 0
                    ? warp
                    : binary(BinaryKind::Sub, warp, literal(warps.first));
    int64_t size = warps.getInstanceWarps();
    instance = size == 1 ? own : binary(BinaryKind::Div, own, literal(size));
    cast<cuda::ExpressionOpInterface>(instance.getDefiningOp())
        .setName("instance");
  }
  define(body.getArgument(0), instance ? instance : literal(0));
  // Rings of which each instance has its own.
  for (tile::RingCreateOp ring : roleRings)
    if (tile::getRingCopies(ring) > 1 &&
        llvm::any_of(ring.getRing().getUsers(), [&](Operation *user) {
          return body.isAncestor(user->getParentRegion());
        }))
      ringHandles[ring.getRing()] = makeRing(ring, instance);
  if (failed(convertBlock(body.front())))
    return failure();
  bool stores = body.walk([](tile::ReleaseOp release) {
                      return release.getCopies().empty()
                                 ? WalkResult::advance()
                                 : WalkResult::interrupt();
                    })
                    .wasInterrupted();
  if (stores) {
    commentOnce("Shared memory outlives the copies out of it.");
    callInPlace({}, "store_wait_all", {}, {});
  }
  return success();
}

template <> LogicalResult KernelBody::lower(tile::BarrierOp op) {
  if (op.getId() == 0)
    return callInPlace({}, "cta_sync", {}, {}), success();
  if (instance)
    return op.emitError(
        "barriers of a role of several instances have no lowering yet");
  RoleWarps role = findRole(op);
  int64_t count = role.role.getWarps() * delta::warpThreads;
  // What was written may be an operand of a product, read by the copy engine's
  // proxy.
  callInPlace({}, "async_proxy_fence", {}, {});
  callInPlace({}, "role_sync", {integer(op.getId()), integer(count)}, {});
  return success();
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

/// The op that closes `slot`.
template <typename CloseOp> static CloseOp getClose(Value slot) {
  return cast<CloseOp>(*slot.user_begin());
}

/// The first use of a ring by an op of type `SlotOp`; verified rings have one.
template <typename SlotOp> static SlotOp getEnd(tile::RingCreateOp ring) {
  for (Operation *user : ring.getRing().getUsers())
    if (auto end = dyn_cast<SlotOp>(user))
      return end;
  return {};
}

/// Bytes that a copy into shared memory reports.
static int64_t getCopiedBytes(tile::CopyOp copy) {
  auto type = cast<MemRefType>(copy.getShared().getType());
  return tile::getSharedBytes(type) / type.getDimSize(0) * copy.getCopiedRows();
}

LogicalResult KernelBody::convertRoleRing(tile::RingCreateOp op) {
  auto acquire = getEnd<tile::AcquireOp>(op);
  auto peek = getEnd<tile::PeekOp>(op);
  if (!acquire || !peek || !acquire->getParentOfType<tile::RolesOp>() ||
      !peek->getParentOfType<tile::RolesOp>())
    return op.emitError("expected a role at each end of an mbarrier ring");
  tile::RingType type = op.getRing().getType();
  Ring &ring = rings[op.getRing()];
  std::string slots =
      llvm::formatv("Ring {0}, from role {1} to role {2}: {3} slot{4}",
                    op.getName(), findRole(acquire).role.getName().getValue(),
                    findRole(peek).role.getName().getValue(), type.getStages(),
                    type.getStages() == 1 ? "" : "s");
  if (tile::getRingCopies(op) > 1)
    slots += " for each instance";
  cuda::CommentOp::create(b, slots + ", then their mbarriers.");
  for (auto [index, offset] : llvm::enumerate(tile::getSlotOffsets(type)))
    ring.offsets.push_back(
        byteLiteral(*op.getOffset() + offset,
                    named(slotBufferName(op, index) + "_offset")));
  ring.slotBytes = byteLiteral(tile::getSlotBytes(type),
                               named(op.getName() + "_slot_bytes"));
  ringHandles[op.getRing()] =
      tile::getRingCopies(op) == 1 ? makeRing(op, /*instance=*/{}) : Value();
  roleRings.push_back(op);
  return success();
}

Value KernelBody::makeRing(tile::RingCreateOp op, Value instance,
                           int64_t copy) {
  auto acquire = getEnd<tile::AcquireOp>(op);
  RoleWarps producer = findRole(acquire);
  RoleWarps consumer = findRole(getEnd<tile::PeekOp>(op));
  bool isCopied =
      !getClose<tile::CommitOp>(acquire.getSlot()).getCopies().empty();
  auto arrivals = [](const RoleWarps &role) {
    return role.isSingle ? 1 : role.getInstanceWarps();
  };
  std::string type =
      llvm::formatv("Ring<{0}, {1}, {2}>", op.getRing().getType().getStages(),
                    isCopied ? 1 : arrivals(producer),
                    int64_t(op.getConsumers()) * arrivals(consumer));
  int64_t bytes = tile::getBarrierBytes(op.getRing().getType());
  Value offset =
      byteLiteral(*op.getOffset() + tile::getBarrierOffset(op) + copy * bytes);
  if (instance) {
    Value number = cuda::CastOp::create(b, offset.getType(), instance,
                                        /*name=*/StringAttr());
    offset = binary(BinaryKind::Add, offset,
                    binary(BinaryKind::Mul, number, byteLiteral(bytes)));
  }
  return call(cuda::OpaqueType::get(b.getContext(), type), type, {},
              {base, offset}, named(op.getName() + "_ring"));
}

void KernelBody::initialiseRings() {
  for (tile::RingCreateOp ring : roleRings)
    if (ring.getZeroed()) {
      cuda::CommentOp::create(b, "Rows that no copy fills are zeros.");
      int64_t bytes = tile::getRingSlotBytes(ring);
      callInPlace({}, "zero_shared", integer(threads),
                  {base, byteLiteral(*ring.getOffset()), byteLiteral(bytes)});
    }
  cuda::CommentOp::create(b, "One thread makes the mbarriers.");
  Value thread = cuda::BuiltinOp::create(
      b, b.getIntegerType(32, /*isSigned=*/false), "threadIdx.x",
      /*name=*/StringAttr());
  auto first =
      cuda::IfOp::create(b, binary(BinaryKind::Eq, thread, byteLiteral(0)));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&first.getThenBody().front());
    for (tile::RingCreateOp ring : roleRings) {
      int64_t copies = tile::getRingCopies(ring);
      for (int64_t copy = 0; copy < copies; ++copy) {
        Value handle = ringHandles.lookup(ring.getRing());
        if (copies > 1) {
          handle = makeRing(ring, /*instance=*/{}, copy);
          cast<cuda::ExpressionOpInterface>(handle.getDefiningOp())
              .setName((ring.getName() + "_ring_" + Twine(copy)).str());
        }
        callInPlace({}, "ring_init", {}, handle);
      }
    }
  }
  callInPlace({}, "cta_sync", {}, {});
}

Value KernelBody::useNumber(Value index) {
  if (std::optional<int64_t> known = getConstantIntValue(index))
    return byteLiteral(*known);
  // An iteration's use; others are called after their number.
  bool isCounter = isa<BlockArgument>(index);
  StringAttr name =
      named(isCounter ? "use" : Twine(names.lookup(index)) + "_use");
  Value &number = useNumbers[{b.getInsertionBlock(), index}];
  if (!number)
    number = cuda::CastOp::create(b, b.getIntegerType(32, /*isSigned=*/false),
                                  use(index), name);
  return number;
}

template <typename SlotOp> void KernelBody::convertRoleSlot(SlotOp op) {
  auto create = op.getRing().template getDefiningOp<tile::RingCreateOp>();
  const Ring &ring = rings.find(op.getRing())->second;
  tile::RingType type = op.getRing().getType();
  int64_t stages = type.getStages();
  Value number = openSlots[op.getSlot()].use;
  // The instance's slots, then the use's.
  Value slot;
  if (instance && tile::getRingCopies(create) > 1) {
    slot = cuda::CastOp::create(b, number.getType(), instance,
                                /*name=*/StringAttr());
    if (stages > 1)
      slot = binary(BinaryKind::Mul, slot, byteLiteral(stages));
  }
  if (stages > 1) {
    Value position = binary(BinaryKind::Rem, number, byteLiteral(stages));
    slot = slot ? binary(BinaryKind::Add, slot, position) : position;
  }
  if (slot)
    slot = binary(BinaryKind::Mul, slot, ring.slotBytes,
                  named(create.getName() + "_slot"));
  for (auto [index, buffer] : llvm::enumerate(op.getBuffers())) {
    auto bufferType = cast<MemRefType>(buffer.getType());
    Value offset = ring.offsets[index];
    places[buffer] = {slot, offset};
    if (slot)
      offset = binary(BinaryKind::Add, slot, offset);
    define(buffer, handle(bufferType, offset,
                          sharedName(slotBufferName(op, index), bufferType)));
  }
}

/// The names of a slot's buffers, "K, V, T".
static std::string joinBuffers(Operation *open) {
  std::string text;
  for (unsigned i = 1; i < open->getNumResults(); ++i)
    text += (i == 1 ? "" : ", ") + slotBufferName(open, i - 1).str();
  return text;
}

void KernelBody::convertRoleAcquire(tile::AcquireOp op) {
  auto copies = getClose<tile::CommitOp>(op.getSlot()).getCopies();
  std::string buffers = joinBuffers(op);
  if (copies.empty())
    cuda::CommentOp::create(
        b, ("Hand " + buffers + " to the role " +
            findRole(getEnd<tile::PeekOp>(
                         op.getRing().getDefiningOp<tile::RingCreateOp>()))
                .role.getName()
                .getValue() +
            ".")
               .str());
  else
    cuda::CommentOp::create(b, "Load " + buffers + ".");
  Value ring = ringHandles.lookup(op.getRing()),
        number = useNumber(op.getIndex());
  openSlots[op.getSlot()] = {ring, number};
  callInPlace({}, "ring_acquire", {}, {ring, number});
  if (!copies.empty()) {
    int64_t bytes = 0;
    for (Value copy : copies)
      bytes += getCopiedBytes(copy.getDefiningOp<tile::CopyOp>());
    callInPlace({}, "ring_expect", {}, {ring, number, byteLiteral(bytes)});
  }
  convertRoleSlot(op);
}

void KernelBody::convertRolePeek(tile::PeekOp op) {
  if (!getClose<tile::ReleaseOp>(op.getSlot()).getCopies().empty())
    cuda::CommentOp::create(b, "Store " + joinBuffers(op) + ".");
  Value ring = ringHandles.lookup(op.getRing()),
        number = useNumber(op.getIndex());
  openSlots[op.getSlot()] = {ring, number};
  callInPlace({}, "ring_peek", {}, {ring, number});
  convertRoleSlot(op);
}

template <> LogicalResult KernelBody::lower(tile::CommitOp op) {
  auto slot = openSlots.find(op.getSlot());
  // Of a ring of one role: groups of copies.
  if (slot == openSlots.end())
    callInPlace({}, "copy_commit", {}, {});
  // Copies report by themselves.
  else if (op.getCopies().empty())
    callInPlace({}, "ring_commit", {}, {slot->second.ring, slot->second.use});
  return success();
}

template <> LogicalResult KernelBody::lower(tile::ReleaseOp op) {
  auto slot = openSlots.find(op.getSlot());
  // Of a ring of one role, the peek's barrier frees the slot of the iteration
  // before.
  if (slot == openSlots.end())
    return success();
  if (!op.getCopies().empty())
    callInPlace({}, "store_wait_read", {}, {});
  callInPlace({}, "ring_release", {}, {slot->second.ring, slot->second.use});
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers of slots
//===----------------------------------------------------------------------===//

SmallVector<int64_t> delta::getTensorMapBox(tile::CopyOp copy) {
  auto global = cast<MemRefType>(copy.getGlobal().getType());
  auto shared = cast<MemRefType>(copy.getShared().getType());
  auto space = cast<tile::SmemAttr>(shared.getMemorySpace());
  // Innermost first; a box is a panel of the buffer.
  SmallVector<int64_t> box(global.getRank(), 1);
  box[global.getRank() - 1 - copy.getDims()[0]] = copy.getCopiedRows();
  box.front() = space.getSwizzle() * 8 / shared.getElementTypeBitWidth();
  return box;
}

LogicalResult KernelBody::convertRingCopy(tile::CopyOp op) {
  Operation *close = *op->user_begin();
  auto slot = openSlots.find(close->getOperand(0));
  if (!isa<tile::CommitOp, tile::ReleaseOp>(close) || slot == openSlots.end())
    return op.emitError("engine ")
           << tile::stringifyEngine(op.getEngine())
           << ": expected a slot of a ring between roles";
  if (op.getBound() || op.getMulticast())
    return op.emitError("engine ") << tile::stringifyEngine(op.getEngine())
                                   << ": bound and multicast have no lowering";
  auto [ring, number] = slot->second;
  auto type = cast<MemRefType>(op.getShared().getType());
  if (op.getEngine() == tile::Engine::Bulk) {
    if (op.getToGlobal() || type.getRank() != 1 ||
        !type.getElementType().isF32())
      return op.emitError("engine bulk: expected a vector of f32 to be loaded");
    callInPlace({}, "bulk_load", {},
                {use(op.getShared()), address(op.getGlobal(), op.getIndices()),
                 ring, number});
    return success();
  }
  SmallVector<int64_t> box = getTensorMapBox(op);
  auto map = llvm::find_if(tensorMaps, [&](const TensorMap &entry) {
    return entry.array == op.getGlobal() && entry.box == box;
  });
  if (map == tensorMaps.end())
    return op.emitError("expected an array that is an argument of the kernel");
  SmallVector<Value> args;
  if (op.getToGlobal())
    args = {map->map, use(op.getShared())};
  else
    args = {use(op.getShared()), map->map, ring, number};
  // The innermost axis first.
  for (Value index : llvm::reverse(op.getIndices()))
    args.push_back(use(index));
  callInPlace({}, op.getToGlobal() ? "tma_store" : "tma_load", {}, args);
  return success();
}

template <> LogicalResult KernelBody::lower(memref::SubViewOp op) {
  auto place = places.find(op.getSource());
  MemRefType type = op.getType(), source = op.getSourceType();
  SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
  constexpr int64_t panelColumns = 64, panelRowBytes = 128;
  // Whole panels, which lie one behind the other.
  if (place == places.end() || type.getRank() != 2 || !op.hasUnitStride() ||
      getConstantIntValue(offsets[0]) != 0 ||
      type.getDimSize(0) != source.getDimSize(0) ||
      type.getDimSize(1) % panelColumns != 0)
    return op.emitError("expected whole panels of a slot's buffer, got ")
           << type << " of " << source;
  int64_t columnBytes = type.getDimSize(0) * panelRowBytes / panelColumns;
  Value offset = place->second.offset;
  if (place->second.slot)
    offset = binary(BinaryKind::Add, place->second.slot, offset);
  Value bytes;
  if (std::optional<int64_t> column = getConstantIntValue(offsets[1])) {
    bytes = byteLiteral(*column * columnBytes);
  } else {
    Value first =
        cuda::CastOp::create(b, offset.getType(), use(cast<Value>(offsets[1])),
                             /*name=*/StringAttr());
    bytes = binary(BinaryKind::Mul, first, byteLiteral(columnBytes));
  }
  offset = binary(BinaryKind::Add, offset, bytes);
  StringRef name = nameOf(op.getResult());
  if (name.empty())
    name = bufferName(op.getSource());
  define(op.getResult(), handle(type, offset, sharedName(name, type)));
  return success();
}

void delta::addRoleRules(StatementRules &rules) {
  rules.add<tile::RolesOp, tile::BarrierOp, tile::CommitOp, tile::ReleaseOp,
            memref::SubViewOp>();
}
