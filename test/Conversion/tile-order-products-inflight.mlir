// RUN: delta-opt %s --tile-order-products | FileCheck %s
// RUN: delta-opt %s --tile-order-products=cut=false | FileCheck %s --check-prefix=WHOLE

!s    = tensor<64x128xf32, #tile.frag<warps = 4>>
!sa   = tensor<64x128xbf16, #tile.frag<warps = 4>>
!x    = tensor<64x64xf32, #tile.frag<warps = 4>>
!xa   = tensor<64x64xbf16, #tile.frag<warps = 4>>
!e    = tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>>
!wide = memref<64x128xbf16, #tile.smem<128>>
!tile = memref<64x64xbf16, #tile.smem<128>>
!vec  = memref<64xf32, #tile.smem<0>>
!in   = !tile.ring<3, [!wide, !wide, !tile, !tile, !tile, !vec, !vec, !vec]>
!out  = !tile.ring<2, [!tile]>

// A chunk of Gated DeltaNet, one product after the other. Cycles of the model: S K^T and
// S Q^T 8 steps of 32, X T^T and U P^T 4 of 32, U K 4 of 64; 64 for each pass over 64 x 64,
// 128 over 64 x 128.
//
// The state is scaled before any product runs; reads for that and for X follow the peek. X
// takes 30 + 3 * 64 = 222 cycles after K S, in which the tensor cores are free: half of Q S
// (128) fits, all of it (256) does not; after U the same holds for 158 cycles and the other
// half. e_out takes 30 + 16 * 2 cycles to read, which fits into the last step of U (32) and
// its await (30); e_in with V (64) would come too late after K S. e_read is not on the
// chain and comes before the last product before its use. The state is rounded while U P^T
// runs. Each await is directly before its use. The slot is released when the last product
// is complete; the wait for a free slot is before that. Without cuts, the whole Q S follows
// K S: half of it fits.

// WHOLE-LABEL: tile.kernel @chunk
// WHOLE: tile.dot_start
// WHOLE-NEXT: tile.dot_start wgmma_rs %{{.*}}, %{{.*}}#1 {contract = array<i64: 1, 1>} :
// WHOLE-NEXT: tile.await
// WHOLE-NOT: k = array
// WHOLE: tile.return

