// RUN: delta-opt %s | delta-opt | FileCheck %s
// RUN: delta-opt %s -mlir-print-op-generic | delta-opt | FileCheck %s
// RUN: delta-opt %s -emit-bytecode | delta-opt | FileCheck %s

// Every op, operand, attribute and result of the recurrent phase survives being
// printed and parsed, in its own syntax, in the generic one and as bytecode.

// The example in the description of delta.l2norm; a default is not printed.
// CHECK-LABEL: func.func @l2norm
// CHECK: delta.l2norm %{{[^ ]+}} : tensor<?x?x16x128xbf16> -> tensor<?x?x16x128xbf16>
// CHECK: delta.l2norm %{{[^ ]+}} {eps = 9.99999974E-6 : f32} : tensor<64x128xf32> -> tensor<64x128xf16>
func.func @l2norm(%k: tensor<?x?x16x128xbf16>, %tile: tensor<64x128xf32>) {
  %kn = delta.l2norm %k : tensor<?x?x16x128xbf16> -> tensor<?x?x16x128xbf16>
  %n = delta.l2norm %tile {eps = 1.0e-5 : f32}
      : tensor<64x128xf32> -> tensor<64x128xf16>
  return
}

// The example in the description of delta.sigmoid.
// CHECK-LABEL: func.func @sigmoid
// CHECK: delta.sigmoid %{{[^ ]+}} {range = 2.000000e+00 : f32} : tensor<?x?x16xbf16> -> tensor<?x?x16xf32>
// CHECK: delta.sigmoid %{{[^ ]+}} : tensor<64xf32> -> tensor<64xf32>
func.func @sigmoid(%beta: tensor<?x?x16xbf16>, %tile: tensor<64xf32>) {
  %b = delta.sigmoid %beta {range = 2.0 : f32}
      : tensor<?x?x16xbf16> -> tensor<?x?x16xf32>
  %t = delta.sigmoid %tile : tensor<64xf32> -> tensor<64xf32>
  return
}

// The example in the description of delta.recurrence.
// CHECK-LABEL: func.func @gated
// CHECK: delta.recurrence query(%{{[^ ]+}} : tensor<?x?x2x64xbf16>)
// CHECK-SAME: key(%{{[^ ]+}} : tensor<?x?x2x64xbf16>)
// CHECK-SAME: value(%{{[^ ]+}} : tensor<?x?x4x64xbf16>)
// CHECK-SAME: beta(%{{[^ ]+}} : tensor<?x?x4xf32>)
// CHECK-SAME: decay(%{{[^ ]+}} : tensor<?x?x4xf32>)
// CHECK-SAME: initial(%{{[^ ]+}} : tensor<?x4x64x64xf32>)
// CHECK-SAME: {chunk = 64 : i64, kernel = #delta.kernel<linear>}
// CHECK-SAME: -> tensor<?x?x4x64xbf16>, state(tensor<?x4x64x64xf32>){{$}}
func.func @gated(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                 %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>,
                 %g: tensor<?x?x4xf32>, %s0: tensor<?x4x64x64xf32>)
    -> (tensor<?x?x4x64xbf16>, tensor<?x4x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>) decay(%g : tensor<?x?x4xf32>)
      initial(%s0 : tensor<?x4x64x64xf32>)
      {kernel = #delta.kernel<linear>, chunk = 64}
      -> tensor<?x?x4x64xbf16>, state(tensor<?x4x64x64xf32>)
  return %o, %s : tensor<?x?x4x64xbf16>, tensor<?x4x64x64xf32>
}

// Every attribute at a value that is not its default; a decay per channel.
// CHECK-LABEL: func.func @all_attributes
// CHECK: decay(%{{[^ ]+}} : tensor<1x8x2x16xf32>)
// CHECK-SAME: {chunk = 32 : i64, kernel = #delta.kernel<linear>, plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64>}, scale = 2.500000e-01 : f32,
// CHECK-SAME: state_layout = #delta.state_layout<vk>, steps = 3 : i64}
// CHECK-SAME: -> tensor<1x8x2x64xf16>, state(tensor<1x2x64x16xf32>){{$}}
func.func @all_attributes(%q: tensor<1x8x1x16xf32>, %k: tensor<1x8x3x1x16xf32>,
                          %v: tensor<1x8x3x2x64xf16>, %b: tensor<1x8x3x2xf16>,
                          %g: tensor<1x8x2x16xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<1x8x1x16xf32>)
      key(%k : tensor<1x8x3x1x16xf32>) value(%v : tensor<1x8x3x2x64xf16>)
      beta(%b : tensor<1x8x3x2xf16>) decay(%g : tensor<1x8x2x16xf32>)
      {kernel = #delta.kernel<linear>, steps = 3, chunk = 32,
       scale = 0.25 : f32, state_layout = #delta.state_layout<vk>,
       plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64>}}
      -> tensor<1x8x2x64xf16>, state(tensor<1x2x64x16xf32>)
  return
}

