// RUN: delta-opt %s --tile-pipeline=stages=2 | FileCheck %s
// RUN: delta-opt %s --tile-pipeline=stages=3 | FileCheck %s --check-prefix=THREE
// RUN: delta-opt %s --tile-pipeline=stages=1 | FileCheck %s --check-prefix=ONE

// Copies of the next chunk start after the peek of this chunk, whose barrier frees the slot
// that they fill. Chunks past the end copy no rows. Tiles come before vectors, so that a
// slot has no holes.

// CHECK-LABEL: tile.kernel @chain
// CHECK: %[[RING:.*]] = tile.ring_create "chunks" cp_async_group {tile.buffers = ["K", "G"]} : <2, [memref<64x128xbf16, #tile.smem<128>>, memref<64xf32, #tile.smem<0>>]>
// CHECK: %[[C0:.*]] = arith.constant 0 : index
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[C0]], %[[N:.*]] : index
// CHECK: %[[W:.*]], %[[FIRST:.*]]:2 = tile.acquire %[[RING]][%[[C0]]]
// CHECK: %[[ROWS:.*]] = arith.select %[[ANY]], %{{.*}}, %{{.*}} : index
// CHECK: %[[F0:.*]] = tile.copy cp_async %{{.*}}, %[[FIRST]]#0 bound(%[[ROWS]])
// CHECK: %[[F1:.*]] = tile.copy cp_async %{{.*}}, %[[FIRST]]#1 bound(%{{.*}})
// CHECK: tile.commit %[[W]], %[[F0]], %[[F1]]
// CHECK: scf.for %[[C:.*]] = %{{.*}} to %[[N]]
// CHECK: %[[SLOT:.*]], %[[NOW:.*]]:2 = tile.peek %[[RING]][%[[C]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[C]], %{{.*}}
// CHECK: %[[T0:.*]] = arith.muli %[[NEXT]], %{{.*}}
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[NEXT]], %[[N]]
// CHECK: %[[W1:.*]], %[[AHEAD:.*]]:2 = tile.acquire %[[RING]][%[[NEXT]]]
// CHECK: arith.select %[[MORE]]
// CHECK: tile.copy cp_async %{{.*}}[%{{.*}}, %[[T0]], %{{.*}}], %[[AHEAD]]#0
// CHECK: tile.commit %[[W1]]
// CHECK-NOT: tile.await
// CHECK: tile.dot instr(mma_m16n8k16) %{{.*}}, %[[NOW]]#0
// CHECK: tile.read %[[NOW]]#1
// CHECK: tile.release %[[SLOT]]
// CHECK-NEXT: scf.yield

// With three stages two slots are filled before the loop.
// THREE-LABEL: tile.kernel @chain
// THREE: tile.ring_create "chunks" cp_async_group {{.*}} : <3,
// THREE: tile.acquire %{{.*}}[%[[C0:.*]]]
// THREE: tile.commit
// THREE: tile.acquire
// THREE: tile.commit
// THREE: scf.for
// THREE: tile.peek
// THREE: arith.constant 2 : index
// THREE: tile.acquire