// CHECK-LABEL: tile.kernel @chunk
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[SA:.*]] = %{{.*}})
// CHECK-NEXT: %[[SLOT:.*]], %[[IN:.*]]:8 = tile.peek
// CHECK-NEXT: %[[EIN:.*]] = tile.read %[[IN]]#5
// CHECK-NEXT: %[[V:.*]] = tile.read %[[IN]]#2 {transpose}
// CHECK-NEXT: %[[CHUNK:.*]] = memref.load %[[IN]]#6
// CHECK-NEXT: %[[CHUNKS:.*]] = tensor.splat %[[CHUNK]]
// CHECK-NEXT: %[[DECAYED:.*]] = arith.mulf %[[S]], %[[CHUNKS]]
// CHECK-NEXT: %[[KS_P:.*]] = tile.dot_start wgmma_rs %[[SA]], %[[IN]]#0
// CHECK-NEXT: %[[QS_0:.*]] = tile.dot_start wgmma_rs %[[SA]], %[[IN]]#1 {contract = array<i64: 1, 1>, k = array<i64: 0, 64>}
// CHECK-NEXT: %[[KS:.*]] = tile.await %[[KS_P]]
// CHECK-NEXT: %[[EIN_C:.*]] = tile.spread %[[EIN]]
// CHECK-NEXT: %[[KSE:.*]] = arith.mulf %[[EIN_C]], %[[KS]]
// CHECK-NEXT: %[[VF:.*]] = arith.extf %[[V]]
// CHECK-NEXT: %[[X:.*]] = arith.subf %[[VF]], %[[KSE]]
// CHECK-NEXT: %[[XA:.*]] = arith.truncf %[[X]]
// CHECK-NEXT: %[[U_P:.*]] = tile.dot_start wgmma_rs %[[XA]], %[[IN]]#3
// CHECK-NEXT: %[[EOUT:.*]] = tile.read %[[IN]]#6
// CHECK-NEXT: %[[QS_P:.*]] = tile.dot_start wgmma_rs %[[SA]], %[[IN]]#1 acc(%[[QS_0]] : {{.*}}) {contract = array<i64: 1, 1>, k = array<i64: 64, 128>}
// CHECK-NEXT: %[[U:.*]] = tile.await %[[U_P]]
// CHECK-NEXT: %[[EOUT_C:.*]] = tile.spread %[[EOUT]]
// CHECK-NEXT: %[[UE:.*]] = arith.mulf %[[EOUT_C]], %[[U]]
// CHECK-NEXT: %[[UEA:.*]] = arith.truncf %[[UE]]
// CHECK-NEXT: %[[EREAD:.*]] = tile.read %[[IN]]#7
// CHECK-NEXT: %[[S1_P:.*]] = tile.dot_start wgmma_rs %[[UEA]], %[[IN]]#0 acc(%[[DECAYED]] : {{.*}}) {contract = array<i64: 1, 0>}
// CHECK-NEXT: %[[QS:.*]] = tile.await %[[QS_P]]
// CHECK-NEXT: %[[EREAD_C:.*]] = tile.spread %[[EREAD]]
// CHECK-NEXT: %[[QSE:.*]] = arith.mulf %[[EREAD_C]], %[[QS]]
// CHECK-NEXT: %[[UA:.*]] = arith.truncf %[[U]]
// CHECK-NEXT: %[[O_P:.*]] = tile.dot_start wgmma_rs %[[UA]], %[[IN]]#4 acc(%[[QSE]] : {{.*}})
// CHECK-NEXT: %[[S1:.*]] = tile.await %[[S1_P]]
// CHECK-NEXT: %[[SA1:.*]] = arith.truncf %[[S1]]
// CHECK-NEXT: %[[W:.*]], %[[OB:.*]] = tile.acquire
// CHECK-NEXT: %[[O:.*]] = tile.await %[[O_P]]
// CHECK-NEXT: tile.release %[[SLOT]]
// CHECK-NEXT: %[[OA:.*]] = arith.truncf %[[O]]
// CHECK-NEXT: tile.write %[[OA]], %[[OB]]
// CHECK-NEXT: tile.commit %[[W]]
// CHECK-NEXT: scf.yield %[[S1]], %[[SA1]]
tile.kernel @chunk(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %in = tile.ring_create "chunks" mbarrier : !in
  %out = tile.ring_create "out" mbarrier : !out
  %S0 = arith.constant dense<0.0> : !s
  %Sa0 = arith.constant dense<0.0> : !sa
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0, %Sa = %Sa0) -> (!s, !sa) {
    %slot, %b:8 = tile.peek %in[%c] : !in -> !wide, !wide, !tile, !tile, !tile, !vec, !vec, !vec
    %ks = tile.dot_start wgmma_rs %Sa, %b#0 {contract = array<i64: 1, 1>} : !sa, !wide -> <!x>
    %e_in = tile.read %b#5 : !vec -> !e
    %e_in_c = tile.spread %e_in {axis = 1 : i64} : !e -> !x
    %KS = tile.await %ks : !tile.async<!x> -> !x
    %KSe = arith.mulf %e_in_c, %KS : !x
    %V = tile.read %b#2 {transpose} : !tile -> !xa
    %Vf = arith.extf %V : !xa to !x
    %X = arith.subf %Vf, %KSe : !x
    %Xa = arith.truncf %X : !x to !xa
    %u = tile.dot_start wgmma_rs %Xa, %b#3 b_part(lower) {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %U = tile.await %u : !tile.async<!x> -> !x
    %qs = tile.dot_start wgmma_rs %Sa, %b#1 {contract = array<i64: 1, 1>} : !sa, !wide -> <!x>
    %e_read = tile.read %b#7 : !vec -> !e
    %e_read_c = tile.spread %e_read {axis = 1 : i64} : !e -> !x
    %QS = tile.await %qs : !tile.async<!x> -> !x
    %QSe = arith.mulf %e_read_c, %QS : !x
    %Ua = arith.truncf %U : !x to !xa
    %o = tile.dot_start wgmma_rs %Ua, %b#4 acc(%QSe : !x) b_part(lower) {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %O = tile.await %o : !tile.async<!x> -> !x
    %Oa = arith.truncf %O : !x to !xa
    %w, %Ob = tile.acquire %out[%c] : !out -> !tile
    tile.write %Oa, %Ob {transpose} : !xa, !tile
    tile.commit %w
    %chunk = memref.load %b#6[%c63] : !vec
    %chunks = tensor.splat %chunk : !s
    %decayed = arith.mulf %S, %chunks : !s
    %e_out = tile.read %b#6 : !vec -> !e
    %e_out_c = tile.spread %e_out {axis = 1 : i64} : !e -> !x
    %Ue = arith.mulf %e_out_c, %U : !x
    %Uea = arith.truncf %Ue : !x to !xa
    %s1 = tile.dot_start wgmma_rs %Uea, %b#0 acc(%decayed : !s) {contract = array<i64: 1, 0>} : !xa, !wide -> <!s>
    %S1 = tile.await %s1 : !tile.async<!s> -> !s
    tile.release %slot
    %Sa1 = arith.truncf %S1 : !s to !sa
    scf.yield %S1, %Sa1 : !s, !sa
  }
  tile.return
}

