//===- parity.mlir - parity of a bit sequence ------------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parity of a sequence of bits: k = e_0, beta = 2 * bit, v = 0. A bit of 1
// flips the sign of the state's first row, which q = e_0 reads. Needs beta up
// to 2.
//
//===----------------------------------------------------------------------===//

func.func @parity(%q: tensor<?x?x1x64xbf16>,
                  %k: tensor<?x?x1x64xbf16>,
                  %v: tensor<?x?x1x64xbf16>,
                  %beta: tensor<?x?x1xbf16>,
                  %s0: tensor<?x1x64x64xf32>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xbf16>) initial(%s0 : tensor<?x1x64x64xf32>)
      {kernel = #delta.kernel<linear>, chunk = 64, scale = 1.0 : f32}
      -> tensor<?x?x1x64xbf16>, state(tensor<?x1x64x64xf32>)
  return %o, %s : tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>
}
