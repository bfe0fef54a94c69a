// Vectors that stay in registers are loaded before anything is waited for, and in
// a loop one iteration ahead.
// RUN: delta-opt %s --split-input-file --tile-prefetch-vectors | FileCheck %s

!tile = memref<64x64xbf16, #tile.smem<128>>

// CHECK-LABEL: tile.kernel @hoist
// CHECK: tile.copy
// CHECK-NEXT: arith.addi
// CHECK-NEXT: %[[V:.*]] = tile.load
// CHECK-NEXT: tile.await
// CHECK: tile.store %[[V]]
tile.kernel @hoist(%h: index, %k: memref<8x64x64xbf16>, %beta: memref<64x8xf32>, %o: memref<64xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !tile
  %f = tile.copy cp_async %k[%h, %c0, %c0], %K {dims = array<i64: 1, 2>} : memref<8x64x64xbf16>, !tile
  tile.await %f : !tile.async<none>
  %next = arith.addi %h, %c1 : index
  %v = tile.load %beta[%c0, %next] {dims = array<i64: 0>} : memref<64x8xf32> -> tensor<64xf32>
  tile.store %v, %o[%c0] {dims = array<i64: 0>} : tensor<64xf32>, memref<64xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @rotate
// CHECK: %[[FIRST:.*]] = tile.load
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[V:.*]] = %[[FIRST]]) -> (tensor<64xf32>)
// CHECK: %[[FOLLOWING:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: %[[LAST:.*]] = arith.minui %[[FOLLOWING]], %{{.*}} : index
// CHECK: %[[HEAD:.*]] = arith.addi %{{.*}}, %[[LAST]]
// CHECK: %[[NEXT:.*]] = tile.load %{{.*}}[%{{.*}}, %[[HEAD]]]
// CHECK: tile.store %[[V]]
// CHECK: scf.yield %[[NEXT]]
tile.kernel @rotate(%h: index, %beta: memref<64x32xf32>, %o: memref<32x64xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %base = arith.muli %h, %c4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %head = arith.addi %base, %i : index
    %v = tile.load %beta[%c0, %head] {dims = array<i64: 0>} : memref<64x32xf32> -> tensor<64xf32>
    tile.store %v, %o[%head, %c0] {dims = array<i64: 1>} : tensor<64xf32>, memref<32x64xf32>
  }
  tile.return
}

// -----

// What the loop stores is read in order.
// CHECK-LABEL: tile.kernel @in_place
// CHECK: scf.for
// CHECK-NOT: iter_args
// CHECK: tile.load
tile.kernel @in_place(%h: index, %x: memref<32x64xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %v = tile.load %x[%i, %c0] {dims = array<i64: 1>} : memref<32x64xf32> -> tensor<64xf32>
    tile.store %v, %x[%i, %c0] {dims = array<i64: 1>} : tensor<64xf32>, memref<32x64xf32>
  }
  tile.return
}
