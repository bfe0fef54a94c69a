// Two new tokens behind a cache, K = V = 128, with a query of its own that writes: close to as
// many registers as a warp has.
func.func @decode_write_query(%q: tensor<?x2x4x128xbf16>, %k: tensor<?x2x4x128xbf16>, %v: tensor<?x2x4x128xbf16>, %beta: tensor<?x2x4xf32>, %w: tensor<?x2x4x128xbf16>, %k_cache: tensor<?x?x4x128xbf16>, %u_cache: tensor<?x?x4x128xbf16>, %cached: tensor<?xi64>)
    -> (tensor<?x2x4x128xbf16>, tensor<?x?x4x128xbf16>, tensor<?x?x4x128xbf16>) {
  %o, %k_new, %u_new = delta.recurrence
      query(%q : tensor<?x2x4x128xbf16>)
      key(%k : tensor<?x2x4x128xbf16>)
      value(%v : tensor<?x2x4x128xbf16>)
      beta(%beta : tensor<?x2x4xf32>)
      write(%w : tensor<?x2x4x128xbf16>)
      cache(%k_cache, %u_cache : tensor<?x?x4x128xbf16>, tensor<?x?x4x128xbf16>)
      cached(%cached : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x2x4x128xbf16>, cache(tensor<?x?x4x128xbf16>, tensor<?x?x4x128xbf16>)
  return %o, %k_new, %u_new : tensor<?x2x4x128xbf16>, tensor<?x?x4x128xbf16>, tensor<?x?x4x128xbf16>
}
