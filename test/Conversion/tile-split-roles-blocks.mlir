// RUN: delta-opt %s --tile-split-roles=stages=3 --canonicalize | FileCheck %s

!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
!x = tensor<128x64xf32, #tile.frag<warps = 8>>
!s = tensor<128x128xf32, #tile.frag<warps = 8>>
!p = tensor<128x128xbf16, #tile.frag<warps = 8>>
!b = memref<128x64xbf16, #tile.smem<128>>

// A row block that waits for earlier ones. What every role must know is computed once, in
// front: the ticket, and what follows from it. An array that the loop reads has a ring of
// the schedule's stages, whose last slot is the block's own; others have a slot. The load
// role keeps the order of the text, so that what waits for a flag holds up nothing else. What
// no CTA reads of another the math role may store itself.

// CHECK-LABEL: tile.kernel @block
// CHECK-SAME: warps = 12 : i64
// CHECK: %[[BLOCK:.*]] = tile.ticket
// CHECK: %[[T0:.*]] = arith.muli %[[BLOCK]], %c128
// CHECK: %[[DONE:.*]] = arith.addi
// CHECK: %[[QR:.*]] = tile.ring_create "Q" mbarrier {tile.buffers = ["Q"]} : <1, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: %[[KR:.*]] = tile.ring_create "K_j" mbarrier {tile.buffers = ["K_j"]} : <3, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: %[[UR:.*]] = tile.ring_create "U_j" mbarrier {tile.buffers = ["U_j"]} : <3, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: %[[OUT:.*]] = tile.ring_create "out" mbarrier {tile.buffers = ["out"]} : <1, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: tile.roles [#tile.role<name = "math", warps = 8, registers = 240>, #tile.role<name = "load", warps = 3, registers = 24>, #tile.role<name = "store", warps = 1, registers = 24>] {
// CHECK: %[[QS:.*]], %[[Q:.*]] = tile.peek %[[QR]][%c0]
// CHECK: scf.for %[[J:.*]] = %c0 to %[[BLOCK]]
// CHECK-NEXT: %[[KS:.*]], %[[K:.*]] = tile.peek %[[KR]][%[[J]]]
// CHECK-NEXT: tile.dot instr(wgmma_ss) %[[Q]], %[[K]]
// CHECK-NEXT: tile.release %[[KS]]
// CHECK-NOT: tile.expect
// CHECK: %[[US:.*]], %[[U:.*]] = tile.peek %[[UR]][%[[J]]]
// CHECK-NEXT: tile.dot instr(wgmma_rs) %{{.*}}, %[[U]]
// CHECK-NEXT: tile.release %[[US]]
// CHECK: %[[KS:.*]], %[[K:.*]] = tile.peek %[[KR]][%[[BLOCK]]]
// CHECK-NEXT: tile.dot instr(wgmma_ss) %[[Q]], %[[K]]
// CHECK-NEXT: tile.release %[[KS]]
// CHECK-NEXT: tile.release %[[QS]]
// CHECK: %[[W:.*]], %[[O:.*]] = tile.acquire %[[OUT]][%c0]
// CHECK-NEXT: tile.write %{{.*}}, %[[O]]
// CHECK-NEXT: tile.commit %[[W]]{{$}}
// CHECK-NOT: tile.signal
// CHECK: %[[W:.*]], %[[O:.*]] = tile.acquire %[[OUT]][%c1]
// CHECK-NEXT: tile.write %{{.*}}, %[[O]]
// CHECK-NEXT: tile.commit %[[W]]{{$}}
// CHECK-NEXT: tile.store %{{.*}}, %arg6[%[[T0]]] bound(%c128)
// CHECK-NEXT: }, {
// CHECK: %[[W:.*]], %[[Q:.*]] = tile.acquire %[[QR]][%c0]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %arg1[%[[T0]], %c0], %[[Q]]
// CHECK-NEXT: tile.commit %[[W]], %[[F]]
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %[[BLOCK]]
// CHECK-NEXT: %[[TJ:.*]] = arith.muli %[[J]], %c128
// CHECK-NEXT: %[[W:.*]], %[[K:.*]] = tile.acquire %[[KR]][%[[J]]]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %arg2[%[[TJ]], %c0], %[[K]]
// CHECK-NEXT: tile.commit %[[W]], %[[F]]
// CHECK-NEXT: %[[EPOCH:.*]] = arith.index_cast %[[J]]
// CHECK-NEXT: tile.expect %arg5[%c1], %[[EPOCH]]
// CHECK-NEXT: %[[W:.*]], %[[U:.*]] = tile.acquire %[[UR]][%[[J]]]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %arg3[%[[TJ]], %c0], %[[U]]
// CHECK-NEXT: tile.commit %[[W]], %[[F]]
// CHECK: %[[W:.*]], %[[K:.*]] = tile.acquire %[[KR]][%[[BLOCK]]]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %arg2[%[[T0]], %c0], %[[K]]
// CHECK-NEXT: tile.commit %[[W]], %[[F]]
// CHECK-NEXT: }, {
// CHECK: %[[P:.*]], %[[U:.*]] = tile.peek %[[OUT]][%c0]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %arg3[%[[T0]], %c0], %[[U]] {dims = array<i64: 0, 1>, to_global}
// CHECK-NEXT: tile.release %[[P]], %[[F]]
// CHECK-NEXT: tile.signal %arg5[%c1]
// CHECK-NEXT: %[[P:.*]], %[[O:.*]] = tile.peek %[[OUT]][%c1]
// CHECK-NEXT: %[[F:.*]] = tile.copy tma %arg4[%[[T0]], %c0], %[[O]]
// CHECK-NEXT: tile.release %[[P]], %[[F]]
// CHECK-NEXT: }
// CHECK-NEXT: tile.return
tile.kernel @block(%cta: index, %q: memref<?x64xbf16>, %k: memref<?x64xbf16>, %u: memref<?x64xbf16>,
                   %o: memref<?x64xbf16>, %progress: memref<?xi32>, %lse: memref<?xf32>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !x
  %none = arith.constant dense<0.0> : !p
  %item_s = tile.alloc : memref<4xf32, #tile.smem<0>>
  %Qs = tile.alloc : !b loc("Q")
  %Ks = tile.alloc : !b loc("K_j")
  %Us = tile.alloc : !b loc("U_j")
  %Ki = tile.alloc : !b loc("K")
  %Uo = tile.alloc : !b loc("U")
  %Oo = tile.alloc : !b loc("O")
  %block = tile.ticket %progress scratch(%item_s : memref<4xf32, #tile.smem<0>>) : memref<?xi32>
  %t0 = arith.muli %block, %c128 : index
  %f0 = tile.copy tma %q[%t0, %c0], %Qs {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %f0 : !tile.async<none>
  %N:2 = scf.for %j = %c0 to %block step %c1 iter_args(%n = %zero, %P = %none) -> (!x, !p) {
    %tj = arith.muli %j, %c128 : index
    %f1 = tile.copy tma %k[%tj, %c0], %Ks {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f1 : !tile.async<none>
    %S = tile.dot instr(wgmma_ss) %Qs, %Ks {contract = array<i64: 1, 1>} : !b, !b -> !s
    %epoch = arith.index_cast %j : index to i32
    tile.expect %progress[%c1], %epoch : memref<?xi32>
    %f2 = tile.copy tma %u[%tj, %c0], %Us {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f2 : !tile.async<none>
    %n1 = tile.dot instr(wgmma_rs) %P, %Us acc(%n) {contract = array<i64: 1, 0>} : !p, !b -> !x
    %P1 = arith.truncf %S : !s to !p
    scf.yield %n1, %P1 : !x, !p
  }
  %f3 = tile.copy tma %k[%t0, %c0], %Ki {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %f3 : !tile.async<none>
  %Sd = tile.dot instr(wgmma_ss) %Qs, %Ki {contract = array<i64: 1, 1>} : !b, !b -> !s
  %r = tile.reduce max %Sd {axis = 1} : !s -> tensor<128xf32, #tile.slice<axis = 0, #tile.frag<warps = 8>>>
  %rows = tile.spread %r {axis = 0} : tensor<128xf32, #tile.slice<axis = 0, #tile.frag<warps = 8>>> -> !x
  %sum = arith.addf %N#0, %rows : !x
  %Ua = arith.truncf %sum : !x to !a
  tile.write %Ua, %Uo : !a, !b
  %g0 = tile.copy tma %u[%t0, %c0], %Uo {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g0 : !tile.async<none>
  %done = arith.addi %block, %c1 : index
  %finished = arith.index_cast %done : index to i32
  tile.signal %progress[%c1], %finished : memref<?xi32>
  %Oa = arith.truncf %N#0 : !x to !a
  tile.write %Oa, %Oo : !a, !b
  %g1 = tile.copy tma %o[%t0, %c0], %Oo {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g1 : !tile.async<none>
  %sums = arith.constant dense<0.0> : tensor<128xf32, #tile.flat<warps = 8>>
  tile.store %sums, %lse[%t0] bound(%c128) {dims = array<i64: 0>} : tensor<128xf32, #tile.flat<warps = 8>>, memref<?xf32>
  tile.return
}

// A block that waits for nobody: its warpgroups share the rows of a tile, and what earlier blocks
// made is complete. Of one array it copies two boxes behind the loop: the first takes the next
// slot of the loop's ring, the other one has a ring of its own.

// CHECK-LABEL: tile.kernel @reads
// CHECK-SAME: warps = 12 : i64
// CHECK: %[[BLOCK:.*]] = arith.subi %arg4, %arg0
// CHECK: %[[T0:.*]] = arith.muli %[[BLOCK]], %c128
// CHECK: %[[UR:.*]] = tile.ring_create "U_j" mbarrier {tile.buffers = ["U_j"]} : <3, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: %[[OWN:.*]] = tile.ring_create "U" mbarrier {tile.buffers = ["U"]} : <1, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: %[[OUT:.*]] = tile.ring_create "out" mbarrier {tile.buffers = ["O"]} : <1, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: tile.roles [#tile.role<name = "math", warps = 8, registers = 240>, #tile.role<name = "load", warps = 3, registers = 24>, #tile.role<name = "store", warps = 1, registers = 24>] {
// CHECK: scf.for %[[J:.*]] = %c0 to %[[BLOCK]]
// CHECK: tile.peek %[[UR]][%[[J]]]
// CHECK: tile.peek %[[UR]][%[[BLOCK]]]
// CHECK: tile.peek %[[OWN]][%c0]
// CHECK: }, {
// CHECK-NEXT: ^bb0
// CHECK-NEXT: scf.for %[[J:.*]] = %c0 to %[[BLOCK]]
// CHECK: tile.acquire %[[UR]][%[[J]]]
// CHECK: %[[W:.*]], %[[U:.*]] = tile.acquire %[[UR]][%[[BLOCK]]]
// CHECK-NEXT: tile.copy tma %arg2[%{{.*}}, %c0], %[[U]]
// CHECK: %[[W:.*]], %[[U:.*]] = tile.acquire %[[OWN]][%c0]
// CHECK-NEXT: tile.copy tma %arg2[%[[T0]], %c0], %[[U]]
// CHECK: }, {
// CHECK: tile.peek %[[OUT]][%c0]
// CHECK-NEXT: tile.copy tma %arg3[%[[T0]], %c0]
// CHECK-NOT: tile.signal
// CHECK: tile.return
tile.kernel @reads(%behind: index, %p: memref<?x128xbf16>, %u: memref<?x64xbf16>, %o: memref<?x64xbf16>, %last: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !x
  %P = arith.constant dense<1.0> : !p
  %Us = tile.alloc : !b loc("U_j")
  %Ul = tile.alloc : !b loc("U_last")
  %Ui = tile.alloc : !b loc("U")
  %Oo = tile.alloc : !b loc("O")
  %block = arith.subi %last, %behind : index
  %t0 = arith.muli %block, %c128 : index
  %N = scf.for %j = %c0 to %block step %c1 iter_args(%n = %zero) -> (!x) {
    %tj = arith.muli %j, %c128 : index
    %f = tile.copy tma %u[%tj, %c0], %Us {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
    %n1 = tile.dot instr(wgmma_rs) %P, %Us acc(%n) {contract = array<i64: 1, 0>} : !p, !b -> !x
    scf.yield %n1 : !x
  }
  %before = arith.subi %t0, %c128 : index
  %f1 = tile.copy tma %u[%before, %c0], %Ul {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %f1 : !tile.async<none>
  %N1 = tile.dot instr(wgmma_rs) %P, %Ul acc(%N) {contract = array<i64: 1, 0>} : !p, !b -> !x
  %f2 = tile.copy tma %u[%t0, %c0], %Ui {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %f2 : !tile.async<none>
  %N2 = tile.dot instr(wgmma_rs) %P, %Ui acc(%N1) {contract = array<i64: 1, 0>} : !p, !b -> !x
  %Oa = arith.truncf %N2 : !x to !a
  tile.write %Oa, %Oo : !a, !b
  %g = tile.copy tma %o[%t0, %c0], %Oo {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// Every copy of an iteration has a ring of its own, of one array too. A copy out of the loop
// has two slots; those after the loop share one where their buffers are alike.

// CHECK-LABEL: tile.kernel @rings
// CHECK: %[[KR:.*]] = tile.ring_create "K" mbarrier {{.*}} : <3,
// CHECK: %[[LR:.*]] = tile.ring_create "L" mbarrier {{.*}} : <3,
// CHECK: %[[EACH:.*]] = tile.ring_create "out" mbarrier {tile.buffers = ["P"]} : <2,
// CHECK: %[[OUT:.*]] = tile.ring_create "out" mbarrier {tile.buffers = ["out"]} : <1, [memref<128x64xbf16, #tile.smem<128>>]>
// CHECK: %[[WIDE:.*]] = tile.ring_create "out" mbarrier {tile.buffers = ["W"]} : <1, [memref<128x128xbf16, #tile.smem<128>>]>
// CHECK: tile.roles
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK: tile.peek %[[KR]][%[[J]]]
// CHECK: tile.peek %[[LR]][%[[J]]]
// CHECK: tile.acquire %[[EACH]][%[[J]]]
// CHECK: tile.acquire %[[OUT]][%c0]
// CHECK: tile.acquire %[[WIDE]][%c0]
// CHECK: tile.acquire %[[OUT]][%c1]
// CHECK: }, {
// CHECK: tile.acquire %[[KR]]
// CHECK: tile.acquire %[[LR]]
// CHECK: }, {
// CHECK: scf.for %[[J:.*]] = %c0
// CHECK-NEXT: tile.peek %[[EACH]][%[[J]]]
// CHECK: tile.peek %[[OUT]][%c0]
// CHECK: tile.peek %[[WIDE]][%c0]
// CHECK: tile.peek %[[OUT]][%c1]
tile.kernel @rings(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %w: memref<?x128xbf16>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<0.0> : !a
  %y = arith.constant dense<0.0> : !p
  %K = tile.alloc : !b loc("K")
  %L = tile.alloc : !b loc("L")
  %P = tile.alloc : !b loc("P")
  %O = tile.alloc : !b loc("O")
  %Q = tile.alloc : !b loc("Q")
  %W = tile.alloc : memref<128x128xbf16, #tile.smem<128>> loc("W")
  scf.for %j = %c0 to %n step %c1 {
    %f0 = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f0 : !tile.async<none>
    %Ka = tile.read %K : !b -> !a
    %f1 = tile.copy tma %k[%j, %c1], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f1 : !tile.async<none>
    %La = tile.read %L : !b -> !a
    %sum = arith.addf %Ka, %La : !a
    tile.write %sum, %P : !a, !b
    %g = tile.copy tma %o[%j, %c0], %P {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
    tile.await %g : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %h0 = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %h0 : !tile.async<none>
  tile.write %y, %W : !p, memref<128x128xbf16, #tile.smem<128>>
  %h1 = tile.copy tma %w[%c0, %c0], %W {dims = array<i64: 0, 1>, to_global} : memref<?x128xbf16>, memref<128x128xbf16, #tile.smem<128>>
  tile.await %h1 : !tile.async<none>
  tile.write %x, %Q : !a, !b
  %h2 = tile.copy tma %o[%c0, %c0], %Q {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %h2 : !tile.async<none>
  tile.return
}
