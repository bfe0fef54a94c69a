//===- RecurrentOps.cpp - ops of the recurrent phase ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers and accessors of the ops that a user writes. A check is marked
/// with its label in docs/spec.md. What is consistent but cannot be compiled is
/// refused by `delta-verify-recurrent`, not here.
///
//===----------------------------------------------------------------------===//

#include "Checks.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace delta;

//===----------------------------------------------------------------------===//
// RecurrenceOp: syntax
//===----------------------------------------------------------------------===//

/// A recurrence without `kernel`; says what was written in its place.
static ParseResult checkKernel(OpAsmParser &parser, SMLoc location,
                               const NamedAttrList &attributes) {
  if (attributes.get("kernel"))
    return success();
  InFlightDiagnostic diagnostic =
      parser.emitError(location, "expected an attribute 'kernel' in front");
  if (!attributes.empty()) {
    diagnostic << ", got ";
    llvm::interleaveComma(attributes, diagnostic, [&](NamedAttribute entry) {
      diagnostic << "'" << entry.getName().getValue() << "'";
    });
  }
  return diagnostic;
}

/// `->`, or what may stand in its place: operands that are out of order or
/// misspelt end up here.
static ParseResult parseArrow(OpAsmParser &parser,
                              const NamedAttrList &attributes) {
  SMLoc location = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalArrow()))
    return checkKernel(parser, location, attributes);
  InFlightDiagnostic diagnostic = parser.emitError(location, "expected '->'");
  StringRef keyword;
  if (attributes.empty())
    diagnostic << ", attributes in braces, or an operand, in the order query, "
                  "key, value, beta, decay, initial, write, alpha, lengths, "
                  "pool, cache, cached";
  if (succeeded(parser.parseOptionalKeyword(&keyword)))
    diagnostic << "; got '" << keyword << "'";
  return diagnostic;
}

/// result-types ::= `->` type (`,` keyword `(` type `)`)*
///                  (`,` `cache` `(` type `,` type `)`)?
/// with the keywords of `results` in their order, each at most once. By hand,
/// as the optional parts begin with the same token.
static ParseResult parseResultTypes(OpAsmParser &parser,
                                    const NamedAttrList &attributes,
                                    Type &output, Type &state, Type &u,
                                    Type &ubar, Type &writeLse, Type &readLse,
                                    Type &keyCache, Type &uCache) {
  if (parseArrow(parser, attributes) || parser.parseType(output))
    return failure();
  const std::pair<StringRef, Type *> results[] = {{"state", &state},
                                                  {"u", &u},
                                                  {"ubar", &ubar},
                                                  {"write_lse", &writeLse},
                                                  {"read_lse", &readLse}};
  // Keywords that may still come.
  auto expected = ArrayRef(results);
  while (succeeded(parser.parseOptionalComma())) {
    StringRef keyword;
    SMLoc location = parser.getCurrentLocation();
    (void)parser.parseOptionalKeyword(&keyword);
    if (keyword == "cache")
      return failure(parser.parseLParen() || parser.parseType(keyCache) ||
                     parser.parseComma() || parser.parseType(uCache) ||
                     parser.parseRParen());
    const auto *result = llvm::find_if(
        expected, [&](const auto &one) { return one.first == keyword; });
    if (result == expected.end()) {
      InFlightDiagnostic diagnostic = parser.emitError(location, "expected ");
      for (size_t i = 0; i < expected.size(); ++i)
        diagnostic << "'" << expected[i].first
                   << (i + 1 < expected.size() ? "', " : "' or ");
      return diagnostic << "'cache'";
    }
    if (parser.parseLParen() || parser.parseType(*result->second) ||
        parser.parseRParen())
      return failure();
    expected = expected.drop_front(result - expected.begin() + 1);
  }
  // Nothing that follows the op begins like a result.
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (succeeded(parser.parseOptionalKeyword(
          &keyword, {"state", "u", "ubar", "write_lse", "read_lse", "cache"})))
    return parser.emitError(location)
           << "expected ',' in front of '" << keyword << "'";
  return success();
}

