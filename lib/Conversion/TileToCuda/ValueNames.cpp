//===- ValueNames.cpp - what the values of a kernel are called --*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Follows the order of the text, as the scopes of C++ do: a name is free
/// unless something in this block or one around it has it already.
///
//===----------------------------------------------------------------------===//

#include "ValueNames.h"

#include "delta/Dialect/Cuda/Transforms/Names.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta;

StringRef delta::nameOf(Value value) {
  if (auto name = dyn_cast<NameLoc>(value.getLoc()))
    return name.getName();
  return "";
}

static bool isNumber(Value value) {
  return isa<RankedTensorType, FloatType, tile::AsyncType>(value.getType());
}

/// Whether text has a literal in place of the value, which needs no name.
static bool isLiteral(Value value) {
  return matchPattern(value, m_Constant()) ||
         value.getDefiningOp<tensor::SplatOp>();
}

/// What the op made of an operand of its own name.
static StringRef getSuffix(Operation *op) {
  auto takesConstant = [&] {
    return llvm::any_of(op->getOperands(), isLiteral);
  };
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::MulFOp>([](auto) { return "_scaled"; })
      .Case<arith::DivFOp>([](arith::DivFOp divide) {
        return isLiteral(divide.getLhs()) ? "_rcp" : "_scaled";
      })
      .Case<arith::AddFOp>(
          [&](auto) { return takesConstant() ? "_shifted" : "_sum"; })
      .Case<arith::SubFOp>(
          [&](auto) { return takesConstant() ? "_shifted" : "_difference"; })
      .Case<arith::MaximumFOp>(
          [&](auto) { return takesConstant() ? "_clamped" : "_max"; })
      .Case<arith::MinimumFOp>(
          [&](auto) { return takesConstant() ? "_clamped" : "_min"; })
      .Case<arith::NegFOp>([](auto) { return "_negated"; })
      .Case<arith::TruncFOp, math::RoundEvenOp>([](auto) { return "_rounded"; })
      .Case<arith::ExtFOp>([](auto) { return "_wide"; })
      .Case<math::ExpOp, math::Exp2Op>([](auto) { return "_exp"; })
      .Case<math::LogOp>([](auto) { return "_log"; })
      .Case<math::RsqrtOp>([](auto) { return "_rsqrt"; })
      .Case<tile::DotOp, tile::AwaitOp>([](auto) { return "_product"; })
      .Case<tile::DotStartOp>([](auto) { return "_part"; })
      .Case<tile::ReduceOp>([](tile::ReduceOp reduce) {
        return reduce.getKind() == tile::Combine::Add ? "_sum" : "_max";
      })
      .Case<tile::ScanOp>([](auto) { return "_prefix"; })
      .Case<tile::DiagonalOp>([](auto) { return "_diagonal"; })
      .Case<tile::MaskOp>([](auto) { return "_masked"; })
      .Case<tile::SpreadOp>([](tile::SpreadOp spread) {
        return spread.getAxis() == 0 ? "_rows" : "_columns";
      })
      .Case<tile::TriInverseOp>([](auto) { return "_inverse"; })
      .Case<tile::TriSolveOp>([](auto) { return "_solved"; })
      .Case<tile::LoadOp>([](auto) { return "_loaded"; })
      .Case<tile::ReadOp>([](tile::ReadOp read) {
        Attribute layout = read.getTile().getType().getEncoding();
        if (auto slice = dyn_cast_or_null<tile::SliceAttr>(layout))
          return slice.getAxis() == 0 ? "_by_row" : "_by_column";
        return isa_and_nonnull<tile::FlatAttr>(layout) ? "_flat" : "_read";
      })
      .Default([](Operation *) { return ""; });
}

/// The word for a binary op between its operands' names, or "".
static StringRef getWord(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::MulFOp>([](auto) { return "_times_"; })
      .Case<arith::AddFOp>([](auto) { return "_plus_"; })
      .Case<arith::SubFOp>([](auto) { return "_minus_"; })
      .Case<arith::DivFOp>([](auto) { return "_over_"; })
      .Default([](Operation *) { return ""; });
}

ValueNames::ValueNames(tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (isa<ShapedType>(result.getType()))
        tileNames.insert(nameOf(result));
    if (auto buffers =
            op->getAttrOfType<ArrayAttr>(tile::getBufferNamesAttrName()))
      for (Attribute buffer : buffers)
        tileNames.insert(cast<StringAttr>(buffer).getValue());
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop)
      return;
    for (auto [argument, init, next, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(),
                   loop.getYieldedValues(), loop.getResults())) {
      StringRef name = nameOf(argument);
      if (name.empty())
        name = nameOf(init);
      if (name.empty()) {
        name = nameOf(next);
        name.consume_back("_next");
      }
      variables[argument] = variables[result] = name;
      if (nameOf(init) == name)
        phases[init] = "_initial";
      if (nameOf(next) == name)
        phases[next] = "_next";
    }
  });
  nameBlock(kernel.getBody().front(), nullptr);
}

StringRef ValueNames::lookup(Value value) const {
  auto known = names.find(value);
  return known == names.end() ? StringRef() : StringRef(known->second);
}

