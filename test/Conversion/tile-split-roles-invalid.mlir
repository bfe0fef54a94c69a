// RUN: delta-opt %s --tile-split-roles --split-input-file --verify-diagnostics

// Every reason for which a kernel is not split into roles.

// expected-error @below {{roles: expected one loop that copies to or from shared memory, got 0}}
tile.kernel @no_loop(%i: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
// expected-error @below {{roles: expected one loop that copies to or from shared memory, got 2}}
tile.kernel @two_loops(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @step(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %K = tile.alloc : !b
  // expected-error @below {{loop with copies: expected it to run from 0 in steps of 1}}
  scf.for %c = %c0 to %n step %c2 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @bound_in_memory(%i: index, %k: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  %count = memref.load %flags[%c0] : memref<?xi32>
  %to = arith.index_cast %count : i32 to index
  // expected-error @below {{loop with copies: expected an upper bound that every role can compute, the same for all chains of a CTA}}
  scf.for %c = %c0 to %to step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @bound_of_chain(%i: index, %k: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  %to = arith.addi %n, %i : index
  // expected-error @below {{loop with copies: expected an upper bound that every role can compute, the same for all chains of a CTA}}
  scf.for %c = %c0 to %to step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @engine(%i: index, %k: memref<64x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    // expected-error @below {{engine: expected tma or bulk in a kernel with roles, got cp_async}}
    %f = tile.copy cp_async %k[%c0, %c0], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @filled_twice(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  // expected-error @below {{buffer: expected one that this copy alone fills, and that is read in the loop of the copy if it has one}}
  %f = tile.copy tma %k[%c0, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %f : !tile.async<none>
  scf.for %c = %c0 to %n step %c1 {
    %g = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %g : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @together(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    // expected-error @below {{inflight: expected an await of this copy alone}}
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    %g = tile.copy tma %k[%c, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f, %g : !tile.async<none>, !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @carried(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  %e = scf.for %c = %c0 to %n step %c1 iter_args(%p = %c0) -> index {
    // expected-error @below {{indices: expected index arithmetic on arguments of the kernel, the ticket and the number of the iteration}}
    %f = tile.copy tma %k[%p, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
    %q = arith.addi %p, %c1 : index
    scf.yield %q : index
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @index_in_memory(%i: index, %k: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index) attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %row = memref.load %flags[%c0] : memref<?xi32>
  %t = arith.index_cast %row : i32 to index
  // expected-error @below {{indices: expected index arithmetic on arguments of the kernel, the ticket and the number of the iteration}}
  %f = tile.copy tma %k[%t, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %f : !tile.async<none>
  scf.for %c = %c0 to %n step %c1 {
    %g = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %g : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @copy_in_branch(%i: index, %k: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index) attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %epoch = arith.constant 1 : i32
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  %empty = arith.cmpi eq, %n, %c0 : index
  scf.if %empty {
    // expected-error @below {{expected directly in the kernel or in its loop with copies, where roles meet}}
    %f = tile.copy tma %k[%c0, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @flag_in_branch(%i: index, %k: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index) attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %epoch = arith.constant 1 : i32
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  %empty = arith.cmpi eq, %n, %c0 : index
  scf.if %empty {
    // expected-error @below {{expected directly in the kernel or in its loop with copies, where roles meet}}
    tile.expect %flags[%c0], %epoch : memref<?xi32>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
tile.kernel @in_place(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  %O = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    // expected-error @below {{array: expected no access to it by another role, which may run ahead}}
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
    %x = tile.read %K : !b -> !a
    tile.write %x, %O : !a, !b
    // expected-note @below {{another role accesses it here}}
    %g = tile.copy tma %k[%c, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
    tile.await %g : !tile.async<none>
  }
  tile.return
}

// -----

// Flags publish what copies take out, not what the math role stores.
!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
tile.kernel @from_registers(%i: index, %k: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %O = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    // expected-error @below {{array: expected no access to it by another role, which may run ahead}}
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  // expected-note @below {{another role accesses it here}}
  tile.store %x, %k[%c0, %c0] {dims = array<i64: 0, 1>} : !a, memref<?x64xbf16>
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %k[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.signal %flags[%c0], %epoch : memref<?xi32>
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @nothing_to_publish(%i: index, %k: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %epoch = arith.constant 1 : i32
  %K = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  // expected-error @below {{expected a copy out of shared memory in the kernel, got none: there is nothing to publish}}
  tile.signal %flags[%c0], %epoch : memref<?xi32>
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
tile.kernel @written_twice(%i: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %O = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  tile.write %x, %O : !a, !b
  // expected-error @below {{buffer: expected one that a single write before the copy fills}}
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
tile.kernel @nothing_to_load(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = arith.constant dense<0.0> : !a
  %O = tile.alloc : !b
  // expected-error @below {{loop with copies: expected a copy into shared memory, got none: there is nothing to load}}
  scf.for %c = %c0 to %n step %c1 {
    tile.write %x, %O : !a, !b
    %g = tile.copy tma %k[%c, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
    tile.await %g : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
tile.kernel @payload(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  // expected-error @below {{buffer: expected one that a copy fills or takes out where a CTA holds several chains, which share no other}}
  %X = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
    %x = tile.read %K : !b -> !a
    tile.write %x, %X : !a, !b
    %y = tile.read %X {transpose} : !b -> !a
  }
  tile.return
}

// -----

// A buffer that is read after the loop holds the last chunk there: a slot does not.
!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
tile.kernel @read_after(%i: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    // expected-error @below {{buffer: expected one that this copy alone fills, and that is read in the loop of the copy if it has one}}
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  %x = tile.read %K : !b -> !a
  tile.return
}

// -----

// Neighbouring chains, but rows of one array.
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @rows_of_chains(%j: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    // expected-error @below {{indices 0: expected neighbouring chains to read neighbouring columns where a CTA holds 2}}
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

// Every other group of columns.
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @columns_apart(%j: index, %k: memref<?x256xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c128 = arith.constant 128 : index
  %column = arith.muli %j, %c128 : index
  %K = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    // expected-error @below {{indices 1: expected neighbouring chains to read neighbouring columns where a CTA holds 2}}
    %f = tile.copy tma %k[%c, %column], %K {dims = array<i64: 0, 1>} : memref<?x256xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!vector = memref<64xf32, #tile.smem<0>>
tile.kernel @vector_of_chain(%j: index, %g: memref<?x64xf32>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %G = tile.alloc : !vector
  scf.for %c = %c0 to %n step %c1 {
    // expected-error @below {{expected 64 columns a chain where a CTA holds 2}}
    %f = tile.copy bulk %g[%j, %c0], %G {dims = array<i64: 1>} : memref<?x64xf32>, !vector
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @odd(%j: index, %k: memref<?x64xbf16>, %n: index) attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %K = tile.alloc : !b
  scf.for %c = %c0 to %n step %c1 {
    %f = tile.copy tma %k[%c, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}
func.func @host_of_odd(%k: memref<?x64xbf16>, %n: index) {
  %c3 = arith.constant 3 : index
  // expected-error @below {{grid 0: expected a constant number of chains, a multiple of the 2 of a CTA of @odd}}
  tile.launch @odd grid(%c3) args(%k, %n : memref<?x64xbf16>, index)
  return
}
