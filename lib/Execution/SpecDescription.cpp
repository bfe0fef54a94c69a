//===- SpecDescription.cpp - plain data for running a spec ------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Walks from the operands of the recurrence back to the arguments and from the
/// return back to its results. An unknown op on the way gives a diagnostic;
/// nothing is guessed.
///
//===----------------------------------------------------------------------===//

#include "delta/Execution/SpecDescription.h"

#include "delta/Dialect/Delta/IR/DeltaOps.h"
#include "delta/Dialect/Delta/IR/Names.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace delta;
using runtime::DType;
using runtime::OperandRole;

//===----------------------------------------------------------------------===//
// Data
//===----------------------------------------------------------------------===//

std::vector<int64_t> ArrayDescription::shapeFor(SpecSizes sizes) const {
  std::vector<int64_t> sized = shape;
  if (!sized.empty() && sized[0] == kOpenSize)
    sized[0] = sizes.batch;
  if (hasLength && sized.size() > 1 && sized[1] == kOpenSize)
    sized[1] = sizes.length;
  return sized;
}

const OperandDescription *SpecDescription::findOperand(OperandRole role) const {
  const auto it = llvm::find_if(
      operands, [&](const OperandDescription &o) { return o.role == role; });
  return it == operands.end() ? nullptr : &*it;
}

template <typename Array>
static const Array *findByName(const std::vector<Array> &arrays,
                               StringRef name) {
  for (const Array &array : arrays)
    if (array.name == name)
      return &array;
  return nullptr;
}

const ArgumentDescription *SpecDescription::findArgument(StringRef name) const {
  return findByName(arguments, name);
}

const ResultDescription *SpecDescription::findResult(StringRef name) const {
  return findByName(results, name);
}

//===----------------------------------------------------------------------===//
// Which function
//===----------------------------------------------------------------------===//

