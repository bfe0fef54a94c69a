// RUN: delta-opt %s --tile-kernels-to-functions | FileCheck %s

// A grid is a loop nest with the first index innermost; the kernel's own ops
// stay; a workspace of the host function stays.

// CHECK-LABEL: func.func private @fill(
// CHECK-SAME: %[[H:.*]]: index, %[[B:.*]]: index, %[[X:.*]]: memref<?x?x64xf32>)
// CHECK: %[[ONE:.*]] = arith.constant dense
// CHECK: tile.store %[[ONE]], %[[X]][%[[B]], %[[H]], %{{.*}}]
// CHECK: return
tile.kernel @fill(%h: index, %b: index, %x: memref<?x?x64xf32> {delta.name = "x"})
    attributes {grid = 2 : i64, warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %one = arith.constant dense<1.0> : tensor<64xf32>
  tile.store %one, %x[%b, %h, %c0] {dims = array<i64: 2>}
      : tensor<64xf32>, memref<?x?x64xf32>
  tile.return
}

// CHECK-LABEL: func.func @host(
// CHECK-SAME: %[[H:.*]]: index, %[[B:.*]]: index)
// CHECK: %[[W:.*]] = memref.alloc(%[[B]], %[[H]]) : memref<?x?x64xf32>
// CHECK: scf.for %[[IB:.*]] = %{{.*}} to %[[B]] step %{{.*}} {
// CHECK-NEXT: scf.for %[[IH:.*]] = %{{.*}} to %[[H]] step %{{.*}} {
// CHECK-NEXT: func.call @fill(%[[IH]], %[[IB]], %[[W]]) : (index, index, memref<?x?x64xf32>) -> ()
// CHECK-NOT: tile.launch
func.func @host(%H: index, %B: index) {
  %w = memref.alloc(%B, %H) : memref<?x?x64xf32>
  tile.launch @fill grid(%H, %B) args(%w : memref<?x?x64xf32>)
  return
}
