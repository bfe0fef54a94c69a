// RUN: delta-opt %s -delta-verify-recurrent -delta-chunk -delta-verify-chunked -split-input-file | FileCheck %s

// DeltaNet: no decay, no prologue, no states. The inverse carries no bound, since
// nothing bounds the keys.

// CHECK-LABEL: func @deltanet(
// CHECK-SAME:    %[[Q:.*]]: memref<?x?x2x64xbf16> {delta.name = "q"},
// CHECK-SAME:    %[[K:.*]]: memref<?x?x2x64xbf16> {delta.name = "k"},
// CHECK-SAME:    %[[V:.*]]: memref<?x?x2x64xbf16> {delta.name = "v"},
// CHECK-SAME:    %[[BETA:.*]]: memref<?x?x2xbf16> {delta.name = "beta"},
// CHECK-SAME:    %[[OUT:.*]]: memref<?x?x2x64xbf16> {delta.name = "o", delta.result}) attributes {delta.notation = {{.*}}} {
// CHECK:       %[[T:.*]] = memref.dim %[[Q]]
// CHECK:       %[[CHUNKS:.*]] = arith.ceildivui %[[T]]
// CHECK:       %[[B:.*]] = memref.dim %[[Q]]
// CHECK:       scf.forall (%[[b:.*]], %[[h:.*]]) in (%[[B]], 2) {
// CHECK:         %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
// CHECK:         scf.for %[[c:.*]] = %{{.*}} to %[[CHUNKS]] step %{{.*}} iter_args(%[[S:.*]] = %[[ZERO]])
// CHECK:           %[[FIRST:.*]] = arith.muli %[[c]]
// CHECK:           %[[LEFT:.*]] = arith.subi %[[T]], %[[FIRST]]
// CHECK:           %[[N:.*]] = arith.minui %[[LEFT]]
// CHECK:           %[[KT:.*]] = delta.load %[[K]][%[[b]], %[[FIRST]], %[[h]], %{{.*}}] rows(%[[N]]) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<32x64xf32>
// CHECK:           %[[QT:.*]] = delta.load %[[Q]][%[[b]], %[[FIRST]], %[[h]], %{{.*}}] rows(%[[N]])
// CHECK:           %[[VT:.*]] = delta.load %[[V]][%[[b]], %[[FIRST]], %[[h]], %{{.*}}] rows(%[[N]])
// CHECK:           %[[BT:.*]] = delta.load %[[BETA]][%[[b]], %[[FIRST]], %[[h]]] rows(%[[N]]) dims [1]
// CHECK:           %[[P:.*]] = delta.gram %[[QT]], %[[KT]] part<lower> {prec = #delta.prec<bf16>, scale = 1.250000e-01 : f32}
// CHECK:           %[[KK:.*]] = delta.gram %[[KT]], %[[KT]] part<strict_lower> {prec = #delta.prec<bf16>}
// CHECK:           %[[A:.*]] = delta.scale %[[KK]], %[[BT]] {axis = 0 : i64}
// CHECK:           %[[M:.*]] = delta.tri_inverse %[[A]] : tensor<32x32xf32>
// CHECK:           %[[D:.*]] = delta.scale %[[M]], %[[BT]] {axis = 1 : i64}
// CHECK:           %[[KS:.*]] = delta.read %[[KT]], %[[S]] {prec = #delta.prec<bf16>}
// CHECK:           %[[R:.*]] = arith.subf %[[VT]], %[[KS]]
// CHECK:           %[[U:.*]] = delta.apply %[[D]], %[[R]] part<lower> {prec = #delta.prec<bf16>}
// CHECK:           %[[QS:.*]] = delta.read %[[QT]], %[[S]] {prec = #delta.prec<bf16>, scale = 1.250000e-01 : f32}
// CHECK:           %[[O:.*]] = delta.apply %[[P]], %[[U]] acc(%[[QS]] : tensor<32x64xf32>) part<lower>
// CHECK:           delta.store %[[O]], %[[OUT]][%[[b]], %[[FIRST]], %[[h]], %{{.*}}] rows(%[[N]]) dims [1, 3]
// CHECK:           %[[S1:.*]] = delta.update %[[S]], %[[KT]], %[[U]] {prec = #delta.prec<bf16>}
// CHECK:           scf.yield %[[S1]]
// CHECK:         }
// CHECK-NOT:     delta.store
// CHECK:       return
func.func @deltanet(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x2x64xbf16>, %beta: tensor<?x?x2xbf16>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xbf16>)
    {kernel = #delta.kernel<linear>, chunk = 32} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Gated DeltaNet: the decay, of which less than -87 is 0, goes into A and P, in front of the inverse. Keys and beta
// are bounded; the bound of the inverse allows for the rounding of the normalised keys
// to bf16. Two value heads
// share a key head; prologues stand behind the loads; the chunk is chosen; names
// given by the user stay; the plans move to the function.

// CHECK-LABEL: func @gated(
// CHECK-SAME:    memref<?x?x2x128xbf16> {delta.name = "query"}
// CHECK-SAME:    memref<?x4x128x128xf32> {delta.name = "s0"}
// CHECK-SAME:    %[[OUT:.*]]: memref<?x?x4x128xbf16> {delta.name = "o", delta.result}
// CHECK-SAME:    %[[LAST:.*]]: memref<?x4x128x128xf32> {delta.name = "final", delta.result})
// CHECK-SAME:    attributes {delta.notation = {{.*}}, delta.plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64>}}
// CHECK:       scf.forall (%[[b:.*]], %[[h:.*]]) in (%{{.*}}, 4) {
// CHECK:         %[[S0:.*]] = delta.load %{{.*}}[%[[b]], %[[h]], %{{.*}}, %{{.*}}] dims [2, 3] : memref<?x4x128x128xf32> -> tensor<128x128xf32>
// CHECK:         %[[SN:.*]] = scf.for {{.*}} iter_args(%[[S:.*]] = %[[S0]])
// CHECK:           %[[HK:.*]] = arith.divui %[[h]], %{{.*}}
// CHECK:           %[[K0:.*]] = delta.load %{{.*}}[%[[b]], %{{.*}}, %[[HK]], %{{.*}}] rows
// CHECK:           %[[K1:.*]] = delta.l2norm %[[K0]] : tensor<64x128xf32> -> tensor<64x128xbf16>
// CHECK:           %[[K:.*]] = arith.extf %[[K1]]
// CHECK:           %[[Q0:.*]] = delta.load %{{.*}}[%[[b]], %{{.*}}, %[[HK]], %{{.*}}] rows
// CHECK:           delta.l2norm %[[Q0]] {eps = 9.99999974E-6 : f32} : tensor<64x128xf32> -> tensor<64x128xbf16>
// CHECK:           %[[B0:.*]] = delta.load {{.*}} : memref<?x?x4xbf16> -> tensor<64xf32>
// CHECK:           %[[B:.*]] = delta.sigmoid %[[B0]] : tensor<64xf32> -> tensor<64xf32>
// CHECK:           %[[G0:.*]] = delta.load {{.*}} : memref<?x?x4xf32> -> tensor<64xf32>
// CHECK:           %[[BOUND:.*]] = arith.constant dense<-8.700000e+01> : tensor<64xf32>
// CHECK:           %[[LEAST:.*]] = arith.maximumf %[[G0]], %[[BOUND]]
// CHECK:           %[[G:.*]] = delta.gate_prefix %[[LEAST]]
// CHECK:           %[[QK:.*]] = delta.gram {{.*}} part<lower>
// CHECK:           %[[P:.*]] = delta.decay %[[QK]], %[[G]], %[[G]] part<lower>
// CHECK:           %[[A0:.*]] = delta.scale %{{.*}}, %[[B]] {axis = 0 : i64}
// CHECK:           %[[A:.*]] = delta.decay %[[A0]], %[[G]], %[[G]] part<strict_lower>
// CHECK:           %[[M:.*]] = delta.tri_inverse %[[A]] {entry_bound = 1.00782776 : f32}
// CHECK:           %[[D:.*]] = delta.scale %[[M]], %[[B]] {axis = 1 : i64}
// CHECK:           delta.read %[[K]], %[[S]] decay(%[[G]] : tensor<64xf32>)
// CHECK:           %[[U:.*]] = delta.apply %[[D]],
// CHECK:           delta.apply %[[P]], %[[U]]
// CHECK:           delta.update %[[S]], %[[K]], %[[U]] decay(%[[G]] : tensor<64xf32>)
// CHECK:         delta.store %[[SN]], %[[LAST]][%[[b]], %[[h]], %{{.*}}, %{{.*}}] dims [2, 3]
func.func @gated(%q: tensor<?x?x2x128xbf16> {delta.name = "query"}, %k: tensor<?x?x2x128xbf16>, %v: tensor<?x?x4x128xbf16>, %beta: tensor<?x?x4xbf16>, %g: tensor<?x?x4xf32>, %s0: tensor<?x4x128x128xf32>) -> (tensor<?x?x4x128xbf16>, tensor<?x4x128x128xf32> {delta.name = "final"}) {
  %qn = delta.l2norm %q {eps = 1.0e-5 : f32} : tensor<?x?x2x128xbf16> -> tensor<?x?x2x128xbf16>
  %kn = delta.l2norm %k : tensor<?x?x2x128xbf16> -> tensor<?x?x2x128xbf16>
  %bs = delta.sigmoid %beta : tensor<?x?x4xbf16> -> tensor<?x?x4xf32>
  %o, %s = delta.recurrence query(%qn : tensor<?x?x2x128xbf16>) key(%kn : tensor<?x?x2x128xbf16>) value(%v : tensor<?x?x4x128xbf16>) beta(%bs : tensor<?x?x4xf32>) decay(%g : tensor<?x?x4xf32>) initial(%s0 : tensor<?x4x128x128xf32>)
    {kernel = #delta.kernel<linear>, plans = {chain = #plan.kernel<products = mma_sync, copies = cp_async, stages = 2, columns = 64>}} -> tensor<?x?x4x128xbf16>, state(tensor<?x4x128x128xf32>)
  return %o, %s : tensor<?x?x4x128xbf16>, tensor<?x4x128x128xf32>
}

// -----

// Nothing bounds beta here, so the inverse carries no bound.

// CHECK-LABEL: func @unbounded
// CHECK:       %[[A:.*]] = delta.decay %{{.*}}, %[[G:.*]], %[[G]] part<strict_lower>
// CHECK-NEXT:  %[[M:.*]] = delta.tri_inverse %[[A]] : tensor<64x64xf32>
// CHECK-NEXT:  %[[D:.*]] = delta.scale %[[M]], %{{.*}} {axis = 1 : i64}
// CHECK:       delta.apply %[[D]],
func.func @unbounded(%q: tensor<?x?x2x64xf16>, %k: tensor<?x?x2x64xf16>, %v: tensor<?x?x2x64xf16>, %beta: tensor<?x?x2xf32>, %g: tensor<?x?x2xf32>) -> tensor<?x?x2x64xf16> {
  %kn = delta.l2norm %k : tensor<?x?x2x64xf16> -> tensor<?x?x2x64xf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xf16>) key(%kn : tensor<?x?x2x64xf16>) value(%v : tensor<?x?x2x64xf16>) beta(%beta : tensor<?x?x2xf32>) decay(%g : tensor<?x?x2xf32>)
    {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xf16>
  return %o : tensor<?x?x2x64xf16>
}

// -----

// Three Householder steps a token: 21 tokens in 63 of 64 rows, token tiles of 32
// rows, and the decay once on rows and once on tokens. Reflections with rounded
// keys may grow: the bound says by how much.

// CHECK-LABEL: func @product
// CHECK-DAG:   %[[K:.*]] = memref.collapse_shape %arg1 {{\[\[}}0], [1, 2], [3], [4]] : memref<?x?x3x2x64xbf16> into memref<?x?x2x64xbf16>
// CHECK-DAG:   %[[BETA:.*]] = memref.collapse_shape %arg3 {{\[\[}}0], [1, 2], [3]] : memref<?x?x3x2xf32> into memref<?x?x2xf32>
// CHECK:       %[[TOK:.*]] = arith.constant 21 : index
// CHECK:       arith.ceildivui %{{.*}}, %[[TOK]]
// CHECK:       %[[FIRST:.*]] = arith.muli
// CHECK:       %[[N:.*]] = arith.minui
// CHECK:       %[[ROW:.*]] = arith.muli %[[FIRST]], %{{.*}}
// CHECK:       %[[ROWS:.*]] = arith.muli %[[N]], %{{.*}}
// CHECK:       delta.load %[[K]][%{{.*}}, %[[ROW]], %{{.*}}] rows(%[[ROWS]]) {{.*}} -> tensor<64x64xf32>
// CHECK:       delta.load %arg0[%{{.*}}, %[[FIRST]], %{{.*}}] rows(%[[N]]) {{.*}} -> tensor<32x64xf32>
// CHECK:       delta.load %[[BETA]][%{{.*}}, %[[ROW]], %{{.*}}] rows(%[[ROWS]]) dims [1]
// CHECK:       %[[G0:.*]] = delta.load %arg4[%{{.*}}, %[[FIRST]], %{{.*}}] rows(%[[N]]) dims [1] {steps = 3 : i64} : memref<?x?x2xf32> -> tensor<64xf32>
// CHECK:       %[[LEAST:.*]] = arith.maximumf %[[G0]]
// CHECK:       %[[G:.*]] = delta.gate_prefix %[[LEAST]]
// CHECK:       %[[GT0:.*]] = delta.load %arg4[%{{.*}}, %[[FIRST]], %{{.*}}] rows(%[[N]]) dims [1] : memref<?x?x2xf32> -> tensor<32xf32>
// CHECK:       %[[GT1:.*]] = arith.maximumf %[[GT0]]
// CHECK:       %[[GT:.*]] = delta.gate_prefix %[[GT1]]
// CHECK:       delta.gram {{.*}} part<lower> {{.*}}steps = 3 : i64} : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32>
// CHECK:       %[[P:.*]] = delta.decay %{{.*}}, %[[GT]], %[[G]] part<lower> {steps = 3 : i64}
// CHECK:       delta.tri_inverse %{{.*}} {entry_bound = 5.2{{[0-9]*}} : f32}
// CHECK:       delta.read {{.*}} decay(%[[G]] : tensor<64xf32>)
// CHECK:       delta.read {{.*}} decay(%[[GT]] : tensor<32xf32>)
// CHECK:       delta.apply %[[P]], {{.*}} part<lower> {{.*}}steps = 3 : i64} : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32>
// CHECK:       delta.store {{.*}}, %arg5[%{{.*}}, %[[FIRST]], %{{.*}}] rows(%[[N]])
// CHECK:       delta.update {{.*}} decay(%[[G]] : tensor<64xf32>)
func.func @product(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x3x2x64xbf16>, %v: tensor<?x?x3x2x64xbf16>, %beta: tensor<?x?x3x2xf32>, %g: tensor<?x?x2xf32>) -> tensor<?x?x2x64xbf16> {
  %kn = delta.l2norm %k : tensor<?x?x3x2x64xbf16> -> tensor<?x?x3x2x64xbf16>
  %bs = delta.sigmoid %beta {range = 2.0 : f32} : tensor<?x?x3x2xf32> -> tensor<?x?x3x2xf32>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%kn : tensor<?x?x3x2x64xbf16>) value(%v : tensor<?x?x3x2x64xbf16>) beta(%bs : tensor<?x?x3x2xf32>) decay(%g : tensor<?x?x2xf32>)
    {kernel = #delta.kernel<linear>, steps = 3} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Two steps: 32 tokens fill a chunk of 64 rows and token tiles of 32.

// CHECK-LABEL: func @two_steps
// CHECK:       delta.gram {{.*}} part<lower> {{.*}}steps = 2 : i64} : tensor<32x64xf32>, tensor<64x64xf32> -> tensor<32x64xf32>
func.func @two_steps(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x2x64xbf16>, %v: tensor<?x?x2x2x64xbf16>, %beta: tensor<?x?x2x2xf32>) -> tensor<?x?x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x2x64xbf16>) value(%v : tensor<?x?x2x2x64xbf16>) beta(%beta : tensor<?x?x2x2xf32>)
    {kernel = #delta.kernel<linear>, steps = 2} -> tensor<?x?x2x64xbf16>
  return %o : tensor<?x?x2x64xbf16>
}

// -----

// Static batch and length: the bounds are constants.

// CHECK-LABEL: func @static_shape
// CHECK-NOT:   memref.dim
// CHECK:       scf.forall (%{{.*}}, %{{.*}}) in (3, 2)
func.func @static_shape(%q: tensor<3x100x2x64xbf16>, %k: tensor<3x100x2x64xbf16>, %v: tensor<3x100x2x64xbf16>, %beta: tensor<3x100x2xf32>) -> tensor<3x100x2x64xbf16> {
  %o = delta.recurrence query(%q : tensor<3x100x2x64xbf16>) key(%k : tensor<3x100x2x64xbf16>) value(%v : tensor<3x100x2x64xbf16>) beta(%beta : tensor<3x100x2xf32>)
    {kernel = #delta.kernel<linear>} -> tensor<3x100x2x64xbf16>
  return %o : tensor<3x100x2x64xbf16>
}

// -----

// Arguments keep their order and are named after the operands that they become.

// CHECK-LABEL: func @order(
// CHECK-SAME:    memref<?x?x2xf32> {delta.name = "beta"}
// CHECK-SAME:    memref<?x?x2x64xbf16> {delta.name = "v"}
// CHECK-SAME:    memref<?x?x2x64xbf16> {delta.name = "k"}
// CHECK-SAME:    memref<?x?x2x64xbf16> {delta.name = "q"}
// CHECK-SAME:    memref<?x?x2x64xbf16> {delta.name = "o", delta.result}
// CHECK-SAME:    memref<?x2x64x64xf32> {delta.name = "s", delta.result}
func.func @order(%beta: tensor<?x?x2xf32>, %v: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %q: tensor<?x?x2x64xbf16>) -> (tensor<?x?x2x64xbf16>, tensor<?x2x64x64xf32>) {
  %o, %s = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x2x64xbf16>) beta(%beta : tensor<?x?x2xf32>)
    {kernel = #delta.kernel<linear>} -> tensor<?x?x2x64xbf16>, state(tensor<?x2x64x64xf32>)
  return %o, %s : tensor<?x?x2x64xbf16>, tensor<?x2x64x64xf32>
}
