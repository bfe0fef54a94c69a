//===- CudaAttrs.td - attributes of parameters ------------ -*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef CUDA_ATTRS_TD
#define CUDA_ATTRS_TD

include "Cuda/CudaDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Cuda_TensorMapAttr : AttrDef<Cuda_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "How the launcher encodes a kernel's CUtensorMap";
  let description = [{
    `#cuda.tensor_map<input = 3, box = [64, 1, 64, 1]>`: the map covers input 3 of the
    `tile.launch`, all its axes, innermost first as CUDA counts them (at most 5, of
    2^32 elements and strides of 2^40 bytes at most; the launcher refuses more). A copy
    moves `box` elements (at most 256 along an axis; along the innermost one at most
    128 bytes, and a multiple of 16), in shared memory in rows of as many bytes,
    permuted as the swizzle of that size does: 32, 64 or 128 bytes. Elements outside of
    the array are read as 0 and not written.
  }];
  let parameters = (ins "unsigned":$input, ArrayRefParameter<"int64_t">:$box);
  let assemblyFormat = "`<` `input` `=` $input `,` `box` `=` `[` $box `]` `>`";
  let genVerifyDecl = 1;
}

#endif // CUDA_ATTRS_TD
