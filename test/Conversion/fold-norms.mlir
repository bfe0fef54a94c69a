// A norm becomes a factor of rows, where it does not round.
// RUN: delta-opt %s --split-input-file --delta-fold-norms | FileCheck %s

// Products take the rows as they are in memory.
// CHECK-LABEL: func.func @fold
// CHECK: %[[K:.*]] = delta.load
// CHECK: %[[N:.*]] = delta.row_dot %[[K]], %[[K]]
// CHECK: %[[E:.*]] = arith.addf %[[N]], %{{.*}} : tensor<64xf32>
// CHECK: %[[R:.*]] = math.rsqrt %[[E]]
// A gram of keys has the factor on both axes.
// CHECK: %[[KK:.*]] = delta.gram %[[K]], %[[K]]
// CHECK: %[[A0:.*]] = delta.scale %[[KK]], %[[R]] {axis = 0 : i64}
// CHECK: %[[A1:.*]] = delta.scale %[[A0]], %[[R]] {axis = 1 : i64}
// CHECK: delta.tri_inverse %[[A1]]
// A read is scaled behind the product, an update in front of it.
// CHECK: %[[X:.*]] = delta.read %[[K]], %[[S:.*]] {prec
// CHECK: %[[KS:.*]] = delta.scale %[[X]], %[[R]] {axis = 0 : i64}
// CHECK: %[[U:.*]] = delta.scale %[[KS]], %[[R]] {axis = 0 : i64}
// CHECK: delta.update %[[S]], %[[K]], %[[U]]
// CHECK-NOT: delta.l2norm
func.func @fold(%k: memref<?x?x2x64xbf16>, %S: tensor<64x64xf32>, %i: index) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %K = delta.load %k[%i, %i, %i, %i] dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  %Kn = delta.l2norm %K : tensor<64x64xf32> -> tensor<64x64xf32>
  %KK = delta.gram %Kn, %Kn part<strict_lower> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %M = delta.tri_inverse %KK : tensor<64x64xf32>
  %KS = delta.read %Kn, %S {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %S1 = delta.update %S, %Kn, %KS {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  return %M, %S1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Rounding to bf16 is part of what the spec says.
// CHECK-LABEL: func.func @rounds
// CHECK: delta.l2norm
func.func @rounds(%k: memref<?x?x2x64xbf16>, %S: tensor<64x64xf32>, %i: index) -> tensor<64x64xf32> {
  %K = delta.load %k[%i, %i, %i, %i] dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  %Kn = delta.l2norm %K : tensor<64x64xf32> -> tensor<64x64xbf16>
  %Kf = arith.extf %Kn : tensor<64x64xbf16> to tensor<64x64xf32>
  %KS = delta.read %Kf, %S {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %KS : tensor<64x64xf32>
}

// -----

// A factor times an update may fall below the range of f16.
// CHECK-LABEL: func.func @half
// CHECK: delta.l2norm
func.func @half(%k: memref<?x?x2x64xf16>, %S: tensor<64x64xf32>, %i: index) -> tensor<64x64xf32> {
  %K = delta.load %k[%i, %i, %i, %i] dims [1, 3] : memref<?x?x2x64xf16> -> tensor<64x64xf32>
  %Kn = delta.l2norm %K : tensor<64x64xf32> -> tensor<64x64xf32>
  %KS = delta.read %Kn, %S {prec = #delta.prec<f16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %KS : tensor<64x64xf32>
}

// -----

// A kernel that is not linear sees the norm.
// CHECK-LABEL: func.func @exponential
// CHECK: delta.l2norm
func.func @exponential(%k: memref<?x?x2x64xbf16>, %i: index) -> tensor<64x64xf32> {
  %K = delta.load %k[%i, %i, %i, %i] dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  %Kn = delta.l2norm %K : tensor<64x64xf32> -> tensor<64x64xf32>
  %KK = delta.gram %Kn, %Kn part<full> kernel<exp> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %KK : tensor<64x64xf32>
}

// -----

// Products that may not round have no 16-bit operands to take rows as.
// CHECK-LABEL: func.func @wide
// CHECK: delta.l2norm
func.func @wide(%k: memref<?x?x2x64xbf16>, %S: tensor<64x64xf32>, %i: index) -> tensor<64x64xf32> {
  %K = delta.load %k[%i, %i, %i, %i] dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  %Kn = delta.l2norm %K : tensor<64x64xf32> -> tensor<64x64xf32>
  %KS = delta.read %Kn, %S : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return %KS : tensor<64x64xf32>
}
