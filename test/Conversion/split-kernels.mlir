// The cut: what depends on the state stays in the chain, the rest becomes a loop
// over chunks, and what crosses is kept in its cheapest form.
// RUN: delta-opt %s --delta-chunk --delta-split-kernels | FileCheck %s

// Two value heads share a key head. Normalised keys and queries are 16-bit and one
// for the group: their workspace has one head. T and P are operands of rounding
// products, so they are stored rounded; the decay's prefix is not.
// CHECK-LABEL: func.func @gdn
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "K"} : memref<?x?x1x64x128xbf16>
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "Q"} : memref<?x?x1x64x128xbf16>
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "G"} : memref<?x?x2x64xf32>
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "T"} : memref<?x?x2x64x64xbf16>
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "P"} : memref<?x?x2x64x64xbf16>
// CHECK-NOT: memref.alloc
// The prepare loop has no state. What crosses is stored where it is made.
// CHECK: scf.forall ({{.*}}, {{.*}}, {{.*}}) in ({{.*}}, {{.*}}, 2)
// CHECK-NOT: scf.for
// CHECK: delta.l2norm
// CHECK: delta.store
// CHECK: delta.l2norm
// CHECK: delta.store
// CHECK: delta.gate_prefix
// CHECK-NEXT: arith.constant
// CHECK: delta.store
// CHECK: %[[P:.*]] = delta.decay {{.*}} part<lower>
// CHECK: delta.store %[[P]]
// CHECK: delta.tri_inverse
// CHECK-NEXT: %[[T:.*]] = delta.scale
// CHECK: delta.store %[[T]]
// CHECK-NOT: delta.store
// The chain reads what crossed, and only the values of the caller's arrays.
// CHECK: scf.forall ({{.*}}, {{.*}}) in ({{.*}}, 2)
// CHECK: scf.for
// CHECK-NOT: delta.l2norm
// CHECK-NOT: delta.gram
// CHECK-NOT: delta.tri_inverse
// CHECK-COUNT-6: delta.load
// CHECK-NOT: delta.load
// CHECK: delta.update
func.func @gdn(%q: tensor<?x?x1x128xbf16>, %k: tensor<?x?x1x128xbf16>, %v: tensor<?x?x2x128xbf16>, %beta: tensor<?x?x2xbf16>, %g: tensor<?x?x2xf32>) -> tensor<?x?x2x128xbf16> {
  %qn = delta.l2norm %q : tensor<?x?x1x128xbf16> -> tensor<?x?x1x128xbf16>
  %kn = delta.l2norm %k : tensor<?x?x1x128xbf16> -> tensor<?x?x1x128xbf16>
  %b = delta.sigmoid %beta : tensor<?x?x2xbf16> -> tensor<?x?x2xf32>
  %o = delta.recurrence query(%qn : tensor<?x?x1x128xbf16>) key(%kn : tensor<?x?x1x128xbf16>)
         value(%v : tensor<?x?x2x128xbf16>) beta(%b : tensor<?x?x2xf32>) decay(%g : tensor<?x?x2xf32>)
         {kernel = #delta.kernel<linear>, chunk = 64} -> tensor<?x?x2x128xbf16>
  return %o : tensor<?x?x2x128xbf16>
}

// Rows of the caller's arrays are read again rather than stored: without a norm,
// keys and queries do not cross.
// CHECK-LABEL: func.func @plain
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "T"}
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "P"}
// CHECK-NOT: memref.alloc
// CHECK: scf.forall
func.func @plain(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// Rows of the caller's f32 arrays cross rounded, where every product of the chain rounds them.
// CHECK-LABEL: func.func @f32
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "K"} : memref<?x?x2x64x64xbf16>
// CHECK-DAG: memref.alloc({{.*}}) {delta.name = "Q"} : memref<?x?x2x64x64xbf16>
// CHECK: scf.forall
func.func @f32(%q: tensor<?x?x2x64xf32>, %k: tensor<?x?x2x64xf32>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xf32>) key(%k : tensor<?x?x2x64xf32>)
         value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// What costs less to make again than to read is made in both loops: index arithmetic,
// constants, an element of a vector and its repetition, and the extension of 16-bit rows.
// So a vector of four, rows in bf16 and T cross. T is taken as rounded and rest, so that
// it is not stored rounded.
// CHECK-LABEL: func.func @again
// CHECK-DAG: memref.alloc({{.*}}) : memref<?x?x2x4xf32>
// CHECK-DAG: memref.alloc({{.*}}) : memref<?x?x2x64x64xbf16>
// CHECK-DAG: memref.alloc({{.*}}) : memref<?x?x2x64x64xf32>
// CHECK-NOT: memref.alloc
// CHECK: scf.forall
// CHECK: math.exp
// CHECK: scf.for
// CHECK-NOT: math.exp
// CHECK-DAG: arith.muli
// CHECK-DAG: arith.constant dense<5.000000e-01>
// CHECK-DAG: tensor.extract
// CHECK-DAG: tensor.splat {{.*}} : tensor<64x64xf32>
// CHECK: delta.update
func.func @again(%k: memref<?x?x2x64xbf16>, %g: memref<?x?x2xf32>, %o: memref<?x2x64x64xf32>, %B: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  scf.forall (%b, %h) in (%B, 2) {
    %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> (tensor<64x64xf32>) {
      %first = arith.muli %c, %c64 : index
      %K = delta.load %k[%b, %first, %h, %c0] rows(%c64) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
      %G = delta.load %g[%b, %first, %h] rows(%c64) dims [1] : memref<?x?x2xf32> -> tensor<4xf32>
      %E = math.exp %G : tensor<4xf32>
      %e = tensor.extract %E[%c0] : tensor<4xf32>
      %all = tensor.splat %e : tensor<64x64xf32>
      %half = arith.constant dense<0.5> : tensor<64x64xf32>
      %N = delta.l2norm %K : tensor<64x64xf32> -> tensor<64x64xbf16>
      %V = arith.extf %N : tensor<64x64xbf16> to tensor<64x64xf32>
      %KK = delta.gram %K, %K part<strict_lower> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %T = delta.tri_inverse %KK : tensor<64x64xf32>
      %KS = delta.read %K, %S {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %R = arith.subf %V, %KS : tensor<64x64xf32>
      %U = delta.apply %T, %R part<lower> {prec = #delta.prec<bf16>, split_matrix} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
      %S0 = arith.mulf %S, %all : tensor<64x64xf32>
      %S1 = arith.mulf %S0, %half : tensor<64x64xf32>
      %next = delta.update %S1, %K, %U {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
      scf.yield %next : tensor<64x64xf32>
    }
    delta.store %last, %o[%b, %h, %c0, %c0] dims [2, 3] : tensor<64x64xf32>, memref<?x2x64x64xf32>
  } {delta.nest = #delta.nest<kind = scan, name = "chain", axes = ["batch", "head"], carries = state>}
  return
}
