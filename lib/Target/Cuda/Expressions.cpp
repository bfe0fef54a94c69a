//===- Expressions.cpp - spelling of expressions ----------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Parentheses follow the precedences of C++. Where these are surprising
/// (shifts, bit operators, `&&` in `||`), parentheses are added as compilers
/// suggest in warnings.
///
//===----------------------------------------------------------------------===//

#include "Expressions.h"

#include "Layout.h"
#include "delta/Target/Cuda/PrintCuda.h"
#include "llvm/ADT/TypeSwitch.h"
#include <fmt/format.h>

using namespace mlir;
using namespace delta;
using namespace delta::cuda;

//===----------------------------------------------------------------------===//
// Types and names
//===----------------------------------------------------------------------===//

std::string cuda::spellType(Type type) {
  if (type.isIndex() || type.isSignlessInteger(64))
    return "int64_t";
  if (type.isSignlessInteger(32))
    return "int32_t";
  if (type.isUnsignedInteger(32))
    return "uint32_t";
  if (type.isUnsignedInteger(64))
    return "uint64_t";
  if (type.isInteger(1))
    return "bool";
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isBF16())
    return "bf16";
  if (type.isF16())
    return "half_t";
  if (auto opaque = dyn_cast<cuda::OpaqueType>(type))
    return opaque.getSpelling().str();
  if (auto pointer = dyn_cast<cuda::PointerType>(type)) {
    std::string pointee = spellType(pointer.getPointee());
    if (pointee.empty())
      return "";
    // The const of a pointer itself comes after its star.
    bool isPointer = StringRef(pointee).ends_with("*");
    if (pointer.getIsConst())
      pointee = isPointer ? pointee + "const" : "const " + pointee;
    return pointee + (StringRef(pointee).ends_with("*") ? "*" : " *");
  }
  return "";
}

std::string cuda::spellDeclarator(Type type, StringRef name,
                                  StringRef qualifier) {
  if (auto array = dyn_cast<cuda::ArrayType>(type))
    return fmt::format("{}[{}]", spellDeclarator(array.getElement(), name),
                       array.getSize());
  std::string text = spellType(type);
  if (!StringRef(text).ends_with("*") && !StringRef(text).ends_with("&"))
    text += ' ';
  if (!qualifier.empty())
    text += qualifier.str() + ' ';
  return text + name.str();
}

std::string cuda::spellString(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return result + '"';
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

namespace {

/// How tightly an expression binds, loosest first.
enum Precedence {
  Argument, // between commas
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitwiseOr,
  BitwiseXor,
  BitwiseAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Prefix,
  Primary
};

struct Spelling {
  std::string text;
  Precedence precedence;
};

struct Operator {
  const char *text;
  Precedence precedence;
};

} // namespace

static Operator getOperator(BinaryKind kind) {
  switch (kind) {
  case BinaryKind::Add:
    return {"+", Additive};
  case BinaryKind::Sub:
    return {"-", Additive};
  case BinaryKind::Mul:
    return {"*", Multiplicative};
  case BinaryKind::Div:
    return {"/", Multiplicative};
  case BinaryKind::Rem:
    return {"%", Multiplicative};
  case BinaryKind::BitAnd:
    return {"&", BitwiseAnd};
  case BinaryKind::BitOr:
    return {"|", BitwiseOr};
  case BinaryKind::BitXor:
    return {"^", BitwiseXor};
  case BinaryKind::Shl:
    return {"<<", Shift};
  case BinaryKind::Shr:
    return {">>", Shift};
  case BinaryKind::Lt:
    return {"<", Relational};
  case BinaryKind::Le:
    return {"<=", Relational};
  case BinaryKind::Gt:
    return {">", Relational};
  case BinaryKind::Ge:
    return {">=", Relational};
  case BinaryKind::Eq:
    return {"==", Equality};
  case BinaryKind::Ne:
    return {"!=", Equality};
  case BinaryKind::And:
    return {"&&", LogicalAnd};
  case BinaryKind::Or:
    return {"||", LogicalOr};
  }
  llvm_unreachable("all kinds are listed");
}

static Spelling spell(Operation *op);

/// `value` as an operand of an operator that needs it to bind at least as
/// tightly as `least`.
static std::string spellOperand(Value value, Precedence least) {
  auto expression = value.getDefiningOp<ExpressionOpInterface>();
  if (!expression || !expression.getInlined())
    return getVariableName(value).str();
  Spelling spelling = spell(expression);
  if (spelling.precedence >= least)
    return spelling.text;
  return "(" + spelling.text + ")";
}

std::string cuda::spellOperand(Value value) {
  return ::spellOperand(value, Argument);
}

static std::string spellArguments(ValueRange arguments) {
  std::string text = "(";
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (i)
      text += std::string(",") + breakable;
    text += cuda::spellOperand(argument);
  }
  return text + ")";
}

