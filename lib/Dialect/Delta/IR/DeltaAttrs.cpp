//===- DeltaAttrs.cpp - attributes of the delta dialect ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Syntax and verifiers of the attributes, and the interfaces' generated code.
/// What combinations of attributes an op accepts is not decided here.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaDialect.h"
#include "delta/Dialect/Delta/IR/DeltaInterfaces.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta;

#include "delta/Dialect/Delta/IR/DeltaEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Delta/IR/DeltaAttrs.cpp.inc"

#include "delta/Dialect/Delta/IR/DeltaInterfaces.cpp.inc"

void DeltaDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "delta/Dialect/Delta/IR/DeltaAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// KernelAttr
//===----------------------------------------------------------------------===//

KernelAttr KernelAttr::getLinearState(MLIRContext *context) {
  return get(context, /*implicit=*/false, FeatureKernel::Linear,
             FeatureKernel::Linear);
}

/// kernel ::= `<` `linear` `>`
///          | `<` `write` `=` feature `,` `read` `=` feature `>`
/// Reports an unknown keyword at its own place, with the accepted ones.
static FailureOr<FeatureKernel> parseFeature(AsmParser &parser,
                                             StringRef parameter) {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(parameter) || parser.parseEqual() ||
      parser.parseKeyword(&keyword))
    return failure();
  if (std::optional<FeatureKernel> kernel = symbolizeFeatureKernel(keyword))
    return *kernel;
  return parser.emitError(location)
         << parameter << " kernel: expected linear, softmax, exp, relu or "
         << "round, got " << keyword;
}

Attribute KernelAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("linear"))) {
    if (parser.parseGreater())
      return {};
    return getLinearState(parser.getContext());
  }
  FailureOr<FeatureKernel> write = parseFeature(parser, "write");
  if (failed(write) || parser.parseComma())
    return {};
  FailureOr<FeatureKernel> read = parseFeature(parser, "read");
  if (failed(read) || parser.parseGreater())
    return {};
  return get(parser.getContext(), /*implicit=*/true, *write, *read);
}

void KernelAttr::print(AsmPrinter &printer) const {
  if (hasState())
    printer << "<linear>";
  else
    printer << "<write = " << stringifyFeatureKernel(getWrite())
            << ", read = " << stringifyFeatureKernel(getRead()) << ">";
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   StringAttr family, int64_t valueColumns,
                                   int64_t stages) {
  if (family.getValue() != "sm_80")
    return emitError() << "schedule family: expected \"sm_80\", got " << family;
  if (valueColumns != 32 && valueColumns != 64 && valueColumns != 128)
    return emitError() << "schedule value_columns: expected 32, 64 or 128, got "
                       << valueColumns;
  if (stages < 1 || stages > 4)
    return emitError() << "schedule stages: expected 1 to 4, got " << stages;
  return success();
}
