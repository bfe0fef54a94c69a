// RUN: delta-opt %s --tile-place-waits | FileCheck %s

!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>

// Products complete in order of issue. At the first wait two later ones may run. Copies are
// counted separately: the wait for %f leaves one copy open and does not count the product,
// and the wait for both kinds takes the smaller count. A product that accumulates onto one
// in flight is a separate group.

// CHECK-LABEL: tile.kernel @waits
// CHECK: tile.await %[[P:.*]] {pending = 2 : i64}
// CHECK: tile.dot_start {{.*}} acc
// CHECK-NEXT: tile.await %{{.*}} {pending = 1 : i64} : !tile.async<none>
// CHECK-NEXT: tile.await %{{.*}} {pending = 0 : i64} : !tile.async<tensor
// CHECK-NEXT: tile.await %{{.*}} {pending = 0 : i64} : !tile.async<tensor
tile.kernel @waits(%i: index, %k: memref<64x64xbf16>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.alloc : !b
  %c = tile.alloc : !b
  %a = arith.constant dense<1.0> : !a
  %p = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <!d>
  %f = tile.copy cp_async %k[%c0, %c0], %c {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  %q = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <!d>
  %g = tile.copy cp_async %k[%c0, %c0], %c {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  %r = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <!d>
  %P = tile.await %p : !tile.async<!d> -> !d
  %r2 = tile.dot_start wgmma_rs %a, %b acc(%r : !tile.async<!d>) {contract = array<i64: 1, 1>} : !a, !b -> <!d>
  tile.await %f : !tile.async<none>
  %Q = tile.await %q, %g : !tile.async<!d>, !tile.async<none> -> !d
  %R = tile.await %r2 : !tile.async<!d> -> !d
  tile.return
}

// CHECK-LABEL: tile.kernel @both
// CHECK: tile.await %{{.*}}, %{{.*}} {pending = 0 : i64}
tile.kernel @both(%i: index, %k: memref<64x64xbf16>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.alloc : !b
  %c = tile.alloc : !b
  %a = arith.constant dense<1.0> : !a
  %f = tile.copy cp_async %k[%c0, %c0], %c {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  %p = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <!d>
  %q = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <!d>
  %P = tile.await %p, %f : !tile.async<!d>, !tile.async<none> -> !d
  %Q = tile.await %q : !tile.async<!d> -> !d
  tile.return
}
