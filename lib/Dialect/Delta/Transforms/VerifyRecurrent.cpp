//===- VerifyRecurrent.cpp - contract of the recurrent phase ----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Checks what a function must be so that the recurrent phase can end. Labels
/// R1, R2, ... are those of docs/spec.md. Never changes the IR.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/Transforms/Passes.h"

#include "VerifyRecurrent.h"
#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Names.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace delta;
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace delta {
#define GEN_PASS_DEF_VERIFYRECURRENT
#include "delta/Dialect/Delta/IR/DeltaPasses.h.inc"
} // namespace delta

//===----------------------------------------------------------------------===//
// R1 to R3: what there is
//===----------------------------------------------------------------------===//

/// Characters of a function's name. Files are named after it and a target, and
/// nvcc gives temporary ones up to 50 more; file systems stop at 255.
static constexpr size_t kLongestName = 190;

/// R1: a public function with a body of one block and a name that C can use.
static LogicalResult verifyFunction(func::FuncOp function) {
  if (!function.isPublic() || function.isExternal())
    return function.emitOpError()
           << "expected a public function with a body, as every function of a "
              "spec becomes one artefact";
  if (std::optional<StringRef> fault =
          findFunctionNameFault(function.getName()))
    return function.emitOpError()
           << "expected a name that is a C identifier, got '"
           << function.getName() << "', which " << *fault;
  if (function.getName().size() > kLongestName)
    return function.emitOpError()
           << "expected a name of at most " << kLongestName
           << " characters, got " << function.getName().size();
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitOpError() << "expected a body of one block, got "
                                  << function.getBody().getBlocks().size();
  return success();
}

/// R13: a misspelt attribute would be dropped without a word, and `chunk` and
/// `plans` are binding.
static LogicalResult verifyAttributes(Operation &op) {
  if (op.getDiscardableAttrs().empty())
    return success();
  SmallVector<StringRef> accepted;
  for (StringAttr name : op.getName().getAttributeNames())
    if (!name.getValue().ends_with("SegmentSizes"))
      accepted.push_back(name.getValue());
  return op.emitOpError() << "unknown attribute "
                          << op.getDiscardableAttrs().begin()->getName()
                          << ", accepted: " << llvm::join(accepted, ", ");
}

/// R2 and R3. Returns the one recurrence.
static FailureOr<RecurrenceOp> verifyOps(func::FuncOp function) {
  RecurrenceOp found;
  for (Operation &op : function.front().without_terminator()) {
    if (auto recurrence = dyn_cast<RecurrenceOp>(op)) {
      // R2
      if (found) {
        InFlightDiagnostic diagnostic = op.emitOpError()
                                        << "expected one recurrence a function";
        diagnostic.attachNote(found.getLoc()) << "the first one is here";
        return diagnostic;
      }
      found = recurrence;
    } else if (!isa<L2NormOp, SigmoidOp>(op)) {
      // R3
      return op.emitOpError() << "cannot be compiled in the recurrent phase: "
                                 "expected delta.l2norm, delta.sigmoid or "
                                 "delta.recurrence";
    }
    if (failed(verifyAttributes(op)))
      return failure();
  }
  if (!found)
    return function.emitOpError() << "expected a delta.recurrence";
  return found;
}

//===----------------------------------------------------------------------===//
// R4 to R6: where values come from and go to
//===----------------------------------------------------------------------===//

namespace {
/// An operand of the recurrence and what may stand before it.
struct Operand {
  StringRef name;
  Value value;
  bool mayBeNormalised = false;
  bool mayBeSigmoid = false;
};
} // namespace

static SmallVector<Operand, 13> getOperands(RecurrenceOp op) {
  SmallVector<Operand, 13> operands = {
      {"query", op.getQuery(), /*mayBeNormalised=*/true},
      {"key", op.getKey(), /*mayBeNormalised=*/true},
      {"value", op.getValue()},
      {"beta", op.getBeta(), false, /*mayBeSigmoid=*/true},
      {"decay", op.getDecay()},
      {"initial", op.getInitial()},
      {"write", op.getWrite(), /*mayBeNormalised=*/true},
      {"alpha", op.getAlpha(), false, /*mayBeSigmoid=*/true},
      {"lengths", op.getLengths()},
      {"pool", op.getPool()},
      {"key_cache", op.getKeyCache()},
      {"u_cache", op.getUCache()},
      {"cached", op.getCached()}};
  llvm::erase_if(operands, [](const Operand &o) { return !o.value; });
  return operands;
}

