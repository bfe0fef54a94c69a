// RUN: delta-opt %s --tile-plan-shared --split-input-file --verify-diagnostics | FileCheck %s

!tile = tensor<64x64xbf16, #tile.frag<warps = 4>>
!buffer = memref<64x64xbf16, #tile.smem<128>>
!vector = memref<64xf32, #tile.smem<0>>

// %b is written before the last read of %a; %c is written after it and takes the bytes of
// %a.

// CHECK-LABEL: tile.kernel @lifetimes
// CHECK-SAME: {{.*}}shared_bytes = 16640 : i64
// CHECK: tile.alloc {offset = 0 : i64} : memref<64x64xbf16
// CHECK-NEXT: tile.alloc {offset = 8192 : i64} : memref<64x64xbf16
// CHECK-NEXT: tile.alloc {offset = 0 : i64} : memref<64x64xbf16
// CHECK-NEXT: tile.alloc {offset = 16384 : i64} : memref<64xf32
tile.kernel @lifetimes(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : !buffer
  %b = tile.alloc : !buffer
  %c = tile.alloc : !buffer
  %v = tile.alloc : !vector
  %x = arith.constant dense<1.0> : !tile
  %g = arith.constant dense<0.0> : tensor<64xf32, #tile.flat<warps = 4>>
  tile.write %g, %v : tensor<64xf32, #tile.flat<warps = 4>>, !vector
  tile.write %x, %a : !tile, !buffer
  tile.write %x, %b : !tile, !buffer
  %0 = tile.read %a : !buffer -> !tile
  tile.write %x, %c : !tile, !buffer
  %1 = tile.read %b : !buffer -> !tile
  %2 = tile.read %c : !buffer -> !tile
  %3 = tile.read %v : !vector -> tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>>
  tile.return
}

// -----

!tile = tensor<64x64xbf16, #tile.frag<warps = 4>>
!buffer = memref<64x64xbf16, #tile.smem<128>>

// A buffer that a loop reads before it writes is live across the back edge, and a buffer
// filled before the loop is live in all iterations: only %c and %d, written and read in one
// iteration, share bytes.

// CHECK-LABEL: tile.kernel @loops
// CHECK-SAME: {{.*}}shared_bytes = 24576 : i64
// CHECK: %{{.*}} = tile.alloc {offset = 0 : i64}
// CHECK-NEXT: %{{.*}} = tile.alloc {offset = 8192 : i64}
// CHECK-NEXT: %{{.*}} = tile.alloc {offset = 16384 : i64}
// CHECK-NEXT: %{{.*}} = tile.alloc {offset = 16384 : i64}
tile.kernel @loops(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %b = tile.alloc : !buffer
  %c = tile.alloc : !buffer
  %d = tile.alloc : !buffer
  %x = arith.constant dense<1.0> : !tile
  tile.write %x, %a : !tile, !buffer
  scf.for %j = %c0 to %n step %c1 {
    %0 = tile.read %a : !buffer -> !tile
    %1 = tile.read %b : !buffer -> !tile
    tile.write %x, %b : !tile, !buffer
    tile.write %0, %c : !tile, !buffer
    %2 = tile.read %c : !buffer -> !tile
    tile.write %2, %d : !tile, !buffer
    %3 = tile.read %d : !buffer -> !tile
  }
  tile.return
}

// -----

!tile = tensor<64x64xbf16, #tile.frag<warps = 4>>
!buffer = memref<64x64xbf16, #tile.smem<128>>
!big = memref<256x128xbf16, #tile.smem<128>>
!vector = memref<64xf32, #tile.smem<0>>

// A buffer that dies before the first slot of a single-role ring lies in the ring's bytes.
// A buffer after the last slot does not: a copy without a wait may still land there.

// CHECK-LABEL: tile.kernel @ring(
// CHECK-SAME: {{.*}}shared_bytes = 131328 : i64
// CHECK: %{{.*}} = tile.alloc {offset = 0 : i64}
// CHECK-NEXT: %{{.*}} = tile.alloc {offset = 131072 : i64}
// CHECK-NEXT: tile.ring_create "r" cp_async_group {offset = 0 : i64}
tile.kernel @ring(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %early = tile.alloc : !buffer
  %late = tile.alloc : !vector
  %ring = tile.ring_create "r" cp_async_group : !tile.ring<2, [!big]>
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : !tile
  tile.write %x, %early : !tile, !buffer
  %0 = tile.read %early : !buffer -> !tile
  scf.for %c = %i to %n step %c1 {
    %w, %B = tile.acquire %ring[%c] : !tile.ring<2, [!big]> -> !big
    tile.commit %w
    %slot, %b = tile.peek %ring[%c] : !tile.ring<2, [!big]> -> !big
    tile.release %slot
  }
  %g = arith.constant dense<0.0> : tensor<64xf32, #tile.flat<warps = 4>>
  tile.write %g, %late : tensor<64xf32, #tile.flat<warps = 4>>, !vector
  tile.return
}

// No buffer lies there if the kernel would not get smaller.

