//===- memory.mlir - registers, the last write wins ------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 64 registers: k = e_r with beta = 1 replaces the content of register r by v,
// beta = 0 writes nothing, q = e_r reads. Exact in bf16 for integers up to 128.
//
//===----------------------------------------------------------------------===//

func.func @memory(%q: tensor<?x?x1x64xbf16>,
                  %k: tensor<?x?x1x64xbf16>,
                  %v: tensor<?x?x1x64xbf16>,
                  %beta: tensor<?x?x1xbf16>,
                  %s0: tensor<?x1x64x64xf32>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xbf16>) initial(%s0 : tensor<?x1x64x64xf32>)
      {kernel = #delta.kernel<linear>, chunk = 64, scale = 1.0 : f32}
      -> tensor<?x?x1x64xbf16>, state(tensor<?x1x64x64xf32>)
  return %o, %s : tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>
}
