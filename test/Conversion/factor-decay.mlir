// What a decay means is written out in vectors that do not depend on the state.
// RUN: delta-opt %s --delta-factor-decay | FileCheck %s

// CHECK-LABEL: func.func @read
// CHECK: %[[E:.*]] = math.exp %arg2 : tensor<64xf32>
// CHECK: %[[X:.*]] = delta.read %arg0, %arg1 : tensor
// CHECK: %[[F:.*]] = arith.mulf %[[E]], %{{.*}} : tensor<64xf32>
// CHECK: %[[Y:.*]] = delta.scale %[[X]], %[[F]] {axis = 0 : i64}
// CHECK: return %[[Y]]
func.func @read(%K: tensor<64x32xf32>, %S: tensor<32x32xf32>, %G: tensor<64xf32>) -> tensor<64x32xf32> {
  %X = delta.read %K, %S decay(%G : tensor<64xf32>) {scale = 0.5 : f32} : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  return %X : tensor<64x32xf32>
}

// The exponents that end with the chunk: G_R - G.
// CHECK-LABEL: func.func @write_role
// CHECK: %[[LAST:.*]] = tensor.extract %[[G:.*]][%{{.*}}]
// CHECK: %[[ALL:.*]] = tensor.splat %[[LAST]] : tensor<64xf32>
// CHECK: %[[REST:.*]] = arith.subf %[[ALL]], %[[G]]
// CHECK: %[[E:.*]] = math.exp %[[REST]]
// CHECK: %[[X:.*]] = delta.read %{{.*}}, %{{[^ ]*}} :
// CHECK: delta.scale %[[X]], %[[E]] {axis = 0 : i64}
func.func @write_role(%K: tensor<64x32xf32>, %S: tensor<32x32xf32>, %G: tensor<64xf32>) -> tensor<64x32xf32> {
  %X = delta.read %K, %S decay(%G : tensor<64xf32>) role<write> : tensor<64x32xf32>, tensor<32x32xf32> -> tensor<64x32xf32>
  return %X : tensor<64x32xf32>
}

// The state by the whole chunk's decay, four times the same number; the update by
// what is left of the chunk behind each row.
// CHECK-LABEL: func.func @update
// CHECK: %[[CHUNK:.*]] = math.exp %{{.*}} : tensor<4xf32>
// CHECK: %[[OUT:.*]] = math.exp %{{.*}} : tensor<64xf32>
// CHECK: %[[FIRST:.*]] = tensor.extract %[[CHUNK]][%{{.*}}]
// CHECK: %[[ALL:.*]] = tensor.splat %[[FIRST]] : tensor<32x32xf32>
// CHECK: %[[SD:.*]] = arith.mulf %{{.*}}, %[[ALL]]
// CHECK: %[[UD:.*]] = delta.scale %{{.*}}, %[[OUT]] {axis = 0 : i64}
// CHECK: delta.update %[[SD]], %{{.*}}, %[[UD]] :
func.func @update(%S: tensor<32x32xf32>, %K: tensor<64x32xf32>, %U: tensor<64x32xf32>, %G: tensor<64xf32>) -> tensor<32x32xf32> {
  %S1 = delta.update %S, %K, %U decay(%G : tensor<64xf32>) : tensor<32x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
  return %S1 : tensor<32x32xf32>
}

// Without a decay there is nothing to write out.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: delta.update
// CHECK-NEXT: return
func.func @plain(%S: tensor<32x32xf32>, %K: tensor<64x32xf32>, %U: tensor<64x32xf32>) -> tensor<32x32xf32> {
  %S1 = delta.update %S, %K, %U : tensor<32x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
  return %S1 : tensor<32x32xf32>
}
