//===- gated_deltanet.mlir - Gated DeltaNet --------------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gated DeltaNet (2412.06464) in the shape of Qwen3-Next's linear layers: 16
// key heads, 32 value heads, head size 128, a log decay per value head and
// token. The same spec serves prefill and, with T = 1, decoding from a state.
//
//===----------------------------------------------------------------------===//

func.func @gated_deltanet(%q: tensor<?x?x16x128xbf16>,
                          %k: tensor<?x?x16x128xbf16>,
                          %v: tensor<?x?x32x128xbf16>,
                          %beta: tensor<?x?x32xbf16>,
                          %g: tensor<?x?x32xf32>,
                          %s0: tensor<?x32x128x128xf32>)
    -> (tensor<?x?x32x128xbf16>, tensor<?x32x128x128xf32>) {
  %qn = delta.l2norm %q : tensor<?x?x16x128xbf16> -> tensor<?x?x16x128xf32>
  %kn = delta.l2norm %k : tensor<?x?x16x128xbf16> -> tensor<?x?x16x128xf32>
  %b = delta.sigmoid %beta : tensor<?x?x32xbf16> -> tensor<?x?x32xf32>
  %o, %s = delta.recurrence query(%qn : tensor<?x?x16x128xf32>)
      key(%kn : tensor<?x?x16x128xf32>) value(%v : tensor<?x?x32x128xbf16>)
      beta(%b : tensor<?x?x32xf32>) decay(%g : tensor<?x?x32xf32>)
      initial(%s0 : tensor<?x32x128x128xf32>)
      {kernel = #delta.kernel<linear>, chunk = 64}
      -> tensor<?x?x32x128xbf16>, state(tensor<?x32x128x128xf32>)
  return %o, %s : tensor<?x?x32x128xbf16>, tensor<?x32x128x128xf32>
}