// Packed sequences, their states in a pool.
// CHECK-LABEL: func.func @packed
// CHECK: initial(%{{[^ ]+}} : tensor<9x2x16x16xf32>)
// CHECK-SAME: lengths(%{{[^ ]+}} : tensor<?xi64>)
// CHECK-SAME: pool(%{{[^ ]+}} : tensor<?xi64>)
// CHECK-SAME: -> tensor<1x?x2x16xbf16>, state(tensor<9x2x16x16xf32>){{$}}
func.func @packed(%x: tensor<1x?x2x16xbf16>, %b: tensor<1x?x2xbf16>,
                  %s0: tensor<9x2x16x16xf32>, %l: tensor<?xi64>,
                  %p: tensor<?xi64>) {
  %o, %s = delta.recurrence query(%x : tensor<1x?x2x16xbf16>)
      key(%x : tensor<1x?x2x16xbf16>) value(%x : tensor<1x?x2x16xbf16>)
      beta(%b : tensor<1x?x2xbf16>) initial(%s0 : tensor<9x2x16x16xf32>)
      lengths(%l : tensor<?xi64>) pool(%p : tensor<?xi64>)
      {kernel = #delta.kernel<linear>}
      -> tensor<1x?x2x16xbf16>, state(tensor<9x2x16x16xf32>)
  return
}

// Implicit features; u without a state.
// CHECK-LABEL: func.func @implicit
// CHECK: write(%{{[^ ]+}} : tensor<?x?x2x16xbf16>)
// CHECK-SAME: alpha(%{{[^ ]+}} : tensor<?x?x2xbf16>)
// CHECK-SAME: {kernel = #delta.kernel<write = round, read = softmax>}
// CHECK-SAME: -> tensor<?x?x2x16xbf16>, u(tensor<?x?x2x16xbf16>){{$}}
func.func @implicit(%x: tensor<?x?x2x16xbf16>, %b: tensor<?x?x2xbf16>) {
  %o, %u = delta.recurrence query(%x : tensor<?x?x2x16xbf16>)
      key(%x : tensor<?x?x2x16xbf16>) value(%x : tensor<?x?x2x16xbf16>)
      beta(%b : tensor<?x?x2xbf16>) write(%x : tensor<?x?x2x16xbf16>)
      alpha(%b : tensor<?x?x2xbf16>)
      {kernel = #delta.kernel<write = round, read = softmax>}
      -> tensor<?x?x2x16xbf16>, u(tensor<?x?x2x16xbf16>)
  return
}

// What a backward pass saves, and caches behind it.
// CHECK-LABEL: func.func @saved
// CHECK: -> tensor<?x?x2x16xbf16>, u(tensor<?x?x2x16xbf16>), ubar(tensor<?x?x2x16xbf16>), write_lse(tensor<?x?x2xf32>), read_lse(tensor<?x?x2xf32>){{$}}
// CHECK: -> tensor<?x?x2x16xbf16>, read_lse(tensor<?x?x2xf32>), cache(tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>){{$}}
func.func @saved(%x: tensor<?x?x2x16xbf16>, %b: tensor<?x?x2xbf16>,
                 %n: tensor<?xi64>) {
  %r:5 = delta.recurrence query(%x : tensor<?x?x2x16xbf16>)
      key(%x : tensor<?x?x2x16xbf16>) value(%x : tensor<?x?x2x16xbf16>)
      beta(%b : tensor<?x?x2xbf16>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x2x16xbf16>, u(tensor<?x?x2x16xbf16>),
         ubar(tensor<?x?x2x16xbf16>), write_lse(tensor<?x?x2xf32>),
         read_lse(tensor<?x?x2xf32>)
  %d:4 = delta.recurrence query(%x : tensor<?x?x2x16xbf16>)
      key(%x : tensor<?x?x2x16xbf16>) value(%x : tensor<?x?x2x16xbf16>)
      beta(%b : tensor<?x?x2xbf16>)
      cache(%x, %x : tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>)
      cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = relu, read = softmax>}
      -> tensor<?x?x2x16xbf16>, read_lse(tensor<?x?x2xf32>),
         cache(tensor<?x?x2x16xbf16>, tensor<?x?x2x16xbf16>)
  return
}
