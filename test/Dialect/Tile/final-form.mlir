// RUN: delta-opt %s --split-input-file --verify-tile-final \
// RUN:   | delta-opt --split-input-file | FileCheck %s

// The final form of a chain-like kernel: the schedule of sm_80 (one role, a ring
// of groups of cp.async) and that of sm_90a (roles, mbarriers, products in
// flight). Both pass the contract and survive a print and a parse.

!k   = memref<64x128xbf16, #tile.smem<128>>
!s   = tensor<64x128xf32, #tile.frag<warps = 4>>
!sb  = tensor<64x128xbf16, #tile.frag<warps = 4>>
!x   = tensor<64x64xf32, #tile.frag<warps = 4>>
!xb  = tensor<64x64xbf16, #tile.frag<warps = 4>>
!row = tensor<64xf32, #tile.slice<axis = 1, #tile.frag<warps = 4>>>

// CHECK-LABEL: tile.kernel @one_role
tile.kernel @one_role(%b: index, %k: memref<?x?x128xbf16>, %s: memref<?x64x128xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %T = memref.dim %k, %c1 : memref<?x?x128xbf16>
  %n = arith.ceildivsi %T, %c64 : index
  // CHECK: tile.ring_create "in" cp_async_group : <2, [memref<64x128xbf16, #tile.smem<128>>]>
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x128xbf16, #tile.smem<128>>]>
  // CHECK: tile.alloc {offset = 32768 : i64} : memref<64x64xbf16, #tile.smem<128>>
  %stage = tile.alloc {offset = 32768 : i64} : memref<64x64xbf16, #tile.smem<128>>
  // CHECK: tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %scratch = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %S0 = tile.load %s[%b, %c0, %c0] {dims = array<i64: 1, 2>} : memref<?x64x128xf32> -> !s
  // CHECK: tile.acquire %{{.*}}[%{{.*}}] : <2, [memref<64x128xbf16, #tile.smem<128>>]> -> memref<64x128xbf16, #tile.smem<128>>
  %w0, %K0 = tile.acquire %ring[%c0] : <2, [memref<64x128xbf16, #tile.smem<128>>]> -> !k
  // CHECK: tile.copy cp_async %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %{{.*}} bound(%{{.*}}) {dims = array<i64: 1, 2>} : memref<?x?x128xbf16>, memref<64x128xbf16, #tile.smem<128>>
  %f0 = tile.copy cp_async %k[%b, %c0, %c0], %K0 bound(%T) {dims = array<i64: 1, 2>}
      : memref<?x?x128xbf16>, !k
  // CHECK: tile.commit %{{.*}}, %{{.*}}{{$}}
  tile.commit %w0, %f0
  %S1 = scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !s {
    %next = arith.addi %c, %c1 : index
    %t1 = arith.muli %next, %c64 : index
    %left = arith.subi %T, %t1 : index
    %w, %Kn = tile.acquire %ring[%next] : <2, [memref<64x128xbf16, #tile.smem<128>>]> -> !k
    %f = tile.copy cp_async %k[%b, %t1, %c0], %Kn bound(%left) {dims = array<i64: 1, 2>}
        : memref<?x?x128xbf16>, !k
    tile.commit %w, %f
    // CHECK: tile.peek
    %slot, %Ks = tile.peek %ring[%c] : <2, [memref<64x128xbf16, #tile.smem<128>>]> -> !k
    %Sb = arith.truncf %S : !s to !sb
    // CHECK: tile.dot instr(mma_m16n8k16) %{{.*}}, %{{.*}} {contract = array<i64: 1, 1>}
    %X = tile.dot instr(mma_m16n8k16) %Sb, %Ks {contract = array<i64: 1, 1>}
        : !sb, !k -> !x
    %Xb = arith.truncf %X : !x to !xb
    %Sn = tile.dot instr(mma_m16n8k16) %Xb, %Ks acc(%S) {contract = array<i64: 1, 0>}
        : !xb, !k -> !s
    // CHECK: tile.release %{{.*}}{{$}}
    tile.release %slot
    // CHECK: tile.write %{{.*}}, %{{.*}} {transpose} : tensor<64x64xbf16, #tile.frag<warps = 4>>, memref<64x64xbf16, #tile.smem<128>>
    tile.write %Xb, %stage {transpose} : !xb, memref<64x64xbf16, #tile.smem<128>>
    // CHECK: tile.barrier{{$}}
    tile.barrier
    // CHECK: tile.read %{{.*}} : memref<64x64xbf16, #tile.smem<128>> -> tensor<64x64xbf16, #tile.frag<warps = 4>>
    %Y = tile.read %stage : memref<64x64xbf16, #tile.smem<128>> -> !xb
    tile.barrier
    // CHECK: tile.tri_inverse precision(tf32) %{{.*}} scratch(%{{.*}} : memref<64x64xf32, #tile.smem<0>>)
    %Z = tile.tri_inverse precision(tf32) %X scratch(%scratch : memref<64x64xf32, #tile.smem<0>>) : !x
    // CHECK: tile.convert %{{.*}} : tensor<64xf32, #tile.slice<axis = 1, <warps = 4>>> -> tensor<64xf32, #tile.flat<warps = 4>>
    %r = tile.reduce add %Z {axis = 0} : !x -> !row
    %flat = tile.convert %r : !row -> tensor<64xf32, #tile.flat<warps = 4>>
    scf.yield %Sn : !s
  }
  tile.store %S1, %s[%b, %c0, %c0] {dims = array<i64: 1, 2>} : !s, memref<?x64x128xf32>
  tile.return
}

// -----

!k   = memref<64x128xbf16, #tile.smem<128>>
!s   = tensor<64x128xf32, #tile.frag<warps = 4>>
!sb  = tensor<64x128xbf16, #tile.frag<warps = 4>>
!x   = tensor<64x64xf32, #tile.frag<warps = 4>>
!xb  = tensor<64x64xbf16, #tile.frag<warps = 4>>

// CHECK-LABEL: tile.kernel @roles
tile.kernel @roles(%b: index, %k: memref<?x?x128xbf16>, %o: memref<?x?x2x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %T = memref.dim %k, %c1 : memref<?x?x128xbf16>
  %n = arith.ceildivsi %T, %c64 : index
  // CHECK: tile.ring_create "in" mbarrier {consumers = 2 : i64}
  %in = tile.ring_create "in" mbarrier {consumers = 2 : i64} : <3, [memref<64x128xbf16, #tile.smem<128>>]>
  %out = tile.ring_create "out" mbarrier : <1, [memref<64x64xbf16, #tile.smem<128>>]>
  // CHECK: tile.roles [#tile.role<name = "load", warps = 2, registers = 24>, #tile.role<name = "store", warps = 2, registers = 24, instances = 2>, #tile.role<name = "math", warps = 8, registers = 240, instances = 2>] {
  tile.roles [#tile.role<name = "load", warps = 2, registers = 24>,
              #tile.role<name = "store", warps = 2, registers = 24, instances = 2>,
              #tile.role<name = "math", warps = 8, registers = 240, instances = 2>] {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %t0 = arith.muli %c, %c64 : index
      %w, %Ks = tile.acquire %in[%c] : <3, [memref<64x128xbf16, #tile.smem<128>>]> -> !k
      // CHECK: tile.copy tma {{.*}} {dims = array<i64: 1, 2>, multicast}
      %f = tile.copy tma %k[%b, %t0, %c0], %Ks {dims = array<i64: 1, 2>, multicast}
          : memref<?x?x128xbf16>, !k
      tile.commit %w, %f
    }
  }, {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %t0 = arith.muli %c, %c64 : index
      %slot, %Os = tile.peek %out[%c] : <1, [memref<64x64xbf16, #tile.smem<128>>]> -> memref<64x64xbf16, #tile.smem<128>>
      // CHECK: tile.copy tma {{.*}} {dims = array<i64: 1, 3>, to_global}
      %f = tile.copy tma %o[%b, %t0, %i, %c0], %Os {dims = array<i64: 1, 3>, to_global}
          : memref<?x?x2x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
      // CHECK: tile.release %{{.*}}, %{{.*}}{{$}}
      tile.release %slot, %f
    }
  }, {
  ^bb0(%i: index):
    %S0 = arith.constant dense<0.0> : !s
    %S1 = scf.for %c = %c0 to %n step %c1 iter_args(%S = %S0) -> !s {
      %slot, %Ks = tile.peek %in[%c] : <3, [memref<64x128xbf16, #tile.smem<128>>]> -> !k
      %Sb = arith.truncf %S : !s to !sb
      // CHECK: %[[X0:.*]] = tile.dot_start wgmma_rs %{{.*}}, %{{.*}} {contract = array<i64: 1, 1>, k = array<i64: 0, 64>}
      // CHECK-SAME: -> <tensor<64x64xf32, #tile.frag<warps = 4>>>
      %x0 = tile.dot_start wgmma_rs %Sb, %Ks {contract = array<i64: 1, 1>, k = array<i64: 0, 64>}
          : !sb, !k -> <!x>
      // CHECK: %[[X1:.*]] = tile.dot_start wgmma_rs %{{.*}}, %{{.*}} acc(%[[X0]] : !tile.async<tensor<64x64xf32, #tile.frag<warps = 4>>>)
      %x1 = tile.dot_start wgmma_rs %Sb, %Ks acc(%x0 : !tile.async<!x>)
          {contract = array<i64: 1, 1>, k = array<i64: 64, 128>} : !sb, !k -> <!x>
      // CHECK: tile.await %[[X1]] {pending = 0 : i64} : !tile.async<tensor<64x64xf32, #tile.frag<warps = 4>>> -> tensor<64x64xf32, #tile.frag<warps = 4>>
      %X = tile.await %x1 {pending = 0 : i64} : !tile.async<!x> -> !x
      %Xb = arith.truncf %X : !x to !xb
      %s = tile.dot_start wgmma_rs %Xb, %Ks acc(%S : !s) {contract = array<i64: 1, 0>}
          : !xb, !k -> <!s>
      %Sn = tile.await %s : !tile.async<!s> -> !s
      tile.release %slot
      // CHECK: tile.barrier {id = 1 : i64}
      tile.barrier {id = 1 : i64}
      %w, %Os = tile.acquire %out[%c] : <1, [memref<64x64xbf16, #tile.smem<128>>]> -> memref<64x64xbf16, #tile.smem<128>>
      tile.write %Xb, %Os {transpose} : !xb, memref<64x64xbf16, #tile.smem<128>>
      tile.commit %w
      scf.yield %Sn : !s
    }
  }
  tile.return
}
