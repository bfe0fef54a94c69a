func.func @saved(%q: tensor<?x?x8x64xbf16>, %k: tensor<?x?x8x64xbf16>, %v: tensor<?x?x8x64xbf16>,
                 %beta: tensor<?x?x8xbf16>, %alpha: tensor<?x?x8xbf16>)
    -> (tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>, tensor<?x?x8xf32>, tensor<?x?x8xf32>) {
  %b = delta.sigmoid %beta : tensor<?x?x8xbf16> -> tensor<?x?x8xf32>
  %r:5 = delta.recurrence query(%q : tensor<?x?x8x64xbf16>) key(%k : tensor<?x?x8x64xbf16>)
      value(%v : tensor<?x?x8x64xbf16>) beta(%b : tensor<?x?x8xf32>) alpha(%alpha : tensor<?x?x8xbf16>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x8x64xbf16>, u(tensor<?x?x8x64xbf16>), ubar(tensor<?x?x8x64xbf16>),
         write_lse(tensor<?x?x8xf32>), read_lse(tensor<?x?x8xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4
      : tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>, tensor<?x?x8x64xbf16>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
}
