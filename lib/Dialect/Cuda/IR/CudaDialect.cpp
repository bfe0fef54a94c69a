//===- CudaDialect.cpp - the exit dialect and its types ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Registers ops and types; parses, prints and verifies the types; verifies the
/// attributes of parameters. Holds no rule about any op.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Cuda/IR/CudaDialect.h"

#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta;

#include "delta/Dialect/Cuda/IR/CudaDialect.cpp.inc"

#include "delta/Dialect/Cuda/IR/CudaEnums.cpp.inc"

#include "delta/Dialect/Cuda/IR/CudaInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Cuda/IR/CudaAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "delta/Dialect/Cuda/IR/CudaTypes.cpp.inc"

void cuda::CudaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "delta/Dialect/Cuda/IR/CudaAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "delta/Dialect/Cuda/IR/CudaTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "delta/Dialect/Cuda/IR/CudaOps.cpp.inc"
      ,
#define GET_OP_LIST
#include "delta/Dialect/Cuda/IR/CudaFileOps.cpp.inc"
      >();
}

LogicalResult
cuda::CudaDialect::verifyRegionArgAttribute(Operation *op, unsigned regionIndex,
                                            unsigned argIndex,
                                            NamedAttribute attribute) {
  if (attribute.getName() == getNameAttrName()) {
    if (!isa<StringAttr>(attribute.getValue()))
      return op->emitError()
             << "'" << attribute.getName().getValue() << "' of argument "
             << argIndex << " must be a string, got " << attribute.getValue();
    return success();
  }
  if (attribute.getName() == getRestrictAttrName()) {
    Type type = op->getRegion(regionIndex).getArgument(argIndex).getType();
    if (!isa<PointerType>(type))
      return op->emitError()
             << "'" << attribute.getName().getValue()
             << "' needs a pointer, argument " << argIndex << " is " << type;
    return success();
  }
  if (attribute.getName() == getTensorMapAttrName()) {
    Type type = op->getRegion(regionIndex).getArgument(argIndex).getType();
    auto opaque = dyn_cast<OpaqueType>(type);
    if (!isa<TensorMapAttr>(attribute.getValue()) || !opaque ||
        opaque.getSpelling() != "CUtensorMap")
      return op->emitError()
             << "'" << attribute.getName().getValue()
             << "' must be a #cuda.tensor_map on a CUtensorMap, argument "
             << argIndex << " is " << type << " with " << attribute.getValue();
    return success();
  }
  return op->emitError() << "unknown argument attribute '"
                         << attribute.getName().getValue() << "'";
}

LogicalResult
cuda::OpaqueType::verify(function_ref<InFlightDiagnostic()> emitError,
                         StringRef spelling) {
  if (spelling.empty())
    return emitError() << "the spelling of an opaque type is empty";
  return success();
}

LogicalResult
cuda::TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                            unsigned input, ArrayRef<int64_t> box) {
  // A copy's sizes are hardware limits; bytes need the array's dtype.
  if (box.empty() || box.size() > 5)
    return emitError() << "box: expected 1 to 5 axes, got " << box.size();
  for (int64_t extent : box)
    if (extent < 1 || extent > 256)
      return emitError() << "box: expected extents from 1 to 256, got "
                         << extent;
  return success();
}

LogicalResult
cuda::ArrayType::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t size, Type element) {
  if (size <= 0)
    return emitError() << "the size of an array must be positive, got " << size;
  return success();
}

// The declarative format has no optional flag.
Type cuda::PointerType::parse(AsmParser &parser) {
  Type pointee;
  bool isConst = false;
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("const"))
      return {};
    isConst = true;
  }
  if (parser.parseGreater())
    return {};
  return get(pointee, isConst);
}

void cuda::PointerType::print(AsmPrinter &printer) const {
  printer << '<' << getPointee() << (getIsConst() ? ", const>" : ">");
}
