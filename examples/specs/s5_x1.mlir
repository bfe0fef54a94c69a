//===- s5_x1.mlir - S5 word problem, swaps ---------------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The word problem of S5 without training (DeltaProduct, 2502.10297): the
// state's first five rows hold the values of five slots. A swap of slots i and
// j is one step with k = e_i - e_j, beta = 1, v = 0, as I - k^T k is the
// transposition; a permutation of five takes at most four, the rest have beta =
// 0. q = e_p reads slot p. With small integers every intermediate is an integer
// that bf16 holds, so the output is exact at any length.
//
//===----------------------------------------------------------------------===//

func.func @s5_x1(%q: tensor<?x?x1x64xbf16>,
                 %k: tensor<?x?x4x1x64xbf16>,
                 %v: tensor<?x?x4x1x64xbf16>,
                 %beta: tensor<?x?x4x1xbf16>,
                 %s0: tensor<?x1x64x64xf32>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x4x1x64xbf16>) value(%v : tensor<?x?x4x1x64xbf16>)
      beta(%beta : tensor<?x?x4x1xbf16>) initial(%s0 : tensor<?x1x64x64xf32>)
      {kernel = #delta.kernel<linear>, steps = 4, chunk = 64, scale = 1.0 : f32}
      -> tensor<?x?x1x64xbf16>, state(tensor<?x1x64x64xf32>)
  return %o, %s : tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>
}
