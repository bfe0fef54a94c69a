// DeltaNet with one head of 64: the spec of tests that are about files and sizes.
func.func @deltanet(%q: tensor<?x?x1x64xbf16>, %k: tensor<?x?x1x64xbf16>,
                    %v: tensor<?x?x1x64xbf16>, %beta: tensor<?x?x1xf32>)
    -> (tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x1x64xbf16>)
      key(%k : tensor<?x?x1x64xbf16>) value(%v : tensor<?x?x1x64xbf16>)
      beta(%beta : tensor<?x?x1xf32>) {kernel = #delta.kernel<linear>, chunk = 64}
      -> tensor<?x?x1x64xbf16>, state(tensor<?x1x64x64xf32>)
  return %o, %s : tensor<?x?x1x64xbf16>, tensor<?x1x64x64xf32>
}
