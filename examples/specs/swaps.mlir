//===- swaps.mlir - items exchanged by DeltaFormer -------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Items that are stored and then exchanged in pairs (2505.19488, theorem 1):
// swap(i < j) has k = w = k_j - k_i, v = 0 and beta = 1. Rounded scores keep
// twice as many items apart as the keys have coordinates; linear ones cannot.
// examples/tasks/make_deltaformer.py swaps writes inputs and answers.
//
//===----------------------------------------------------------------------===//

func.func @swaps(%q: tensor<?x?x1x128xbf16>, %k: tensor<?x?x1x128xbf16>,
                 %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xbf16>,
                 %w: tensor<?x?x1x128xbf16>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>) {
  %o, %u = delta.recurrence query(%q : tensor<?x?x1x128xbf16>)
      key(%k : tensor<?x?x1x128xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xbf16>) write(%w : tensor<?x?x1x128xbf16>)
      {kernel = #delta.kernel<write = round, read = round>, chunk = 64,
       scale = 1.0 : f32}
      -> tensor<?x?x1x64xbf16>, u(tensor<?x?x1x64xbf16>)
  return %o, %u : tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>
}