bool delta::isWrittenInUse(Value value) {
  auto spread = value.getDefiningOp<tile::SpreadOp>();
  if (!spread || !spread->hasOneUse())
    return false;
  Operation *user = *spread->user_begin();
  return isa<arith::ArithDialect>(user->getDialect()) &&
         user->getBlock() == spread->getBlock();
}

StringRef ValueNames::own(Value value) const {
  if (isWrittenInUse(value))
    return "";
  auto variable = variables.find(value);
  return variable == variables.end() ? nameOf(value) : variable->second;
}

bool ValueNames::isIntermediate(Value value) const {
  StringRef name = own(value);
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [&](Operation *user) {
           return llvm::any_of(user->getResults(), [&](Value result) {
             return own(result) == name && isNumber(result) == isNumber(value);
           });
         });
}

void ValueNames::choose(Value value, ArrayRef<std::string> wanted,
                        Scope &scope) {
  auto isTaken = [&](StringRef name) { return scope.contains(name); };
  const auto *free = llvm::find_if(
      wanted, [&](const std::string &name) { return !isTaken(name); });
  std::string name = free != wanted.end()
                         ? *free
                         : cuda::makeUniqueName(wanted.front(), isTaken);
  scope.names.insert(name);
  all.insert(name);
  names[value] = std::move(name);
}

void ValueNames::nameIndex(Value value, Scope &scope) {
  StringRef name = own(value);
  // An expression says more than a name that is not this value's alone.
  if (!name.empty() && !tileNames.contains(name) && !isIntermediate(value) &&
      !scope.contains(name))
    choose(value, name.str(), scope);
}

/// The value that a product in flight will be; null if it is none.
static Value findProduct(Value inflight) {
  for (Operation *user : inflight.getUsers()) {
    if (auto next = dyn_cast<tile::DotStartOp>(user))
      return findProduct(next.getInflight());
    // Products are the values of an await in the order of its operands.
    if (auto await = dyn_cast<tile::AwaitOp>(user);
        await && await.getInflight().size() == await.getValues().size())
      for (auto [operand, value] :
           llvm::zip(await.getInflight(), await.getValues()))
        if (operand == inflight)
          return value;
  }
  return {};
}

void ValueNames::nameInFlight(tile::DotStartOp dot, Scope &scope) {
  Value product = findProduct(dot.getInflight());
  if (!product)
    return;
  if (lookup(product).empty())
    nameResult(product.getDefiningOp(), product, scope);
  if (lookup(product).empty())
    return;
  // Of a product in parts, all but the last.
  bool isPart = llvm::any_of(dot.getInflight().getUsers(),
                             llvm::IsaPred<tile::DotStartOp>);
  choose(dot.getInflight(),
         (lookup(product) + (isPart ? "_part" : "") + "_inflight").str(),
         scope);
}

StringRef ValueNames::getFactorName(Value operand) const {
  if (auto spread = operand.getDefiningOp<tile::SpreadOp>())
    operand = spread.getInput();
  StringRef name = lookup(operand);
  for (StringRef place : {"_by_row", "_by_column", "_flat"})
    name.consume_back(place);
  return name;
}

void ValueNames::nameResult(Operation *op, Value result, Scope &scope) {
  StringRef name = own(result);
  if (name.empty())
    return;
  SmallVector<std::string> wanted;
  bool isAnother = llvm::any_of(op->getOperands(), [&](Value operand) {
    return isNumber(operand) && own(operand) == name && lookup(operand) == name;
  });
  if (auto phase = phases.find(result); phase != phases.end())
    wanted.push_back((name + phase->second).str());
  else if (!isAnother && !isIntermediate(result)) {
    // A form of a value, U_a, is a form of what that one is called.
    for (Value operand : op->getOperands())
      if (StringRef form = name; isNumber(operand) && !own(operand).empty() &&
                                 form.consume_front(own(operand)) &&
                                 form.starts_with("_"))
        wanted.push_back((lookup(operand) + form).str());
    wanted.push_back(name.str());
  }
  wanted.push_back((name + getSuffix(op)).str());
  if (StringRef word = getWord(op); !word.empty())
    for (Value operand : op->getOperands())
      if (own(operand) != name && !getFactorName(operand).empty())
        wanted.push_back((name + word + getFactorName(operand)).str());
  choose(result, wanted, scope);
}

void ValueNames::nameBlock(Block &block, const Scope *parent) {
  Scope scope{parent, {}};
  for (BlockArgument argument : block.getArguments())
    if (StringRef name = nameOf(argument);
        !name.empty() && argument.getType().isIndex())
      scope.names.insert(name);
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [argument, result] :
           llvm::zip(loop.getRegionIterArgs(), loop.getResults())) {
        if (own(argument).empty())
          continue;
        choose(argument, own(argument).str(), scope);
        names[result] = names[argument];
      }
    } else if (auto dot = dyn_cast<tile::DotStartOp>(op)) {
      nameInFlight(dot, scope);
    } else {
      for (Value result : op.getResults()) {
        if (isLiteral(result))
          continue;
        if (result.getType().isIntOrIndex())
          nameIndex(result, scope);
        else if (isNumber(result) && !isa<tile::AsyncType>(result.getType()) &&
                 lookup(result).empty())
          nameResult(&op, result, scope);
      }
    }
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        nameBlock(nested, &scope);
  }
}