static void printResultTypes(OpAsmPrinter &printer, Operation *, DictionaryAttr,
                             Type output, Type state, Type u, Type ubar,
                             Type writeLse, Type readLse, Type keyCache,
                             Type uCache) {
  printer << "-> " << output;
  const std::pair<StringRef, Type> results[] = {{"state", state},
                                                {"u", u},
                                                {"ubar", ubar},
                                                {"write_lse", writeLse},
                                                {"read_lse", readLse}};
  for (auto [keyword, type] : results)
    if (type)
      printer << ", " << keyword << "(" << type << ")";
  if (keyCache && uCache)
    printer << ", cache(" << keyCache << ", " << uCache << ")";
}

#define GET_OP_CLASSES
#include "delta/Dialect/Delta/IR/DeltaOps.cpp.inc"

using Shape = SmallVector<int64_t, 5>;

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// Axes are compared as they are written: a dynamic size equals only a dynamic
/// size, so that one argument decides what every array's batch and length are.
static LogicalResult checkShape(Operation *op, StringRef name, Value value,
                                StringRef axes, ArrayRef<int64_t> expected) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  if (shape == expected)
    return success();
  return op->emitOpError() << name << ": expected shape " << axes << " = "
                           << printShape(expected) << ", got "
                           << printShape(shape);
}

//===----------------------------------------------------------------------===//
// RecurrenceOp: what it says
//===----------------------------------------------------------------------===//

static int64_t getDimFromEnd(Value value, unsigned fromEnd) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getDimSize(type.getRank() - fromEnd);
}

int64_t RecurrenceOp::getKeyHeads() { return getDimFromEnd(getQuery(), 2); }

int64_t RecurrenceOp::getValueHeads() { return getDimFromEnd(getValue(), 2); }

int64_t RecurrenceOp::getKeyDim() { return getDimFromEnd(getQuery(), 1); }

int64_t RecurrenceOp::getValueDim() { return getDimFromEnd(getValue(), 1); }

float RecurrenceOp::getScaleValue() {
  if (std::optional<APFloat> scale = getScale())
    return scale->convertToFloat();
  return static_cast<float>(1.0 / std::sqrt(static_cast<double>(getKeyDim())));
}

bool RecurrenceOp::isTied() {
  return getKernel().getImplicit() &&
         getKernel().getWrite() == getKernel().getRead() &&
         (!getWrite() || getWrite() == getQuery());
}

Value RecurrenceOp::getUpdatedOperand(Value result) {
  if (result == getNewKeyCache())
    return getKeyCache();
  return result == getNewUCache() ? getUCache() : Value();
}

bool RecurrenceOp::hasChannelDecay() {
  return getDecay() &&
         cast<RankedTensorType>(getDecay().getType()).getRank() == 4;
}

//===----------------------------------------------------------------------===//
// RecurrenceOp: verifier
//===----------------------------------------------------------------------===//

/// C1 to C4: query, key and value, from which all sizes are read.
static LogicalResult verifyMainShapes(RecurrenceOp op) {
  int64_t steps = op.getSteps();
  auto checkRank = [&](StringRef name, Value value, int64_t rank,
                       StringRef axes) -> LogicalResult {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != rank)
      return op.emitOpError()
             << name << ": expected shape " << axes << " for steps = " << steps
             << ", got " << printShape(type.getShape());
    for (int64_t size : type.getShape().take_back(2))
      if (ShapedType::isDynamic(size) || size == 0)
        return op.emitOpError()
               << name << ": expected static positive head count and size, got "
               << printShape(type.getShape());
    return success();
  };

  // C1
  if (failed(checkRank("query", op.getQuery(), 4, "[B, T, H, K]")))
    return failure();
  // C2. An axis of size 1 is not a step axis: steps = 1 has one spelling.
  Shape keyShape(cast<RankedTensorType>(op.getQuery().getType()).getShape());
  if (steps > 1)
    keyShape.insert(keyShape.begin() + 2, steps);
  if (failed(checkShape(op, "key", op.getKey(),
                        steps > 1 ? "[B, T, n, H, K]" : "[B, T, H, K]",
                        keyShape)))
    return failure();
  // C3
  StringRef valueAxes = steps > 1 ? "[B, T, n, HV, V]" : "[B, T, HV, V]";
  if (failed(checkRank("value", op.getValue(), steps > 1 ? 5 : 4, valueAxes)))
    return failure();
  Shape valueShape = keyShape;
  valueShape[valueShape.size() - 2] = op.getValueHeads();
  valueShape[valueShape.size() - 1] = op.getValueDim();
  if (failed(checkShape(op, "value", op.getValue(), valueAxes, valueShape)))
    return failure();
  // C4
  if (op.getValueHeads() % op.getKeyHeads() != 0)
    return op.emitOpError() << "value: expected its heads to be a multiple of "
                            << "the query's " << op.getKeyHeads() << ", got "
                            << op.getValueHeads();
  return success();
}

