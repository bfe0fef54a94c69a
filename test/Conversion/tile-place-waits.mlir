// RUN: delta-opt %s --tile-place-waits | FileCheck %s

!buffer = memref<64x64xbf16, #tile.smem<128>>

// Groups complete in order of issue: at the first wait two later ones may be open. A loop
// in between may issue any number of groups, so none may be open.

// CHECK-LABEL: tile.kernel @waits
// CHECK: tile.await %{{.*}} {pending = 2 : i64}
// CHECK-NEXT: tile.await %{{.*}} {pending = 1 : i64}
// CHECK: scf.for
// CHECK: tile.await %{{.*}} {pending = 0 : i64}
// CHECK: tile.copy simt
// CHECK-NEXT: tile.await %{{[0-9]+}} : !tile.async<none>
tile.kernel @waits(%i: index, %k: memref<64x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %b = tile.alloc : !buffer
  %c = tile.alloc : !buffer
  %f = tile.copy cp_async %k[%c0, %c0], %a {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !buffer
  %g = tile.copy cp_async %k[%c0, %c0], %b {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !buffer
  %h = tile.copy cp_async %k[%c0, %c0], %c {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !buffer
  tile.await %f : !tile.async<none>
  tile.await %g : !tile.async<none>
  scf.for %j = %c0 to %n step %c1 {
  }
  tile.await %h : !tile.async<none>
  %o = tile.copy simt %k[%c0, %c0], %a {dims = array<i64: 0, 1>, to_global} : memref<64x64xbf16>, !buffer
  tile.await %o : !tile.async<none>
  tile.return
}