// K = 64, V seen through a view, factors computed from G. Both products of S are short
// (128) and Q S fits as a whole. Values that only depend on G are computed after the
// product with whose value they are combined: exp(G) after K S, the other one after U.

!n   = tensor<64x64xf32, #tile.frag<warps = 4>>
!v   = memref<64x128xbf16, #tile.smem<128>>
!half = memref<64x64xbf16, strided<[128, 1], offset: ?>, #tile.smem<128>>
!narrow = !tile.ring<3, [!tile, !tile, !v, !tile, !vec]>

// CHECK-LABEL: tile.kernel @narrow
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[SA:.*]] = %{{.*}})
// CHECK-NEXT: %[[SLOT:.*]], %[[IN:.*]]:5 = tile.peek
// CHECK-NEXT: %[[VIEW:.*]] = memref.subview %[[IN]]#2
// CHECK-NEXT: %[[V:.*]] = tile.read %[[VIEW]] {transpose}
// CHECK-NEXT: %[[G:.*]] = tile.read %[[IN]]#4
// CHECK-NEXT: %[[KS_P:.*]] = tile.dot_start wgmma_rs %[[SA]], %[[IN]]#0 {contract = array<i64: 1, 1>}
// CHECK-NEXT: %[[QS_P:.*]] = tile.dot_start wgmma_rs %[[SA]], %[[IN]]#1 {contract = array<i64: 1, 1>}
// CHECK-NEXT: %[[EIN:.*]] = math.exp %[[G]]
// CHECK-NEXT: %[[KS:.*]] = tile.await %[[KS_P]]
// CHECK-NEXT: tile.spread %[[EIN]]
// CHECK: %[[XA:.*]] = arith.truncf
// CHECK-NEXT: %[[U_P:.*]] = tile.dot_start wgmma_rs %[[XA]], %[[IN]]#3
// CHECK-NEXT: %[[REST:.*]] = arith.negf %[[G]]
// CHECK-NEXT: %[[EOUT:.*]] = math.exp %[[REST]]
// CHECK-NEXT: %[[U:.*]] = tile.await %[[U_P]]
// CHECK-NEXT: tile.spread %[[EOUT]]
// CHECK: tile.dot_start wgmma_rs %{{.*}}, %[[IN]]#0 acc(%[[S]] : {{.*}})
tile.kernel @narrow(%i: index, %n: index, %j: index) attributes {plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = tile.ring_create "chunks" mbarrier : !narrow
  %out = tile.ring_create "out" mbarrier : !out
  %S0 = arith.constant dense<0.0> : !n
  %Sa0 = arith.constant dense<0.0> : !xa
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0, %Sa = %Sa0) -> (!n, !xa) {
    %slot, %b:5 = tile.peek %in[%c] : !narrow -> !tile, !tile, !v, !tile, !vec
    %view = memref.subview %b#2[0, %j] [64, 64] [1, 1] : !v to !half
    %V = tile.read %view {transpose} : !half -> !xa
    %G = tile.read %b#4 : !vec -> !e
    %e_in = math.exp %G : !e
    %rest = arith.negf %G : !e
    %e_out = math.exp %rest : !e
    %e_in_c = tile.spread %e_in {axis = 1 : i64} : !e -> !x
    %e_out_c = tile.spread %e_out {axis = 1 : i64} : !e -> !x
    %ks = tile.dot_start wgmma_rs %Sa, %b#0 {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %KS = tile.await %ks : !tile.async<!x> -> !x
    %KSe = arith.mulf %e_in_c, %KS : !x
    %Vf = arith.extf %V : !xa to !x
    %X = arith.subf %Vf, %KSe : !x
    %Xa = arith.truncf %X : !x to !xa
    %u = tile.dot_start wgmma_rs %Xa, %b#3 {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %U = tile.await %u : !tile.async<!x> -> !x
    %Ue = arith.mulf %e_out_c, %U : !x
    %Uea = arith.truncf %Ue : !x to !xa
    %s1 = tile.dot_start wgmma_rs %Uea, %b#0 acc(%S : !n) {contract = array<i64: 1, 0>} : !xa, !tile -> <!n>
    %S1 = tile.await %s1 : !tile.async<!n> -> !n
    %Sa1 = arith.truncf %S1 : !n to !xa
    %qs = tile.dot_start wgmma_rs %Sa, %b#1 {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %QS = tile.await %qs : !tile.async<!x> -> !x
    %Oa = arith.truncf %QS : !x to !xa
    tile.release %slot
    %w, %Ob = tile.acquire %out[%c] : !out -> !tile
    tile.write %Oa, %Ob {transpose} : !xa, !tile
    tile.commit %w
    scf.yield %S1, %Sa1 : !n, !xa
  }
  tile.return
}