/// C5 to C9: operands and results whose sizes follow from those.
static LogicalResult verifyOtherShapes(RecurrenceOp op) {
  ArrayRef<int64_t> query =
      cast<RankedTensorType>(op.getQuery().getType()).getShape();
  int64_t heads = op.getValueHeads(), keyDim = op.getKeyDim(),
          valueDim = op.getValueDim(), steps = op.getSteps();
  Shape perHead = {query[0], query[1], heads};

  // C5
  Shape betaShape = perHead;
  if (steps > 1)
    betaShape.insert(betaShape.begin() + 2, steps);
  if (failed(checkShape(op, "beta", op.getBeta(),
                        steps > 1 ? "[B, T, n, HV]" : "[B, T, HV]", betaShape)))
    return failure();
  // C6
  if (Value decay = op.getDecay()) {
    Shape channelShape = perHead;
    channelShape.push_back(keyDim);
    if (failed(
            op.hasChannelDecay()
                ? checkShape(op, "decay", decay, "[B, T, HV, K]", channelShape)
                : checkShape(op, "decay", decay, "[B, T, HV]", perHead)))
      return failure();
  }
  // C7. Without packing or a pool there is one state a batch entry; with either
  // the number of states is an axis of its own.
  bool isKV = op.getStateLayout() == StateLayout::KV;
  Shape stateShape = {query[0], heads, isKV ? keyDim : valueDim,
                      isKV ? valueDim : keyDim};
  StringRef stateAxes = isKV ? "[B, HV, K, V]" : "[B, HV, V, K]";
  if (op.getLengths() || op.getPool()) {
    Value any = op.getInitial() ? op.getInitial() : op.getState();
    auto type =
        any ? cast<RankedTensorType>(any.getType()) : RankedTensorType();
    stateShape[0] =
        type && type.getRank() > 0 ? type.getDimSize(0) : ShapedType::kDynamic;
    stateAxes = isKV ? "[N, HV, K, V]" : "[N, HV, V, K]";
  }
  for (auto [name, state] :
       {std::pair<StringRef, Value>("initial", op.getInitial()),
        std::pair<StringRef, Value>("state", op.getState())})
    if (state && failed(checkShape(op, name, state, stateAxes, stateShape)))
      return failure();
  // C8
  Shape outputShape = perHead;
  outputShape.push_back(valueDim);
  if (failed(checkShape(op, "output", op.getOutput(), "[B, T, HV, V]",
                        outputShape)) ||
      (op.getU() &&
       failed(checkShape(op, "u", op.getU(), "[B, T, HV, V]", outputShape))) ||
      (op.getUbar() && failed(checkShape(op, "ubar", op.getUbar(),
                                         "[B, T, HV, V]", outputShape))) ||
      (op.getWriteLse() && failed(checkShape(op, "write_lse", op.getWriteLse(),
                                             "[B, T, HV]", perHead))) ||
      (op.getReadLse() && failed(checkShape(op, "read_lse", op.getReadLse(),
                                            "[B, T, HV]", perHead))))
    return failure();
  // C9
  if ((op.getWrite() &&
       failed(checkShape(op, "write", op.getWrite(), "[B, T, H, K]", query))) ||
      (op.getAlpha() &&
       failed(checkShape(op, "alpha", op.getAlpha(), "[B, T, HV]", perHead))))
    return failure();
  return success();
}