static RecurrenceOp findRecurrence(func::FuncOp function) {
  RecurrenceOp found;
  function.walk([&](RecurrenceOp op) {
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

FailureOr<func::FuncOp> delta::selectFunction(ModuleOp module, StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && findRecurrence(function))
      candidates.push_back(function);

  if (candidates.empty())
    return module.emitError("no public function holds a delta.recurrence");
  if (name.empty() && candidates.size() == 1)
    return candidates.front();
  for (func::FuncOp function : candidates)
    if (function.getName() == name)
      return function;

  InFlightDiagnostic diagnostic = module.emitError();
  if (name.empty())
    diagnostic << "several functions hold a delta.recurrence, choose with "
                  "--function one "
                  "of ";
  else
    diagnostic << "no function '" << name
               << "' holds a delta.recurrence, expected one of ";
  llvm::interleaveComma(candidates, diagnostic, [&](func::FuncOp function) {
    diagnostic << "'" << function.getName() << "'";
  });
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

static std::optional<DType> toDType(Type type) {
  if (type.isF32())
    return DType::F32;
  if (type.isBF16())
    return DType::BF16;
  if (type.isF16())
    return DType::F16;
  if (type.isInteger(64))
    return DType::I64;
  return std::nullopt;
}

static runtime::FeatureKernel toRuntime(FeatureKernel kernel) {
  switch (kernel) {
  case FeatureKernel::Linear:
    return runtime::FeatureKernel::Linear;
  case FeatureKernel::Softmax:
    return runtime::FeatureKernel::Softmax;
  case FeatureKernel::Exp:
    return runtime::FeatureKernel::Exp;
  case FeatureKernel::Relu:
    return runtime::FeatureKernel::Relu;
  case FeatureKernel::Round:
    return runtime::FeatureKernel::Round;
  }
  llvm_unreachable("unknown feature kernel");
}

/// Fills in dtype and shape; fails if the type cannot be described.
static LogicalResult describeType(Location loc, Type type, bool hasLength,
                                  ArrayDescription &array) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<DType> dtype =
      tensor ? toDType(tensor.getElementType()) : std::nullopt;
  if (!dtype)
    return emitError(loc) << "'" << array.name
                          << "' must be a ranked tensor of f32, bf16, f16 "
                             "or i64 to be run, got "
                          << type;
  const int64_t openAxes = hasLength ? 2 : 1;
  for (int64_t axis = 0; axis < tensor.getRank(); ++axis) {
    if (tensor.isDynamicDim(axis) && axis >= openAxes)
      return emitError(loc) << "axis " << axis << " of '" << array.name
                            << "' must be static to be run, got " << type;
    array.shape.push_back(tensor.isDynamicDim(axis) ? kOpenSize
                                                    : tensor.getDimSize(axis));
  }
  array.dtype = *dtype;
  array.hasLength = hasLength;
  return success();
}

/// The keyword of the operand in `delta.recurrence`, for messages.
static StringRef operandName(OperandRole role) {
  switch (role) {
  case OperandRole::Query:
    return "query";
  case OperandRole::Key:
    return "key";
  case OperandRole::Value:
    return "value";
  case OperandRole::Beta:
    return "beta";
  case OperandRole::Decay:
    return "decay";
  case OperandRole::Initial:
    return "initial";
  case OperandRole::Write:
    return "write";
  case OperandRole::Alpha:
    return "alpha";
  case OperandRole::KeyCache:
    return "key_cache";
  case OperandRole::UCache:
    return "u_cache";
  case OperandRole::Cached:
    return "cached";
  }
  llvm_unreachable("unknown operand role");
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// The prologue that computes \p value, if any; \p value becomes its input.
static FailureOr<std::optional<PrologueDescription>>
takePrologue(Value &value, OperandRole role) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::optional<PrologueDescription>();
  PrologueDescription prologue;
  if (auto norm = dyn_cast<L2NormOp>(op)) {
    prologue.kind = PrologueDescription::Kind::L2Norm;
    prologue.parameter = norm.getEps().convertToFloat();
    value = norm.getInput();
  } else if (auto sigmoid = dyn_cast<SigmoidOp>(op)) {
    prologue.kind = PrologueDescription::Kind::Sigmoid;
    prologue.parameter = sigmoid.getRange().convertToFloat();
    value = sigmoid.getInput();
  } else {
    return op->emitError("operand '")
           << operandName(role)
           << "' cannot be run: expected an argument, delta.l2norm or "
              "delta.sigmoid";
  }
  std::optional<DType> dtype =
      toDType(getElementTypeOrSelf(op->getResult(0).getType()));
  if (!dtype)
    return op->emitError("prologue of operand '")
           << operandName(role) << "' cannot be run: unknown element type";
  prologue.result = *dtype;
  return std::optional<PrologueDescription>(prologue);
}

static FailureOr<OperandDescription>
describeOperand(func::FuncOp function, OperandRole role, Value value) {
  OperandDescription operand;
  operand.role = role;
  FailureOr<std::optional<PrologueDescription>> prologue =
      takePrologue(value, role);
  if (failed(prologue))
    return failure();
  operand.prologue = *prologue;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &function.front())
    return emitError(value.getLoc(), "operand '")
           << operandName(role)
           << "' cannot be run: expected at most one prologue between it and "
              "an argument";
  operand.argument = argument.getArgNumber();
  return operand;
}

/// Whether axis 1 of an operand is the length of a run.
static bool hasLengthAxis(RecurrenceOp recurrence, OperandRole role) {
  bool isCache = role == OperandRole::KeyCache || role == OperandRole::UCache;
  return recurrence.isDecode() ? isCache : role != OperandRole::Initial;
}

static LogicalResult describeArguments(func::FuncOp function,
                                       RecurrenceOp recurrence,
                                       SpecDescription &spec) {
  for (BlockArgument argument : function.getArguments()) {
    const size_t number = argument.getArgNumber();
    const auto use =
        llvm::find_if(spec.operands, [&](const OperandDescription &operand) {
          return operand.argument == number;
        });
    if (use == spec.operands.end())
      return emitError(argument.getLoc(), "argument ")
             << number << " is not an operand of the recurrence";
    ArgumentDescription described;
    described.role = use->role;
    described.name = getArgumentName(argument);
    if (failed(describeType(argument.getLoc(), argument.getType(),
                            hasLengthAxis(recurrence, use->role), described)))
      return failure();
    if (spec.findArgument(described.name))
      return emitError(argument.getLoc(), "two arguments are named '")
             << described.name << "'";
    spec.arguments.push_back(std::move(described));
  }
  return success();
}

static LogicalResult describeResults(func::FuncOp function,
                                     RecurrenceOp recurrence,
                                     SpecDescription &spec) {
  using Kind = ResultDescription::Kind;
  auto terminator = dyn_cast<func::ReturnOp>(function.front().getTerminator());
  if (!terminator)
    return function.emitError("cannot be run: expected func.return at its end");
  for (OpOperand &returned : terminator->getOpOperands()) {
    ResultDescription described;
    Value value = returned.get();
    if (value == recurrence.getOutput())
      described.kind = Kind::Output;
    else if (value == recurrence.getState())
      described.kind = Kind::State;
    else if (value == recurrence.getU())
      described.kind = Kind::U;
    else if (value == recurrence.getUbar())
      described.kind = Kind::Ubar;
    else if (value == recurrence.getWriteLse())
      described.kind = Kind::WriteLse;
    else if (value == recurrence.getReadLse())
      described.kind = Kind::ReadLse;
    else if (value == recurrence.getNewKeyCache())
      described.kind = Kind::KeyCache;
    else if (value == recurrence.getNewUCache())
      described.kind = Kind::UCache;
    else
      return terminator.emitError("operand ")
             << returned.getOperandNumber()
             << " cannot be run: expected a result of delta.recurrence";
    described.name = getResultName(function, returned.getOperandNumber());
    if (Value operand = recurrence.getUpdatedOperand(value))
      described.updates = cast<BlockArgument>(operand).getArgNumber();
    bool hasLength = recurrence.isDecode() ? described.updates.has_value()
                                           : described.kind != Kind::State;
    if (failed(describeType(value.getLoc(), value.getType(), hasLength,
                            described)))
      return failure();
    if (spec.findResult(described.name) ||
        (!described.updates && spec.findArgument(described.name)))
      return terminator.emitError("two arrays are named '")
             << described.name << "'";
    spec.results.push_back(std::move(described));
  }
  return success();
}

FailureOr<SpecDescription> delta::describeSpec(func::FuncOp function) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError("cannot be run: expected a body of one block");
  RecurrenceOp recurrence = findRecurrence(function);
  if (!recurrence)
    return function.emitError("cannot be run: holds no delta.recurrence");
  if (recurrence.getLengths() || recurrence.getPool() ||
      recurrence.getStateLayout() != StateLayout::KV)
    return recurrence.emitError("cannot be run with lengths, pool or a state "
                                "layout other than kv");

  SpecDescription spec;
  spec.function = function.getName().str();
  KernelAttr kernel = recurrence.getKernel();
  if (!kernel.hasState()) {
    spec.recurrence.family = runtime::KernelFamily::Implicit;
    spec.recurrence.writeKernel = toRuntime(kernel.getWrite());
    spec.recurrence.readKernel = toRuntime(kernel.getRead());
  }
  spec.recurrence.steps = recurrence.getSteps();
  spec.recurrence.scale = recurrence.getScaleValue();

  const std::pair<OperandRole, Value> operands[] = {
      {OperandRole::Query, recurrence.getQuery()},
      {OperandRole::Key, recurrence.getKey()},
      {OperandRole::Value, recurrence.getValue()},
      {OperandRole::Beta, recurrence.getBeta()},
      {OperandRole::Decay, recurrence.getDecay()},
      {OperandRole::Initial, recurrence.getInitial()},
      {OperandRole::Write, recurrence.getWrite()},
      {OperandRole::Alpha, recurrence.getAlpha()},
      {OperandRole::KeyCache, recurrence.getKeyCache()},
      {OperandRole::UCache, recurrence.getUCache()},
      {OperandRole::Cached, recurrence.getCached()}};
  for (auto [role, value] : operands) {
    if (!value)
      continue;
    FailureOr<OperandDescription> operand =
        describeOperand(function, role, value);
    if (failed(operand))
      return failure();
    spec.operands.push_back(*operand);
  }
  if (failed(describeArguments(function, recurrence, spec)) ||
      failed(describeResults(function, recurrence, spec)))
    return failure();
  return spec;
}
