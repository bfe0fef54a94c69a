//===- Chunk.cpp - from the recurrent to the chunked phase ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The pass `delta-chunk`: gives the function its memref signature, and
/// lets the builder of the recurrence's family write the
/// body. Holds no algebra.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "ChunkBuilder.h"
#include "Notation.h"
#include "VerifyRecurrent.h"
#include "delta/Dialect/Delta/IR/Names.h"
#include "delta/Dialect/Tile/IR/Tile.h"
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

/// Rows of a chunk where the recurrence does not say.
static constexpr int64_t kDefaultChunk = 64;

/// Keys of a cache that are taken in at once, where the recurrence does not
/// say.
static constexpr int64_t kDefaultCacheChunk = 32;

static MemRefType toMemRef(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(), tensor.getElementType());
}

/// Where an operand of the recurrence comes from: an argument, or an argument
/// through one prologue op (R4 of docs/spec.md).
static CallerArray resolve(Value operand, const IRMapping &memrefs) {
  if (!operand)
    return {};
  Operation *prologue = operand.getDefiningOp();
  Value argument = prologue ? prologue->getOperand(0) : operand;
  return {memrefs.lookup(argument), prologue};
}

/// The results of `op` that are not operands with rows written to them.
static SmallVector<OpResult> getNewResults(RecurrenceOp op) {
  return llvm::filter_to_vector(op->getResults(), [&](OpResult result) {
    return !op.getUpdatedOperand(result);
  });
}

/// The memrefs of a recurrence's operands and, in the order of its new results
/// (R6), of its destinations.
static CallerArrays resolveArrays(RecurrenceOp op, const IRMapping &memrefs,
                                  ArrayRef<BlockArgument> destinations) {
  CallerArrays arrays;
  arrays.query = resolve(op.getQuery(), memrefs);
  arrays.key = resolve(op.getKey(), memrefs);
  arrays.value = resolve(op.getValue(), memrefs);
  arrays.beta = resolve(op.getBeta(), memrefs);
  arrays.decay = resolve(op.getDecay(), memrefs);
  arrays.initial = resolve(op.getInitial(), memrefs);
  arrays.write = resolve(op.getWrite(), memrefs);
  arrays.alpha = resolve(op.getAlpha(), memrefs);
  if (op.isDecode()) {
    arrays.keyCache = memrefs.lookup(op.getKeyCache());
    arrays.uCache = memrefs.lookup(op.getUCache());
    arrays.cached = memrefs.lookup(op.getCached());
  }
  for (auto [result, destination] :
       llvm::zip_equal(getNewResults(op), destinations)) {
    Value &array = result == op.getOutput()     ? arrays.output
                   : result == op.getState()    ? arrays.state
                   : result == op.getU()        ? arrays.u
                   : result == op.getUbar()     ? arrays.ubar
                   : result == op.getWriteLse() ? arrays.writeLse
                                                : arrays.readLse;
    array = destination;
  }
  return arrays;
}

/// Attributes of the chunked function's arguments: each has its name in the C
/// interface, results and operands with rows written to them are marked.
static SmallVector<DictionaryAttr> argumentAttributes(func::FuncOp func,
                                                      RecurrenceOp op) {
  Builder b(func.getContext());
  auto isUpdated = [&](Value argument) {
    return llvm::any_of(op->getResults(), [&](OpResult result) {
      return op.getUpdatedOperand(result) == argument;
    });
  };
  SmallVector<DictionaryAttr> all;
  for (BlockArgument argument : func.getArguments()) {
    NamedAttrList attributes(func.getArgAttrDict(argument.getArgNumber()));
    attributes.set(kNameAttr, b.getStringAttr(getArgumentName(argument)));
    if (isUpdated(argument))
      attributes.set(kUpdatedAttr, b.getUnitAttr());
    all.push_back(attributes.getDictionary(b.getContext()));
  }
  for (OpResult result : getNewResults(op)) {
    unsigned i = result.getResultNumber();
    NamedAttrList attributes(func.getResultAttrDict(i));
    attributes.set(kNameAttr, b.getStringAttr(getResultName(func, i)));
    attributes.set(kResultAttr, b.getUnitAttr());
    all.push_back(attributes.getDictionary(b.getContext()));
  }
  return all;
}

static int64_t getChunkLength(RecurrenceOp op) {
  return op.getChunk().value_or(op.isDecode() ? kDefaultCacheChunk
                                              : kDefaultChunk);
}

/// `func` keeps the contract of the recurrent phase.
static LogicalResult chunkFunction(func::FuncOp func) {
  auto recurrence = *func.getOps<RecurrenceOp>().begin();
  int64_t chunk = getChunkLength(recurrence);

  // The new entry block: arguments as memrefs, then one memref a result.
  Block *old = &func.front();
  Block *body = new Block;
  func.getBody().push_back(body);
  IRMapping memrefs;
  for (BlockArgument argument : old->getArguments())
    memrefs.map(argument, body->addArgument(toMemRef(argument.getType()),
                                            argument.getLoc()));
  for (OpResult result : getNewResults(recurrence))
    body->addArgument(toMemRef(result.getType()), recurrence.getLoc());
  CallerArrays arrays =
      resolveArrays(recurrence, memrefs,
                    body->getArguments().drop_front(old->getNumArguments()));

  ChunkBuilder builder(recurrence, arrays, chunk);
  builder.setInsertionPointToEnd(body);
  auto build = recurrence.getKernel().hasState() ? buildLinearChunks
               : recurrence.isDecode()           ? buildDecodeChunks
                                                 : buildImplicitChunks;
  if (failed(build(builder))) {
    body->erase();
    return failure();
  }
  func::ReturnOp::create(builder);

  SmallVector<DictionaryAttr> attributes = argumentAttributes(func, recurrence);
  // What was decided for the recurrence is from here on the function's.
  if (DictionaryAttr plans = recurrence.getPlansAttr())
    func->setAttr(kPlansAttr, plans);
  func->setAttr(kNotationAttr,
                StringAttr::get(func.getContext(), writeNotation(recurrence)));
  old->erase();
  func.setType(builder.getFunctionType(body->getArgumentTypes(), {}));
  func.setAllArgAttrs(attributes);
  func.removeResAttrsAttr();
  return success();
}

namespace {

struct Chunk : public delta::impl::ChunkBase<Chunk> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    // A declaration, or a function that is chunked already.
    auto isRecurrence = [](RecurrenceOp) { return WalkResult::interrupt(); };
    if (!func.walk(isRecurrence).wasInterrupted())
      return;
    if (failed(verifySpec(func)) || failed(chunkFunction(func)))
      signalPassFailure();
  }
};

} // namespace
