//===- DeltaAttrs.cpp - attributes of the delta dialect ---------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Syntax and verifiers of the attributes. What combinations of attributes an
/// op accepts is not decided here.
///
//===----------------------------------------------------------------------===//

#include "delta/Dialect/Delta/IR/DeltaDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta;

#include "delta/Dialect/Delta/IR/DeltaEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "delta/Dialect/Delta/IR/DeltaAttrs.cpp.inc"

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

/// C22: a kernel is one word or two functions.
static InFlightDiagnostic emitKernelForm(AsmParser &parser) {
  return parser.emitError(parser.getCurrentLocation(),
                          "kernel: expected <linear> or "
                          "<write = .., read = ..>");
}

/// feature ::= `=` (`linear` | `softmax` | `exp` | `relu` | `round`)
static FailureOr<FeatureKernel> parseFeature(AsmParser &parser,
                                             StringRef parameter) {
  if (parser.parseEqual())
    return failure();
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  if (std::optional<FeatureKernel> kernel = symbolizeFeatureKernel(keyword))
    return *kernel;
  // C22
  return parser.emitError(location)
         << parameter
         << " kernel: expected linear, softmax, exp, relu or round, got "
         << keyword;
}

/// kernel ::= `<` `linear` `>`
///          | `<` `write` feature `,` `read` feature `>`
Attribute KernelAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("linear"))) {
    if (parser.parseGreater())
      return {};
    return getLinearState(parser.getContext());
  }
  if (failed(parser.parseOptionalKeyword("write")))
    return emitKernelForm(parser), Attribute();
  FailureOr<FeatureKernel> write = parseFeature(parser, "write");
  if (failed(write))
    return {};
  if (failed(parser.parseOptionalComma()) ||
      failed(parser.parseOptionalKeyword("read")))
    return emitKernelForm(parser), Attribute();
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
// NestAttr
//===----------------------------------------------------------------------===//

NestAttr NestAttr::get(MLIRContext *context, NestKind kind, StringRef name,
                       ArrayRef<StringRef> axes, Carries carries,
                       StringRef publishes) {
  Builder b(context);
  return get(context, kind, b.getStringAttr(name), b.getStrArrayAttr(axes),
             carries,
             publishes.empty() ? StringAttr() : b.getStringAttr(publishes));
}

NestAttr NestAttr::withAxes(ArrayRef<StringRef> axes) const {
  Builder b(getContext());
  return get(getContext(), getKind(), getName(), b.getStrArrayAttr(axes),
             getCarries(), getPublishes());
}

NestAttr NestAttr::withName(StringRef name) const {
  return get(getContext(), getKind(), StringAttr::get(getContext(), name),
             getAxes(), getCarries(), getPublishes());
}

LogicalResult NestAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               NestKind kind, StringAttr, ArrayAttr axes,
                               Carries carries, StringAttr publishes) {
  // H8
  for (Attribute axis : axes)
    if (!isa<StringAttr>(axis))
      return emitError() << "nest axes: expected names, got " << axis;
  auto expects = [&](Carries expected) -> LogicalResult {
    if (carries == expected)
      return success();
    return emitError() << "nest carries: expected "
                       << stringifyCarries(expected) << " in a nest of kind "
                       << stringifyNestKind(kind) << ", got "
                       << stringifyCarries(carries);
  };
  if (publishes && kind != NestKind::Attention)
    return emitError() << "nest publishes: expected nothing in a nest of kind "
                       << stringifyNestKind(kind) << ", got " << publishes;
  switch (kind) {
  case NestKind::Scan:
  case NestKind::SegmentFold:
    return expects(Carries::State);
  case NestKind::Attention:
    return expects(Carries::Sums);
  case NestKind::IntraChunk:
  case NestKind::Rows:
    return expects(Carries::Nothing);
  }
  llvm_unreachable("all kinds are handled");
}

//===----------------------------------------------------------------------===//
// PrecAttr
//===----------------------------------------------------------------------===//

LogicalResult PrecAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               FloatType operands) {
  // C24
  if (!operands.isBF16() && !operands.isF16())
    return emitError() << "prec: expected bf16 or f16, got " << operands;
  return success();
}
