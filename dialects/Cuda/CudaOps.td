//===- CudaOps.td - statements and expressions ------------ -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands inside a kernel or a function. CudaFileOps.td has what stands
// around them.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_OPS_TD
#define CUDA_OPS_TD

include "Cuda/CudaInterfaces.td"
include "Cuda/CudaTypes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// `evaluation` is the case of ::delta::cuda::Evaluation, or "" where the op
/// computes it.
class Cuda_Expression<string mnemonic, string evaluation, list<Trait> traits = []>
    : Cuda_Op<mnemonic, traits # [
        DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>,
        ExpressionOpInterface]> {
  dag nameArguments = (ins OptionalAttr<StrAttr>:$name, UnitAttr:$inlined);
  string evaluationDeclaration = !if(!empty(evaluation),
    "::delta::cuda::Evaluation getEvaluation();",
    "::delta::cuda::Evaluation getEvaluation() { return ::delta::cuda::Evaluation::"
      # evaluation # "; }");
  let extraClassDeclaration = evaluationDeclaration;
  let extraClassDefinition = [{
    void $cppClass::getAsmResultNames(::mlir::OpAsmSetValueNameFn setName) {
      for (::mlir::Value result : getOperation()->getResults())
        if (::std::optional<::llvm::StringRef> wanted = getName())
          setName(result, *wanted);
    }
  }];
}

def Cuda_LiteralOp : Cuda_Expression<"literal", "Constant",
    [AllTypesMatch<["value", "result"]>]> {
  let summary = "A number, a truth value or a string";
  let description = [{
    Written at its uses; with a name it is a variable,
    `constexpr uint32_t K_offset = 16384u;`. Floating-point numbers are written with
    the fewest digits that give the same f32 (f64).

    ```mlir
    %C = cuda.literal 64 : index
    ```
  }];
  let arguments = !con((ins TypedAttrInterface:$value), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = "attr-dict $value";
  let hasVerifier = 1;
}

def Cuda_BuiltinOp : Cuda_Expression<"builtin", "Constant"> {
  let summary = "A name that the text finds elsewhere";
  let description = [{
    CUDA's variables and macros, enumerators, `nullptr`. The result's type must be the
    C++ type of the name: `blockIdx.x` is ui32, and a `cuda.cast` makes an int64_t of
    it. Its value may not change while a function runs.

    ```mlir
    %x = cuda.builtin "blockIdx.x" : ui32
    ```
  }];
  let arguments = !con((ins StrAttr:$spelling), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$spelling attr-dict `:` type($result)";
}

def Cuda_SymbolOp : Cuda_Expression<"symbol", "Constant",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The address of a kernel or function of the same file";
  let arguments = !con((ins FlatSymbolRefAttr:$symbol), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def Cuda_BinaryKind : I32EnumAttr<"BinaryKind", "a binary operator of C++", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Div", 3, "div">,
    I32EnumAttrCase<"Rem", 4, "rem">, I32EnumAttrCase<"BitAnd", 5, "bit_and">,
    I32EnumAttrCase<"BitOr", 6, "bit_or">, I32EnumAttrCase<"BitXor", 7, "bit_xor">,
    I32EnumAttrCase<"Shl", 8, "shl">, I32EnumAttrCase<"Shr", 9, "shr">,
    I32EnumAttrCase<"Lt", 10, "lt">, I32EnumAttrCase<"Le", 11, "le">,
    I32EnumAttrCase<"Gt", 12, "gt">, I32EnumAttrCase<"Ge", 13, "ge">,
    I32EnumAttrCase<"Eq", 14, "eq">, I32EnumAttrCase<"Ne", 15, "ne">,
    I32EnumAttrCase<"And", 16, "and">, I32EnumAttrCase<"Or", 17, "or">]> {
  let cppNamespace = "::delta::cuda";
}

def Cuda_BinaryOp : Cuda_Expression<"binary", "Pure"> {
  let summary = "A binary operator";
  let description = [{
    On scalars (division and remainder truncate; a divisor is not 0), on pointers
    (`add` of an index: an offset in elements), and on fragments and slices of the
    device library, elementwise. Comparisons and `and`, `or` give i1.

    ```mlir
    %t0 = cuda.binary mul %c, %C {name = "t0"} : index, index -> index
    ```
  }];
  let arguments = !con((ins Cuda_BinaryKind:$kind, AnyType:$lhs, AnyType:$rhs),
                       nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kind $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cuda_UnaryKind : I32EnumAttr<"UnaryKind", "a unary operator of C++", [
    I32EnumAttrCase<"Neg", 0, "neg">, I32EnumAttrCase<"Not", 1, "not">,
    I32EnumAttrCase<"BitNot", 2, "bit_not">]> {
  let cppNamespace = "::delta::cuda";
}

def Cuda_UnaryOp : Cuda_Expression<"unary", "Pure",
    [AllTypesMatch<["operand", "result"]>]> {
  let summary = "A unary operator";
  let arguments = !con((ins Cuda_UnaryKind:$kind, AnyType:$operand), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$kind $operand attr-dict `:` type($result)";
}

def Cuda_SelectOp : Cuda_Expression<"select", "Pure",
    [AllTypesMatch<["then_value", "else_value", "result"]>]> {
  let summary = "condition ? then_value : else_value";
  let arguments = !con((ins I1:$condition, AnyType:$then_value, AnyType:$else_value),
                       nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $condition `,` $then_value `,` $else_value attr-dict `:` type($result)
  }];
}

def Cuda_CastOp : Cuda_Expression<"cast", "Pure"> {
  let summary = "Conversion of a scalar or a pointer";
  let description = [{
    Scalars: `int64_t(x)`. From a pointer to void: `static_cast`. Other pointers, and
    between pointers and integers: `reinterpret_cast`. The cast is not written where
    the declaration of the result's own variable says the type already and C++
    converts by itself.
  }];
  let arguments = !con((ins AnyType:$operand), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `to` type($result)";
}

def Cuda_MemberOp : Cuda_Expression<"member", "Read"> {
  let summary = "A field of a struct: `args->q` through a pointer, else `args.q`";
  let arguments = !con((ins AnyType:$base, StrAttr:$field), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$base $field attr-dict `:` type($base) `->` type($result)";
}

def Cuda_IndexOp : Cuda_Expression<"index", "Read"> {
  let summary = "An element: `base[i]`";
  let description = [{ `base` is a pointer or an array. }];
  let arguments = !con((ins AnyType:$base, AnyType:$position), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $base `[` $position `]` attr-dict `:` type($base) `,` type($position) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cuda_ReadOp : Cuda_Expression<"read", "Read"> {
  let summary = "The value of a variable, now";
  let description = [{
    Written as the variable's name where nothing assigns to it before the uses, else
    as a copy.
  }];
  let arguments = !con((ins Cuda_VariableType:$variable), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$variable attr-dict `:` qualified(type($variable)) `->` type($result)";
  let hasVerifier = 1;
}

def Cuda_AddressOfOp : Cuda_Expression<"address_of", "Pure"> {
  let summary = "The address of a variable, for a function that writes to it";
  let arguments = !con((ins Cuda_VariableType:$variable), nameArguments);
  let results = (outs Cuda_PointerType:$result);
  let assemblyFormat = "$variable attr-dict `:` qualified(type($variable)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

def Cuda_CallOp : Cuda_Expression<"call", ""> {
  let summary = "A call of a function or of a type's constructor";
  let description = [{
    Without a result, or with one that nobody uses, a statement. `pure` promises that
    the value depends on the operands alone, so that the call may be written inside
    another expression or left out. Template arguments are integers, types and
    strings; a string is written as it is. A literal is written without its type
    (`f(64)` passes an int): where the callee deduces a type from it, cast it.

    ```mlir
    %K = cuda.call "read"<[!cuda.opaque<"Fragment<bf16, 64, 128, 4>">]>(%tile) {name = "K"}
        : (!cuda.opaque<"SharedTile<bf16, 64, 128>">) -> !cuda.opaque<"Fragment<bf16, 64, 128, 4>">
    ```
    ```cpp
    const auto K = read<Fragment<bf16, 64, 128, 4>>(tile);
    ```
  }];
  let arguments = !con((ins StrAttr:$callee, OptionalAttr<ArrayAttr>:$template_args,
                        Variadic<AnyType>:$args, UnitAttr:$pure), nameArguments);
  let results = (outs Optional<AnyType>:$result);
  let assemblyFormat = [{
    $callee (`` `<` $template_args^ `>`)? `` `(` $args `)` attr-dict
    `:` functional-type($args, $result)
  }];
  let hasVerifier = 1;
}

def Cuda_MethodOp : Cuda_Expression<"method", ""> {
  let summary = "A call of a member function: `object.name(args)`";
  let description = [{
    As `cuda.call`. Through a pointer `->` is written.

    ```mlir
    %batch = cuda.method %q "size"(%zero) {name = "batch", pure}
        : !cuda.opaque<"const at::Tensor &"> (index) -> index
    ```
  }];
  let arguments = !con((ins AnyType:$object, StrAttr:$method, Variadic<AnyType>:$args,
                        UnitAttr:$pure), nameArguments);
  let results = (outs Optional<AnyType>:$result);
  let assemblyFormat = [{
    $object $method `` `(` $args `)` attr-dict
    `:` type($object) functional-type($args, $result)
  }];
  let hasVerifier = 1;
}

def Cuda_LaunchOp : Cuda_Expression<"launch", "Effect",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Launch a kernel of the same file; the result is the call's error";
  let description = [{
    `config` points to a `cudaLaunchConfig_t`: grid, block, shared bytes, stream,
    attributes.
    Unlike `kernel<<<...>>>(...)` followed by `cudaGetLastError()`, the error returned is
    this launch's and not an earlier one's.

    ```cpp
    const cudaError_t error = cudaLaunchKernelEx(&config, gdn_chain, q, k);
    ```
  }];
  let arguments = !con((ins FlatSymbolRefAttr:$kernel, Cuda_PointerType:$config,
                        Variadic<AnyType>:$args), nameArguments);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $kernel `config` `(` $config `:` qualified(type($config)) `)`
    `args` `(` ($args^ `:` type($args))? `)` attr-dict `:` type($result)
  }];
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

def Cuda_CommentOp : Cuda_Op<"comment"> {
  let summary = "A comment, wrapped at 100 columns; a line break in the text is kept";
  let description = [{
    Inside a function it starts a paragraph: an empty line comes before it unless it
    is the first statement of its block.
  }];
  let arguments = (ins StrAttr:$text);
  let assemblyFormat = "$text attr-dict";
}

def Cuda_DeclareOp : Cuda_Op<"declare",
    [DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "A variable that is assigned to, initialised";
  let description = [{
    One operand: `T name = x;`. None, or several, or an array: `T name = {};`,
    `T name = {x, y};`, `T name[1] = {x};`.

    ```mlir
    %S = cuda.declare init(%S0) {name = "S"} : (f32) -> !cuda.variable<f32>
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$init, OptionalAttr<StrAttr>:$name);
  let results = (outs Cuda_VariableType:$variable);
  let assemblyFormat = [{
    `init` `(` $init `)` attr-dict `:` functional-type($init, $variable)
  }];
}

def Cuda_AssignOp : Cuda_Op<"assign"> {
  let summary = "variable = value;";
  let arguments = (ins Cuda_VariableType:$variable, AnyType:$value);
  let assemblyFormat = "$variable `,` $value attr-dict `:` qualified(type($variable)) `,` type($value)";
  let hasVerifier = 1;
}

def Cuda_ForOp : Cuda_Op<"for", [SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "for (int64_t c = lower; c < upper; c += step)";
  let description = [{
    `upper` and `step` do not change while the loop runs. `unroll = n` writes
    `#pragma unroll n`, 0 without the number (wholly).

    ```mlir
    cuda.for %c = %zero to %n step %one { ... } {name = "c"}
    ```
  }];
  let arguments = (ins Index:$lower, Index:$upper, Index:$step, OptionalAttr<StrAttr>:$name,
      OptionalAttr<ConfinedAttr<I64Attr, [IntNonNegative]>>:$unroll);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$lower, "::mlir::Value":$upper,
      "::mlir::Value":$step, CArg<"::llvm::StringRef", "\"\"">:$name)>];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getCounter() { return getBody().getArgument(0); }
  }];
}

def Cuda_IfOp : Cuda_Op<"if", [SingleBlock, NoTerminator]> {
  let summary = "if (condition) { ... } else { ... }";
  let arguments = (ins I1:$condition);
  let regions = (region SizedRegion<1>:$then_body, AnyRegion:$else_body);
  let assemblyFormat = "$condition $then_body (`else` $else_body^)? attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$condition,
                             CArg<"bool", "false">:$withElse)>];
}

def Cuda_ReturnOp : Cuda_Op<"return"> {
  let summary = "return x; the last statement of its block";
  let arguments = (ins Optional<AnyType>:$value);
  let assemblyFormat = "($value^ `:` type($value))? attr-dict";
  // An empty body would only declare the builder.
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
  let hasVerifier = 1;
}

#endif // CUDA_OPS_TD
