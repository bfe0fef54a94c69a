// RUN: delta-opt %s --delta-verify-recurrent

// What the contract of the recurrent phase allows beyond the examples: the pass
// says nothing.

// Names that swap the defaults of two roles collide with nothing.
func.func @names(%q: tensor<?x?x2x64xbf16> {delta.name = "k"},
                 %k: tensor<?x?x2x64xbf16> {delta.name = "q"},
                 %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>)
    -> (tensor<?x?x2x64xbf16> {delta.name = "y"}) {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>)
      beta(%beta : tensor<?x?x2xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// DeltaFormer may write with its keys, here without their norm, and fold a
// sigmoid into alpha (R4, R5).
func.func @write_with_keys(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                           %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>,
                           %alpha: tensor<?x?x2xbf16>)
    -> tensor<?x?x2x64xbf16> {
  %kn = delta.l2norm %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  %a = delta.sigmoid %alpha : tensor<?x?x2xbf16> -> tensor<?x?x2xbf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%kn : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>)
      beta(%beta : tensor<?x?x2xf32>) write(%k : tensor<?x?x2x64xbf16>)
      alpha(%a : tensor<?x?x2xbf16>)
      {kernel = #delta.kernel<write = round, read = round>}
      -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// Norms that are not rounded, one token at a time, a value size of its own, and
// three steps in a chunk of 32 (ten tokens and two rows of zeros).
func.func @unrounded(%q: tensor<4x1x2x96xf16>, %k: tensor<4x1x3x2x96xf16>,
                     %v: tensor<4x1x3x6x32xf16>, %beta: tensor<4x1x3x6xf16>,
                     %s0: tensor<4x6x96x32xf32>)
    -> (tensor<4x1x6x32xf16>, tensor<4x6x96x32xf32>) {
  %qn = delta.l2norm %q : tensor<4x1x2x96xf16> -> tensor<4x1x2x96xf32>
  %kn = delta.l2norm %k : tensor<4x1x3x2x96xf16> -> tensor<4x1x3x2x96xf32>
  %o, %s = delta.recurrence query(%qn : tensor<4x1x2x96xf32>)
      key(%kn : tensor<4x1x3x2x96xf32>) value(%v : tensor<4x1x3x6x32xf16>)
      beta(%beta : tensor<4x1x3x6xf16>) initial(%s0 : tensor<4x6x96x32xf32>)
      {kernel = #delta.kernel<linear>, steps = 3, chunk = 32}
      -> tensor<4x1x6x32xf16>, state(tensor<4x6x96x32xf32>)
  return %o, %s : tensor<4x1x6x32xf16>, tensor<4x6x96x32xf32>
}
