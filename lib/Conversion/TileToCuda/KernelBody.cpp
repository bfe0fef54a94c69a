//===- KernelBody.cpp - control flow and arithmetic as text -----*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Loops, index arithmetic and elementwise work; the tile dialect's own ops are
/// in TileStatements.cpp. Index arithmetic is on int64_t: what wraps around in
/// the IR must not happen in a kernel.
///
//===----------------------------------------------------------------------===//

#include "KernelBody.h"
#include "Spelling.h"

#include "delta/Dialect/Cuda/IR/Comparison.h"
#include "delta/Dialect/Delta/IR/Nests.h"
#include "delta/Dialect/Tile/Transforms/SharedAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace delta;
using cuda::BinaryKind;

KernelBody::KernelBody(ImplicitLocOpBuilder &builder, tile::KernelOp kernel,
                       const ValueNames &names, Value sharedBase)
    : b(builder), threads(32 * kernel.getWarps()), base(sharedBase),
      names(names) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelBody::literal(int64_t value) {
  return cuda::LiteralOp::create(b, b.getIndexType(), b.getIndexAttr(value),
                                 /*name=*/StringAttr());
}

Value KernelBody::byteLiteral(int64_t value, StringAttr name) {
  Type type = b.getIntegerType(32, /*isSigned=*/false);
  return cuda::LiteralOp::create(b, type, b.getIntegerAttr(type, value), name);
}

Value KernelBody::binary(BinaryKind kind, Value lhs, Value rhs,
                         StringAttr name) {
  auto constant = [](Value value) -> std::optional<int64_t> {
    if (auto literal = value.getDefiningOp<cuda::LiteralOp>())
      if (auto number = dyn_cast<IntegerAttr>(literal.getValue()))
        return number.getType().isIndex() ? number.getValue().getSExtValue()
                                          : std::optional<int64_t>();
    return std::nullopt;
  };
  // Addresses are sums of products of which many are known.
  std::optional<int64_t> left = constant(lhs), right = constant(rhs);
  if (kind == BinaryKind::Mul) {
    if (left && right)
      return literal(*left * *right);
    if (left == 1)
      return rhs;
    if (right == 1)
      return lhs;
  }
  if (kind == BinaryKind::Add) {
    if (left && right)
      return literal(*left + *right);
    if (left == 0)
      return rhs;
    if (right == 0)
      return lhs;
  }
  bool compares = kind == BinaryKind::Lt || kind == BinaryKind::Le ||
                  kind == BinaryKind::Gt || kind == BinaryKind::Ge ||
                  kind == BinaryKind::Eq || kind == BinaryKind::Ne;
  // A number beside a tile or a pointer: the result is what the other one is.
  Type type = lhs.getType();
  if (isa<cuda::OpaqueType, cuda::PointerType>(rhs.getType()))
    type = rhs.getType();
  return cuda::BinaryOp::create(b, compares ? b.getI1Type() : type, kind, lhs,
                                rhs, name);
}

Value KernelBody::call(Type type, StringRef callee,
                       ArrayRef<Attribute> templateArgs, ValueRange args,
                       StringAttr name) {
  auto arguments =
      templateArgs.empty() ? ArrayAttr() : b.getArrayAttr(templateArgs);
  return cuda::CallOp::create(b, type, callee, arguments, args, /*pure=*/true,
                              name)
      .getResult();
}

Value KernelBody::callInPlace(Type type, StringRef callee,
                              ArrayRef<Attribute> templateArgs, ValueRange args,
                              StringAttr name) {
  auto arguments =
      templateArgs.empty() ? ArrayAttr() : b.getArrayAttr(templateArgs);
  return cuda::CallOp::create(b, type, callee, arguments, args, /*pure=*/false,
                              name)
      .getResult();
}

Value KernelBody::useOrNumber(Value value) {
  if (Value number = numbers.lookup(value))
    return number;
  return use(value);
}

Value KernelBody::use(Value value) {
  Value number = numbers.lookup(value);
  if (isWrittenInUse(value))
    return makeSpread(value.getDefiningOp<tile::SpreadOp>());
  if (!number)
    return values.lookup(value);
  auto tile = cast<RankedTensorType>(value.getType());
  Type wide = convertType(tile.clone(b.getF32Type()));
  Value filled = call(wide, "fill", TypeAttr::get(wide), number);
  Type type = convertType(tile);
  // Only f32 tiles have arithmetic, and with it a fill.
  return type == wide ? filled
                      : call(type, "convert",
                             TypeAttr::get(tile.getElementType()), filled);
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult KernelBody::convertBlock(Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      continue;
    b.setLoc(op.getLoc());
    if (failed(convert(&op)))
      return failure();
  }
  return success();
}