/// R4: an argument, directly or through one prologue op that fits the operand.
static FailureOr<BlockArgument> verifySource(RecurrenceOp recurrence,
                                             const Operand &operand) {
  Value source = operand.value;
  if (Operation *prologue = source.getDefiningOp()) {
    bool fits = isa<L2NormOp>(prologue) ? operand.mayBeNormalised
                                        : operand.mayBeSigmoid;
    if (!fits) {
      StringRef accepted = operand.mayBeNormalised ? " or delta.l2norm of one"
                           : operand.mayBeSigmoid  ? " or delta.sigmoid of one"
                                                   : "";
      InFlightDiagnostic diagnostic = recurrence.emitOpError()
                                      << operand.name
                                      << ": expected an argument" << accepted
                                      << ", got " << prologue->getName();
      diagnostic.attachNote(prologue->getLoc()) << "computed here";
      return diagnostic;
    }
    source = prologue->getOperand(0);
    if (source.getDefiningOp())
      return prologue->emitOpError()
             << "expected an argument as the input of the " << operand.name
             << "'s prologue, got " << source.getDefiningOp()->getName();
  }
  return cast<BlockArgument>(source);
}

/// R4 and R5.
static LogicalResult verifyArguments(func::FuncOp function,
                                     RecurrenceOp recurrence) {
  llvm::SmallDenseMap<Value, StringRef> roles;
  for (const Operand &operand : getOperands(recurrence)) {
    FailureOr<BlockArgument> argument = verifySource(recurrence, operand);
    if (failed(argument))
      return failure();
    auto [role, isFirst] = roles.try_emplace(*argument, operand.name);
    // R5. DeltaFormer writes with its own key or query.
    bool mayShare = operand.name == "write" &&
                    (role->second == "key" || role->second == "query");
    if (!isFirst && !mayShare)
      return recurrence.emitOpError()
             << operand.name << ": expected an argument of its own, got the "
             << role->second << "'s";
  }
  for (BlockArgument argument : function.getArguments())
    if (!roles.contains(argument))
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber()
             << ": expected an operand of the recurrence";
  for (Operation &op : function.front().without_terminator())
    if (op.use_empty() && &op != recurrence.getOperation())
      return op.emitOpError() << "expected a use of its result";
  return success();
}

/// R6: the results of the recurrence, all of them, in order.
static LogicalResult verifyResults(func::FuncOp function,
                                   RecurrenceOp recurrence) {
  auto terminator = dyn_cast<func::ReturnOp>(function.front().getTerminator());
  if (!terminator ||
      !llvm::equal(terminator.getOperands(), recurrence->getResults()))
    return function.front().getTerminator()->emitOpError()
           << "expected every result of the recurrence, in its order";
  return success();
}

//===----------------------------------------------------------------------===//
// R7: names
//===----------------------------------------------------------------------===//

