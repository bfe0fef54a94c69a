//===- CudaFileOps.cpp - files and what they declare ------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Verifiers, parsers and builders of dialects/Cuda/CudaFileOps.td.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/IR/CudaOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace delta::cuda;

//===----------------------------------------------------------------------===//
// Files and declarations
//===----------------------------------------------------------------------===//

void FileOp::build(OpBuilder &builder, OperationState &state, StringRef name) {
  state.getOrAddProperties<Properties>().name = builder.getStringAttr(name);
  state.addRegion()->emplaceBlock();
}

LogicalResult FileOp::verify() {
  StringRef name = getName();
  if (name.empty() || name == "." || name == ".." ||
      name.find_first_of("/\\") != StringRef::npos)
    return emitOpError() << "name must be a file name without a folder, got '"
                         << name << "'";
  if (!isHeader())
    return success();
  WalkResult result = walk([&](FunctionOpInterface function) {
    if (function.isExternal())
      return WalkResult::advance();
    emitOpError() << "is a header and holds a body of '" << function.getName()
                  << "'";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void NamespaceOp::build(OpBuilder &builder, OperationState &state,
                        StringRef name) {
  state.getOrAddProperties<Properties>().name = builder.getStringAttr(name);
  state.addRegion()->emplaceBlock();
}

void MacroBlockOp::build(OpBuilder &builder, OperationState &state,
                         StringRef head) {
  state.getOrAddProperties<Properties>().head = builder.getStringAttr(head);
  state.addRegion()->emplaceBlock();
}

void ExternCOp::build(OpBuilder &, OperationState &state) {
  state.addRegion()->emplaceBlock();
}

/// Builds a declaration with a name, documentation and a body of members.
template <typename OpTy>
static void buildMembers(OpBuilder &builder, OperationState &state,
                         StringRef name, StringRef doc) {
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  properties.name = builder.getStringAttr(name);
  if (!doc.empty())
    properties.doc = builder.getStringAttr(doc);
  state.addRegion()->emplaceBlock();
}

/// A declaration whose body must hold `Member`s alone, with names of their own.
template <typename Member>
static LogicalResult verifyMembers(Operation *op, Block &body, StringRef what) {
  llvm::StringSet<> names;
  for (Operation &nested : body) {
    auto member = dyn_cast<Member>(nested);
    if (!member)
      return nested.emitOpError()
             << "is no " << what << " of '" << op->getName() << "'";
    if (!names.insert(member.getName()).second)
      return member.emitOpError()
             << "duplicate name '" << member.getName() << "'";
  }
  if (names.empty())
    return op->emitOpError() << "must have a " << what;
  return success();
}

void StructOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     StringRef doc) {
  buildMembers<StructOp>(builder, state, name, doc);
}

LogicalResult StructOp::verify() {
  return verifyMembers<FieldOp>(*this, getBody().front(), "field");
}

void EnumOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   StringRef doc) {
  buildMembers<EnumOp>(builder, state, name, doc);
}

LogicalResult EnumOp::verify() {
  return verifyMembers<EnumeratorOp>(*this, getBody().front(), "enumerator");
}

//===----------------------------------------------------------------------===//
// Kernels and functions
//===----------------------------------------------------------------------===//

/// What kernels and functions have in common when built.
template <typename OpTy>
static void buildFunction(OpBuilder &builder, OperationState &state,
                          StringRef name, FunctionType type,
                          ArrayRef<StringRef> argumentNames, bool withBody) {
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  SmallVector<Attribute> attributes;
  for (StringRef argument : argumentNames)
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        CudaDialect::getNameAttrName(), builder.getStringAttr(argument))));
  if (!attributes.empty())
    properties.arg_attrs = builder.getArrayAttr(attributes);
  Region *body = state.addRegion();
  if (!withBody)
    return;
  Block &block = body->emplaceBlock();
  for (Type argument : type.getInputs())
    block.addArgument(argument, state.location);
}

template <typename OpTy>
static ParseResult parseFunction(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  if (function_interface_impl::parseFunctionOp(
          parser, result, /*allowVariadic=*/false,
          OpTy::getFunctionTypeAttrName(result.name), buildType,
          OpTy::getArgAttrsAttrName(result.name),
          OpTy::getResAttrsAttrName(result.name)))
    return failure();
  return success();
}

template <typename OpTy>
static void printFunction(OpTy op, OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

template <typename OpTy>
static void nameArguments(OpTy op, Region &region,
                          OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (auto name = op.template getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), CudaDialect::getNameAttrName()))
      setName(argument, name);
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     TypeRange argumentTypes, ArrayRef<StringRef> argumentNames,
                     int64_t threads) {
  buildFunction<KernelOp>(builder, state, name,
                          builder.getFunctionType(argumentTypes, {}),
                          argumentNames, /*withBody=*/true);
  state.getOrAddProperties<Properties>().threads =
      builder.getI64IntegerAttr(threads);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<KernelOp>(parser, result);
}

void KernelOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

LogicalResult KernelOp::verify() {
  if (isExternal())
    return emitOpError("must have a body");
  if (!getResultTypes().empty())
    return emitOpError("must have no result");
  if (getThreads() > 1024)
    return emitOpError() << "threads must be at most 1024, got "
                         << getThreads();
  if (DenseI64ArrayAttr grid = getGridAttr())
    for (int64_t extent : grid.asArrayRef())
      if (extent < -1)
        return emitOpError()
               << "extents of the grid must be -1 or at least 0, got "
               << extent;
  return success();
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  nameArguments(*this, region, setName);
}

void FunctionOp::build(OpBuilder &builder, OperationState &state,
                       StringRef name, FunctionType type,
                       ArrayRef<StringRef> argumentNames, bool withBody) {
  buildFunction<FunctionOp>(builder, state, name, type, argumentNames,
                            withBody);
}

ParseResult FunctionOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunction<FunctionOp>(parser, result);
}

void FunctionOp::print(OpAsmPrinter &printer) { printFunction(*this, printer); }

LogicalResult FunctionOp::verify() {
  if (getResultTypes().size() > 1)
    return emitOpError() << "must have at most one result, got "
                         << getResultTypes().size();
  if (isExternal() || getResultTypes().empty())
    return success();
  if (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError("must end with a return of its result");
  return success();
}

void FunctionOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  nameArguments(*this, region, setName);
}

#define GET_OP_CLASSES
#include "delta/Dialect/Cuda/IR/CudaFileOps.cpp.inc"