// Without decay, U leaves 30 + 64 cycles. The second half of Q S (128) does not fit, but
// there is no later gap than the one before the chain's last product.

!short = !tile.ring<3, [!wide, !wide, !tile, !tile]>

// CHECK-LABEL: tile.kernel @plain
// CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[SA:.*]] = %{{.*}})
// CHECK: tile.dot_start wgmma_rs %[[SA]], %{{.*}}#0
// CHECK-NEXT: %[[QS_0:.*]] = tile.dot_start wgmma_rs %[[SA]], %{{.*}}#1 {{.*}} k = array<i64: 0, 64>}
// CHECK-NEXT: tile.await
// CHECK: %[[U_P:.*]] = tile.dot_start wgmma_rs %{{.*}}, %{{.*}}#3
// CHECK-NEXT: %[[QS_P:.*]] = tile.dot_start wgmma_rs %[[SA]], %{{.*}}#1 acc(%[[QS_0]] : {{.*}} k = array<i64: 64, 128>}
// CHECK-NEXT: tile.await %[[U_P]]
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: %[[S1_P:.*]] = tile.dot_start wgmma_rs %{{.*}}, %{{.*}}#0 acc(%[[S]] : {{.*}})
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.await %[[QS_P]]
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.await %[[S1_P]]
tile.kernel @plain(%i: index, %n: index, %o: memref<64x64xf32>) attributes {plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %in = tile.ring_create "chunks" mbarrier : !short
  %out = tile.ring_create "out" mbarrier : !out
  %S0 = arith.constant dense<0.0> : !s
  %Sa0 = arith.constant dense<0.0> : !sa
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0, %Sa = %Sa0) -> (!s, !sa) {
    %slot, %b:4 = tile.peek %in[%c] : !short -> !wide, !wide, !tile, !tile
    %V = tile.read %b#2 {transpose} : !tile -> !xa
    %ks = tile.dot_start wgmma_rs %Sa, %b#0 {contract = array<i64: 1, 1>} : !sa, !wide -> <!x>
    %KS = tile.await %ks : !tile.async<!x> -> !x
    %Vf = arith.extf %V : !xa to !x
    %X = arith.subf %Vf, %KS : !x
    %Xa = arith.truncf %X : !x to !xa
    %u = tile.dot_start wgmma_rs %Xa, %b#3 {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %U = tile.await %u : !tile.async<!x> -> !x
    %Ua = arith.truncf %U : !x to !xa
    %s1 = tile.dot_start wgmma_rs %Ua, %b#0 acc(%S : !s) {contract = array<i64: 1, 0>} : !xa, !wide -> <!s>
    %S1 = tile.await %s1 : !tile.async<!s> -> !s
    %Sa1 = arith.truncf %S1 : !s to !sa
    %qs = tile.dot_start wgmma_rs %Sa, %b#1 {contract = array<i64: 1, 1>} : !sa, !wide -> <!x>
    %QS = tile.await %qs : !tile.async<!x> -> !x
    %Oa = arith.truncf %QS : !x to !xa
    tile.release %slot
    %w, %Ob = tile.acquire %out[%c] : !out -> !tile
    tile.write %Oa, %Ob {transpose} : !xa, !tile
    tile.commit %w
    scf.yield %S1, %Sa1 : !s, !sa
  }
  tile.return
}

