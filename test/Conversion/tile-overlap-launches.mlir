// RUN: delta-opt %s --tile-overlap-launches --split-input-file | FileCheck %s

// The consumer of an array that an earlier launch writes overlaps that launch and waits
// before its first access, not earlier. The producer does not change.

// CHECK-LABEL: tile.kernel @first
// CHECK-NOT: tile.wait_launches
// CHECK-LABEL: tile.kernel @second
// CHECK: tile.load %{{.*}} : memref<?x64xf32>
// CHECK: tile.wait_launches
// CHECK-NEXT: scf.for
// CHECK-NOT: tile.wait_launches
// CHECK-LABEL: func.func @pair
// CHECK: tile.launch @first grid(%{{.*}}) args({{.*}}){{$}}
// CHECK: tile.launch @second grid(%{{.*}}) args({{.*}}) {overlap}

!flat = tensor<64xf32, #tile.flat<warps = 4>>

tile.kernel @first(%b: index, %x: memref<?x64xf32>, %w: memref<?x1x64xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%b, %c0] {dims = array<i64: 1>} : memref<?x64xf32> -> !flat
  tile.store %v, %w[%b, %c0, %c0] {dims = array<i64: 2>} : !flat, memref<?x1x64xf32>
  tile.return
}
tile.kernel @second(%b: index, %x: memref<?x64xf32>, %w: memref<?x64xf32>, %y: memref<?x64xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %v = tile.load %x[%b, %c0] {dims = array<i64: 1>} : memref<?x64xf32> -> !flat
  %s = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %v) -> !flat {
    %u = tile.load %w[%b, %c0] {dims = array<i64: 1>} : memref<?x64xf32> -> !flat
    %n = arith.addf %a, %u : !flat
    scf.yield %n : !flat
  }
  tile.store %s, %y[%b, %c0] {dims = array<i64: 1>} : !flat, memref<?x64xf32>
  tile.return
}
func.func @pair(%x: memref<?x64xf32>, %y: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %B = memref.dim %x, %c0 : memref<?x64xf32>
  %w = memref.alloc(%B) : memref<?x1x64xf32>
  // An access to a view is an access to its array.
  %flat = memref.collapse_shape %w [[0, 1], [2]] : memref<?x1x64xf32> into memref<?x64xf32>
  tile.launch @first grid(%B) args(%x, %w : memref<?x64xf32>, memref<?x1x64xf32>)
  tile.launch @second grid(%B) args(%x, %flat, %y : memref<?x64xf32>, memref<?x64xf32>, memref<?x64xf32>)
  return
}

// -----

// A launch that overwrites an array which an earlier launch reads waits too. A launch that
// shares no array with an earlier one does not overlap: nothing in it would wait.

// CHECK-LABEL: tile.kernel @reads
// CHECK-NOT: tile.wait_launches
// CHECK-LABEL: tile.kernel @writes
// CHECK: tile.wait_launches
// CHECK-NEXT: tile.store
// CHECK-LABEL: tile.kernel @apart
// CHECK-NOT: tile.wait_launches
// CHECK-LABEL: tile.kernel @last
// CHECK: tile.wait_launches
// CHECK-LABEL: func.func @chain
// CHECK: tile.launch @reads {{.*}}memref<?x64xf32>){{$}}
// CHECK: tile.launch @writes {{.*}} {overlap}
// CHECK: tile.launch @apart {{.*}}memref<?x64xf32>){{$}}
// CHECK: tile.launch @last {{.*}} {overlap}

!flat = tensor<64xf32, #tile.flat<warps = 4>>

tile.kernel @reads(%b: index, %x: memref<?x64xf32>, %y: memref<?x64xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%b, %c0] {dims = array<i64: 1>} : memref<?x64xf32> -> !flat
  tile.store %v, %y[%b, %c0] {dims = array<i64: 1>} : !flat, memref<?x64xf32>
  tile.return
}
tile.kernel @writes(%b: index, %x: memref<?x64xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : !flat
  tile.store %v, %x[%b, %c0] {dims = array<i64: 1>} : !flat, memref<?x64xf32>
  tile.return
}
tile.kernel @apart(%b: index, %x: memref<?x64xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = arith.constant dense<1.0> : !flat
  tile.store %v, %x[%b, %c0] {dims = array<i64: 1>} : !flat, memref<?x64xf32>
  tile.return
}
tile.kernel @last(%b: index, %x: memref<?x64xf32>, %y: memref<?x64xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.load %x[%b, %c0] {dims = array<i64: 1>} : memref<?x64xf32> -> !flat
  tile.store %v, %y[%b, %c0] {dims = array<i64: 1>} : !flat, memref<?x64xf32>
  tile.return
}
func.func @chain(%x: memref<?x64xf32>, %y: memref<?x64xf32>, %z: memref<?x64xf32>, %u: memref<?x64xf32>) {
  %c0 = arith.constant 0 : index
  %B = memref.dim %x, %c0 : memref<?x64xf32>
  tile.launch @reads grid(%B) args(%x, %y : memref<?x64xf32>, memref<?x64xf32>)
  tile.launch @writes grid(%B) args(%x : memref<?x64xf32>)
  tile.launch @apart grid(%B) args(%z : memref<?x64xf32>)
  tile.launch @last grid(%B) args(%y, %u : memref<?x64xf32>, memref<?x64xf32>)
  return
}

// -----

// In a kernel with roles, each role that reads waits on its own; other roles do not wait.

// CHECK-LABEL: tile.kernel @consume
// CHECK: tile.roles
// CHECK: ^bb0
// CHECK-NOT: tile.wait_launches
// CHECK: }, {
// CHECK: tile.wait_launches
// CHECK-NEXT: scf.for
// CHECK: tile.copy tma

!k = memref<64x64xbf16, #tile.smem<128>>
!ring = !tile.ring<2, [memref<64x64xbf16, #tile.smem<128>>]>

tile.kernel @produce(%b: index, %x: memref<?x64xf32>, %w: memref<?x64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %Xs = tile.alloc {offset = 0 : i64} : !k
  %f = tile.copy simt %w[%b, %c0, %c0], %Xs {dims = array<i64: 1, 2>, to_global} : memref<?x64x64xbf16>, !k
  tile.await %f : !tile.async<none>
  tile.return
}
tile.kernel @consume(%b: index, %w: memref<?x64x64xbf16>, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 5 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "math", warps = 4, registers = 240>, #tile.role<name = "load", warps = 1, registers = 240>] {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !k
      tile.release %slot
    }
  }, {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !k
      %f = tile.copy tma %w[%c, %c0, %c0], %K {dims = array<i64: 1, 2>} : memref<?x64x64xbf16>, !k
      tile.commit %slot, %f
    }
  }
  tile.return
}
func.func @host(%x: memref<?x64xf32>, %w: memref<?x64x64xbf16>) {
  %c0 = arith.constant 0 : index
  %B = memref.dim %x, %c0 : memref<?x64xf32>
  tile.launch @produce grid(%B) args(%x, %w : memref<?x64xf32>, memref<?x64x64xbf16>)
  tile.launch @consume grid(%B) args(%w, %B : memref<?x64x64xbf16>, index)
  return
}
