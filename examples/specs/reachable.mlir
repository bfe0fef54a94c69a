//===- reachable.mlir - ancestors in a forest ------------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which nodes have node 0 as an ancestor (DeltaFormer, 2505.19488): k_i = e_i,
// w_i = e_parent(i) and beta = -1 give u_i = v_i + u_parent(i). One step of the
// recurrence follows one edge; a chunk's triangular inverse follows whole paths.
// examples/tasks/make_deltaformer.py reachable writes inputs and answers.
//
//===----------------------------------------------------------------------===//

func.func @reachable(%q: tensor<?x?x1x128xbf16>, %k: tensor<?x?x1x128xbf16>,
                     %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xbf16>,
                     %w: tensor<?x?x1x128xbf16>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>) {
  %o, %u = delta.recurrence query(%q : tensor<?x?x1x128xbf16>)
      key(%k : tensor<?x?x1x128xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xbf16>) write(%w : tensor<?x?x1x128xbf16>)
      {kernel = #delta.kernel<write = linear, read = linear>, chunk = 32,
       scale = 1.0 : f32}
      -> tensor<?x?x1x64xbf16>, u(tensor<?x?x1x64xbf16>)
  return %o, %u : tensor<?x?x1x64xbf16>, tensor<?x?x1x64xbf16>
}