/// C10: element types.
static LogicalResult verifyElementTypes(RecurrenceOp op) {
  SmallVector<Type, 3> floats = getFloatTypes(op.getContext());
  ArrayRef<Type> float16s = ArrayRef<Type>(floats).take_front(2);
  Type f32 = floats.back(), i64 = IntegerType::get(op.getContext(), 64);
  Type queryType = getElementTypeOrSelf(op.getQuery());
  Type valueType = getElementTypeOrSelf(op.getValue());

  struct Rule {
    StringRef name;
    Value value;
    ArrayRef<Type> accepted;
  };
  const Rule rules[] = {{"query", op.getQuery(), floats},
                        {"key", op.getKey(), queryType},
                        {"value", op.getValue(), float16s},
                        {"beta", op.getBeta(), floats},
                        {"decay", op.getDecay(), f32},
                        {"initial", op.getInitial(), f32},
                        {"write", op.getWrite(), queryType},
                        {"alpha", op.getAlpha(), floats},
                        {"lengths", op.getLengths(), i64},
                        {"pool", op.getPool(), i64},
                        {"key_cache", op.getKeyCache(), valueType},
                        {"u_cache", op.getUCache(), valueType},
                        {"cached", op.getCached(), i64},
                        {"output", op.getOutput(), valueType},
                        {"state", op.getState(), f32},
                        {"u", op.getU(), valueType},
                        {"ubar", op.getUbar(), valueType},
                        {"write_lse", op.getWriteLse(), f32},
                        {"read_lse", op.getReadLse(), f32}};
  for (const Rule &rule : rules)
    if (rule.value &&
        failed(checkElementType(op, rule.name, rule.value, rule.accepted)))
      return failure();
  return success();
}

/// C11, C12 and C31: what each kind of kernel has.
static LogicalResult verifyKernelKind(RecurrenceOp op) {
  struct Presence {
    StringRef name;
    bool isPresent;
  };
  bool hasState = op.getKernel().hasState();
  // C11
  if (hasState) {
    for (auto [name, isPresent] :
         {Presence{"write", bool(op.getWrite())},
          Presence{"alpha", bool(op.getAlpha())},
          Presence{"cache", op.isDecode()}, Presence{"u", bool(op.getU())},
          Presence{"ubar", bool(op.getUbar())},
          Presence{"write_lse", bool(op.getWriteLse())},
          Presence{"read_lse", bool(op.getReadLse())}})
      if (isPresent)
        return op.emitOpError()
               << name << ": belongs to a kernel without a state, got kernel "
               << op.getKernel();
    return success();
  }
  // C12
  for (auto [name, isPresent] :
       {Presence{"decay", bool(op.getDecay())},
        Presence{"initial", bool(op.getInitial())},
        Presence{"state", bool(op.getState())},
        Presence{"pool", bool(op.getPool())},
        Presence{"state_layout", op.getStateLayout() != StateLayout::KV}})
    if (isPresent)
      return op.emitOpError()
             << name << ": belongs to a kernel with a state, got kernel "
             << op.getKernel();
  if (op.getSteps() != 1)
    return op.emitOpError()
           << "steps: expected 1 for a kernel without a state, got "
           << op.getSteps();
  // C31. Other kernels do not divide by a sum.
  if (op.getWriteLse() && op.getKernel().getWrite() != FeatureKernel::Softmax)
    return op.emitOpError() << "write_lse: belongs to a softmax that writes, "
                               "got kernel "
                            << op.getKernel();
  if (op.getReadLse() && op.getKernel().getRead() != FeatureKernel::Softmax)
    return op.emitOpError() << "read_lse: belongs to a softmax that reads, got "
                               "kernel "
                            << op.getKernel();
  return success();
}

/// C23
static LogicalResult verifyPlans(RecurrenceOp op) {
  auto isPlan = [](Attribute attribute) {
    return isa<plan::KernelPlanAttr>(attribute);
  };
  DictionaryAttr plans = op.getPlansAttr();
  for (NamedAttribute entry :
       plans ? plans.getValue() : ArrayRef<NamedAttribute>()) {
    auto alternatives = dyn_cast<ArrayAttr>(entry.getValue());
    if (isPlan(entry.getValue()) || (alternatives && !alternatives.empty() &&
                                     llvm::all_of(alternatives, isPlan)))
      continue;
    return op.emitOpError()
           << "plans: expected for " << entry.getName()
           << " a #plan.kernel or an array of them, got " << entry.getValue();
  }
  return success();
}

/// C13 and C14: numbers.
static LogicalResult verifyNumbers(RecurrenceOp op) {
  // C13. Positive by its constraint in ODS.
  std::optional<uint64_t> chunk = op.getChunk();
  if (chunk && *chunk < op.getSteps())
    return op.emitOpError() << "chunk: expected at least the " << op.getSteps()
                            << " micro-steps of one token, got " << *chunk;
  // C14. Its product with log2(e) is a normal f32 number.
  if (std::optional<APFloat> scale = op.getScale())
    if (!(*scale >= APFloat(1e-30f) && *scale <= APFloat(1e30f)))
      return op.emitOpError()
             << "scale: expected a number from 1e-30 to 1e30, got "
             << op.getScaleAttr();
  return success();
}

