// RUN: delta-opt %s --split-input-file --delta-round-workspace | FileCheck %s

// u is read by products that round to bf16 alone: it is kept in bf16.

// CHECK-LABEL: func.func @rounded
// CHECK: %[[U:.*]] = memref.alloc() : memref<2x64x1x64xbf16>
// CHECK: delta.load %[[U]]{{.*}} : memref<2x64x1x64xbf16> -> tensor<64x64xf32>
// CHECK: delta.store %{{.*}}, %[[U]]{{.*}} : tensor<64x64xf32>, memref<2x64x1x64xbf16>
func.func @rounded(%p: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %u = memref.alloc() : memref<2x64x1x64xf32>
  %U = delta.load %u[%c0, %c0, %c0, %c0] dims [1, 3] : memref<2x64x1x64xf32> -> tensor<64x64xf32>
  %r = delta.apply %p, %U part<full> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  delta.store %r, %u[%c0, %c0, %c0, %c0] dims [1, 3] : tensor<64x64xf32>, memref<2x64x1x64xf32>
  return
}

// -----

// The row sums that stand on a product's diagonal take the product's rounding.

// CHECK-LABEL: func.func @diagonal
// CHECK: memref.alloc() : memref<64x64xbf16>
// Others are no products.
// CHECK: memref.alloc() : memref<64x64xf32>
func.func @diagonal(%q: tensor<64x64xf32>, %r: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %k = memref.alloc() : memref<64x64xf32>
  %K = delta.load %k[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %s = delta.gram %q, %K part<lower> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %d = delta.row_dot %q, %K : tensor<64x64xf32> -> tensor<64xf32>
  %l = memref.alloc() : memref<64x64xf32>
  %L = delta.load %l[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %t = delta.gram %q, %L part<lower> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %e = delta.row_dot %r, %L : tensor<64x64xf32> -> tensor<64xf32>
  return
}

// -----

// An accumulator is not rounded; nor is what a product in f32 reads, or two products in different types.

// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: memref.alloc() : memref<64x64xf32>
func.func @kept(%p: tensor<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<64x64xf32>
  %A = delta.load %a[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %r = delta.apply %p, %p acc(%A : tensor<64x64xf32>) part<full> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %b = memref.alloc() : memref<64x64xf32>
  %B = delta.load %b[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %s = delta.apply %p, %B part<full> : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %c = memref.alloc() : memref<64x64xf32>
  %C = delta.load %c[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %t = delta.apply %p, %C part<full> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %v = delta.apply %p, %C part<full> {prec = #delta.prec<f16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

// What every product takes as rounded and rest is kept as both.

// CHECK-LABEL: func.func @split
// CHECK: %[[U:.*]] = memref.alloc() {delta.name = "u"} : memref<64x64xbf16>
// CHECK: %[[REST:.*]] = memref.alloc() {delta.name = "u_rest"} : memref<64x64xbf16>
// CHECK: delta.load %[[U]]{{.*}} rest(%[[REST]] : memref<64x64xbf16>)
// CHECK: delta.store %{{.*}}, %[[U]]{{.*}} rest(%[[REST]] : memref<64x64xbf16>)
func.func @split(%p: tensor<64x64xf32>, %m: tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %u = memref.alloc() {delta.name = "u"} : memref<64x64xf32>
  %U = delta.load %u[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %r = delta.apply %p, %U part<full> {prec = #delta.prec<bf16>, split_input} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %s:3 = delta.online %m, %m, %r, %p values(%U : tensor<64x64xf32>) part<full> {prec = #delta.prec<bf16>, split_values} : tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x64xf32>
  delta.store %s#2, %u[%c0, %c0] dims [0, 1] : tensor<64x64xf32>, memref<64x64xf32>
  return
}

// -----

// The other operand of such a product is rounded; what one product splits and another rounds stays.

// CHECK-LABEL: func.func @half_split
// CHECK: memref.alloc() : memref<64x64xbf16>
// CHECK: memref.alloc() : memref<64x64xf32>
// CHECK-NOT: memref.alloc
func.func @half_split() {
  %c0 = arith.constant 0 : index
  %p = memref.alloc() : memref<64x64xf32>
  %P = delta.load %p[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %u = memref.alloc() : memref<64x64xf32>
  %U = delta.load %u[%c0, %c0] dims [0, 1] : memref<64x64xf32> -> tensor<64x64xf32>
  %r = delta.apply %P, %U part<full> {prec = #delta.prec<bf16>, split_input} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %s = delta.apply %P, %U part<full> {prec = #delta.prec<bf16>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}
