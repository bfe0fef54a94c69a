// RUN: delta-opt %s -split-input-file -verify-diagnostics

// The results of a recurrence: keywords in their order, each at most once.

func.func @unknown(%x: tensor<2x8x2x4xbf16>, %b: tensor<2x8x2xf32>) {
  %r:2 = delta.recurrence query(%x : tensor<2x8x2x4xbf16>)
      key(%x : tensor<2x8x2x4xbf16>) value(%x : tensor<2x8x2x4xbf16>)
      beta(%b : tensor<2x8x2xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      // expected-error@+1 {{expected 'state', 'u', 'ubar', 'write_lse', 'read_lse' or 'cache'}}
      -> tensor<2x8x2x4xbf16>, lse(tensor<2x8x2xf32>)
  return
}

// -----

func.func @order(%x: tensor<2x8x2x4xbf16>, %b: tensor<2x8x2xf32>) {
  %r:3 = delta.recurrence query(%x : tensor<2x8x2x4xbf16>)
      key(%x : tensor<2x8x2x4xbf16>) value(%x : tensor<2x8x2x4xbf16>)
      beta(%b : tensor<2x8x2xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x2x4xbf16>, write_lse(tensor<2x8x2xf32>),
         // expected-error@+1 {{expected 'read_lse' or 'cache'}}
         u(tensor<2x8x2x4xbf16>)
  return
}

// -----

func.func @last(%x: tensor<2x8x2x4xbf16>, %b: tensor<2x8x2xf32>) {
  %r:3 = delta.recurrence query(%x : tensor<2x8x2x4xbf16>)
      key(%x : tensor<2x8x2x4xbf16>) value(%x : tensor<2x8x2x4xbf16>)
      beta(%b : tensor<2x8x2xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x2x4xbf16>, read_lse(tensor<2x8x2xf32>),
         // expected-error@+1 {{expected 'cache'}}
         read_lse(tensor<2x8x2xf32>)
  return
}