/// C25 compares given names with each other; defaults are known only here.
static LogicalResult verifyNames(func::FuncOp function) {
  llvm::StringMap<std::string> owners;
  RecurrenceOp recurrence = *function.getOps<RecurrenceOp>().begin();
  auto add = [&](const std::string &name, std::string owner) -> LogicalResult {
    auto [entry, isFirst] = owners.try_emplace(name, owner);
    if (isFirst)
      return success();
    return function.emitOpError()
           << owner << ": expected a name of its own, got \"" << name
           << "\" like " << entry->second;
  };
  for (BlockArgument argument : function.getArguments())
    if (failed(add(getArgumentName(argument),
                   "argument " + std::to_string(argument.getArgNumber()))))
      return failure();
  // An operand with rows written to it is one array, with one name.
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (!recurrence.getUpdatedOperand(recurrence->getResult(i)) &&
        failed(add(getResultName(function, i), "result " + std::to_string(i))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// R15: sizes that can be worked with
//===----------------------------------------------------------------------===//

/// More bytes than a device holds, few enough that no lowering need care what
/// multiples of them overflow.
static constexpr int64_t kMostBytes = int64_t(1) << 40;

/// Whether the static sizes of `type` multiply to at most kMostBytes. Empty
/// axes count as 1, for strides are products too.
static bool isOfWorkableSize(ShapedType type) {
  std::optional<int64_t> bytes = type.getElementTypeBitWidth() / 8;
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes =
          bytes ? llvm::checkedMul(*bytes, std::max<int64_t>(size, 1)) : bytes;
  return bytes && *bytes <= kMostBytes;
}

static LogicalResult verifySizes(RecurrenceOp op) {
  auto verify = [&](StringRef name, Type type) -> LogicalResult {
    if (isOfWorkableSize(cast<ShapedType>(type)))
      return success();
    return op.emitOpError() << name
                            << ": expected static sizes of at most 2^40 bytes, "
                               "got "
                            << type;
  };
  for (const Operand &operand : getOperands(op))
    if (failed(verify(operand.name, operand.value.getType())))
      return failure();
  // Outputs and u are no larger than the value.
  if (!op.getKernel().hasState())
    return success();
  int64_t batch = cast<ShapedType>(op.getQuery().getType()).getDimSize(0);
  auto state = RankedTensorType::get(
      {batch, op.getValueHeads(), op.getKeyDim(), op.getValueDim()},
      Float32Type::get(op.getContext()));
  return verify("state", state);
}

//===----------------------------------------------------------------------===//
// R8 to R12, R14: what no lowering knows yet
//===----------------------------------------------------------------------===//

/// The most new tokens behind a cache: the rows of one fragment.
static constexpr int64_t kMostNewTokens = 16;

/// R14: what decodes.
static LogicalResult verifyDecodeIsLowered(RecurrenceOp op) {
  if (!op.isDecode())
    return success();
  int64_t tokens =
      cast<RankedTensorType>(op.getQuery().getType()).getDimSize(1);
  if (ShapedType::isDynamic(tokens) || tokens < 1 || tokens > kMostNewTokens) {
    InFlightDiagnostic diagnostic = op.emitOpError();
    if (ShapedType::isDynamic(tokens))
      diagnostic << "a dynamic number of new tokens";
    else
      diagnostic << tokens << " new tokens";
    return diagnostic << " behind a cache are not lowered yet; accepted: a "
                         "static number, 1 to "
                      << kMostNewTokens;
  }
  Type query = getElementTypeOrSelf(op.getQuery());
  if (query.isF32())
    return op.emitOpError() << "query " << query
                            << " with a cache is not lowered yet; accepted: "
                               "the value's element type";
  return success();
}

static LogicalResult verifyIsLowered(RecurrenceOp op) {
  // R8
  if (op.hasChannelDecay())
    return op.emitOpError()
           << "per-channel decay is not lowered yet; accepted: "
              "one decay per value head";
  // R9
  if (op.getStateLayout() != StateLayout::KV)
    return op.emitOpError()
           << "state_layout " << stringifyStateLayout(op.getStateLayout())
           << " is not lowered yet; accepted: kv";
  // R10
  if (op.getLengths())
    return op.emitOpError() << "lengths are not lowered yet; accepted: a batch "
                               "of sequences of one length";
  if (op.getPool())
    return op.emitOpError() << "pool is not lowered yet; accepted: one initial "
                               "state per batch entry";
  // R11
  std::optional<uint64_t> chunk = op.getChunk();
  const bool isAttention = !op.getKernel().hasState() && !op.isDecode();
  if (chunk && *chunk != 32 && *chunk != 64 && !(isAttention && *chunk == 128))
    return op.emitOpError()
           << "chunk " << *chunk << " is not lowered yet; accepted: "
           << (isAttention ? "32, 64 or 128" : "32 or 64");
  if (op.getSteps() > 64)
    return op.emitOpError()
           << "steps " << op.getSteps()
           << " is not lowered yet; accepted: at most 64, as a "
              "chunk holds whole tokens";
  // R12
  Type query = getElementTypeOrSelf(op.getQuery());
  Type value = getElementTypeOrSelf(op.getValue());
  if (query != value && !query.isF32())
    return op.emitOpError() << "query " << query << " with value " << value
                            << " is not lowered yet; accepted: the value's "
                               "element type or f32";
  return verifyDecodeIsLowered(op);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult delta::verifySpec(func::FuncOp function) {
  if (failed(verifyFunction(function)))
    return failure();
  FailureOr<RecurrenceOp> recurrence = verifyOps(function);
  if (failed(recurrence))
    return failure();
  // Names last: they are found by following arguments and results.
  return success(succeeded(verifyArguments(function, *recurrence)) &&
                 succeeded(verifyResults(function, *recurrence)) &&
                 succeeded(verifyNames(function)) &&
                 succeeded(verifySizes(*recurrence)) &&
                 succeeded(verifyIsLowered(*recurrence)));
}

namespace {

struct VerifyRecurrent
    : public delta::impl::VerifyRecurrentBase<VerifyRecurrent> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (getOperation().getBody()->empty()) {
      // R1
      getOperation().emitOpError() << "expected a function";
      return signalPassFailure();
    }
    for (Operation &op : *getOperation().getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function) {
        // R1
        op.emitOpError() << "cannot stand in a spec: expected func.func";
        return signalPassFailure();
      }
      if (failed(verifySpec(function)))
        return signalPassFailure();
    }
  }
};

} // namespace