LogicalResult KernelBody::convert(Operation *op) {
  if (auto phase = op->getAttrOfType<StringAttr>(kCommentAttr))
    cuda::CommentOp::create(b, phase.getValue());
  static const StatementRules rules = [] {
    StatementRules all;
    addTileRules(all);
    addProductRules(all);
    addRoleRules(all);
    addFlagRules(all);
    return all;
  }();
  if (StatementRules::Rule rule = rules.find(op))
    return rule(*this, op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return convertLoop(loop);
  TypedAttr constant;
  if (matchPattern(op, m_Constant(&constant)))
    return convertConstant(op, constant);
  if (auto splat = dyn_cast<tensor::SplatOp>(op)) {
    numbers[splat.getResult()] = use(splat.getInput());
    return success();
  }
  return convertArithmetic(op);
}

LogicalResult KernelBody::convertConstant(Operation *op, TypedAttr value) {
  Value result = op->getResult(0);
  auto elements = dyn_cast<SplatElementsAttr>(value);
  if (elements)
    value = cast<TypedAttr>(elements.getSplatValue<Attribute>());
  if (!isa<IntegerAttr, FloatAttr>(value))
    return op->emitError(
        "constant tiles of different numbers have no lowering");
  // Numbers for tiles are floats, whatever the tile's type.
  if (auto number = dyn_cast<FloatAttr>(value); number && elements)
    value = b.getF32FloatAttr(number.getValueAsDouble());
  Value number = cuda::LiteralOp::create(b, value.getType(), value,
                                         /*name=*/StringAttr());
  if (elements)
    numbers[result] = number;
  else
    define(result, number);
  return success();
}

LogicalResult KernelBody::convertLoop(scf::ForOp loop) {
  SmallVector<Value> variables;
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
    if (!convertType(argument.getType()))
      return loop.emitError("carries a value without a place in registers: ")
             << argument.getType();
    Value value = use(init);
    variables.push_back(cuda::DeclareOp::create(
        b, cuda::VariableType::get(value.getType()), value, nameFor(argument)));
  }
  auto read = [&](Value variable) -> Value {
    Type type = cast<cuda::VariableType>(variable.getType()).getValue();
    return cuda::ReadOp::create(b, type, variable, /*name=*/StringAttr());
  };
  watchFlags(loop);
  size_t watched = watches.size();
  StringRef counter = nameOf(loop.getInductionVar());
  auto converted = cuda::ForOp::create(
      b, use(loop.getLowerBound()), use(loop.getUpperBound()),
      use(loop.getStep()), counter.empty() ? "i" : counter);
  define(loop.getInductionVar(), converted.getCounter());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&converted.getBody().front());
    for (auto [argument, variable] :
         llvm::zip(loop.getRegionIterArgs(), variables))
      define(argument, read(variable));
    if (failed(convertBlock(*loop.getBody())))
      return failure();
    b.setLoc(loop.getLoc());
    SmallVector<Value> next;
    for (Value yielded : loop.getYieldedValues())
      next.push_back(use(yielded));
    for (auto [variable, value] : llvm::zip(variables, next))
      cuda::AssignOp::create(b, variable, value);
  }
  watches.truncate(watched); // those of the body's scope
  for (auto [result, variable] : llvm::zip(loop.getResults(), variables))
    define(result, read(variable));
  return success();
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

static std::optional<BinaryKind> binaryKindOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<BinaryKind>>(op)
      .Case<arith::AddIOp, arith::AddFOp>([](auto) { return BinaryKind::Add; })
      .Case<arith::SubIOp, arith::SubFOp>([](auto) { return BinaryKind::Sub; })
      .Case<arith::MulIOp, arith::MulFOp>([](auto) { return BinaryKind::Mul; })
      .Case<arith::DivUIOp, arith::DivSIOp, arith::DivFOp>(
          [](auto) { return BinaryKind::Div; })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [](auto) { return BinaryKind::Rem; })
      .Default([](Operation *) { return std::nullopt; });
}

