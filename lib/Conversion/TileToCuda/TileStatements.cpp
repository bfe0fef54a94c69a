//===- TileStatements.cpp - one tile op, one statement ----------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Calls of include/delta/Device for the tile dialect's ops. Products and waits
/// for a slot start a paragraph with a comment that says what is computed, in
/// the names of the values.
///
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "Spelling.h"

#include "delta/Dialect/Tile/IR/SharedMemory.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace delta;
using cuda::BinaryKind;

static RankedTensorType tileType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Value KernelBody::address(Value array, ValueRange indices) {
  const GlobalArray &global = arrays.find(array)->second;
  Value offset = literal(0);
  for (auto [index, stride] : llvm::zip(indices, global.strides)) {
    if (matchPattern(index, m_Zero()))
      continue;
    offset = binary(BinaryKind::Add, offset,
                    binary(BinaryKind::Mul, use(index), stride));
  }
  // No sum of zeros: `k`, not `k + 0`.
  auto known = offset.getDefiningOp<cuda::LiteralOp>();
  if (known && cast<IntegerAttr>(known.getValue()).getInt() == 0)
    return global.pointer;
  return cuda::BinaryOp::create(b, global.pointer.getType(), BinaryKind::Add,
                                global.pointer, offset,
                                /*name=*/StringAttr());
}

/// Whether the box of a matrix of f32 that is loaded or stored is whole pairs
/// of neighbours in memory: its rows are the array's, and nothing cuts them.
template <typename OpT>
static bool isPairs(OpT op, Value array, RankedTensorType tile) {
  constexpr int64_t pairBytes = 8;
  auto type = cast<MemRefType>(array.getType());
  return tile.getRank() == 2 && type.getElementType().isF32() &&
         op.getDims()[1] == type.getRank() - 1 &&
         !(op.getBound() && op.getBoundAxis() == 1) &&
         tile::isAligned(array, op.getIndices(), pairBytes);
}

