//===- CodeBuilder.h - write exit IR like C++ -------------------*- C++ -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A builder whose calls read like the C++ that they make. It infers result
/// types and creates one op a call; it may not simplify, and holds no text.
///
//===----------------------------------------------------------------------===//

#ifndef DELTA_DIALECT_CUDA_TRANSFORMS_CODEBUILDER_H
#define DELTA_DIALECT_CUDA_TRANSFORMS_CODEBUILDER_H

#include "delta/Dialect/Cuda/IR/CudaOps.h"
#include "mlir/IR/Builders.h"

namespace delta::cuda {

/// Creates ops at the insertion point of an OpBuilder. A `name` asks for a
/// variable of that name; without one the expression may be written inline.
class CodeBuilder {
public:
  using Value = mlir::Value;
  using Type = mlir::Type;
  using StringRef = llvm::StringRef;

  CodeBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  // Types.
  Type opaque(StringRef spelling) {
    return OpaqueType::get(builder.getContext(), spelling);
  }
  Type pointerTo(Type pointee, bool isConst = false) {
    return PointerType::get(pointee, isConst);
  }
  Type pointerTo(StringRef spelling, bool isConst = false) {
    return pointerTo(opaque(spelling), isConst);
  }
  Type arrayOf(int64_t size, Type element) {
    return ArrayType::get(builder.getContext(), size, element);
  }

  // Expressions.
  Value index(int64_t value, StringRef name = "") {
    return named(literal(builder.getIndexAttr(value)), name);
  }
  Value text(StringRef value) {
    return literal(
        mlir::StringAttr::get(value, pointerTo("char", /*isConst=*/true)));
  }
  Value truth(bool value) { return literal(builder.getBoolAttr(value)); }
  Value integer(int32_t value) {
    return literal(builder.getI32IntegerAttr(value));
  }
  Value builtin(StringRef spelling, Type type) {
    return BuiltinOp::create(builder, loc, type, spelling, nullptr, false);
  }
  Value binary(BinaryKind kind, Value lhs, Value rhs, StringRef name = "");
  Value add(Value lhs, Value rhs, StringRef name = "") {
    return binary(BinaryKind::Add, lhs, rhs, name);
  }
  Value sub(Value lhs, Value rhs, StringRef name = "") {
    return binary(BinaryKind::Sub, lhs, rhs, name);
  }
  Value mul(Value lhs, Value rhs, StringRef name = "") {
    return binary(BinaryKind::Mul, lhs, rhs, name);
  }
  Value div(Value lhs, Value rhs, StringRef name = "") {
    return binary(BinaryKind::Div, lhs, rhs, name);
  }
  Value select(Value condition, Value thenValue, Value elseValue,
               StringRef name = "") {
    return named(SelectOp::create(builder, loc, thenValue.getType(), condition,
                                  thenValue, elseValue, nullptr, false),
                 name);
  }
  Value cast(Value value, Type type, StringRef name = "") {
    return named(CastOp::create(builder, loc, type, value, nullptr, false),
                 name);
  }
  Value member(Value base, StringRef field, Type type, StringRef name = "") {
    return named(
        MemberOp::create(builder, loc, type, base, field, nullptr, false),
        name);
  }
  Value element(Value base, Value position, Type type, StringRef name = "") {
    return named(
        IndexOp::create(builder, loc, type, base, position, nullptr, false),
        name);
  }
  Value read(Value variable) {
    return ReadOp::create(
        builder, loc, mlir::cast<VariableType>(variable.getType()).getValue(),
        variable, nullptr, false);
  }
  Value addressOf(Value variable) {
    return AddressOfOp::create(
        builder, loc,
        pointerTo(mlir::cast<VariableType>(variable.getType()).getValue()),
        variable, nullptr, false);
  }
  Value call(StringRef callee, mlir::ValueRange args, Type type,
             StringRef name = "", bool pure = false) {
    return named(CallOp::create(builder, loc, type, callee, nullptr, args, pure,
                                nullptr, false),
                 name);
  }

  Value method(Value object, StringRef name, mlir::ValueRange args, Type type,
               StringRef variable = "", bool pure = true) {
    return named(MethodOp::create(builder, loc, type, object, name, args, pure,
                                  nullptr, false),
                 variable);
  }
  /// Asks for a variable for an expression made before.
  Value giveName(Value value, StringRef name) {
    mlir::cast<ExpressionOpInterface>(value.getDefiningOp()).setName(name);
    return value;
  }

  // Statements.
  void callStatement(StringRef callee, mlir::ValueRange args) {
    CallOp::create(builder, loc, Type(), callee, nullptr, args, false, nullptr,
                   false);
  }
  void comment(StringRef text) { CommentOp::create(builder, loc, text); }
  Value declare(Type type, mlir::ValueRange init, StringRef name) {
    return DeclareOp::create(builder, loc, VariableType::get(type), init,
                             builder.getStringAttr(name));
  }
  void assign(Value variable, Value value) {
    AssignOp::create(builder, loc, variable, value);
  }
  void ret(Value value) { ReturnOp::create(builder, loc, value); }
  /// `if (condition) { body }`
  void when(Value condition, llvm::function_ref<void()> body);
  /// `for (int64_t name = 0; name < upper; ++name) { body(name) }`
  void loop(Value upper, StringRef name, llvm::function_ref<void(Value)> body);

  mlir::OpBuilder &builder;
  mlir::Location loc;

private:
  LiteralOp literal(mlir::TypedAttr value) {
    return LiteralOp::create(builder, loc, value.getType(), value,
                             mlir::StringAttr(), /*inlined=*/false);
  }
  template <typename OpTy> Value named(OpTy op, StringRef name) {
    if (!name.empty())
      op.setName(name);
    return op->getResult(0);
  }
};

} // namespace delta::cuda

#endif // DELTA_DIALECT_CUDA_TRANSFORMS_CODEBUILDER_H
