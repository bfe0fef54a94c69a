//===- deltaformer_training.mlir - DeltaFormer, training -------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DeltaFormer (2505.19488), tied, with what a backward pass saves instead of
// computing it again: u; ubar, what the query reads of earlier tokens, with
// which the gradient of beta is a product of rows; and the logarithm of each
// row's sum, from which it has the weights exp(s_ti - lse_t), and the share
// 1 / (1 + exp(s_tt - lse_t)) of earlier tokens in the output.
//
//===----------------------------------------------------------------------===//

func.func @deltaformer_training(%q: tensor<?x?x8x64xbf16>,
                                %k: tensor<?x?x8x64xbf16>,
                                %v: tensor<?x?x8x64xbf16>,
                                %beta: tensor<?x?x8xbf16>)
    -> (tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>,
        tensor<?x?x8xf32>) {
  %b = delta.sigmoid %beta : tensor<?x?x8xbf16> -> tensor<?x?x8xf32>
  %o, %u, %ubar, %lse = delta.recurrence query(%q : tensor<?x?x8x64xbf16>)
      key(%k : tensor<?x?x8x64xbf16>) value(%v : tensor<?x?x8x64xbf16>)
      beta(%b : tensor<?x?x8xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x8x64xbf16>, u(tensor<?x?x8x64xbf16>),
         ubar(tensor<?x?x8x64xbf16>), write_lse(tensor<?x?x8xf32>)
  return %o, %u, %ubar, %lse
      : tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>,
        tensor<?x?x8xf32>
}
