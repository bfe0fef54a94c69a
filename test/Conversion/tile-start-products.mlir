// RUN: delta-opt %s --tile-start-products | FileCheck %s

!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
!v = memref<64x128xbf16, #tile.smem<128>>
!view = memref<64x64xbf16, strided<[128, 1], offset: ?>, #tile.smem<128>>
!ring = !tile.ring<2, [!b]>

// A value is obtained where it is first used: by an op, by one nested in another, by the
// end of the block. An accumulator that was computed is passed on as it is.

// CHECK-LABEL: tile.kernel @first_use
// CHECK: %[[P:.*]] = tile.dot_start wgmma_rs %{{.*}}, %{{.*}} {contract = array<i64: 1, 1>} :
// CHECK-NEXT: %[[Q:.*]] = tile.dot_start wgmma_rs %{{.*}}, %{{.*}} b_part(lower) {contract = array<i64: 1, 0>} :
// CHECK-NEXT: %[[Y:.*]] = tile.read
// CHECK-NEXT: %[[X:.*]] = tile.await %[[P]] :
// CHECK-NEXT: %[[XA:.*]] = arith.truncf %[[X]]
// CHECK-NEXT: %[[R:.*]] = tile.dot_start wgmma_rs %[[XA]], %{{.*}} acc(%[[X]] : tensor<
// CHECK-NEXT: %[[Z:.*]] = tile.await %[[Q]] :
// CHECK-NEXT: scf.for
// CHECK: arith.addf %{{.*}}, %[[Z]]
// CHECK: tile.await %[[R]] :
// CHECK-NEXT: tile.return
tile.kernel @first_use(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.alloc : !b
  %a = arith.constant dense<1.0> : !a
  %zero = arith.constant dense<0.0> : !d
  %x = tile.dot instr(wgmma_rs) %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
  %z = tile.dot instr(wgmma_rs) %a, %b b_part(lower) {contract = array<i64: 1, 0>} : !a, !b -> !d
  %y = tile.read %b : !b -> !a
  %xa = arith.truncf %x : !d to !a
  %r = tile.dot instr(wgmma_rs) %xa, %b acc(%x) {contract = array<i64: 1, 1>} : !a, !b -> !d
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %zero) -> !d {
    %w = arith.addf %S, %z : !d
    scf.yield %w : !d
  }
  tile.return
}

// A slot is not released while a product still reads it, also through a view.

// CHECK-LABEL: tile.kernel @slots
// CHECK: scf.for
// CHECK-NEXT: %[[SLOT:.*]], %{{.*}} = tile.peek
// CHECK-NEXT: %[[SLOT2:.*]], %{{.*}} = tile.peek
// CHECK-NEXT: %[[P:.*]] = tile.dot_start
// CHECK-NEXT: memref.subview
// CHECK-NEXT: %[[Q:.*]] = tile.dot_start
// CHECK-NEXT: %[[X:.*]] = tile.await %[[P]]
// CHECK-NEXT: tile.release %[[SLOT]]
// CHECK-NEXT: %[[Z:.*]] = tile.await %[[Q]]
// CHECK-NEXT: tile.release %[[SLOT2]]
// CHECK-NEXT: arith.addf %[[X]], %[[Z]]
tile.kernel @slots(%i: index, %n: index, %j: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "r" mbarrier : !ring
  %wide = tile.ring_create "w" mbarrier : !tile.ring<2, [!v]>
  %a = arith.constant dense<1.0> : !a
  scf.for %c = %c0 to %n step %c1 {
    %slot, %b = tile.peek %ring[%c] : !ring -> !b
    %slot2, %v = tile.peek %wide[%c] : !tile.ring<2, [!v]> -> !v
    %x = tile.dot instr(wgmma_rs) %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
    %half = memref.subview %v[0, %j] [64, 64] [1, 1] : !v to !view
    %z = tile.dot instr(wgmma_rs) %a, %half {contract = array<i64: 1, 0>} : !a, !view -> !d
    tile.release %slot
    tile.release %slot2
    %y = arith.addf %x, %z : !d
  }
  tile.return
}

// Products that only accumulate are one chain in flight; a value with another use, or one
// whose slot is released in between, is not.

// CHECK-LABEL: tile.kernel @accumulate
// CHECK: %[[P:.*]] = tile.dot_start
// CHECK-NEXT: %[[Q:.*]] = tile.dot_start {{.*}} acc(%[[P]] : !tile.async<
// CHECK-NEXT: %[[R:.*]] = tile.dot_start {{.*}} acc(%[[Q]] : !tile.async<
// CHECK-NEXT: %[[X:.*]] = tile.await %[[R]]
// CHECK-NEXT: %[[S:.*]] = tile.dot_start {{.*}} acc(%[[X]] : tensor<
// CHECK-NEXT: arith.truncf %[[X]]
// CHECK-NEXT: %[[Y:.*]] = tile.await %[[S]]
// CHECK-NEXT: tile.release
// CHECK-NEXT: %[[T:.*]] = tile.dot_start {{.*}} acc(%[[Y]] : tensor<
// CHECK-NEXT: tile.await %[[T]]
// CHECK-NEXT: tile.return
tile.kernel @accumulate(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %b = tile.alloc : !b
  %ring = tile.ring_create "r" mbarrier : !ring
  %a = arith.constant dense<1.0> : !a
  %slot, %k = tile.peek %ring[%c0] : !ring -> !b
  %x0 = tile.dot instr(wgmma_rs) %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
  %x1 = tile.dot instr(wgmma_rs) %a, %b acc(%x0) {contract = array<i64: 1, 1>} : !a, !b -> !d
  %x2 = tile.dot instr(wgmma_rs) %a, %b acc(%x1) {contract = array<i64: 1, 1>} : !a, !b -> !d
  %x3 = tile.dot instr(wgmma_rs) %a, %k acc(%x2) {contract = array<i64: 1, 1>} : !a, !b -> !d
  %t = arith.truncf %x2 : !d to !a
  tile.release %slot
  %x4 = tile.dot instr(wgmma_rs) %a, %b acc(%x3) {contract = array<i64: 1, 1>} : !a, !b -> !d
  tile.return
}

// mma.sync products need no wait.

// CHECK-LABEL: tile.kernel @synchronous
// CHECK: tile.dot instr(mma_m16n8k16)
// CHECK-NOT: tile.await
tile.kernel @synchronous(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : !b
  %a = arith.constant dense<1.0> : !a
  %x = tile.dot instr(mma_m16n8k16) %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
  tile.return
}
