// Register tiles are loaded before they are needed: vectors before the first wait, and all
// tiles in a loop one iteration ahead.
// RUN: delta-opt %s --split-input-file --tile-prefetch-loads | FileCheck %s

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

// Loads from an array that the loop stores to stay in order.
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

// -----

// A matrix takes many registers: the next one is loaded where this one was last used. The
// loop may have no iteration; then nothing is read.
// CHECK-LABEL: tile.kernel @matrix
// CHECK-SAME: %[[N:[a-z0-9]+]]: index)
// CHECK: %[[ROWS:.*]] = arith.constant 64 : index
// CHECK: %[[BOUND:.*]] = arith.muli %[[N]], %[[ROWS]]
// CHECK: %[[FIRST:.*]] = tile.load %{{.*}}[%c0, %c0, %c0] bound(%[[BOUND]])
// CHECK: scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[M:.*]] = %[[FIRST]]) -> (tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK: %[[END:.*]] = arith.subi %[[N]], %{{.*}}
// CHECK: %[[FOLLOWING:.*]] = arith.addi %[[I]], %{{.*}} : index
// CHECK: %[[LAST:.*]] = arith.minui %[[FOLLOWING]], %[[END]] : index
// CHECK: %[[A:.*]] = arith.truncf %[[M]]
// CHECK-NEXT: %[[NEXT:.*]] = tile.load %{{.*}}[%[[LAST]], %c0, %c0] {
// CHECK: tile.dot %[[A]]
// CHECK: scf.yield %{{.*}}, %[[NEXT]]
tile.kernel @matrix(%h: index, %maps: memref<?x64x64xf32>, %s: memref<64x64xf32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S0 = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%S = %S0) -> tensor<64x64xf32> {
    %M = tile.load %maps[%i, %c0, %c0] {dims = array<i64: 1, 2>} : memref<?x64x64xf32> -> tensor<64x64xf32>
    %Ma = arith.truncf %M : tensor<64x64xf32> to tensor<64x64xbf16>
    %Sa = arith.truncf %S : tensor<64x64xf32> to tensor<64x64xbf16>
    %next = tile.dot %Ma, %Sa {contract = array<i64: 1, 0>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %last, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

// Without products nothing hides the latency of loading a matrix.
// CHECK-LABEL: tile.kernel @matrix_sum
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (tensor<64x64xf32>)
// CHECK: %[[M:.*]] = tile.load
// CHECK: %[[SUM:.*]] = arith.addf %[[S]], %[[M]]
// CHECK: scf.yield %[[SUM]]
tile.kernel @matrix_sum(%h: index, %maps: memref<?x64x64xf32>, %s: memref<64x64xf32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S0 = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%S = %S0) -> tensor<64x64xf32> {
    %M = tile.load %maps[%i, %c0, %c0] {dims = array<i64: 1, 2>} : memref<?x64x64xf32> -> tensor<64x64xf32>
    %sum = arith.addf %S, %M : tensor<64x64xf32>
    scf.yield %sum : tensor<64x64xf32>
  }
  tile.store %last, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}
