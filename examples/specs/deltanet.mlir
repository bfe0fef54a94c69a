//===- deltanet.mlir - DeltaNet --------------------------------*- mlir -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DeltaNet (2406.06484): no decay, no state in or out.
//
//===----------------------------------------------------------------------===//

func.func @deltanet(%q: tensor<?x?x16x64xbf16>, %k: tensor<?x?x16x64xbf16>,
                    %v: tensor<?x?x16x64xbf16>, %beta: tensor<?x?x16xbf16>)
    -> tensor<?x?x16x64xbf16> {
  %qn = delta.l2norm %q : tensor<?x?x16x64xbf16> -> tensor<?x?x16x64xf32>
  %kn = delta.l2norm %k : tensor<?x?x16x64xbf16> -> tensor<?x?x16x64xf32>
  %b = delta.sigmoid %beta : tensor<?x?x16xbf16> -> tensor<?x?x16xf32>
  %o = delta.recurrence query(%qn : tensor<?x?x16x64xf32>)
      key(%kn : tensor<?x?x16x64xf32>) value(%v : tensor<?x?x16x64xbf16>)
      beta(%b : tensor<?x?x16xf32>)
      {kernel = #delta.kernel<linear>, chunk = 64}
      -> tensor<?x?x16x64xbf16>
  return %o : tensor<?x?x16x64xbf16>
}