template <> LogicalResult KernelBody::lower(tile::LoadOp op) {
  RankedTensorType type = op.getTile().getType();
  ArrayRef<int64_t> shape = type.getShape(), dims = op.getDims();
  Type converted = convertType(type);
  if (!converted)
    return op.emitError("expected a layout on ") << type;
  Value from = address(op.getSource(), op.getIndices());
  if (shape.size() == 1) {
    Value count = rows(op.getBound(), shape[0]);
    SmallVector<Attribute> lengths = {integer(shape[0])};
    if (op.getSteps() != 1)
      lengths.push_back(integer(op.getSteps()));
    define(op.getTile(),
           callInPlace(converted,
                       op.getSteps() == 1 ? "load_flat" : "load_flat_steps",
                       lengths, {from, stride(op.getSource(), dims[0]), count},
                       resultName(op)));
    return success();
  }
  if (!type.getElementType().isF32())
    return op.emitError(
        "16-bit tile straight to registers: run tile-place first");
  SmallVector<Value> args = {from, stride(op.getSource(), dims[0])};
  bool inPairs = isPairs(op, op.getSource(), type);
  if (!inPairs)
    args.push_back(stride(op.getSource(), dims[1]));
  if (op.getBound()) {
    if (op.getBoundAxis() == 1)
      args.push_back(literal(shape[0]));
    args.push_back(use(op.getBound()));
  }
  define(op.getTile(),
         callInPlace(converted, inPairs ? "load_pairs" : "load",
                     TypeAttr::get(converted), args, resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::LoadIndexOp op) {
  Value pointer = arrays.find(op.getSource())->second.pointer;
  Value count =
      cuda::IndexOp::create(b, b.getI64Type(), pointer, use(op.getPosition()),
                            /*name=*/StringAttr());
  define(op.getValue(),
         cuda::CastOp::create(b, b.getIndexType(), count, resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::StoreOp op) {
  RankedTensorType type = op.getTile().getType();
  ArrayRef<int64_t> shape = type.getShape(), dims = op.getDims();
  if (shape.size() == 2 && !type.getElementType().isF32())
    return op.emitError(
        "16-bit tile straight from registers: run tile-place first");
  SmallVector<Value> args = {use(op.getTile()),
                             address(op.getDest(), op.getIndices())};
  bool inPairs = isPairs(op, op.getDest(), type);
  for (int64_t axis : inPairs ? dims.drop_back() : dims)
    args.push_back(stride(op.getDest(), axis));
  if (op.getBound()) {
    if (shape.size() == 2 && op.getBoundAxis() == 1)
      args.push_back(literal(shape[0]));
    args.push_back(use(op.getBound()));
  }
  callInPlace({}, inPairs ? "store_pairs" : "store", {}, args);
  return success();
}

template <> LogicalResult KernelBody::lower(tile::CopyOp op) {
  if (op.getEngine() == tile::Engine::Tma ||
      op.getEngine() == tile::Engine::Bulk)
    return convertRingCopy(op);
  auto type = cast<MemRefType>(op.getShared().getType());
  Value global = address(op.getGlobal(), op.getIndices());
  SmallVector<Value> args = {use(op.getShared()), global};
  int64_t extent = type.getShape()[0];
  if (type.getRank() == 2) {
    args.push_back(stride(op.getGlobal(), op.getDims()[0]));
    args.push_back(rows(op.getBound(), extent));
  } else if (op.getBound()) {
    args.push_back(use(op.getBound()));
  }
  bool asynchronous = op.getEngine() == tile::Engine::CpAsync;
  if (op.getToGlobal() ? asynchronous || type.getRank() != 2 : !asynchronous)
    return op.emitError("engine ") << tile::stringifyEngine(op.getEngine())
                                   << " has no lowering for this "
                                   << (op.getToGlobal() ? "store" : "load");
  callInPlace({}, op.getToGlobal() ? "store_tile" : "copy_async",
              integer(threads), args);
  // A copy outside of a ring closes the group that its await waits for.
  auto await = dyn_cast<tile::AwaitOp>(*op->user_begin());
  if (asynchronous && await && await.getInflight().back() == op.getInflight())
    callInPlace({}, "copy_commit", {}, {});
  return success();
}

LogicalResult KernelBody::convertAwaitCopies(tile::AwaitOp op) {
  bool asynchronous = llvm::any_of(op.getInflight(), [](Value inflight) {
    auto copy = inflight.getDefiningOp<tile::CopyOp>();
    return !copy || copy.getEngine() == tile::Engine::CpAsync;
  });
  if (!asynchronous)
    return success();
  if (!op.getPending())
    return op.emitError("expected a pending count: run tile-place-waits first");
  callInPlace({}, "copy_wait", integer(*op.getPending()), {});
  return success();
}

template <> LogicalResult KernelBody::lower(tile::WaitLaunchesOp) {
  commentOnce("Wait for what earlier launches write.");
  callInPlace({}, "wait_for_prior_launches", {}, {});
  return success();
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

StringAttr KernelBody::sharedName(StringRef name, MemRefType type) {
  if (name.empty())
    return {};
  // Scratch space is called that already.
  if (name.ends_with("_scratch"))
    return named(name);
  return named(name + (type.getRank() == 2 ? "_tile" : "_vector"));
}

void KernelBody::commentOnce(StringRef text) {
  if (said.insert(text).second)
    cuda::CommentOp::create(b, text);
}

Value KernelBody::handle(MemRefType type, Value offset, StringAttr name) {
  Type converted = convertType(type);
  return call(converted, cast<cuda::OpaqueType>(converted).getSpelling(), {},
              {base, offset}, name);
}

template <> LogicalResult KernelBody::lower(tile::AllocOp op) {
  auto type = cast<MemRefType>(op.getBuffer().getType());
  if (!op.getOffset())
    return op.emitError("expected an offset: run tile-plan-shared first");
  Value offset = allocOffsets.lookup(op);
  define(op.getBuffer(),
         handle(type, offset ? offset : byteLiteral(*op.getOffset()),
                sharedName(nameOf(op.getBuffer()), type)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::ReadOp op) {
  RankedTensorType type = op.getTile().getType();
  Type converted = convertType(type);
  if (!converted)
    return op.emitError("expected a layout on ") << type;
  StringRef callee = op.getTranspose() ? "read_transposed" : "read";
  SmallVector<Attribute> arguments = {TypeAttr::get(converted)};
  Attribute layout = type.getEncoding();
  if (isa<tile::FlatAttr>(layout)) {
    callee = "read_flat";
    arguments.clear();
  } else if (auto slice = dyn_cast<tile::SliceAttr>(layout)) {
    bool isRows = slice.getAxis() == 0;
    callee = isRows ? "read_row_slice" : "read_column_slice";
    arguments.clear();
    // Lengths follow from the vector; the warps of a row slice do not.
    if (isRows)
      arguments = {integer(type.getShape()[0]),
                   integer(slice.getParent().getWarps())};
  }
  define(op.getTile(), callInPlace(converted, callee, arguments,
                                   use(op.getBuffer()), resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::WriteOp op) {
  callInPlace({}, op.getTranspose() ? "write_transposed" : "write", {},
              {use(op.getTile()), use(op.getBuffer())});
  return success();
}

template <> LogicalResult KernelBody::lower(memref::LoadOp op) {
  if (!isa_and_nonnull<tile::SmemAttr>(op.getMemRefType().getMemorySpace()) ||
      op.getIndices().size() != 1)
    return op.emitError("expected an element of a shared vector");
  define(op.getResult(),
         callInPlace(b.getF32Type(), "element", {},
                     {use(op.getMemRef()), use(op.getIndices()[0])},
                     resultName(op)));
  return success();
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

StringRef delta::slotBufferName(Operation *op, unsigned index) {
  auto buffers = op->getAttrOfType<ArrayAttr>(tile::getBufferNamesAttrName());
  return buffers ? cast<StringAttr>(buffers[index]).getValue() : "tile";
}

StringRef KernelBody::bufferName(Value buffer) {
  Operation *owner = buffer.getDefiningOp();
  if (auto view = dyn_cast_or_null<memref::SubViewOp>(owner))
    return bufferName(view.getSource());
  if (isa_and_nonnull<tile::AcquireOp, tile::PeekOp>(owner))
    return slotBufferName(owner, cast<OpResult>(buffer).getResultNumber() - 1);
  return nameOf(buffer);
}

template <> LogicalResult KernelBody::lower(tile::RingCreateOp op) {
  if (!op.getOffset())
    return op.emitError("expected an offset: run tile-plan-shared first");
  if (op.getProtocol() == tile::Protocol::Mbarrier)
    return convertRoleRing(op);
  tile::RingType type = op.getRing().getType();
  Ring &ring = rings[op.getRing()];
  cuda::CommentOp::create(b, ("A slot holds what one chunk needs; " +
                              Twine(type.getStages()) + " slots form a ring.")
                                 .str());
  for (auto [index, offset] : llvm::enumerate(tile::getSlotOffsets(type)))
    ring.offsets.push_back(
        byteLiteral(*op.getOffset() + offset,
                    named(slotBufferName(op, index) + "_offset")));
  ring.slotBytes = byteLiteral(tile::getSlotBytes(type), named("slot_bytes"));
  return success();
}

template <typename SlotOp> void KernelBody::convertSlot(SlotOp op) {
  const Ring &ring = rings.find(op.getRing())->second;
  tile::RingType type = op.getRing().getType();
  // Slots are filled in front of the loop, and in it for a later iteration.
  bool fills = std::is_same_v<SlotOp, tile::AcquireOp>;
  APInt known;
  bool isKnown = matchPattern(op.getIndex(), m_ConstantInt(&known));
  bool isSingle = type.getStages() == 1;
  constexpr StringLiteral firsts[] = {"first_", "second_", "third_"};
  StringRef prefix = !fills     ? ""
                     : isSingle ? "new_"
                     : isKnown
                         ? firsts[std::min<uint64_t>(known.getZExtValue(), 2)]
                         : "next_";
  Value slot;
  if (isSingle) {
    slot = byteLiteral(0, named(prefix + "slot"));
  } else if (isKnown) {
    slot = byteLiteral(known.getSExtValue() % type.getStages() *
                           tile::getSlotBytes(type),
                       named(prefix + "slot"));
  } else {
    Value index = cuda::CastOp::create(
        b, ring.slotBytes.getType(), use(op.getIndex()), /*name=*/StringAttr());
    Value position =
        binary(BinaryKind::Rem, index, byteLiteral(type.getStages()));
    slot = binary(BinaryKind::Mul, position, ring.slotBytes,
                  named(prefix + "slot"));
  }
  for (auto [number, buffer] : llvm::enumerate(op.getBuffers())) {
    auto bufferType = cast<MemRefType>(buffer.getType());
    std::string name = (prefix + slotBufferName(op, number)).str();
    Value offset = binary(BinaryKind::Add, slot, ring.offsets[number]);
    define(buffer, handle(bufferType, offset, sharedName(name, bufferType)));
  }
}

template <> LogicalResult KernelBody::lower(tile::AcquireOp op) {
  if (ringHandles.contains(op.getRing()))
    return convertRoleAcquire(op), success();
  if (op.getRing().getType().getStages() == 1) {
    cuda::CommentOp::create(b,
                            "Copy this chunk once nobody reads the last one.");
    callInPlace({}, "cta_sync", {}, {});
  } else if (isa<scf::ForOp>(op->getParentOp())) {
    cuda::CommentOp::create(b,
                            "Start to copy a later chunk; past the end it is "
                            "zeros, and nothing is read.");
  } else {
    cuda::CommentOp::create(b, "Start to copy a first chunk.");
  }
  convertSlot(op);
  return success();
}

template <> LogicalResult KernelBody::lower(tile::PeekOp op) {
  if (ringHandles.contains(op.getRing()))
    return convertRolePeek(op), success();
  int64_t stages = op.getRing().getType().getStages();
  cuda::CommentOp::create(
      b, stages == 1 ? "This chunk has landed."
                     : "This chunk has landed, and no warp reads the "
                       "slot any more that is filled next.");
  // In front of a peek the groups of stages - 1 later chunks are open but one.
  callInPlace({}, "copy_wait", integer(std::max<int64_t>(stages - 2, 0)), {});
  callInPlace({}, "cta_sync", {}, {});
  convertSlot(op);
  return success();
}

void KernelBody::finish() {
  // What was started for iterations that did not come still writes its zeros.
  if (rings.size() > roleRings.size())
    callInPlace({}, "copy_wait", integer(0), {});
}

//===----------------------------------------------------------------------===//
// Reductions, masks
//===----------------------------------------------------------------------===//

template <> LogicalResult KernelBody::lower(tile::MaskOp op) {
  Type type = convertType(op.getType());
  SmallVector<Value> fill;
  if (!op.getFill().isZero())
    fill.push_back(cuda::LiteralOp::create(b, b.getF32Type(), op.getFillAttr(),
                                           /*name=*/StringAttr()));
  Value masked = use(op.getInput());
  bool isPart = op.getPart() != tile::Part::Full;
  if (isPart) {
    SmallVector<Attribute> arguments = {partAttr(op.getPart())};
    if (op.getRowSteps() != 1 || op.getColSteps() != 1)
      arguments.append({integer(op.getRowSteps()), integer(op.getColSteps())});
    SmallVector<Value> args = {masked};
    args.append(fill);
    masked = call(type, "mask", arguments, args,
                  op.getColumns() ? StringAttr() : resultName(op));
  }
  if (op.getColumns()) {
    SmallVector<Value> args = {masked, use(op.getColumns())};
    args.append(fill);
    masked = call(type, "mask_columns", {}, args, resultName(op));
  }
  define(op.getResult(), masked);
  return success();
}

template <> LogicalResult KernelBody::lower(tile::IdentityOp op) {
  RankedTensorType type = op.getType();
  auto layout = dyn_cast_or_null<tile::FragAttr>(type.getEncoding());
  if (!layout)
    return op.emitError("expected a layout on ") << type;
  define(op.getResult(),
         call(convertType(type), "identity",
              {integer(type.getShape()[0]), integer(type.getShape()[1]),
               integer(layout.getWarps())},
              use(op.getDiagonal()), resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::ReduceOp op) {
  Type type = convertType(op.getType());
  if (!type || op.getAxis() != 1)
    return op.emitError("expected the sum of each row, with a layout");
  bool isSum = op.getKind() == tile::Combine::Add;
  define(op.getResult(),
         call(type, isSum ? "reduce_add_rows" : "reduce_max_rows", {},
              use(op.getInput()), resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::DiagonalOp op) {
  Type type = convertType(op.getType());
  if (!type)
    return op.emitError("expected a result with a layout");
  define(op.getResult(),
         call(type, "diagonal", {}, use(op.getInput()), resultName(op)));
  return success();
}

Value KernelBody::makeSpread(tile::SpreadOp op) {
  RankedTensorType type = tileType(op.getResult());
  int64_t warps = cast<tile::FragAttr>(type.getEncoding()).getWarps();
  ArrayRef<int64_t> shape = type.getShape();
  bool isRows = op.getAxis() == 0;
  SmallVector<Attribute> arguments;
  if (isRows)
    arguments = {integer(shape[1])};
  else
    arguments = {integer(shape[0]), integer(warps)};
  return call(convertType(type), isRows ? "spread_rows" : "spread_columns",
              arguments, use(op.getInput()), resultName(op));
}

template <> LogicalResult KernelBody::lower(tile::SpreadOp op) {
  if (!isWrittenInUse(op.getResult()))
    define(op.getResult(), makeSpread(op));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::ScanOp op) {
  if (!op.getScratch())
    return op.emitError("expected a scratch buffer");
  define(op.getResult(),
         callInPlace(convertType(op.getType()), "prefix_sum", {},
                     {use(op.getInput()), use(op.getScratch())},
                     resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::TriSolveOp op) {
  int64_t id = tile::getRoleBarrier(op);
  if (!op.getScratch() || id == 0)
    return op.emitError("expected a scratch buffer and a role");
  StringRef input = names.lookup(op.getInput());
  StringRef result = names.lookup(op.getResult());
  StringRef factors = bufferName(op.getFactors());
  if (!input.empty() && !result.empty() && !factors.empty())
    cuda::CommentOp::create(b, llvm::formatv("{0} = (I + {1} diag({2}))^-1 {1}",
                                             result, input, factors)
                                   .str());
  define(op.getResult(),
         callInPlace(convertType(op.getType()), "solve_scaled_columns", {},
                     {use(op.getInput()), use(op.getFactors()),
                      use(op.getScratch()), literal(id)},
                     resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::TriInverseOp op) {
  using tile::InverseMethod;
  if (!op.getScratch() || op.getMethod() != InverseMethod::Substitute16Merge)
    return op.emitError("expected a scratch buffer and the method ")
           << stringifyInverseMethod(InverseMethod::Substitute16Merge);
  StringRef input = names.lookup(op.getInput());
  StringRef result = names.lookup(op.getResult());
  bool transposed = op.getTransposed();
  if (!input.empty() && !result.empty())
    cuda::CommentOp::create(b, (result + " = (I + " + input + ")^-1" +
                                (transposed ? ", transposed" : ""))
                                   .str());
  Attribute precision = named(op.getPrecision() == tile::InversePrecision::TF32
                                  ? "InversePrecision::TF32"
                                  : "InversePrecision::F32");
  define(op.getResult(),
         callInPlace(convertType(op.getType()),
                     transposed ? "triangular_inverse_transposed"
                                : "triangular_inverse",
                     {precision}, {use(op.getInput()), use(op.getScratch())},
                     resultName(op)));
  return success();
}

void delta::addTileRules(StatementRules &rules) {
  rules.add<memref::LoadOp, tile::LoadOp, tile::LoadIndexOp, tile::StoreOp,
            tile::CopyOp, tile::WaitLaunchesOp, tile::AllocOp, tile::ReadOp,
            tile::WriteOp>();
  rules.add<tile::RingCreateOp, tile::AcquireOp, tile::PeekOp>();
  rules.add<tile::MaskOp, tile::IdentityOp, tile::ReduceOp, tile::DiagonalOp,
            tile::SpreadOp, tile::ScanOp, tile::TriSolveOp,
            tile::TriInverseOp>();
}
