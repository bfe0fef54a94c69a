// RUN: delta-opt %s --tile-split-roles=stages=3 --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!x = tensor<64x64xf32, #tile.frag<warps = 4>>
!row = tensor<64xf32, #tile.slice<axis = 1, #tile.frag<warps = 4>>>
!b = memref<64x64xbf16, #tile.smem<128>>
!vector = memref<64xf32, #tile.smem<0>>

// One chain a CTA: six warps with equal caps, three slots of chunks, two of outputs.
// The state stays with math; what is behind the loop is its, too.

// CHECK-LABEL: tile.kernel @one
// CHECK-SAME: grid = 2 : i64, {{.*}}warps = 6 : i64
// CHECK: %[[COLUMN:.*]] = arith.muli %arg0, %{{.*}}
// CHECK: %[[IN:.*]] = tile.ring_create "chunks" mbarrier {tile.buffers = ["K", "V", "G"]} : <3, [memref<64x64xbf16, #tile.smem<128>>, memref<64x64xbf16, #tile.smem<128>>, memref<64xf32, #tile.smem<0>>]>
// CHECK: %[[OUT:.*]] = tile.ring_create "out" mbarrier {tile.buffers = ["O"]} : <2, [memref<64x64xbf16, #tile.smem<128>>]>
// CHECK: tile.roles [#tile.role<name = "math", warps = 4, registers = 240>, #tile.role<name = "load", warps = 1, registers = 240>, #tile.role<name = "store", warps = 1, registers = 240>] {
// CHECK: %[[S0:.*]] = tile.load
// CHECK: %[[S1:.*]] = scf.for %[[C:.*]] = %c0 to %[[N:.*]] step %c1 iter_args(%[[S:.*]] = %[[S0]])
// CHECK: %[[SLOT:.*]], %[[BUFFERS:.*]]:3 = tile.peek %[[IN]][%[[C]]]
// CHECK-NOT: tile.copy
// CHECK: tile.dot instr(wgmma_rs) %{{.*}}, %[[BUFFERS]]#0
// CHECK: tile.read %[[BUFFERS]]#1 {transpose}
// CHECK: tile.read %[[BUFFERS]]#2
// CHECK: %[[W:.*]], %[[O:.*]] = tile.acquire %[[OUT]][%[[C]]]
// CHECK-NEXT: tile.write %{{.*}}, %[[O]] {transpose}
// CHECK-NEXT: tile.commit %[[W]]{{$}}
// CHECK: tile.dot instr(wgmma_rs) %{{.*}}, %[[BUFFERS]]#0 acc(
// CHECK-NEXT: tile.release %[[SLOT]]{{$}}
// CHECK-NEXT: scf.yield
// CHECK: tile.store %[[S1]]
// CHECK: scf.for %[[C:.*]] = %c0 to %[[N]] step %c1 {
// CHECK-NEXT: %[[T0:.*]] = arith.muli %[[C]]
// CHECK-NEXT: %[[W:.*]], %[[B:.*]]:3 = tile.acquire %[[IN]][%[[C]]]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %{{.*}}[%[[C]], %{{.*}}, %{{.*}}], %[[B]]#0
// CHECK-NEXT: %[[G:.*]] = tile.copy tma %{{.*}}[%[[T0]], %[[COLUMN]]], %[[B]]#1
// CHECK-NEXT: %[[H:.*]] = tile.copy bulk %{{.*}}[%[[C]], %{{.*}}], %[[B]]#2
// CHECK-NEXT: tile.commit %[[W]], %[[F]], %[[G]], %[[H]]
// CHECK: scf.for %[[C:.*]] = %c0 to %[[N]] step %c1 {
// CHECK-NEXT: %[[T0:.*]] = arith.muli %[[C]]
// CHECK-NEXT: %[[P:.*]], %[[B:.*]] = tile.peek %[[OUT]][%[[C]]]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %{{.*}}[%[[T0]], %[[COLUMN]]], %[[B]] {dims = array<i64: 0, 1>, to_global}
// CHECK-NEXT: tile.release %[[P]], %[[F]]
// CHECK: tile.launch @one grid(%c2, %c1)
tile.kernel @one(%j: index, %h: index, %k: memref<?x64x64xbf16>, %v: memref<?x128xbf16>, %g: memref<?x64xf32>,
                 %o: memref<?x128xbf16>, %s: memref<64x128xf32>, %n: index)
    attributes {grid = 2 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.alloc : !b loc("K")
  %V = tile.alloc : !b loc("V")
  %G = tile.alloc : !vector loc("G")
  %O = tile.alloc : !b loc("O")
  %column = arith.muli %j, %c64 : index
  %S0 = tile.load %s[%c0, %column] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %S1 = scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !x {
    %t0 = arith.muli %c, %c64 : index
    %f0 = tile.copy bulk %g[%c, %c0], %G {dims = array<i64: 1>} : memref<?x64xf32>, !vector
    tile.await %f0 : !tile.async<none>
    %f1 = tile.copy tma %k[%c, %c0, %c0], %K {dims = array<i64: 1, 2>} : memref<?x64x64xbf16>, !b
    tile.await %f1 : !tile.async<none>
    %Sa = arith.truncf %S : !x to !a
    %KS = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !b -> !x
    %f2 = tile.copy tma %v[%t0, %column], %V {dims = array<i64: 0, 1>} : memref<?x128xbf16>, !b
    tile.await %f2 : !tile.async<none>
    %Va = tile.read %V {transpose} : !b -> !a
    %Vf = arith.extf %Va : !a to !x
    %e = tile.read %G : !vector -> !row
    %E = tile.spread %e {axis = 1} : !row -> !x
    %D = arith.mulf %KS, %E : !x
    %X = arith.subf %Vf, %D : !x
    %Xa = arith.truncf %X : !x to !a
    tile.write %Xa, %O {transpose} : !a, !b
    %f3 = tile.copy tma %o[%t0, %column], %O {dims = array<i64: 0, 1>, to_global} : memref<?x128xbf16>, !b
    tile.await %f3 : !tile.async<none>
    %Sn = tile.dot instr(wgmma_rs) %Xa, %K acc(%S) {contract = array<i64: 1, 0>} : !a, !b -> !x
    scf.yield %Sn : !x
  }
  tile.store %S1, %s[%c0, %column] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}
