// RUN: delta-opt %s | delta-opt | FileCheck %s

// Every op, attribute and optional operand of the value form survives a print
// and a parse.

// CHECK-LABEL: tile.kernel @products
// CHECK-SAME: (%{{.*}}: index, %{{.*}}: memref<?x?x2x128xbf16> {delta.name = "k"}, %{{.*}}: memref<?x2x64x128xf32>)
// CHECK-SAME: attributes {grid = 1 : i64, warps = 4 : i64}
tile.kernel @products(%b: index, %k: memref<?x?x2x128xbf16> {delta.name = "k"},
                      %s: memref<?x2x64x128xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %T = memref.dim %k, %c1 : memref<?x?x2x128xbf16>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] bound(%{{.*}}) {dims = array<i64: 1, 3>} : memref<?x?x2x128xbf16> -> tensor<64x128xbf16>
  %K = tile.load %k[%b, %c0, %c1, %c0] bound(%T) {dims = array<i64: 1, 3>}
      : memref<?x?x2x128xbf16> -> tensor<64x128xbf16>
  // CHECK: tile.load %{{.*}} bound(%{{.*}}) {bound_axis = 1 : i64, dims = array<i64: 3, 1>}
  %Kt = tile.load %k[%b, %c0, %c1, %c0] bound(%T)
      {bound_axis = 1, dims = array<i64: 3, 1>}
      : memref<?x?x2x128xbf16> -> tensor<128x64xbf16>
  // CHECK: tile.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {dims = array<i64: 2, 3>} : memref<?x2x64x128xf32> -> tensor<64x128xf32>
  %S = tile.load %s[%b, %c1, %c0, %c0] {dims = array<i64: 2, 3>}
      : memref<?x2x64x128xf32> -> tensor<64x128xf32>
  // CHECK: %[[KK:.*]] = tile.dot %{{.*}}, %{{.*}} {contract = array<i64: 1, 1>} : tensor<64x128xbf16>, tensor<64x128xbf16> -> tensor<64x64xf32>
  %KK = tile.dot %K, %K {contract = array<i64: 1, 1>}
      : tensor<64x128xbf16>, tensor<64x128xbf16> -> tensor<64x64xf32>
  // CHECK: tile.mask strict_lower %[[KK]] : tensor<64x64xf32>
  %A = tile.mask strict_lower %KK : tensor<64x64xf32>
  // CHECK: tile.mask upper %{{.*}} columns(%{{.*}}) {row_steps = 2 : i64} : tensor<64x64xf32>
  %P = tile.mask upper %KK columns(%T) {row_steps = 2} : tensor<64x64xf32>
  // CHECK: tile.tri_inverse %{{.*}} {entry_bound = 1.000000e+00 : f32} : tensor<64x64xf32>
  %M = tile.tri_inverse %A {entry_bound = 1.0 : f32} : tensor<64x64xf32>
  // CHECK: tile.tri_inverse precision(tf32) %{{.*}} {transposed} : tensor<64x64xf32>
  %Mt = tile.tri_inverse precision(tf32) %A {transposed} : tensor<64x64xf32>
  // CHECK: tile.tri_inverse method(doubling) %{{.*}} {row_stochastic} : tensor<64x64xf32>
  %N = tile.tri_inverse method(doubling) %A {row_stochastic} : tensor<64x64xf32>
  // CHECK: tile.reduce max %{{.*}} {axis = 1 : i64} : tensor<64x64xf32> -> tensor<64xf32>
  %r = tile.reduce max %P {axis = 1} : tensor<64x64xf32> -> tensor<64xf32>
  // CHECK: tile.scan %{{.*}} : tensor<64xf32>
  %G = tile.scan %r : tensor<64xf32>
  // CHECK: tile.tri_solve %{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64xf32>
  %Z = tile.tri_solve %A, %r : tensor<64x64xf32>, tensor<64xf32>
  // CHECK: tile.spread %{{.*}} {axis = 0 : i64} : tensor<64xf32> -> tensor<64x64xf32>
  %e = tile.spread %G {axis = 0} : tensor<64xf32> -> tensor<64x64xf32>
  %X = arith.mulf %e, %M : tensor<64x64xf32>
  // CHECK: tile.diagonal %{{.*}} : tensor<64x64xf32> -> tensor<64xf32>
  %own = tile.diagonal %P : tensor<64x64xf32> -> tensor<64xf32>
  // CHECK: tile.identity %{{.*}} : tensor<64x64xf32>
  %I = tile.identity %c0 : tensor<64x64xf32>
  // CHECK: tile.transpose %{{.*}} : tensor<64x64xf32> -> tensor<64x64xf32>
  %Xt = tile.transpose %X : tensor<64x64xf32> -> tensor<64x64xf32>
  %Xb = arith.truncf %Xt : tensor<64x64xf32> to tensor<64x64xbf16>
  // CHECK: tile.dot %{{.*}}, %{{.*}} acc(%{{.*}}) b_part(lower) {contract = array<i64: 1, 0>} : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
  %S1 = tile.dot %Xb, %K acc(%S) b_part(lower) {contract = array<i64: 1, 0>}
      : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}] {dims = array<i64: 2, 3>} : tensor<64x128xf32>, memref<?x2x64x128xf32>
  tile.store %S1, %s[%b, %c1, %c0, %c0] {dims = array<i64: 2, 3>}
      : tensor<64x128xf32>, memref<?x2x64x128xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}}[%{{.*}}] bound(%{{.*}}) {bound_axis = 1 : i64, dims = array<i64: 3, 1>}
  tile.store %Kt, %k[%b, %c0, %c1, %c0] bound(%T)
      {bound_axis = 1, dims = array<i64: 3, 1>}
      : tensor<128x64xbf16>, memref<?x?x2x128xbf16>
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: tile.kernel private @flags
tile.kernel private @flags(%i: index, %counter: memref<1xi32>,
                           %flags: memref<?x4xi32>, %g: memref<?xf32>)
    attributes {grid = 1 : i64, warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  %epoch = arith.constant 3 : i32
  // CHECK: %[[WORK:.*]] = tile.ticket %{{.*}} : memref<1xi32>
  %work = tile.ticket %counter : memref<1xi32>
  // CHECK: tile.expect %{{.*}}[%[[WORK]], %{{.*}}], %{{.*}} : memref<?x4xi32>
  tile.expect %flags[%work, %c0], %epoch : memref<?x4xi32>
  // CHECK: tile.load %{{.*}}[%{{.*}}] bound(%{{.*}}) {dims = array<i64: 0>, steps = 2 : i64} : memref<?xf32> -> tensor<64xf32>
  %v = tile.load %g[%c0] bound(%work) {dims = array<i64: 0>, steps = 2}
      : memref<?xf32> -> tensor<64xf32>
  tile.store %v, %g[%c0] bound(%work) {dims = array<i64: 0>}
      : tensor<64xf32>, memref<?xf32>
  // CHECK: tile.signal %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : memref<?x4xi32>
  tile.signal %flags[%work, %c0], %epoch : memref<?x4xi32>
  tile.return
}

// CHECK-LABEL: func.func @host
func.func @host(%B: index, %k: memref<?x?x2x128xbf16>,
                %s: memref<?x2x64x128xf32>, %flags: memref<?xi32>) {
  // CHECK: tile.clear %{{.*}} : memref<?xi32>
  tile.clear %flags : memref<?xi32>
  // CHECK: tile.launch @products grid(%{{.*}}) args(%{{.*}}, %{{.*}} : memref<?x?x2x128xbf16>, memref<?x2x64x128xf32>)
  tile.launch @products grid(%B)
      args(%k, %s : memref<?x?x2x128xbf16>, memref<?x2x64x128xf32>)
  return
}
