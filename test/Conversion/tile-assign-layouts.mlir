// RUN: delta-opt %s --tile-assign-layouts --split-input-file --verify-diagnostics | FileCheck %s
// RUN: delta-opt %s --tile-assign-layouts --tile-lower-converts --split-input-file --verify-diagnostics | FileCheck %s --check-prefix=LOWER

// A prefix sum has one element per thread; spreads along rows and columns of a fragment
// need slices. Both conversions pass through one buffer.

// CHECK-LABEL: tile.kernel @decay
// CHECK: %[[G:.*]] = tile.scan %{{.*}} : tensor<64xf32, #tile.flat<warps = 4>>
// CHECK: %[[R:.*]] = tile.convert %[[G]] : tensor<64xf32, #tile.flat<warps = 4>> -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK: tile.spread %[[R]] {axis = 0 : i64} : {{.*}} -> tensor<64x64xf32, #tile.frag<warps = 4>>
// CHECK: %[[C:.*]] = tile.convert %[[G]] : tensor<64xf32, #tile.flat<warps = 4>> -> tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>>
// CHECK: tile.spread %[[C]] {axis = 1 : i64}
// CHECK: arith.minimumf %{{.*}}, %{{.*}} : tensor<64x64xf32, #tile.frag<warps = 4>>
// CHECK: tile.store %[[G]]

