//===- CudaOps.cpp - statements and expressions -----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers, parsers and builders of dialects/Cuda/CudaOps.td. What concerns a
/// whole module (names, places of evaluation) is checked by
/// cuda-verify-emittable, not here.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/IR/CudaOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace delta::cuda;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

LogicalResult LiteralOp::verify() {
  if (auto integer = dyn_cast<IntegerAttr>(getValue())) {
    Type type = integer.getType();
    if (type.isIndex() || type.isInteger(1) || type.isInteger(32) ||
        type.isInteger(64))
      return success();
  } else if (isa<FloatAttr>(getValue())) {
    if (getType().isF32() || getType().isF64())
      return success();
  } else if (isa<StringAttr>(getValue())) {
    if (isa<PointerType>(getType()))
      return success();
    return emitOpError() << "a string is a pointer to const char, got "
                         << getType();
  }
  return emitOpError() << "value must be an integer of 1, 32 or 64 bits, an "
                          "index, an f32, an "
                          "f64 or a string, got "
                       << getValue();
}

/// The kernel or function that `symbol` names in the file around `op`.
static Operation *lookup(Operation *op, FlatSymbolRefAttr symbol,
                         SymbolTableCollection &tables) {
  return tables.lookupNearestSymbolFrom(op, symbol);
}

LogicalResult SymbolOp::verifySymbolUses(SymbolTableCollection &tables) {
  Operation *symbol = lookup(*this, getSymbolAttr(), tables);
  if (isa_and_present<KernelOp, FunctionOp>(symbol))
    return success();
  return emitOpError() << "names no kernel or function: " << getSymbolAttr();
}

LogicalResult BinaryOp::verify() {
  switch (getKind()) {
  case BinaryKind::Lt:
  case BinaryKind::Le:
  case BinaryKind::Gt:
  case BinaryKind::Ge:
  case BinaryKind::Eq:
  case BinaryKind::Ne:
    if (getType().isInteger(1))
      return success();
    return emitOpError() << "the result of a comparison must be i1, got "
                         << getType();
  case BinaryKind::And:
  case BinaryKind::Or:
    for (Type type : {getLhs().getType(), getRhs().getType(), getType()})
      if (!type.isInteger(1))
        return emitOpError()
               << "operands and result of '" << stringifyBinaryKind(getKind())
               << "' must be i1, got " << type;
    return success();
  default:
    break;
  }
  // Different scalar types would meet C++'s conversions, which are not what
  // the types here say.
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  bool isShift = getKind() == BinaryKind::Shl || getKind() == BinaryKind::Shr;
  if (isScalar(lhs) && isScalar(rhs) && !isShift &&
      (lhs != rhs || lhs != getType()))
    return emitOpError() << "scalar operands and the result must have one "
                            "type, got "
                         << lhs << ", " << rhs << " and " << getType();
  if (isa<PointerType>(lhs) && getType() != lhs)
    return emitOpError() << "the result must be of the pointer's type " << lhs
                         << ", got " << getType();
  return success();
}

LogicalResult IndexOp::verify() {
  Type element;
  if (auto pointer = dyn_cast<PointerType>(getBase().getType()))
    element = pointer.getPointee();
  else if (auto array = dyn_cast<ArrayType>(getBase().getType()))
    element = array.getElement();
  else
    return emitOpError() << "base must be a pointer or an array, got "
                         << getBase().getType();
  if (element != getType())
    return emitOpError() << "the result must be of the element's type "
                         << element << ", got " << getType();
  return success();
}

LogicalResult ReadOp::verify() {
  if (getVariable().getType().getValue() == getType())
    return success();
  return emitOpError() << "the result must be of the variable's type "
                       << getVariable().getType().getValue() << ", got "
                       << getType();
}

LogicalResult AddressOfOp::verify() {
  if (getVariable().getType().getValue() == getType().getPointee())
    return success();
  return emitOpError() << "the result must point to the variable's type "
                       << getVariable().getType().getValue() << ", got "
                       << getType();
}

Evaluation CallOp::getEvaluation() {
  return getPure() ? Evaluation::Pure : Evaluation::Effect;
}

LogicalResult CallOp::verify() {
  if (getPure() && !getResult())
    return emitOpError("a pure call must have a result");
  if (ArrayAttr templateArgs = getTemplateArgsAttr())
    for (Attribute argument : templateArgs)
      if (!isa<IntegerAttr, TypeAttr, StringAttr>(argument))
        return emitOpError() << "template arguments must be integers, types or "
                                "strings, got "
                             << argument;
  return success();
}

