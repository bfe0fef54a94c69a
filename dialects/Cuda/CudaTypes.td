//===- CudaTypes.td - types of the emitted text ----------- -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builtin types stand for scalars: index and i64 are int64_t, i32 int32_t, ui32
// uint32_t, ui64 uint64_t, i1 bool, f32 float, f64 double, bf16 and f16 the device
// library's bf16 and half_t.
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_TYPES_TD
#define CUDA_TYPES_TD

include "Cuda/CudaDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Cuda_Type<string name, string typeMnemonic> : TypeDef<Cuda_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Cuda_OpaqueType : Cuda_Type<"Opaque", "opaque"> {
  let summary = "A type by its spelling";
  let description = [{ `!cuda.opaque<"Fragment<float, 64, 128, 4>">` }];
  let parameters = (ins StringRefParameter<>:$spelling);
  let assemblyFormat = "`<` $spelling `>`";
  let genVerifyDecl = 1;
}

def Cuda_PointerType : Cuda_Type<"Pointer", "pointer"> {
  let summary = "A pointer, to const or not";
  let description = [{
    `!cuda.pointer<bf16, const>` is `const bf16 *`, `!cuda.pointer<f32>` is `float *`.
  }];
  let parameters = (ins "::mlir::Type":$pointee, "bool":$isConst);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee,
      CArg<"bool", "false">:$isConst), [{
    return $_get(pointee.getContext(), pointee, isConst);
  }]>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
}

def Cuda_ArrayType : Cuda_Type<"Array", "array"> {
  let summary = "An array of fixed size; fields of structs only";
  let description = [{ `!cuda.array<4 x index>` named x is `int64_t x[4]`. }];
  let parameters = (ins "int64_t":$size, "::mlir::Type":$element);
  let assemblyFormat = "`<` $size `x` $element `>`";
  let genVerifyDecl = 1;
}

def Cuda_VariableType : Cuda_Type<"Variable", "variable"> {
  let summary = "A variable that is assigned to: what `cuda.declare` makes";
  let description = [{
    Not the value: `cuda.read` gives that, at the place where it stands. Hence the
    order of reads and assignments is in the IR.
  }];
  let parameters = (ins "::mlir::Type":$value);
  let assemblyFormat = "`<` $value `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$value), [{
    return $_get(value.getContext(), value);
  }]>];
}

#endif // CUDA_TYPES_TD