func.func @host_of_one(%k: memref<?x64x64xbf16>, %v: memref<?x128xbf16>, %g: memref<?x64xf32>, %o: memref<?x128xbf16>, %s: memref<64x128xf32>, %n: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tile.launch @one grid(%c2, %c1) args(%k, %v, %g, %o, %s, %n : memref<?x64x64xbf16>, memref<?x128xbf16>, memref<?x64xf32>, memref<?x128xbf16>, memref<64x128xf32>, index)
  return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!x = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>

// Two chains: K is shared, V comes for both at once, and each instance views its panel.
// Chains are numbered 2 j + i, in the host as many CTAs as pairs.

// CHECK-LABEL: tile.kernel @two
// CHECK-SAME: delta.name = "column_tile_pair"
// CHECK-SAME: grid = 1 : i64, plan = #plan.kernel<{{.*}}chains = 2{{.*}}>, warps = 12 : i64
// CHECK: tile.ring_create "chunks" mbarrier {consumers = 2 : i64, tile.buffers = ["K", "V"], zeroed} : <3, [memref<64x64xbf16, #tile.smem<128>>, memref<64x128xbf16, #tile.smem<128>>]>
// CHECK: tile.ring_create "out" mbarrier {tile.buffers = ["O"]} : <1, [memref<64x64xbf16, #tile.smem<128>>]>
// CHECK: tile.roles [#tile.role<name = "math", warps = 8, registers = 240, instances = 2>, #tile.role<name = "load", warps = 2, registers = 24>, #tile.role<name = "store", warps = 2, registers = 24, instances = 2>] {
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK-DAG: %[[PAIR:.*]] = arith.muli %arg0, %c2
// CHECK-DAG: %[[CHAIN:.*]] = arith.addi %[[PAIR]], %[[I]]
// CHECK-DAG: %[[COLUMN:.*]] = arith.muli %[[CHAIN]], %c64
// CHECK: tile.load %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK: %[[PANEL:.*]] = arith.muli %[[I]], %c64
// CHECK: %{{.*}}, %[[B:.*]]:2 = tile.peek
// CHECK: %[[V:.*]] = memref.subview %[[B]]#1[0, %[[PANEL]]] [64, 64] [1, 1] : memref<64x128xbf16, #tile.smem<128>> to memref<64x64xbf16, strided<[128, 1], offset: ?>, #tile.smem<128>>
// CHECK: tile.dot instr(wgmma_rs) %{{.*}}, %[[B]]#0
// CHECK: tile.read %[[V]] {transpose}
// CHECK: ^bb0(%{{.*}}: index):
// CHECK: %[[COLUMNS:.*]] = arith.muli %arg0, %c128
// CHECK: tile.copy tma %{{.*}}[%{{.*}}, %[[COLUMNS]]], %{{.*}} {dims = array<i64: 0, 1>, rows = 63 : i64} : memref<?x256xbf16>, memref<64x128xbf16, #tile.smem<128>>
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK-DAG: %[[PAIR:.*]] = arith.muli %arg0, %c2
// CHECK-DAG: %[[CHAIN:.*]] = arith.addi %[[PAIR]], %[[I]]
// CHECK-DAG: %[[COLUMN:.*]] = arith.muli %[[CHAIN]], %c64
// CHECK: tile.copy tma %{{.*}}[%{{.*}}, %[[COLUMN]]], %{{.*}} {dims = array<i64: 0, 1>, rows = 21 : i64, to_global}
// CHECK: tile.launch @two grid(%c2)
tile.kernel @two(%j: index {delta.name = "column_tile"}, %k: memref<?x64x64xbf16>, %v: memref<?x256xbf16>,
                 %o: memref<?x256xbf16>, %s: memref<64x256xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.alloc : !b loc("K")
  %V = tile.alloc : !b loc("V")
  %O = tile.alloc : !b loc("O")
  %column = arith.muli %j, %c64 : index
  %S0 = tile.load %s[%c0, %column] {dims = array<i64: 0, 1>} : memref<64x256xf32> -> !x
  %S1 = scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !x {
    %t0 = arith.muli %c, %c64 : index
    %f1 = tile.copy tma %k[%c, %c0, %c0], %K {dims = array<i64: 1, 2>} : memref<?x64x64xbf16>, !b
    tile.await %f1 : !tile.async<none>
    %Sa = arith.truncf %S : !x to !a
    %KS = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !b -> !x
    %f2 = tile.copy tma %v[%t0, %column], %V {dims = array<i64: 0, 1>, rows = 63 : i64} : memref<?x256xbf16>, !b
    tile.await %f2 : !tile.async<none>
    %Va = tile.read %V {transpose} : !b -> !a
    %Vf = arith.extf %Va : !a to !x
    %X = arith.subf %Vf, %KS : !x
    %Xa = arith.truncf %X : !x to !a
    tile.write %Xa, %O {transpose} : !a, !b
    %f3 = tile.copy tma %o[%t0, %column], %O {dims = array<i64: 0, 1>, rows = 21 : i64, to_global} : memref<?x256xbf16>, !b
    tile.await %f3 : !tile.async<none>
    scf.yield %X : !x
  }
  tile.store %S1, %s[%c0, %column] {dims = array<i64: 0, 1>} : !x, memref<64x256xf32>
  tile.return
}
func.func @host_of_two(%k: memref<?x64x64xbf16>, %v: memref<?x256xbf16>, %o: memref<?x256xbf16>, %s: memref<64x256xf32>, %n: index) {
  %c4 = arith.constant 4 : index
  tile.launch @two grid(%c4) args(%k, %v, %o, %s, %n : memref<?x64x64xbf16>, memref<?x256xbf16>, memref<?x256xbf16>, memref<64x256xf32>, index)
  return
}

// -----

!x = tensor<64x64xf32, #tile.frag<warps = 4>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>

// Nothing is stored in the loop: there is no store role, and of two chains the load role
// completes its warpgroup.

// CHECK-LABEL: tile.kernel @no_output
// CHECK-SAME: warps = 12 : i64
// CHECK: tile.roles [#tile.role<name = "math", warps = 8, registers = 240, instances = 2>, #tile.role<name = "load", warps = 4, registers = 24>] {
// CHECK-NOT: "out"
tile.kernel @no_output(%j: index, %k: memref<?x64x64xbf16>, %s: memref<64x128xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %K = tile.alloc : !b
  %column = arith.muli %j, %c64 : index
  %S0 = tile.load %s[%c0, %column] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> !x
  %S1 = scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !x {
    %f1 = tile.copy tma %k[%c, %c0, %c0], %K {dims = array<i64: 1, 2>} : memref<?x64x64xbf16>, !b
    tile.await %f1 : !tile.async<none>
    %Sa = arith.truncf %S : !x to !a
    %Sn = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !b -> !x
    scf.yield %Sn : !x
  }
  tile.store %S1, %s[%c0, %column] {dims = array<i64: 0, 1>} : !x, memref<64x128xf32>
  tile.return
}

// -----

!x = tensor<64x64xf32, #tile.frag<warps = 4>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>

// Copies around the loop have rings of one slot. What each chain reads there comes for both
// at once, too.

// CHECK-LABEL: tile.kernel @around
// CHECK-DAG: %[[FIRST:.*]] = tile.ring_create "S" mbarrier {consumers = 2 : i64, tile.buffers = ["S"]} : <1, [memref<64x128xbf16, #tile.smem<128>>]>
// CHECK-DAG: %[[IN:.*]] = tile.ring_create "K" mbarrier {consumers = 2 : i64, tile.buffers = ["K"]} : <3, [memref<64x64xbf16, #tile.smem<128>>]>
// CHECK-DAG: %[[OUT:.*]] = tile.ring_create "out" mbarrier {tile.buffers = ["O"]} : <1, [memref<64x64xbf16, #tile.smem<128>>]>
// CHECK: %[[SLOT:.*]], %[[B:.*]] = tile.peek %[[FIRST]][%c0]
// CHECK-NEXT: %[[S:.*]] = memref.subview %[[B]][0, %{{.*}}] [64, 64] [1, 1]
// CHECK-NEXT: tile.read %[[S]]
// CHECK-NEXT: tile.release %[[SLOT]]
// CHECK: scf.for %[[C:.*]] = %c0
// CHECK: tile.peek %[[IN]][%[[C]]]
// CHECK: %[[W:.*]], %[[O:.*]] = tile.acquire %[[OUT]][%c0]
// CHECK-NEXT: tile.write %{{.*}}, %[[O]]
// CHECK-NEXT: tile.commit %[[W]]{{$}}
// CHECK: ^bb0(%{{.*}}: index):
// CHECK: tile.acquire %[[FIRST]][%c0]
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.commit
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.acquire %[[IN]]
// CHECK: ^bb0(%{{.*}}: index):
// CHECK-NOT: scf.for
// CHECK: tile.peek %[[OUT]][%c0]
tile.kernel @around(%j: index, %k: memref<?x64x64xbf16>, %s: memref<64x128xbf16>, %o: memref<64x128xbf16>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %S = tile.alloc : !b loc("S")
  %K = tile.alloc : !b loc("K")
  %O = tile.alloc : !b loc("O")
  %column = arith.muli %j, %c64 : index
  %f0 = tile.copy tma %s[%c0, %column], %S {dims = array<i64: 0, 1>} : memref<64x128xbf16>, !b
  tile.await %f0 : !tile.async<none>
  %S0 = tile.read %S : !b -> !a
  %first = arith.extf %S0 : !a to !x
  %S1 = scf.for %c = %c0 to %n step %c1 iter_args(%state = %first) -> !x {
    %f1 = tile.copy tma %k[%c, %c0, %c0], %K {dims = array<i64: 1, 2>} : memref<?x64x64xbf16>, !b
    tile.await %f1 : !tile.async<none>
    %Sa = arith.truncf %state : !x to !a
    %next = tile.dot instr(wgmma_rs) %Sa, %K {contract = array<i64: 1, 1>} : !a, !b -> !x
    scf.yield %next : !x
  }
  %last = arith.truncf %S1 : !x to !a
  tile.write %last, %O : !a, !b
  %f2 = tile.copy tma %o[%c0, %column], %O {dims = array<i64: 0, 1>, to_global} : memref<64x128xbf16>, !b
  tile.await %f2 : !tile.async<none>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @not_a_chain
// CHECK-NOT: tile.roles
tile.kernel @not_a_chain(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  tile.return
}