Evaluation MethodOp::getEvaluation() {
  return getPure() ? Evaluation::Pure : Evaluation::Effect;
}

LogicalResult MethodOp::verify() {
  if (getPure() && !getResult())
    return emitOpError("a pure call must have a result");
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel =
      dyn_cast_or_null<KernelOp>(lookup(*this, getKernelAttr(), tables));
  if (!kernel)
    return emitOpError() << "names no kernel: " << getKernelAttr();
  TypeRange given = getArgs().getTypes(), wanted = kernel.getArgumentTypes();
  if (given == wanted)
    return success();
  InFlightDiagnostic diagnostic = emitOpError()
                                  << "arguments must have types (" << wanted
                                  << "), got (" << given << ")";
  diagnostic.attachNote(kernel.getLoc()) << "the kernel is here";
  return diagnostic;
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

void DeclareOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (std::optional<StringRef> wanted = getName())
    setName(getVariable(), *wanted);
}

LogicalResult AssignOp::verify() {
  if (getVariable().getType().getValue() == getValue().getType())
    return success();
  return emitOpError() << "value must be of the variable's type "
                       << getVariable().getType().getValue() << ", got "
                       << getValue().getType();
}

void ForOp::build(OpBuilder &builder, OperationState &state, Value lower,
                  Value upper, Value step, StringRef name) {
  state.addOperands({lower, upper, step});
  if (!name.empty())
    state.getOrAddProperties<Properties>().name = builder.getStringAttr(name);
  Block &body = state.addRegion()->emplaceBlock();
  body.addArgument(builder.getIndexType(), state.location);
}

ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::Argument counter;
  OpAsmParser::UnresolvedOperand lower, upper, step;
  Type index = parser.getBuilder().getIndexType();
  if (parser.parseArgument(counter) || parser.parseEqual() ||
      parser.parseOperand(lower) || parser.parseKeyword("to") ||
      parser.parseOperand(upper) || parser.parseKeyword("step") ||
      parser.parseOperand(step) ||
      parser.resolveOperands({lower, upper, step}, index, parser.getNameLoc(),
                             result.operands))
    return failure();
  counter.type = index;
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, {counter}) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  return success();
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getCounter() << " = " << getLower() << " to " << getUpper()
          << " step " << getStep() << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult ForOp::verifyRegions() {
  if (getBody().getNumArguments() == 1 &&
      getBody().getArgument(0).getType().isIndex())
    return success();
  return emitOpError("the body must have one argument of type index");
}

void ForOp::getAsmBlockArgumentNames(Region &region,
                                     OpAsmSetValueNameFn setName) {
  if (std::optional<StringRef> wanted = getName())
    setName(region.getArgument(0), *wanted);
}

void IfOp::build(OpBuilder &builder, OperationState &state, Value condition,
                 bool withElse) {
  state.addOperands(condition);
  state.addRegion()->emplaceBlock();
  Region *elseBody = state.addRegion();
  if (withElse)
    elseBody->emplaceBlock();
}

LogicalResult ReturnOp::verify() {
  if ((*this)->getNextNode())
    return emitOpError("must be the last statement of its block");
  auto function = (*this)->getParentOfType<FunctionOpInterface>();
  if (!function)
    return emitOpError("must stand in a kernel or a function");
  TypeRange wanted = function.getResultTypes();
  if (TypeRange(getOperands()) == wanted)
    return success();
  return emitOpError() << "must return (" << wanted << "), got ("
                       << TypeRange(getOperands()) << ")";
}

#define GET_OP_CLASSES
#include "delta/Dialect/Cuda/IR/CudaOps.cpp.inc"

StringRef delta::cuda::getVariableName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<ForOp>(parent))
      return loop.getName().value_or("");
    if (auto function = dyn_cast<FunctionOpInterface>(parent))
      if (auto name = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), CudaDialect::getNameAttrName()))
        return name.getValue();
    return "";
  }
  Operation *op = value.getDefiningOp();
  if (auto declare = dyn_cast<DeclareOp>(op))
    return declare.getName().value_or("");
  if (auto expression = dyn_cast<ExpressionOpInterface>(op))
    return expression.getName().value_or("");
  return "";
}
