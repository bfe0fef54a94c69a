// RUN: delta-opt %s -delta-decompose | FileCheck %s
// RUN: delta-opt %s -pass-pipeline='builtin.module(delta-decompose{outline=false})' | FileCheck %s --check-prefix=INLINE

// One function for all ops of one kind; another attribute or type is another kind.

// CHECK-LABEL: func @kinds
// CHECK-SAME:    memref<?x64xf32>, 
// CHECK:         call @delta_scale(
// CHECK:         call @delta_scale(
// CHECK:         call @delta_scale_0(
// CHECK:         call @delta_scale_1(
// CHECK-NOT:     delta.
// CHECK:         return
// CHECK:       func private @delta_scale(%{{.*}}: tensor<64x64xf32>, %{{.*}}: tensor<64xf32>) -> tensor<64x64xf32>
// CHECK-NOT:     delta.
// CHECK:         linalg.generic
// CHECK:       func private @delta_scale_0(%{{.*}}: tensor<64x64xf32>, %{{.*}}: tensor<64xf32>) -> tensor<64x64xf32>
// CHECK:       func private @delta_scale_1(%{{.*}}: tensor<32x64xf32>, %{{.*}}: tensor<64xf32>) -> tensor<32x64xf32>

// INLINE-LABEL: func @kinds
// INLINE-COUNT-4: linalg.generic
// INLINE-NOT:   func
func.func @kinds(%m: memref<?x64xf32> {delta.name = "m", delta.result}, %x: tensor<64x64xf32>, %y: tensor<32x64xf32>, %v: tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>) {
  %0 = delta.scale %x, %v {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
  %1 = delta.scale %0, %v {axis = 0 : i64} : tensor<64x64xf32>, tensor<64xf32>
  %2 = delta.scale %x, %v {axis = 1 : i64} : tensor<64x64xf32>, tensor<64xf32>
  %3 = delta.scale %y, %v {axis = 1 : i64} : tensor<32x64xf32>, tensor<64xf32>
  return %1, %2, %3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<32x64xf32>
}
