//===- Chunk.cpp - from the recurrent to the chunked phase ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass `delta-chunk`: gives the function its memref signature, chooses the
/// chunk length, and lets the builder of the recurrence's family write the
/// body. Holds no algebra.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "ChunkBuilder.h"
#include "delta/Dialect/Delta/IR/Names.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace delta;

namespace delta {
#define GEN_PASS_DEF_CHUNK
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

/// Rows of a chunk where the recurrence does not say: the longest that is
/// compiled. Work per token grows with it, the length of the sequential chain
/// shrinks, and at K = V = 128 the products fill a 64-row tile.
static constexpr int64_t kDefaultChunk = 64;

static MemRefType toMemRef(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

namespace {

/// The pieces of a function in the recurrent phase.
struct RecurrentFunction {
  func::FuncOp func;
  RecurrenceOp recurrence;
  func::ReturnOp end;
};

struct Chunk : public delta::impl::ChunkBase<Chunk> {
  void runOnOperation() override;
};

} // namespace

/// Finds the recurrence of a function, or nothing where there is none (a
/// declaration, or a function that is chunked already).
static FailureOr<std::optional<RecurrentFunction>> match(func::FuncOp func) {
  SmallVector<RecurrenceOp> found;
  func.walk([&](RecurrenceOp op) { found.push_back(op); });
  if (found.empty())
    return std::optional<RecurrentFunction>();
  if (found.size() > 1) {
    auto diagnostic =
        found[1].emitOpError("expected one recurrence in a function, got more");
    diagnostic.attachNote(found[0].getLoc()) << "the first is here";
    return failure();
  }
  RecurrenceOp recurrence = found.front();
  if (!func.getBody().hasOneBlock() ||
      recurrence->getParentOp() != func.getOperation())
    return recurrence.emitOpError("expected to be in a function's only block");
  auto end = cast<func::ReturnOp>(func.front().getTerminator());
  // Anything else would be lost: the body is written anew.
  for (Operation &op : func.front())
    if (!isa<RecurrenceOp, L2NormOp, SigmoidOp, func::ReturnOp>(op))
      return op.emitOpError("expected only prologue ops around a recurrence");
  for (Type type : func.getArgumentTypes())
    if (!isa<RankedTensorType>(type))
      return func.emitOpError("arguments: expected ranked tensors, got ")
             << type;
  return std::optional(RecurrentFunction{func, recurrence, end});
}

/// What the recurrence can say and no builder knows.
static LogicalResult checkLowered(RecurrenceOp op) {
  if (op.getLengths())
    return op.emitOpError("lengths: packed sequences are not lowered yet; "
                          "accepted: sequences of one length");
  if (op.getPool())
    return op.emitOpError("pool: pools of states are not lowered yet; "
                          "accepted: one state a sequence");
  if (op.getStateLayout() != StateLayout::KV)
    return op.emitOpError("state_layout: expected kv, got ")
           << stringifyStateLayout(op.getStateLayout());
  if (op.getDecay() &&
      cast<RankedTensorType>(op.getDecay().getType()).getRank() != 3)
    return op.emitOpError("decay: per-channel decay is not lowered yet; "
                          "accepted: one decay per value head");
  return success();
}

/// Where an operand of the recurrence comes from: an argument, or an argument
/// through one op of type `Prologue` (`delta.l2norm` may stand before arrays
/// whose tiles hold whole rows, `delta.sigmoid` before factors of rows).
template <typename... Prologue>
static LogicalResult resolve(RecurrenceOp op, StringRef name, Value operand,
                             const IRMapping &memrefs, CallerArray &array) {
  if (!operand)
    return success();
  Operation *prologue = operand.getDefiningOp();
  if (prologue && !isa<Prologue...>(prologue))
    return op.emitOpError(name) << ": expected an argument of the function or "
                                << "an argument through a prologue op, got a "
                                << "result of " << prologue->getName();
  Value source = prologue ? prologue->getOperand(0) : operand;
  if (!isa<BlockArgument>(source))
    return op.emitOpError(name) << ": expected one prologue op between the "
                                << "argument and the recurrence, got more";
  array = {memrefs.lookup(source), prologue};
  return success();
}

/// No op at all may stand before the operand.
namespace {
struct NoPrologue {
  static bool classof(const Operation *) { return false; }
};
} // namespace

static LogicalResult resolveOperands(RecurrenceOp op, const IRMapping &memrefs,
                                     CallerArrays &arrays) {
  return success(succeeded(resolve<L2NormOp>(op, "query", op.getQuery(),
                                             memrefs, arrays.query)) &&
                 succeeded(resolve<L2NormOp>(op, "key", op.getKey(), memrefs,
                                             arrays.key)) &&
                 succeeded(resolve<L2NormOp>(op, "write", op.getWrite(),
                                             memrefs, arrays.write)) &&
                 succeeded(resolve<SigmoidOp>(op, "beta", op.getBeta(), memrefs,
                                              arrays.beta)) &&
                 succeeded(resolve<SigmoidOp>(op, "alpha", op.getAlpha(),
                                              memrefs, arrays.alpha)) &&
                 succeeded(resolve<NoPrologue>(op, "value", op.getValue(),
                                               memrefs, arrays.value)) &&
                 succeeded(resolve<NoPrologue>(op, "decay", op.getDecay(),
                                               memrefs, arrays.decay)) &&
                 succeeded(resolve<NoPrologue>(op, "initial", op.getInitial(),
                                               memrefs, arrays.initial)));
}

/// The destination argument of each result of the recurrence.
static LogicalResult resolveResults(RecurrentFunction f,
                                    ArrayRef<BlockArgument> destinations,
                                    CallerArrays &arrays) {
  for (auto [returned, memref] : llvm::zip(f.end.getOperands(), destinations)) {
    Value *role = returned == f.recurrence.getOutput()  ? &arrays.output
                  : returned == f.recurrence.getState() ? &arrays.state
                  : returned == f.recurrence.getU()     ? &arrays.u
                                                        : nullptr;
    if (!role || *role)
      return f.end.emitOpError("expected each result of the recurrence once");
    *role = memref;
  }
  if (!arrays.output)
    return f.end.emitOpError("expected the recurrence's output");
  return success();
}

/// Every argument must be reached by the recurrence: it is named after the
/// operand that it becomes.
static LogicalResult checkArguments(RecurrentFunction f, Block &body,
                                    const CallerArrays &arrays) {
  Value used[] = {arrays.query.memref, arrays.key.memref,
                  arrays.value.memref, arrays.beta.memref,
                  arrays.decay.memref, arrays.initial.memref,
                  arrays.write.memref, arrays.alpha.memref};
  for (unsigned i = 0, e = f.func.getNumArguments(); i < e; ++i)
    if (!llvm::is_contained(used, body.getArgument(i)))
      return f.func.emitOpError("argument ")
             << i << ": expected an operand of the recurrence, got no use";
  return success();
}

/// Attributes of the chunked function's arguments: each has its name in the C
/// interface, results are marked.
static SmallVector<DictionaryAttr> argumentAttributes(func::FuncOp func) {
  Builder b(func.getContext());
  SmallVector<DictionaryAttr> all;
  for (BlockArgument argument : func.getArguments()) {
    NamedAttrList attributes(func.getArgAttrDict(argument.getArgNumber()));
    attributes.set(kNameAttr, b.getStringAttr(getArgumentName(argument)));
    all.push_back(attributes.getDictionary(b.getContext()));
  }
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i) {
    NamedAttrList attributes(func.getResultAttrDict(i));
    attributes.set(kNameAttr, b.getStringAttr(getResultName(func, i)));
    attributes.set(kResultAttr, b.getUnitAttr());
    all.push_back(attributes.getDictionary(b.getContext()));
  }
  return all;
}

static LogicalResult chunkFunction(RecurrentFunction f) {
  func::FuncOp func = f.func;
  RecurrenceOp recurrence = f.recurrence;
  int64_t chunk = recurrence.getChunk().value_or(kDefaultChunk);
  if (static_cast<int64_t>(recurrence.getSteps()) > chunk)
    return recurrence.emitOpError("chunk: expected at least one token of ")
           << recurrence.getSteps() << " steps, got " << chunk << " rows";
  if (failed(checkLowered(recurrence)))
    return failure();

  // The new entry block: arguments as memrefs, then one memref a result.
  FunctionType oldType = func.getFunctionType();
  SmallVector<Type> types = llvm::map_to_vector(
      oldType.getInputs(), [](Type t) -> Type { return toMemRef(t); });
  for (Type type : oldType.getResults())
    types.push_back(toMemRef(type));
  Block *old = &func.front();
  Block *body = new Block;
  func.getBody().push_back(body);
  IRMapping memrefs;
  for (auto [i, type] : llvm::enumerate(types)) {
    bool isResult = i >= oldType.getNumInputs();
    BlockArgument argument = body->addArgument(
        type, isResult ? f.end.getLoc() : old->getArgument(i).getLoc());
    if (!isResult)
      memrefs.map(old->getArgument(i), argument);
  }
  unsigned firstResult = oldType.getNumInputs();
  CallerArrays arrays;
  bool resolved =
      succeeded(resolveOperands(recurrence, memrefs, arrays)) &&
      succeeded(resolveResults(f, body->getArguments().drop_front(firstResult),
                               arrays)) &&
      succeeded(checkArguments(f, *body, arrays));
  ChunkBuilder builder(recurrence, arrays, chunk);
  builder.setInsertionPointToEnd(body);
  if (!resolved || failed(recurrence.getKernel().hasState()
                              ? buildLinearChunks(builder)
                              : buildImplicitChunks(builder))) {
    body->erase();
    return failure();
  }
  func::ReturnOp::create(builder);

  SmallVector<DictionaryAttr> attributes = argumentAttributes(func);
  // What selection decided for the recurrence is from here on the function's.
  if (ScheduleAttr schedule = recurrence.getScheduleAttr())
    func->setAttr("delta.schedule", schedule);
  old->erase();
  func.setType(builder.getFunctionType(types, {}));
  func.setAllArgAttrs(attributes);
  func.removeResAttrsAttr();
  return success();
}

void Chunk::runOnOperation() {
  FailureOr<std::optional<RecurrentFunction>> function = match(getOperation());
  if (failed(function) || (*function && failed(chunkFunction(**function))))
    signalPassFailure();
}
