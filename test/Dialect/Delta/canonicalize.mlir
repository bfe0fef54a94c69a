// Factors gather in one vector an axis.
// RUN: delta-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @one_axis
// CHECK: %[[F:.*]] = arith.mulf %arg1, %arg2 : tensor<64xf32>
// CHECK: delta.scale %arg0, %[[F]] {axis = 0 : i64}
// CHECK-NOT: delta.scale
func.func @one_axis(%x: tensor<64x32xf32>, %v: tensor<64xf32>, %w: tensor<64xf32>) -> tensor<64x32xf32> {
  %0 = delta.scale %x, %v {axis = 0 : i64} : tensor<64x32xf32>, tensor<64xf32>
  %1 = delta.scale %0, %w {axis = 0 : i64} : tensor<64x32xf32>, tensor<64xf32>
  return %1 : tensor<64x32xf32>
}

// The other axis may stand between.
// CHECK-LABEL: func.func @two_axes
// CHECK: %[[C:.*]] = delta.scale %arg0, %arg2 {axis = 1 : i64}
// CHECK: %[[F:.*]] = arith.mulf %arg1, %arg3
// CHECK: delta.scale %[[C]], %[[F]] {axis = 0 : i64}
// CHECK-NOT: delta.scale
func.func @two_axes(%x: tensor<64x32xf32>, %v: tensor<64xf32>, %c: tensor<32xf32>, %w: tensor<64xf32>) -> tensor<64x32xf32> {
  %0 = delta.scale %x, %v {axis = 0 : i64} : tensor<64x32xf32>, tensor<64xf32>
  %1 = delta.scale %0, %c {axis = 1 : i64} : tensor<64x32xf32>, tensor<32xf32>
  %2 = delta.scale %1, %w {axis = 0 : i64} : tensor<64x32xf32>, tensor<64xf32>
  return %2 : tensor<64x32xf32>
}

// What others use stays.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-2: delta.scale
func.func @shared(%x: tensor<64x32xf32>, %v: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %0 = delta.scale %x, %v {axis = 0 : i64} : tensor<64x32xf32>, tensor<64xf32>
  %1 = delta.scale %0, %w {axis = 0 : i64} : tensor<64x32xf32>, tensor<64xf32>
  return %0, %1 : tensor<64x32xf32>, tensor<64x32xf32>
}

// A product's scale goes to the factors of its rows or columns.
// CHECK-LABEL: func.func @products
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<64xf32>
// CHECK: %[[X:.*]] = delta.read %arg0, %arg1 : tensor
// CHECK: %[[F:.*]] = arith.mulf %arg2, %[[HALF]]
// CHECK: %[[XS:.*]] = delta.scale %[[X]], %[[F]] {axis = 0 : i64}
// CHECK: %[[P:.*]] = delta.gram %arg0, %arg0 part<lower> : tensor
// CHECK: %[[G:.*]] = arith.mulf %arg2, %[[HALF]]
// CHECK: delta.scale %[[P]], %[[G]] {axis = 1 : i64}
func.func @products(%K: tensor<64x32xf32>, %S: tensor<32x32xf32>, %v: tensor<64xf32>) -> (tensor<64x32xf32>, tensor<64x64xf32>) {
  %0 = delta.read %K, %S {scale = 0.5 : f32} : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  %1 = delta.scale %0, %v {axis = 0 : i64} : tensor<64x32xf32>, tensor<64xf32>
  %2 = delta.gram %K, %K part<lower> {scale = 0.5 : f32} : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  %3 = delta.scale %2, %v {axis = 1 : i64} : tensor<64x64xf32>, tensor<64xf32>
  return %1, %3 : tensor<64x32xf32>, tensor<64x64xf32>
}

// Not through a function that is not linear.
// CHECK-LABEL: func.func @exponential
// CHECK: delta.gram {{.*}} kernel<exp> {scale = 5.000000e-01 : f32}
func.func @exponential(%K: tensor<64x32xf32>, %v: tensor<64xf32>) -> tensor<64x64xf32> {
  %0 = delta.gram %K, %K part<lower> kernel<exp> {scale = 0.5 : f32} : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  %1 = delta.scale %0, %v {axis = 1 : i64} : tensor<64x64xf32>, tensor<64xf32>
  return %1 : tensor<64x64xf32>
}