// CHECK-LABEL: tile.kernel @ring_saves_nothing
// CHECK-SAME: {{.*}}shared_bytes = 139264 : i64
// CHECK: %{{.*}} = tile.alloc {offset = 131072 : i64}
// CHECK-NEXT: %{{.*}} = tile.alloc {offset = 131072 : i64}
// CHECK-NEXT: tile.ring_create "r" cp_async_group {offset = 0 : i64}
tile.kernel @ring_saves_nothing(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %early = tile.alloc : !buffer
  %late = tile.alloc : !buffer
  %ring = tile.ring_create "r" cp_async_group : !tile.ring<2, [!big]>
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : !tile
  tile.write %x, %early : !tile, !buffer
  %0 = tile.read %early : !buffer -> !tile
  scf.for %c = %i to %n step %c1 {
    %w, %B = tile.acquire %ring[%c] : !tile.ring<2, [!big]> -> !big
    tile.commit %w
    %slot, %b = tile.peek %ring[%c] : !tile.ring<2, [!big]> -> !big
    tile.release %slot
  }
  tile.write %x, %late : !tile, !buffer
  tile.return
}

// Nor does a buffer lie there if a loop encloses both.

// CHECK-LABEL: tile.kernel @ring_in_a_loop
// CHECK-SAME: {{.*}}shared_bytes = 139264 : i64
// CHECK: %{{.*}} = tile.alloc {offset = 131072 : i64}
tile.kernel @ring_in_a_loop(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : !buffer
  %ring = tile.ring_create "r" cp_async_group : !tile.ring<2, [!big]>
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<1.0> : !tile
  scf.for %c = %i to %n step %c1 {
    tile.write %x, %a : !tile, !buffer
    %0 = tile.read %a : !buffer -> !tile
    %w, %B = tile.acquire %ring[%c] : !tile.ring<2, [!big]> -> !big
    tile.commit %w
    %slot, %b = tile.peek %ring[%c] : !tile.ring<2, [!big]> -> !big
    tile.release %slot
  }
  tile.return
}

// -----

!big = memref<256x128xbf16, #tile.smem<128>>

// expected-error @below {{needs 196608 bytes of shared memory; a CTA of sm_80 has at most 166912}}
tile.kernel @too_much(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "r" cp_async_group : !tile.ring<3, [!big]>
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>

// A ring between roles has two mbarriers per slot; a ring that two instances fill has two
// copies. Slots start at multiples of 1024 bytes, and the mbarriers lie after the slots of
// all rings.

// CHECK-LABEL: tile.kernel @roles
// CHECK-SAME: {{.*}}shared_bytes = 44112 : i64
// CHECK: tile.ring_create "in" mbarrier {barriers = 44032 : i64, consumers = 2 : i64, offset = 0 : i64}
// CHECK: tile.ring_create "out" mbarrier {barriers = 44080 : i64, offset = 27648 : i64}
tile.kernel @roles(%i: index, %n: index, %x: memref<64x64xbf16>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = tile.ring_create "in" mbarrier {consumers = 2 : i64} : !tile.ring<3, [!b, memref<16xf32, #tile.smem<0>>]>
  %out = tile.ring_create "out" mbarrier : !tile.ring<1, [!b]>
  tile.roles [#tile.role<name = "math", warps = 8, registers = 240, instances = 2>,
              #tile.role<name = "load", warps = 4, registers = 24>] {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %w, %O = tile.acquire %out[%c] : !tile.ring<1, [!b]> -> !b
      tile.commit %w
    }
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

// expected-error @below {{needs 166928 bytes of shared memory; a CTA of sm_80 has at most 166912}}
tile.kernel @mbarriers_count(%i: index) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "r" mbarrier : !tile.ring<1, [memref<41728xf32, #tile.smem<0>>]>
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>

// Other buffers of the role that drains a ring may take its slots when it has released the
// last one, so its mbarriers lie apart. The slots of a ring that the role fills never serve
// other buffers.

// CHECK-LABEL: tile.kernel @drained
// CHECK: tile.alloc {offset = 0 : i64} : memref<64x64xbf16
// CHECK: tile.alloc {offset = 16416 : i64} : memref<4xf32
// CHECK: tile.ring_create "in" mbarrier {barriers = 16384 : i64, offset = 0 : i64} : <1,
// CHECK: tile.ring_create "out" mbarrier {barriers = 16400 : i64, offset = 8192 : i64} : <1,
tile.kernel @drained(%i: index, %x: memref<64x64xbf16>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %late = tile.alloc : !b
  %early = tile.alloc : memref<4xf32, #tile.smem<0>>
  %in = tile.ring_create "in" mbarrier : !tile.ring<1, [!b]>
  %out = tile.ring_create "out" mbarrier : !tile.ring<1, [!b]>
  tile.roles [#tile.role<name = "math", warps = 4, registers = 240>,
              #tile.role<name = "load", warps = 4, registers = 24>] {
  ^bb0(%k: index):
    %e = arith.constant dense<0.0> : tensor<4xf32, #tile.flat<warps = 4>>
    tile.write %e, %early : tensor<4xf32, #tile.flat<warps = 4>>, memref<4xf32, #tile.smem<0>>
    %slot, %K = tile.peek %in[%c0] : !tile.ring<1, [!b]> -> !b
    %y = tile.read %K : !b -> !a
    tile.release %slot
    tile.write %y, %late : !a, !b
    %z = tile.read %late : !b -> !a
    %w, %O = tile.acquire %out[%c0] : !tile.ring<1, [!b]> -> !b
    tile.write %z, %O : !a, !b
    tile.commit %w
  }, {
  ^bb0(%k: index):
    %w, %K = tile.acquire %in[%c0] : !tile.ring<1, [!b]> -> !b
    %f = tile.copy tma %x[%c0, %c0], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
    tile.commit %w, %f
    %slot, %O = tile.peek %out[%c0] : !tile.ring<1, [!b]> -> !b
    tile.release %slot
  }
  tile.return
}
