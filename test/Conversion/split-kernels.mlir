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
