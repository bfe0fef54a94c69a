//===- deltaformer_write.mlir - DeltaFormer, general -----------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DeltaFormer (2505.19488, eqs. 8 and 9) with a write query of its own, rounded
// scores for writing, and a factor alpha on the values. It also returns u,
// which a later call needs as its cache in place of the values.
//
//===----------------------------------------------------------------------===//

func.func @deltaformer_write(%q: tensor<?x?x8x64xbf16>,
                             %k: tensor<?x?x8x64xbf16>,
                             %v: tensor<?x?x8x64xbf16>,
                             %beta: tensor<?x?x8xbf16>,
                             %w: tensor<?x?x8x64xbf16>,
                             %alpha: tensor<?x?x8xbf16>)
    -> (tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>) {
  %b = delta.sigmoid %beta : tensor<?x?x8xbf16> -> tensor<?x?x8xf32>
  %o, %u = delta.recurrence query(%q : tensor<?x?x8x64xbf16>)
      key(%k : tensor<?x?x8x64xbf16>) value(%v : tensor<?x?x8x64xbf16>)
      beta(%b : tensor<?x?x8xf32>) write(%w : tensor<?x?x8x64xbf16>)
      alpha(%alpha : tensor<?x?x8xbf16>)
      {kernel = #delta.kernel<write = round, read = softmax>, chunk = 64}
      -> tensor<?x?x8x64xbf16>, u(tensor<?x?x8x64xbf16>)
  return %o, %u : tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>
}