static Spelling spellLiteral(LiteralOp op) {
  TypedAttr value = op.getValue();
  if (auto text = dyn_cast<StringAttr>(value))
    return {spellString(text), Primary};
  if (auto real = dyn_cast<FloatAttr>(value)) {
    const llvm::APFloat &number = real.getValue();
    Precedence precedence = number.isNegative() ? Prefix : Primary;
    if (number.isNaN())
      return {"NAN", Primary};
    if (number.isInfinity())
      return {number.isNegative() ? "-INFINITY" : "INFINITY", precedence};
    // The shortest digits that parse to the same number.
    std::string digits = op.getType().isF32()
                             ? fmt::format("{}", number.convertToFloat())
                             : fmt::format("{}", number.convertToDouble());
    if (digits.find_first_of(".e") == std::string::npos)
      digits += ".0";
    return {digits + (op.getType().isF32() ? "f" : ""), precedence};
  }
  auto integer = cast<IntegerAttr>(value);
  Type type = integer.getType();
  if (type.isInteger(1))
    return {integer.getValue().isZero() ? "false" : "true", Primary};
  if (type.isUnsignedInteger())
    return {fmt::format("{}u", integer.getValue().getZExtValue()), Primary};
  int64_t number = integer.getValue().getSExtValue();
  // The magnitude of the least integer is not a literal.
  if (number == std::numeric_limits<int64_t>::min())
    return {"INT64_MIN", Primary};
  return {std::to_string(number), number < 0 ? Prefix : Primary};
}

static Spelling spellBinary(BinaryOp op) {
  auto [text, precedence] = getOperator(op.getKind());
  int left = precedence, right = precedence + 1;
  auto isKind = [](Value operand, BinaryKind kind) {
    auto binary = operand.getDefiningOp<BinaryOp>();
    return binary && binary.getKind() == kind;
  };
  if (precedence == Shift || precedence == BitwiseAnd ||
      precedence == BitwiseXor || precedence == BitwiseOr) {
    left = right = Prefix;
  } else if (precedence == LogicalOr) {
    // `a || b || c`, but `(a && b) || c`.
    left = isKind(op.getLhs(), BinaryKind::Or) ? LogicalOr : BitwiseOr;
    right = BitwiseOr;
  }
  return {::spellOperand(op.getLhs(), Precedence(left)) + ' ' + text +
              breakableOperator +
              ::spellOperand(op.getRhs(), Precedence(right)),
          precedence};
}

static Spelling spellUnary(UnaryOp op) {
  std::string operand = ::spellOperand(op.getOperand(), Prefix);
  const char *text = op.getKind() == UnaryKind::Neg   ? "-"
                     : op.getKind() == UnaryKind::Not ? "!"
                                                      : "~";
  // `--x` would be another operator.
  if (StringRef(operand).starts_with("-") && op.getKind() == UnaryKind::Neg)
    operand = "(" + operand + ")";
  return {text + operand, Prefix};
}

/// Whether `type` is a pointer to void.
static bool isVoidPointer(Type type) {
  auto pointer = dyn_cast<cuda::PointerType>(type);
  return pointer && spellType(pointer.getPointee()) == "void";
}

static Spelling spellCast(CastOp op) {
  Type from = op.getOperand().getType(), to = op.getType();
  std::string type = spellType(to);
  std::string operand = cuda::spellOperand(op.getOperand());
  bool fromPointer = isa<cuda::PointerType>(from);
  bool toPointer = isa<cuda::PointerType>(to);
  if (!fromPointer && !toPointer)
    return {type + "(" + operand + ")", Primary};
  // C++ adds a const by itself.
  if (fromPointer && toPointer &&
      cast<cuda::PointerType>(from).getPointee() ==
          cast<cuda::PointerType>(to).getPointee() &&
      cast<cuda::PointerType>(to).getIsConst())
    return {::spellOperand(op.getOperand(), Prefix), Prefix};
  bool isStatic = toPointer && (isVoidPointer(from) || isVoidPointer(to));
  return {fmt::format("{}<{}>({})",
                      isStatic ? "static_cast" : "reinterpret_cast", type,
                      operand),
          Primary};
}

