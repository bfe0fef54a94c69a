//===- CudaFileOps.td - files and what they declare ------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_FILE_OPS_TD
#define CUDA_FILE_OPS_TD

include "Cuda/CudaTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"


def Cuda_FileOp : Cuda_Op<"file", [IsolatedFromAbove, SingleBlock, NoTerminator,
    SymbolTable]> {
  let summary = "One file of the artefact";
  let description = [{
    `cuda.file "gdn.cu" { ... }`. The name has no folder. Names ending in .h are C: they hold
    no kernel and no function body.
  }];
  let arguments = (ins StrAttr:$name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
  let hasVerifier = 1;
  let extraClassDeclaration = [{ bool isHeader() { return getName().ends_with(".h"); } }];
}

def Cuda_IncludeOp : Cuda_Op<"include"> {
  let summary = "#include \"path\", or <path> where `system`";
  let arguments = (ins StrAttr:$path, UnitAttr:$system);
  let assemblyFormat = "$path (`system` $system^)? attr-dict";
}

def Cuda_DirectiveOp : Cuda_Op<"directive"> {
  let summary = "Any other line for the preprocessor: `cuda.directive \"pragma once\"`";
  let arguments = (ins StrAttr:$text);
  let assemblyFormat = "$text attr-dict";
}

def Cuda_NamespaceOp : Cuda_Op<"namespace", [SingleBlock, NoTerminator, SymbolTable]> {
  let summary = "namespace name { ... }";
  let description = [{
    Kernels stand in a namespace inside `delta`, so that the device library's names
    need no qualification and hide CUDA's own (`exp`, `min`): with a using-directive
    they would be ambiguous.
  }];
  let arguments = (ins StrAttr:$name);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
}

def Cuda_TypedefOp : Cuda_Op<"typedef"> {
  let summary = "typedef type name;";
  let arguments = (ins StrAttr:$name, TypeAttr:$type);
  let assemblyFormat = "$name `=` $type attr-dict";
}

def Cuda_ExternCOp : Cuda_Op<"extern_c", [SingleBlock, NoTerminator, SymbolTable]> {
  let summary = "Declarations of a header with C linkage, for C and C++ alike";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins)>];
}

def Cuda_StructOp : Cuda_Op<"struct", [SingleBlock, NoTerminator]> {
  let summary = "typedef struct name { fields } name;";
  let description = [{
    Valid C and C++. The region holds `cuda.field`s.
  }];
  let arguments = (ins StrAttr:$name, OptionalAttr<StrAttr>:$doc);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::StringRef":$doc)>];
  let hasVerifier = 1;
}

def Cuda_FieldOp : Cuda_Op<"field", [HasParent<"StructOp">]> {
  let summary = "A field of a struct";
  let arguments = (ins StrAttr:$name, TypeAttr:$type, OptionalAttr<StrAttr>:$doc);
  let assemblyFormat = "$name `:` $type attr-dict";
}

def Cuda_EnumOp : Cuda_Op<"enum", [SingleBlock, NoTerminator]> {
  let summary = "typedef enum name { enumerators } name;";
  let arguments = (ins StrAttr:$name, OptionalAttr<StrAttr>:$doc);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name $body attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::StringRef":$doc)>];
  let hasVerifier = 1;
}

def Cuda_EnumeratorOp : Cuda_Op<"enumerator", [HasParent<"EnumOp">]> {
  let summary = "A named integer of an enum";
  let arguments = (ins StrAttr:$name, I32Attr:$value, OptionalAttr<StrAttr>:$doc);
  let assemblyFormat = "$name `=` $value attr-dict";
}

def Cuda_MacroBlockOp : Cuda_Op<"macro_block", [SingleBlock, NoTerminator]> {
  let summary = "head { statements }, where a macro makes a function of it";
  let description = [{
    `cuda.macro_block "TORCH_LIBRARY_IMPL(delta, CUDA, m)" { ... }`. Holds calls whose
    operands are written inside them, and no variables.
  }];
  let arguments = (ins StrAttr:$head);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$head $body attr-dict";
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$head)>];
}

class Cuda_FunctionLike<string mnemonic> : Cuda_Op<mnemonic, [FunctionOpInterface,
    IsolatedFromAbove, SingleBlock, NoTerminator,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code functionInterface = [{
    /// Argument and result types: FunctionOpInterface.
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
  }];
}

def Cuda_KernelOp : Cuda_FunctionLike<"kernel"> {
  let summary = "A __global__ function";
  let description = [{
    `threads` a CTA, at least `min_blocks` of them resident on an SM (launch bounds),
    `shared_bytes` of dynamic shared memory. `includes` names the device headers that
    the body calls; the file that takes the kernel in includes them. `capability` is
    the least compute capability that runs it, times ten.

    `grid` are the extents that the kernel walks over, first index fastest, -1 where
    only the launch knows: the launch has one axis, `gridDim.x` their product, and the
    kernel takes its indices from `blockIdx.x` by division. Hence no extent is limited
    to 65535.

    Parameters of a kernel that stands for a `tile.kernel`, in order: for each memref a
    pointer to its element 0 and then one int64_t a dynamic stride, in elements, in
    the order of the axes (named `x_batch_stride` for axis 0 of `x`, else
    `x_stride_1`, ...), and behind them, or in their place where the kernel reaches the
    array in no other way, its tensor maps; the index values; and, one int64_t each, those extents of
    `grid` that are -1, the last one left out, because no index is divided by it.
    `cuda-plan-launcher` passes them in this order.

    ```mlir
    cuda.kernel @fill(%x: !cuda.pointer<f32> {cuda.name = "x"}) attributes {threads = 128 : i64} {
      ...
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      ConfinedAttr<I64Attr, [IntPositive]>:$threads,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$min_blocks,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>, "0">:$shared_bytes,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "80">:$capability,
      OptionalAttr<DenseI64ArrayAttr>:$grid, OptionalAttr<StrArrayAttr>:$includes,
      OptionalAttr<StrAttr>:$doc, OptionalAttr<StrAttr>:$sym_visibility,
      OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::TypeRange":$argumentTypes,
      "::llvm::ArrayRef<::llvm::StringRef>":$argumentNames, "int64_t":$threads)>];
  let extraClassDeclaration = functionInterface;
}

def Cuda_FunctionOp : Cuda_FunctionLike<"function"> {
  let summary = "A host function, or the declaration of one (no body)";
  let description = [{
    `extern_c`: C linkage. `internal`: static. At most one result.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      UnitAttr:$extern_c, UnitAttr:$internal, OptionalAttr<StrAttr>:$doc,
      OptionalAttr<StrAttr>:$sym_visibility, OptionalAttr<DictArrayAttr>:$arg_attrs,
      OptionalAttr<DictArrayAttr>:$res_attrs);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type,
      "::llvm::ArrayRef<::llvm::StringRef>":$argumentNames, CArg<"bool", "true">:$withBody)>];
  let extraClassDeclaration = functionInterface;
}

#endif // CUDA_FILE_OPS_TD
