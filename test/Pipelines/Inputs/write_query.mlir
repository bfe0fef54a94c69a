func.func @own(%q: tensor<?x?x8x64xbf16>, %k: tensor<?x?x8x64xbf16>, %v: tensor<?x?x8x64xbf16>,
               %beta: tensor<?x?x8xbf16>, %w: tensor<?x?x8x64xbf16>) -> tensor<?x?x8x64xbf16> {
  %b = delta.sigmoid %beta : tensor<?x?x8xbf16> -> tensor<?x?x8xf32>
  %o = delta.recurrence query(%q : tensor<?x?x8x64xbf16>) key(%k : tensor<?x?x8x64xbf16>)
      value(%v : tensor<?x?x8x64xbf16>) beta(%b : tensor<?x?x8xf32>) write(%w : tensor<?x?x8x64xbf16>)
      {kernel = #delta.kernel<write = softmax, read = softmax>} -> tensor<?x?x8x64xbf16>
  return %o : tensor<?x?x8x64xbf16>
}
