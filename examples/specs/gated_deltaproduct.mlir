//===- gated_deltaproduct.mlir - Gated DeltaProduct ------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gated DeltaProduct (2502.10297): two Householder steps a token, beta up to 2
// so that a step may reflect, one decay a token. The step axis is the third:
// memory of [B, T, n, H, K] is that of [B, T * n, H, K].
//
//===----------------------------------------------------------------------===//

func.func @gated_deltaproduct(%q: tensor<?x?x16x128xbf16>,
                              %k: tensor<?x?x2x16x128xbf16>,
                              %v: tensor<?x?x2x16x128xbf16>,
                              %beta: tensor<?x?x2x16xbf16>,
                              %g: tensor<?x?x16xf32>,
                              %s0: tensor<?x16x128x128xf32>)
    -> (tensor<?x?x16x128xbf16>, tensor<?x16x128x128xf32>) {
  %qn = delta.l2norm %q : tensor<?x?x16x128xbf16> -> tensor<?x?x16x128xf32>
  %kn = delta.l2norm %k : tensor<?x?x2x16x128xbf16> -> tensor<?x?x2x16x128xf32>
  %b = delta.sigmoid %beta {range = 2.0 : f32}
      : tensor<?x?x2x16xbf16> -> tensor<?x?x2x16xf32>
  %o, %s = delta.recurrence query(%qn : tensor<?x?x16x128xf32>)
      key(%kn : tensor<?x?x2x16x128xf32>) value(%v : tensor<?x?x2x16x128xbf16>)
      beta(%b : tensor<?x?x2x16xf32>) decay(%g : tensor<?x?x16xf32>)
      initial(%s0 : tensor<?x16x128x128xf32>)
      {kernel = #delta.kernel<linear>, steps = 2, chunk = 64}
      -> tensor<?x?x16x128xbf16>, state(tensor<?x16x128x128xf32>)
  return %o, %s : tensor<?x?x16x128xbf16>, tensor<?x16x128x128xf32>
}
