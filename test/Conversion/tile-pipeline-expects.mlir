// RUN: delta-opt %s --tile-pipeline=stages=2 | FileCheck %s

// Copies after an expectation are also copied ahead, after the expectation of the later
// iteration: the wait delays nothing before it. Iterations past the end wait for no CTA.

!smem = memref<64x128xbf16, #tile.smem<128>>
!frag = tensor<64x128xbf16, #tile.frag<warps = 4>>

// CHECK-LABEL: tile.kernel @blocks
// CHECK: tile.ring_create "chunks" cp_async_group {tile.buffers = ["K", "U"]}
// CHECK: tile.acquire
// CHECK: tile.copy cp_async %[[K:arg[0-9]+]]
// CHECK: tile.expect
// CHECK: tile.copy cp_async %[[U:arg[0-9]+]]
// CHECK: tile.commit
// CHECK: scf.for
// CHECK: tile.peek
// CHECK: %[[EXISTS:.*]] = arith.cmpi slt
// CHECK: %[[SLOT:.*]], %[[AHEAD:.*]]:2 = tile.acquire
// CHECK: %[[F0:.*]] = tile.copy cp_async %[[K]]{{.*}}, %[[AHEAD]]#0
// CHECK-NOT: tile.commit
// CHECK: tile.dot
// CHECK: %[[NONE:.*]] = arith.constant 0 : i32
// CHECK: %[[EPOCH:.*]] = arith.select %[[EXISTS]], %{{.*}}, %[[NONE]] : i32
// CHECK: tile.expect %{{.*}}[%{{.*}}], %[[EPOCH]]
// CHECK: %[[F1:.*]] = tile.copy cp_async %[[U]]{{.*}}, %[[AHEAD]]#1
// CHECK: tile.commit %[[SLOT]], %[[F0]], %[[F1]]
// CHECK-NOT: tile.expect
// CHECK: scf.yield
tile.kernel @blocks(%cta: index, %k: memref<?x128xbf16>, %u: memref<?x128xbf16>, %flags: memref<?xi32>, %n: index, %T: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.alloc : !smem loc("K")
  %U = tile.alloc : !smem loc("U")
  %q = arith.constant dense<1.0> : !frag
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #tile.frag<warps = 4>>
  %s = scf.for %j = %c0 to %n step %c1 iter_args(%s0 = %zero) -> (tensor<64x64xf32, #tile.frag<warps = 4>>) {
    %at = arith.muli %j, %c64 : index
    %f = tile.copy cp_async %k[%at, %c0], %K bound(%T) {dims = array<i64: 0, 1>} : memref<?x128xbf16>, !smem
    tile.await %f : !tile.async<none>
    %s1 = tile.dot instr(mma_m16n8k16) %q, %K acc(%s0) {contract = array<i64: 1, 1>} : !frag, !smem -> tensor<64x64xf32, #tile.frag<warps = 4>>
    %e = arith.index_cast %j : index to i32
    tile.expect %flags[%c0], %e : memref<?xi32>
    %g = tile.copy cp_async %u[%at, %c0], %U bound(%T) {dims = array<i64: 0, 1>} : memref<?x128xbf16>, !smem
    tile.await %g : !tile.async<none>
    %s2 = tile.dot instr(mma_m16n8k16) %q, %U acc(%s1) {contract = array<i64: 1, 1>} : !frag, !smem -> tensor<64x64xf32, #tile.frag<warps = 4>>
    scf.yield %s2 : tensor<64x64xf32, #tile.frag<warps = 4>>
  }
  tile.return
}
