//===- s5_x2.mlir - S5 word problem, unit keys -----------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same word problem through keys of norm 1, as a model has them. Two rows
// of the state hold each slot; a swap has the raw key e_2i + e_2i+1 - e_2j -
// e_2j+1, whose norm is 2, and beta = 2: a reflection. Its normalised entries
// are +-1/2 once rounded to bf16, which is why the rounding of l2norm's result
// is part of the meaning, and the output is exact.
//
//===----------------------------------------------------------------------===//

func.func @s5_x2(%q: tensor<?x?x1x64xbf16>,
                 %k: tensor<?x?x4x1x64xbf16>,
                 %v: tensor<?x?x4x1x64xbf16>,
                 %beta: tensor<?x?x4x1xbf16>,
                 %s0: tensor<?x1x64x64xf32>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>) {
  %qn = delta.l2norm %q : tensor<?x?x1x64xbf16> -> tensor<?x?x1x64xbf16>
  %kn = delta.l2norm %k : tensor<?x?x4x1x64xbf16> -> tensor<?x?x4x1x64xbf16>
  %o, %s = delta.recurrence query(%qn : tensor<?x?x1x64xbf16>)
      key(%kn : tensor<?x?x4x1x64xbf16>) value(%v : tensor<?x?x4x1x64xbf16>)
      beta(%beta : tensor<?x?x4x1xbf16>) initial(%s0 : tensor<?x1x64x64xf32>)
      {kernel = #delta.kernel<linear>, steps = 4, chunk = 64, scale = 1.0 : f32}
      -> tensor<?x?x1x64xbf16>, state(tensor<?x1x64x64xf32>)
  return %o, %s : tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>
}
