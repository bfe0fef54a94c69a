// What depends on the key head alone is computed once for its value heads.
// RUN: delta-opt %s --delta-chunk --cse --delta-split-kernels --delta-share-groups | FileCheck %s

// CHECK-LABEL: func.func @gva
// CHECK: scf.forall ({{.*}}, {{.*}}, %[[HK:.*]]) in ({{.*}}, {{.*}}, 2)
// Grams, for the key head.
// CHECK: delta.load %{{.*}}[{{.*}}, {{.*}}, %[[HK]], {{.*}}]
// CHECK-COUNT-2: delta.gram
// CHECK: scf.for %[[J:.*]] = %{{.*}} to %[[GROUP:.*]] step
// CHECK: %[[BASE:.*]] = arith.muli %[[HK]], %[[GROUP]]
// CHECK: %[[H:.*]] = arith.addi %[[BASE]], %[[J]]
// The inverse, for each value head.
// CHECK-NOT: delta.gram
// CHECK: delta.load %{{.*}}[{{.*}}, {{.*}}, %[[H]]]
// CHECK: delta.tri_inverse
// CHECK: delta.store %{{.*}}, %{{.*}}[{{.*}}, {{.*}}, %[[H]], {{.*}}, {{.*}}]
// The chain keeps its loop over value heads.
// CHECK: scf.forall ({{.*}}, {{.*}}) in ({{.*}}, 6)
func.func @gva(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x6x64xbf16>, %beta: tensor<?x?x6xf32>) -> tensor<?x?x6x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
         value(%v : tensor<?x?x6x64xbf16>) beta(%beta : tensor<?x?x6xf32>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x6x64xbf16>
  return %o : tensor<?x?x6x64xbf16>
}

// Nothing to share: left alone.
// CHECK-LABEL: func.func @single
// CHECK: scf.forall ({{.*}}, {{.*}}, {{.*}}) in ({{.*}}, {{.*}}, 6)
// CHECK-NOT: scf.for %
// CHECK: delta.gram
func.func @single(%q: tensor<?x?x6x64xbf16>, %k: tensor<?x?x6x64xbf16>, %v: tensor<?x?x6x64xbf16>, %beta: tensor<?x?x6xf32>) -> tensor<?x?x6x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x6x64xbf16>) key(%k : tensor<?x?x6x64xbf16>)
         value(%v : tensor<?x?x6x64xbf16>) beta(%beta : tensor<?x?x6xf32>)
         {kernel = #delta.kernel<linear>} -> tensor<?x?x6x64xbf16>
  return %o : tensor<?x?x6x64xbf16>
}
