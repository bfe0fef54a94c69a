//===- deltaformer_decode.mlir - DeltaFormer behind a cache ----*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One more token of each sequence: DeltaFormer (2505.19488), tied, with the
// keys and u of the tokens before it in a cache. `cached` says how many a
// sequence has there. The new token's key and u are written behind them, in
// place; deltaformer_write.mlir shows how a whole prompt returns its u.
//
//===----------------------------------------------------------------------===//

func.func @deltaformer_decode(%q: tensor<?x1x8x64xbf16>,
                              %k: tensor<?x1x8x64xbf16>,
                              %v: tensor<?x1x8x64xbf16>,
                              %beta: tensor<?x1x8xbf16>,
                              %k_cache: tensor<?x?x8x64xbf16>,
                              %u_cache: tensor<?x?x8x64xbf16>,
                              %cached: tensor<?xi64>)
    -> (tensor<?x1x8x64xbf16>, tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>) {
  %b = delta.sigmoid %beta : tensor<?x1x8xbf16> -> tensor<?x1x8xf32>
  %o, %ks, %us = delta.recurrence query(%q : tensor<?x1x8x64xbf16>)
      key(%k : tensor<?x1x8x64xbf16>) value(%v : tensor<?x1x8x64xbf16>)
      beta(%b : tensor<?x1x8xf32>)
      cache(%k_cache, %u_cache : tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>)
      cached(%cached : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x1x8x64xbf16>,
         cache(tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>)
  return %o, %ks, %us : tensor<?x1x8x64xbf16>, tensor<?x?x8x64xbf16>,
                        tensor<?x?x8x64xbf16>
}
