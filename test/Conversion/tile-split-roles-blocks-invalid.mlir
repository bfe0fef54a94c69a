// RUN: delta-opt %s --tile-split-roles --split-input-file --verify-diagnostics

// Every reason for which a kernel whose CTAs wait for each other is not split.

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
// expected-error @below {{roles: expected one loop over earlier blocks that copies to or from shared memory, got 2}}
tile.kernel @no_copies(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  scf.for %j = %c0 to %n step %c1 {
    %h = tile.copy tma %k[%j, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %h : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @step(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  // expected-error @below {{loop over earlier blocks: expected it to run from 0 in steps of 1}}
  scf.for %j = %c0 to %n step %c2 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @in_a_branch(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  %b = arith.cmpi eq, %n, %c0 : index
  scf.if %b {
    // expected-error @below {{expected directly in the kernel or in its loop over earlier blocks}}
    %h = tile.copy tma %k[%c0, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %h : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @store_in_loop(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
    tile.write %x, %L : !a, !b
    // expected-error @below {{expected directly in the kernel}}
    %h = tile.copy tma %o[%c0, %c0], %L {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
    tile.await %h : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @together(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  // expected-error @below {{inflight: expected an await of this copy alone}}
  %h = tile.copy tma %k[%c0, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  %i = tile.copy tma %k[%c0, %c0], %O {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %h, %i : !tile.async<none>, !tile.async<none>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @read_index(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  %row = memref.load %flags[%c0] : memref<?xi32>
  %t = arith.index_cast %row : i32 to index
  // expected-error @below {{indices: expected index arithmetic on arguments of the kernel, the ticket and the number of the earlier block}}
  %h = tile.copy tma %k[%t, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %h : !tile.async<none>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @written_twice(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  tile.write %x, %O : !a, !b
  // expected-error @below {{buffer: expected one that a single write in front of the copy fills}}
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @twice(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
    // expected-error @below {{array: expected one copy of it an iteration}}
    %h = tile.copy tma %k[%j, %c0], %L {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %h : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @registers(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  // expected-error @below {{expected a copy from shared memory to an array that CTAs read of each other: a flag publishes those alone}}
  tile.store %x, %k[%c0, %c0] {dims = array<i64: 0, 1>} : !a, memref<?x64xbf16>
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
// expected-error @below {{expected a copy out of shared memory, got none: there is nothing to publish}}
tile.kernel @nothing(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!b = memref<128x64xbf16, #tile.smem<128>>
!a = tensor<128x64xbf16, #tile.frag<warps = 8>>
tile.kernel @shapes(%cta: index, %k: memref<?x64xbf16>, %o: memref<?x64xbf16>, %flags: memref<?xi32>, %w: memref<?x128xbf16>, %n: index)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %epoch = arith.constant 1 : i32
  %x = arith.constant dense<0.0> : !a
  %K = tile.alloc : !b
  %L = tile.alloc : !b
  %O = tile.alloc : !b
  %R = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  scf.for %j = %c0 to %n step %c1 {
    tile.expect %flags[%c0], %epoch : memref<?xi32>
    %f = tile.copy tma %k[%j, %c0], %K {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
    tile.await %f : !tile.async<none>
  }
  tile.write %x, %O : !a, !b
  %g = tile.copy tma %o[%c0, %c0], %O {dims = array<i64: 0, 1>, to_global} : memref<?x64xbf16>, !b
  tile.await %g : !tile.async<none>
  %y = arith.constant dense<0.0> : tensor<128x128xbf16, #tile.frag<warps = 8>>
  tile.write %y, %R : tensor<128x128xbf16, #tile.frag<warps = 8>>, memref<128x128xbf16, #tile.smem<128>>
  // expected-error @below {{buffer: expected 'memref<128x64xbf16, #tile.smem<128>>' as the first copy out of shared memory has, got 'memref<128x128xbf16, #tile.smem<128>>'}}
  %h = tile.copy tma %w[%c0, %c0], %R {dims = array<i64: 0, 1>, to_global} : memref<?x128xbf16>, memref<128x128xbf16, #tile.smem<128>>
  tile.await %h : !tile.async<none>
  tile.return
}
