//===- deltaformer.mlir - DeltaFormer, tied --------------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DeltaFormer (2505.19488) with softmax for writing and for reading. Without a
// write query the query writes and reads, and one pass over the keys serves
// both.
//
//===----------------------------------------------------------------------===//

func.func @deltaformer(%q: tensor<?x?x8x64xbf16>, %k: tensor<?x?x8x64xbf16>,
                       %v: tensor<?x?x8x64xbf16>, %beta: tensor<?x?x8xbf16>)
    -> tensor<?x?x8x64xbf16> {
  %b = delta.sigmoid %beta : tensor<?x?x8xbf16> -> tensor<?x?x8xf32>
  %o = delta.recurrence query(%q : tensor<?x?x8x64xbf16>)
      key(%k : tensor<?x?x8x64xbf16>) value(%v : tensor<?x?x8x64xbf16>)
      beta(%b : tensor<?x?x8xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x8x64xbf16>
  return %o : tensor<?x?x8x64xbf16>
}