// With one stage each iteration copies its own rows, all of them.
// ONE-LABEL: tile.kernel @chain
// ONE: tile.ring_create "chunks" cp_async_group {{.*}} : <1,
// ONE-NOT: tile.acquire
// ONE: scf.for %[[C:[a-z0-9]+]] =
// ONE: %[[ROWS:.*]] = arith.minui
// ONE: tile.acquire %{{.*}}[%[[C]]]
// ONE: tile.copy cp_async %{{.*}} bound(%[[ROWS]])
// ONE: tile.commit
// ONE: tile.peek %{{.*}}[%[[C]]]
// ONE: tile.dot
// ONE: tile.release
tile.kernel @chain(%b: index, %k: memref<?x?x128xbf16>, %g: memref<?x?x64xf32>, %s: memref<64x64xf32>, %n: index, %T: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %Gs = tile.alloc : memref<64xf32, #tile.smem<0>> loc("G")
  %Ks = tile.alloc : memref<64x128xbf16, #tile.smem<128>> loc("K")
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #tile.frag<warps = 4>>
  %S = scf.for %c = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32, #tile.frag<warps = 4>> {
    %t0 = arith.muli %c, %c64 : index
    %left = arith.subi %T, %t0 : index
    %rows = arith.minui %left, %c64 : index
    %f = tile.copy cp_async %g[%b, %c, %c0], %Gs {dims = array<i64: 2>} : memref<?x?x64xf32>, memref<64xf32, #tile.smem<0>>
    %h = tile.copy cp_async %k[%b, %t0, %c0], %Ks bound(%rows) {dims = array<i64: 1, 2>} : memref<?x?x128xbf16>, memref<64x128xbf16, #tile.smem<128>>
    tile.await %f : !tile.async<none>
    tile.await %h : !tile.async<none>
    %a = tile.read %Ks : memref<64x128xbf16, #tile.smem<128>> -> tensor<64x128xbf16, #tile.frag<warps = 4>>
    %d = tile.dot instr(mma_m16n8k16) %a, %Ks acc(%acc) {contract = array<i64: 1, 1>} : tensor<64x128xbf16, #tile.frag<warps = 4>>, memref<64x128xbf16, #tile.smem<128>> -> tensor<64x64xf32, #tile.frag<warps = 4>>
    %e = tile.read %Gs : memref<64xf32, #tile.smem<0>> -> tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>>
    %E = tile.spread %e {axis = 1} : tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>> -> tensor<64x64xf32, #tile.frag<warps = 4>>
    %x = arith.mulf %d, %E : tensor<64x64xf32, #tile.frag<warps = 4>>
    scf.yield %x : tensor<64x64xf32, #tile.frag<warps = 4>>
  }
  tile.store %S, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32, #tile.frag<warps = 4>>, memref<64x64xf32>
  tile.return
}

// A later iteration may load values that an iteration stores.

// CHECK-LABEL: tile.kernel @in_place
// CHECK-NOT: tile.ring_create
tile.kernel @in_place(%b: index, %k: memref<?x64xf32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Ks = tile.alloc : memref<64xf32, #tile.smem<0>>
  scf.for %c = %c0 to %n step %c1 {
    %h = tile.copy cp_async %k[%c, %c0], %Ks {dims = array<i64: 1>} : memref<?x64xf32>, memref<64xf32, #tile.smem<0>>
    tile.await %h : !tile.async<none>
    %a = tile.read %Ks : memref<64xf32, #tile.smem<0>> -> tensor<64xf32, #tile.flat<warps = 4>>
    tile.store %a, %k[%n, %c0] {dims = array<i64: 1>} : tensor<64xf32, #tile.flat<warps = 4>>, memref<?x64xf32>
  }
  tile.return
}

// A buffer that another op of the loop writes too does not become a slot of a ring.

// CHECK-LABEL: tile.kernel @written
// CHECK-NOT: tile.ring_create
tile.kernel @written(%b: index, %k: memref<?x?x128xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %Ks = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
  scf.for %c = %c0 to %n step %c1 {
    %h = tile.copy cp_async %k[%b, %c, %c0], %Ks bound(%n) {dims = array<i64: 1, 2>} : memref<?x?x128xbf16>, memref<64x128xbf16, #tile.smem<128>>
    tile.await %h : !tile.async<none>
    %a = tile.read %Ks : memref<64x128xbf16, #tile.smem<128>> -> tensor<64x128xbf16, #tile.frag<warps = 4>>
    tile.write %a, %Ks : tensor<64x128xbf16, #tile.frag<warps = 4>>, memref<64x128xbf16, #tile.smem<128>>
  }
  tile.return
}

// A kernel that will have roles keeps its copies.

// CHECK-LABEL: tile.kernel @with_roles
// CHECK-NOT: tile.ring_create
tile.kernel @with_roles(%i: index, %k: memref<?x64xbf16>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy cp_async %k[%c, %c0], %K bound(%n) {dims = array<i64: 0, 1>} : memref<?x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
    tile.await %f : !tile.async<none>
    %x = tile.read %K : memref<64x64xbf16, #tile.smem<128>> -> tensor<64x64xbf16, #tile.frag<warps = 4>>
  }
  tile.return
}