/// The device library's name of an elementwise function.
static StringRef functionOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<arith::MinimumFOp>([](auto) { return "min"; })
      .Case<arith::MaximumFOp>([](auto) { return "max"; })
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::Exp2Op>([](auto) { return "exp2"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::RoundEvenOp>([](auto) { return "round_even"; })
      .Case<math::RsqrtOp>([](auto) { return "rsqrt"; })
      .Default([](Operation *) { return ""; });
}

LogicalResult KernelBody::convertArithmetic(Operation *op) {
  Type type = op->getNumResults() == 1 ? convertType(op->getResult(0).getType())
                                       : Type();
  if (!type)
    return op->emitError("has no lowering to the device library");
  Value result = op->getResult(0);
  bool isTile = isa<RankedTensorType>(result.getType());
  StringAttr name = resultName(op);

  if (std::optional<BinaryKind> kind = binaryKindOf(op)) {
    Value lhs = useOrNumber(op->getOperand(0));
    Value rhs = useOrNumber(op->getOperand(1));
    if (isTile && !isa<cuda::OpaqueType>(lhs.getType()) &&
        !isa<cuda::OpaqueType>(rhs.getType()))
      lhs = use(op->getOperand(0));
    return define(result, binary(*kind, lhs, rhs, name)), success();
  }
  if (StringRef function = functionOf(op); !function.empty()) {
    // The tile first: f(number, tile) is f(tile, number).
    SmallVector<Value> args = {use(op->getOperand(0))};
    if (op->getNumOperands() == 2) {
      args.push_back(useOrNumber(op->getOperand(1)));
      if (isTile && numbers.contains(op->getOperand(0)))
        args = {use(op->getOperand(1)), useOrNumber(op->getOperand(0))};
    }
    // Of floats, CUDA has functions of the same names.
    std::string callee = ((isTile ? "" : "delta::") + function).str();
    return define(result, call(type, callee, {}, args, name)), success();
  }

  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case<arith::NegFOp>([&](arith::NegFOp negate) {
        define(result, cuda::UnaryOp::create(b, type, cuda::UnaryKind::Neg,
                                             use(negate.getOperand()), name));
        return success();
      })
      .Case<arith::ExtFOp>([&](arith::ExtFOp extend) {
        // Vectors are in floats already.
        Value input = use(extend.getIn());
        if (input.getType() != type)
          input =
              call(type, "convert", TypeAttr::get(b.getF32Type()), input, name);
        return define(result, input), success();
      })
      .Case<arith::TruncFOp>([&](arith::TruncFOp round) {
        Value input = use(round.getIn());
        auto element = TypeAttr::get(getElementTypeOrSelf(round.getType()));
        bool keepsFloats = input.getType() == type;
        return define(result, call(type, keepsFloats ? "round_to" : "convert",
                                   element, input, name)),
               success();
      })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        return define(result,
                      binary(cuda::getComparison(compare.getPredicate()),
                             use(compare.getLhs()), use(compare.getRhs()),
                             name)),
               success();
      })
      .Case<arith::SelectOp>([&](arith::SelectOp select) {
        define(result,
               cuda::SelectOp::create(b, type, use(select.getCondition()),
                                      use(select.getTrueValue()),
                                      use(select.getFalseValue()), name));
        return success();
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto cast) {
        return define(result,
                      cuda::CastOp::create(b, type, use(cast.getIn()), name)),
               success();
      })
      .Case<arith::MinUIOp, arith::MinSIOp, arith::MaxUIOp, arith::MaxSIOp>(
          [&](auto extremum) {
            Value lhs = use(extremum.getLhs()), rhs = use(extremum.getRhs());
            bool isMin = isa<arith::MinUIOp, arith::MinSIOp>(op);
            Value chosen =
                binary(isMin ? BinaryKind::Lt : BinaryKind::Gt, lhs, rhs);
            define(result,
                   cuda::SelectOp::create(b, type, chosen, lhs, rhs, name));
            return success();
          })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>([&](auto divide) {
        Value divisor = use(divide.getRhs());
        Value above = binary(BinaryKind::Add, use(divide.getLhs()),
                             binary(BinaryKind::Sub, divisor, literal(1)));
        return define(result, binary(BinaryKind::Div, above, divisor, name)),
               success();
      })
      .Default([](Operation *other) {
        return other->emitError("has no lowering to the device library");
      });
}
