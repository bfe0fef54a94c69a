// RUN: delta-opt %s --tile-order-products | FileCheck %s

!s = tensor<64x64xf32, #tile.frag<warps = 4>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!buffer = memref<64x64xbf16, #tile.smem<128>>
!ring = !tile.ring<2, [!buffer, !buffer]>

// The ops that the next state waits for come first, then the output. The product with Q
// came late; now it is issued next to the first one. Releases stay after all readers.

// CHECK-LABEL: tile.kernel @chain
// CHECK: scf.for
// CHECK-NEXT: tile.peek
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi
// CHECK-NEXT: %[[W:.*]], %{{.*}} = tile.acquire %{{.*}}[%[[NEXT]]]
// CHECK-NEXT: %[[F:.*]] = tile.copy cp_async
// CHECK-NEXT: tile.commit %[[W]], %[[F]]
// CHECK-NEXT: %[[SA:.*]] = arith.truncf
// CHECK-NEXT: %[[KS:.*]] = tile.dot {{.*}} %[[SA]], %{{.*}}#0
// CHECK-NEXT: %[[QS:.*]] = tile.dot {{.*}} %[[SA]], %{{.*}}#1
// CHECK-NEXT: %[[X:.*]] = arith.truncf %[[KS]]
// CHECK-NEXT: %[[S1:.*]] = tile.dot {{.*}} %[[X]], %{{.*}}#0 acc
// CHECK-NEXT: %[[O:.*]] = arith.truncf %[[QS]]
// CHECK-NEXT: tile.write %[[O]]
// CHECK-NEXT: tile.copy simt
// CHECK-NEXT: tile.await
// CHECK-NEXT: tile.release
// CHECK-NEXT: scf.yield %[[S1]]
tile.kernel @chain(%i: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Os = tile.alloc : !buffer
  %zero = arith.constant dense<0.0> : !s
  %ring = tile.ring_create "r" cp_async_group : !ring
  %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> !s {
    %slot, %b:2 = tile.peek %ring[%c] : !ring -> !buffer, !buffer
    %next = arith.addi %c, %c1 : index
    %w, %d:2 = tile.acquire %ring[%next] : !ring -> !buffer, !buffer
    %g = tile.copy cp_async %k[%next, %c0], %d#0 bound(%n) {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !buffer
    tile.commit %w, %g
    %Sa = arith.truncf %S : !s to !a
    %KS = tile.dot instr(mma_m16n8k16) %Sa, %b#0 {contract = array<i64: 1, 1>} : !a, !buffer -> !s
    %X = arith.truncf %KS : !s to !a
    %QS = tile.dot instr(mma_m16n8k16) %Sa, %b#1 {contract = array<i64: 1, 1>} : !a, !buffer -> !s
    %O = arith.truncf %QS : !s to !a
    tile.write %O, %Os : !a, !buffer
    %f = tile.copy simt %o[%c, %c0], %Os bound(%n) {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !buffer
    tile.await %f : !tile.async<none>
    %S1 = tile.dot instr(mma_m16n8k16) %X, %b#0 acc(%S) {contract = array<i64: 1, 0>} : !a, !buffer -> !s
    tile.release %slot
    scf.yield %S1 : !s
  }
  tile.return
}

// A product does not pass the write of its right operand. A loop whose state is read from a
// buffer that later ops overwrite is left alone.

// CHECK-LABEL: tile.kernel @memory
// CHECK: scf.for
// CHECK-NEXT: tile.write
// CHECK-NEXT: %[[D:.*]] = tile.dot
// CHECK-NEXT: arith.mulf %[[D]]
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.write
// CHECK-NEXT: %[[E:.*]] = tile.dot
// CHECK-NEXT: scf.yield %[[E]]
tile.kernel @memory(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.alloc : !buffer
  %x = arith.constant dense<1.0> : !a
  %zero = arith.constant dense<0.0> : !s
  %last = scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> !s {
    tile.write %x, %b : !a, !buffer
    %D = tile.dot instr(mma_m16n8k16) %x, %b {contract = array<i64: 1, 1>} : !a, !buffer -> !s
    %DD = arith.mulf %D, %D : !s
    %y = arith.truncf %DD : !s to !a
    tile.write %y, %b : !a, !buffer
    %E = tile.dot instr(mma_m16n8k16) %x, %b acc(%S) {contract = array<i64: 1, 1>} : !a, !buffer -> !s
    scf.yield %E : !s
  }
  tile.return
}
