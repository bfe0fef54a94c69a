//===- s4.mlir - S4 word problem -------------------------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The word problem of S4 as rotations of the cube: each of the 24 is a product
// of two reflections, with k = e_i and beta = 2 or k = e_i +- e_j and beta = 1,
// in the first three key coordinates. The state starts as the identity there; q
// = (1, 2, 3) tells every rotation apart. Exact in bf16.
//
//===----------------------------------------------------------------------===//

func.func @s4(%q: tensor<?x?x1x64xbf16>,
              %k: tensor<?x?x2x1x64xbf16>,
              %v: tensor<?x?x2x1x64xbf16>,
              %beta: tensor<?x?x2x1xbf16>,
              %s0: tensor<?x1x64x64xf32>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x2x1x64xbf16>) value(%v : tensor<?x?x2x1x64xbf16>)
      beta(%beta : tensor<?x?x2x1xbf16>) initial(%s0 : tensor<?x1x64x64xf32>)
      {kernel = #delta.kernel<linear>, steps = 2, chunk = 64, scale = 1.0 : f32}
      -> tensor<?x?x1x64xbf16>, state(tensor<?x1x64x64xf32>)
  return %o, %s : tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>
}