// LOWER-LABEL: tile.kernel @decay
// LOWER: %[[B:.*]] = tile.alloc : memref<64xf32, #tile.smem<0>>
// LOWER: %[[G:.*]] = tile.scan
// LOWER-NEXT: tile.write %[[G]], %[[B]]
// LOWER: tile.read %[[B]] : {{.*}} -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// LOWER-NOT: tile.write
// LOWER: tile.read %[[B]] : {{.*}} -> tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>>
// LOWER-NOT: tile.convert
tile.kernel @decay(%b: index, %g: memref<?x?x2xf32>, %w: memref<64xf32>, %s: memref<64x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %g[%b, %c0, %c0] bound(%n) {dims = array<i64: 1>} : memref<?x?x2xf32> -> tensor<64xf32>
  %G = tile.scan %x : tensor<64xf32>
  %i = tile.spread %G {axis = 0} : tensor<64xf32> -> tensor<64x64xf32>
  %j = tile.spread %G {axis = 1} : tensor<64xf32> -> tensor<64x64xf32>
  %gap = arith.subf %i, %j : tensor<64x64xf32>
  %e = arith.minimumf %gap, %zero : tensor<64x64xf32>
  tile.store %G, %w[%c0] {dims = array<i64: 0>} : tensor<64xf32>, memref<64xf32>
  tile.store %e, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

// Reads of shared memory, and arithmetic on them, are repeated in each layout that a use
// needs: no conversion.

// CHECK-LABEL: tile.kernel @reads
// CHECK-NOT: tile.convert
// CHECK: %[[R:.*]] = tile.read %[[B:.*]] : {{.*}} -> tensor<32xf32, #tile.slice<axis = 0, <warps = 2>>>
// CHECK: math.exp %[[R]] : tensor<32xf32, #tile.slice<axis = 0, <warps = 2>>>
// CHECK: %[[C:.*]] = tile.read %[[B]] : {{.*}} -> tensor<32xf32, #tile.slice<axis = 1, <warps = 2>>>
// CHECK: math.exp %[[C]] : tensor<32xf32, #tile.slice<axis = 1, <warps = 2>>>
tile.kernel @reads(%b: index, %s: memref<32x32xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %buffer = tile.alloc : memref<32xf32, #tile.smem<0>>
  %G = tile.read %buffer : memref<32xf32, #tile.smem<0>> -> tensor<32xf32>
  %e = math.exp %G : tensor<32xf32>
  %i = tile.spread %e {axis = 0} : tensor<32xf32> -> tensor<32x32xf32>
  %j = tile.spread %e {axis = 1} : tensor<32xf32> -> tensor<32x32xf32>
  %d = arith.subf %i, %j : tensor<32x32xf32>
  tile.store %d, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<32x32xf32>, memref<32x32xf32>
  tile.return
}

// -----

// Row sums are slices, and are written to shared memory without a conversion.

// CHECK-LABEL: tile.kernel @written_slice
// CHECK: %[[N:.*]] = tile.reduce add {{.*}} -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK-NOT: tile.convert
// CHECK: tile.write %[[N]], %{{.*}} : tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
tile.kernel @written_slice(%b: index, %s: memref<64x64xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %buffer = tile.alloc : memref<64xf32, #tile.smem<0>>
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  %N = tile.reduce add %S {axis = 1 : i64} : tensor<64x64xf32> -> tensor<64xf32>
  tile.write %N, %buffer : tensor<64xf32>, memref<64xf32, #tile.smem<0>>
  tile.return
}

// -----

// A reduction gives a slice of its rows, a diagonal too, and values computed from it keep
// that layout; a loop carries the layout of its state.

// CHECK-LABEL: tile.kernel @norm
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}) -> (tensor<64x64xf32, #tile.frag<warps = 4>>)
// CHECK: %[[N:.*]] = tile.reduce add %[[S]] {{.*}} -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK: %[[D:.*]] = tile.diagonal %[[S]] : {{.*}} -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK: arith.addf %[[N]], %[[D]] : tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK: %[[E:.*]] = arith.constant {{.*}} : tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK: arith.addf %{{.*}}, %[[E]] : tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
tile.kernel @norm(%b: index, %s: memref<64x64xf32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %eps = arith.constant dense<1.0e-6> : tensor<64xf32>
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%x = %S) -> tensor<64x64xf32> {
    %sum = tile.reduce add %x {axis = 1} : tensor<64x64xf32> -> tensor<64xf32>
    %own = tile.diagonal %x : tensor<64x64xf32> -> tensor<64xf32>
    %both = arith.addf %sum, %own : tensor<64xf32>
    %shifted = arith.addf %both, %eps : tensor<64xf32>
    %r = math.rsqrt %shifted : tensor<64xf32>
    %rows = tile.spread %r {axis = 0} : tensor<64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %x, %rows : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  tile.store %last, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

// A sum of rows that scales a flat vector on its way to memory: the product is flat, and
// the sum is moved once, before the loop that does not change it. If the product scales
// rows, it is a slice.

// CHECK-LABEL: tile.kernel @flat
// CHECK: %[[N:.*]] = tile.reduce add {{.*}} -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK: %[[F:.*]] = tile.convert %[[N]] : {{.*}} -> tensor<64xf32, #tile.flat<warps = 4>>
// CHECK: scf.for
// CHECK-NOT: tile.convert
// CHECK: %[[G:.*]] = tile.load {{.*}} -> tensor<64xf32, #tile.flat<warps = 4>>
// CHECK: %[[P:.*]] = arith.mulf %[[F]], %[[G]] : tensor<64xf32, #tile.flat<warps = 4>>
// CHECK: tile.store %[[P]]
// CHECK: %[[GS:.*]] = tile.convert %[[G]] : {{.*}} -> tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
// CHECK: arith.mulf %[[N]], %[[GS]] : tensor<64xf32, #tile.slice<axis = 0, <warps = 4>>>
tile.kernel @flat(%b: index, %s: memref<64x64xf32>, %g: memref<?x64xf32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  %N = tile.reduce add %S {axis = 1} : tensor<64x64xf32> -> tensor<64xf32>
  scf.for %i = %c0 to %n step %c1 {
    %G = tile.load %g[%i, %c0] {dims = array<i64: 1>} : memref<?x64xf32> -> tensor<64xf32>
    %P = arith.mulf %N, %G : tensor<64xf32>
    tile.store %P, %g[%i, %c0] {dims = array<i64: 1>} : tensor<64xf32>, memref<?x64xf32>
    %Q = arith.mulf %N, %G : tensor<64xf32>
    %rows = tile.spread %Q {axis = 0} : tensor<64xf32> -> tensor<64x64xf32>
    %X = arith.mulf %S, %rows : tensor<64x64xf32>
    tile.store %X, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  }
  tile.return
}

// -----

tile.kernel @column_sums(%b: index, %s: memref<64x64xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  // expected-error @below {{reduction along columns has no lowering yet; accepted: axis 1}}
  %sum = tile.reduce add %S {axis = 0} : tensor<64x64xf32> -> tensor<64xf32>
  tile.return
}

// -----

tile.kernel @too_high(%b: index, %s: memref<64x64xf32>) attributes {grid = 1 : i64, warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{tile of 64 rows: expected at least 4 warps in the kernel, got 2}}
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  tile.return
}