// A product of S that fits nowhere (1024 cycles) is issued after the chain's last one. It
// reads the rounded state, whose registers the next rounded state takes over: the rounding
// waits for the product.

!many = memref<256x128xbf16, #tile.smem<128>>
!y    = tensor<64x256xf32, #tile.frag<warps = 4>>

// CHECK-LABEL: tile.kernel @late
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[SA:.*]] = %{{.*}})
// CHECK: %[[S1_P:.*]] = tile.dot_start {{.*}} acc
// CHECK-NEXT: %[[Y_P:.*]] = tile.dot_start wgmma_rs %[[SA]]
// CHECK-NEXT: %[[S1:.*]] = tile.await %[[S1_P]]
// CHECK-NEXT: tile.await %[[Y_P]]
// CHECK-NEXT: arith.truncf %[[S1]]
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: scf.yield
tile.kernel @late(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !wide
  %M = tile.alloc : !many
  %S0 = arith.constant dense<0.0> : !s
  %Sa0 = arith.constant dense<0.0> : !sa
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0, %Sa = %Sa0) -> (!s, !sa) {
    %ks = tile.dot_start wgmma_rs %Sa, %K {contract = array<i64: 1, 1>} : !sa, !wide -> <!x>
    %KS = tile.await %ks : !tile.async<!x> -> !x
    %Xa = arith.truncf %KS : !x to !xa
    %s1 = tile.dot_start wgmma_rs %Xa, %K acc(%S : !s) {contract = array<i64: 1, 0>} : !xa, !wide -> <!s>
    %S1 = tile.await %s1 : !tile.async<!s> -> !s
    %Sa1 = arith.truncf %S1 : !s to !sa
    %y = tile.dot_start wgmma_rs %Sa, %M {contract = array<i64: 1, 1>} : !sa, !many -> <!y>
    %Y = tile.await %y : !tile.async<!y> -> !y
    %Ya = arith.truncf %Y : !y to tensor<64x256xbf16, #tile.frag<warps = 4>>
    scf.yield %S1, %Sa1 : !s, !sa
  }
  tile.return
}

// Accesses to one buffer stay in order: the product that reads the buffer comes after the
// write, the next write after the product's value. A loop with a barrier is left alone.

// CHECK-LABEL: tile.kernel @memory
// CHECK: scf.for
// CHECK-NEXT: %[[P:.*]] = tile.dot_start
// CHECK-NEXT: tile.await %[[P]]
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.write
// CHECK-NEXT: %[[Q:.*]] = tile.dot_start
// CHECK-NEXT: tile.await %[[Q]]
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: %[[P:.*]] = tile.dot_start
// CHECK-NEXT: %[[X:.*]] = tile.await %[[P]]
// CHECK-NEXT: %[[Q:.*]] = tile.dot_start
// CHECK-NEXT: %[[Y:.*]] = tile.await %[[Q]]
// CHECK-NEXT: scf.yield %[[X]]
tile.kernel @memory(%i: index, %n: index) attributes {plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tile.alloc : !tile
  %S0 = arith.constant dense<0.0> : !n
  %a = arith.constant dense<1.0> : !xa
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !n {
    %p = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %P = tile.await %p : !tile.async<!x> -> !x
    %Pa = arith.truncf %P : !x to !xa
    tile.write %Pa, %b : !xa, !tile
    %q = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %Q = tile.await %q : !tile.async<!x> -> !x
    scf.yield %Q : !n
  }
  scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !n {
    tile.barrier
    %p = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %P = tile.await %p : !tile.async<!x> -> !x
    %q = tile.dot_start wgmma_rs %a, %b {contract = array<i64: 1, 1>} : !xa, !tile -> <!x>
    %Q = tile.await %q : !tile.async<!x> -> !x
    scf.yield %P : !n
  }
  tile.return
}