/// C15 and C16: packed sequences and pools of states.
static LogicalResult verifyIndexing(RecurrenceOp op) {
  int64_t batch = cast<RankedTensorType>(op.getQuery().getType()).getDimSize(0);
  // C15
  if (Value lengths = op.getLengths()) {
    auto type = cast<RankedTensorType>(lengths.getType());
    if (type.getRank() != 1 || type.getDimSize(0) == 0)
      return op.emitOpError() << "lengths: expected shape [N + 1], got "
                              << printShape(type.getShape());
    if (batch != 1)
      return op.emitOpError()
             << "lengths: expected a query with batch 1, got "
             << cast<RankedTensorType>(op.getQuery().getType());
    Value state = op.getInitial() ? op.getInitial() : op.getState();
    int64_t states = state
                         ? cast<RankedTensorType>(state.getType()).getDimSize(0)
                         : ShapedType::kDynamic;
    if (!op.getPool() && !ShapedType::isDynamic(states) &&
        !ShapedType::isDynamic(type.getDimSize(0)) &&
        type.getDimSize(0) != states + 1)
      return op.emitOpError()
             << "lengths: expected " << states + 1 << " offsets for " << states
             << " states, got " << type.getDimSize(0);
  }
  // C16
  if (Value pool = op.getPool()) {
    if (!op.getInitial())
      return op.emitOpError() << "pool: expected an initial state to index";
    if (!op.getLengths())
      return checkShape(op, "pool", pool, "[B]", {batch});
    auto type = cast<RankedTensorType>(pool.getType());
    if (type.getRank() != 1)
      return op.emitOpError()
             << "pool: expected shape [N], got " << printShape(type.getShape());
  }
  return success();
}

/// C28 to C30: the cache of a decoding recurrence.
static LogicalResult verifyCache(RecurrenceOp op) {
  // C28
  bool isUpdated = op.getNewKeyCache() != nullptr;
  if (op.isDecode() != (op.getCached() != nullptr) ||
      op.isDecode() != isUpdated) {
    auto word = [](bool isThere) { return isThere ? "given" : "absent"; };
    return op.emitOpError()
           << "cache: expected operand cache, operand cached and result cache "
              "together, got cache "
           << word(op.isDecode()) << ", cached "
           << word(op.getCached() != nullptr) << ", result " << word(isUpdated);
  }
  if (!op.isDecode())
    return success();
  if (op.getLengths())
    return op.emitOpError()
           << "cache: belongs to a batch of sequences, got lengths";
  // C29
  auto keyType = cast<RankedTensorType>(op.getKeyCache().getType());
  int64_t capacity =
      keyType.getRank() == 4 ? keyType.getDimSize(1) : ShapedType::kDynamic;
  int64_t batch = cast<RankedTensorType>(op.getQuery().getType()).getDimSize(0);
  if (failed(checkShape(op, "key_cache", op.getKeyCache(), "[B, C, H, K]",
                        {batch, capacity, op.getKeyHeads(), op.getKeyDim()})) ||
      failed(checkShape(
          op, "u_cache", op.getUCache(), "[B, C, HV, V]",
          {batch, capacity, op.getValueHeads(), op.getValueDim()})) ||
      failed(checkShape(op, "cached", op.getCached(), "[B]", {batch})))
    return failure();
  // C30
  for (Value result : {op.getNewKeyCache(), op.getNewUCache()})
    if (result.getType() != op.getUpdatedOperand(result).getType())
      return op.emitOpError() << "cache: expected results of the operands' "
                              << "types, got " << result.getType() << " for "
                              << op.getUpdatedOperand(result).getType();
  return success();
}

LogicalResult RecurrenceOp::verify() {
  // Later groups read sizes off operands that earlier groups have checked.
  return success(
      succeeded(verifyMainShapes(*this)) &&
      succeeded(verifyKernelKind(*this)) &&
      succeeded(verifyOtherShapes(*this)) &&
      succeeded(verifyElementTypes(*this)) && succeeded(verifyNumbers(*this)) &&
      succeeded(verifyPlans(*this)) && succeeded(verifyIndexing(*this)) &&
      succeeded(verifyCache(*this)));
}