static std::string spellCallee(CallOp op) {
  std::string text = op.getCallee().str();
  ArrayAttr arguments = op.getTemplateArgsAttr();
  if (!arguments)
    return text;
  text += '<';
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if (i)
      text += ", ";
    if (auto type = dyn_cast<TypeAttr>(argument))
      text += spellType(type.getValue());
    else if (auto verbatim = dyn_cast<StringAttr>(argument))
      text += verbatim.getValue();
    else if (auto integer = cast<IntegerAttr>(argument);
             integer.getType().isInteger(1))
      text += integer.getValue().isZero() ? "false" : "true";
    else
      text += std::to_string(integer.getValue().getSExtValue());
  }
  return text + '>';
}

static Spelling spellLaunch(LaunchOp op) {
  std::string text = "cudaLaunchKernelEx(" + cuda::spellOperand(op.getConfig());
  text += std::string(",") + breakable + op.getKernel().str();
  for (Value argument : op.getArgs())
    text += std::string(",") + breakable + cuda::spellOperand(argument);
  return {text + ")", Primary};
}

/// The expression of `op`, written out.
static Spelling spell(Operation *op) {
  return llvm::TypeSwitch<Operation *, Spelling>(op)
      .Case([](LiteralOp op) { return spellLiteral(op); })
      .Case([](BuiltinOp op) {
        return Spelling{op.getSpelling().str(), Primary};
      })
      .Case([](SymbolOp op) { return Spelling{op.getSymbol().str(), Primary}; })
      .Case([](BinaryOp op) { return spellBinary(op); })
      .Case([](UnaryOp op) { return spellUnary(op); })
      .Case([](SelectOp op) {
        // Nested conditions get parentheses; C++ would not need them.
        return Spelling{::spellOperand(op.getCondition(), LogicalOr) + " ?" +
                            breakableOperator +
                            ::spellOperand(op.getThenValue(), LogicalOr) +
                            " :" + breakableOperator +
                            ::spellOperand(op.getElseValue(), LogicalOr),
                        Conditional};
      })
      .Case([](CastOp op) { return spellCast(op); })
      .Case([](MemberOp op) {
        bool isPointer = isa<cuda::PointerType>(op.getBase().getType());
        return Spelling{::spellOperand(op.getBase(), Primary) +
                            (isPointer ? "->" : ".") + op.getField().str(),
                        Primary};
      })
      .Case([](IndexOp op) {
        return Spelling{::spellOperand(op.getBase(), Primary) + '[' +
                            cuda::spellOperand(op.getPosition()) + ']',
                        Primary};
      })
      .Case([](ReadOp op) {
        return Spelling{getVariableName(op.getVariable()).str(), Primary};
      })
      .Case([](AddressOfOp op) {
        return Spelling{'&' + getVariableName(op.getVariable()).str(), Prefix};
      })
      .Case([](CallOp op) {
        return Spelling{spellCallee(op) + spellArguments(op.getArgs()),
                        Primary};
      })
      .Case([](MethodOp op) {
        bool isPointer = isa<cuda::PointerType>(op.getObject().getType());
        return Spelling{::spellOperand(op.getObject(), Primary) +
                            (isPointer ? "->" : ".") + op.getMethod().str() +
                            spellArguments(op.getArgs()),
                        Primary};
      })
      .Case([](LaunchOp op) { return spellLaunch(op); });
}

std::string cuda::spellInitializer(ExpressionOpInterface op) {
  // `const int64_t x = blockIdx.x;`: the declaration converts.
  if (auto cast = dyn_cast<CastOp>(*op))
    if (cast.getType().isIntOrIndex() &&
        cast.getOperand().getType().isIntOrIndex() &&
        !cast.getType().isInteger(1))
      return cuda::spellOperand(cast.getOperand());
  return spell(op).text;
}
