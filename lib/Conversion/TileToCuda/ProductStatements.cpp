//===- ProductStatements.cpp - products, one a statement --------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Products at once (mma_m16n8k16) and in flight (wgmma). Each starts a
/// paragraph whose comment is its equation in the names of the values.
///
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "Spelling.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace delta;

Attribute KernelBody::partAttr(tile::Part part) {
  switch (part) {
  case tile::Part::Full:
    return named("Part::Full");
  case tile::Part::Lower:
    return named("Part::Lower");
  case tile::Part::StrictLower:
    return named("Part::StrictLower");
  case tile::Part::Upper:
    return named("Part::Upper");
  case tile::Part::StrictUpper:
    return named("Part::StrictUpper");
  }
  llvm_unreachable("covered switch");
}

/// "U = X_a T^T, T lower"; empty if one of the names is.
template <typename ProductOp>
static std::string describe(ProductOp op, StringRef result, StringRef lhs,
                            StringRef rhs, StringRef acc) {
  bool accumulates =
      op.getAcc() && !matchPattern(op.getAcc(), m_AnyZeroFloat());
  if (result.empty() || lhs.empty() || rhs.empty() ||
      (accumulates && acc.empty()))
    return "";
  std::string text = (result + " = ").str();
  if (accumulates)
    text += (acc + " + ").str();
  text += (lhs + " " + rhs).str();
  if (op.getContract()[1] == 1)
    text += "^T";
  if (op.getBPart() != tile::Part::Full)
    text += (", " + rhs + " " + tile::stringifyPart(op.getBPart())).str();
  return text;
}

template <> LogicalResult KernelBody::lower(tile::DotOp op) {
  if (op.getInstr() != tile::Instr::MmaSync ||
      !isa<MemRefType>(op.getB().getType()) || op.getContract()[0] != 1)
    return op.emitError(
        "expected instr mma_m16n8k16, b in shared memory and the "
        "columns of a contracted");
  Type type = convertType(op.getD().getType());
  if (!type)
    return op.emitError("expected a layout on ") << op.getD().getType();
  StringRef acc = op.getAcc() ? names.lookup(op.getAcc()) : "";
  if (std::string text =
          describe(op, names.lookup(op.getD()), names.lookup(op.getA()),
                   bufferName(op.getB()), acc);
      !text.empty())
    cuda::CommentOp::create(b, text);
  SmallVector<Value> args = {use(op.getA()), use(op.getB())};
  if (op.getAcc())
    args.push_back(use(op.getAcc()));
  SmallVector<Attribute> arguments;
  if (op.getBPart() != tile::Part::Full) {
    arguments.push_back(partAttr(op.getBPart()));
    if (op.getBRowSteps() != 1 || op.getBColSteps() != 1)
      arguments.append(
          {integer(op.getBRowSteps()), integer(op.getBColSteps())});
  }
  define(op.getD(),
         callInPlace(type, op.getContract()[1] == 1 ? "dot_nt" : "dot_nn",
                     arguments, args, resultName(op)));
  return success();
}

//===----------------------------------------------------------------------===//
// In flight
//===----------------------------------------------------------------------===//

/// The name of the product, or of the part of it, that is in flight.
static StringRef productName(const ValueNames &names, Value inflight) {
  StringRef name = names.lookup(inflight);
  name.consume_back("_inflight");
  return name;
}

template <> LogicalResult KernelBody::lower(tile::DotStartOp op) {
  bool fromShared = isa<MemRefType>(op.getA().getType());
  if (op.getInstr() !=
          (fromShared ? tile::Instr::WgmmaSS : tile::Instr::WgmmaRS) ||
      op.getContract()[0] != 1)
    return op.emitError("expected instr ")
           << (fromShared ? "wgmma_ss" : "wgmma_rs")
           << " and the columns of a contracted";
  Type type = convertType(op.getInflight().getType());
  if (!type)
    return op.emitError("expected a layout on ") << op.getInflight().getType();
  StringRef name = productName(names, op.getInflight());
  StringRef lhs = fromShared ? bufferName(op.getA()) : names.lookup(op.getA());
  StringRef acc = op.getAcc() ? productName(names, op.getAcc()) : "";
  std::string text = describe(op, name, lhs, bufferName(op.getB()), acc);
  SmallVector<Attribute> range;
  if (std::optional<ArrayRef<int64_t>> k = op.getK()) {
    for (int64_t end : *k)
      range.push_back(integer(end));
    if (!text.empty())
      text += (", terms " + Twine((*k)[0]) + " to " + Twine((*k)[1] - 1)).str();
  }
  if (!text.empty())
    cuda::CommentOp::create(b, text);
  SmallVector<Value> args = {use(op.getA()), use(op.getB())};
  if (op.getAcc())
    args.push_back(use(op.getAcc()));
  define(op.getInflight(),
         callInPlace(type,
                     op.getContract()[1] == 1 ? "dot_nt_start" : "dot_nn_start",
                     range, args, resultName(op)));
  return success();
}

template <> LogicalResult KernelBody::lower(tile::AwaitOp op) {
  if (op.getValues().empty())
    return convertAwaitCopies(op);
  if (op.getValues().size() != op.getInflight().size())
    return op.emitError("expected products or copies to wait for, got both");
  if (!op.getPending())
    return op.emitError("expected a pending count: run tile-place-waits first");
  for (auto [inflight, value] : llvm::zip(op.getInflight(), op.getValues()))
    define(value, callInPlace(convertType(value.getType()), "await",
                              integer(*op.getPending()), use(inflight),
                              nameFor(value)));
  return success();
}

void delta::addProductRules(StatementRules &rules) {
  rules.add<tile::DotOp, tile::DotStartOp, tile::AwaitOp>();
}
