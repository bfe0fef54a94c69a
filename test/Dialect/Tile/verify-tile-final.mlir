// RUN: delta-opt %s --verify-tile-final --split-input-file --verify-diagnostics

// Kernels of one role that violate one rule each, on sm_80.

tile.kernel @F1_no_layout(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'arith.constant' op register tile: expected a layout, got 'tensor<64x64xf32>'}}
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @F1_layout_of_another_shape(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'arith.constant' op layout #tile.frag<warps = 4>: expected 64 rows and a power of two of at least 8 columns, got shape [32, 64]}}
  %x = arith.constant dense<0.0> : tensor<32x64xf32, #tile.frag<warps = 4>>
  tile.return
}

// -----

tile.kernel @F1_slice_of_another_length(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{layout #tile.frag<warps = 4>: expected 64 rows and a power of two of at least 8 columns, got shape [32, 8]}}
  %x = arith.constant dense<0.0> : tensor<32xf32, #tile.slice<axis = 0, #tile.frag<warps = 4>>>
  tile.return
}

// -----

tile.kernel @F1_flat_too_long(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{layout #tile.flat<warps = 4>: expected a vector of a power of two of at most 128 elements, got shape [256]}}
  %x = arith.constant dense<0.0> : tensor<256xf32, #tile.flat<warps = 4>>
  tile.return
}

// -----

tile.kernel @F1_layout_of_other_warps(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // The first warps hold a tile with fewer rows.
  %y = arith.constant dense<0.0> : tensor<32x64xf32, #tile.frag<warps = 2>>
  // expected-error @below {{register tile: expected a layout of at most the 4 warps that run this op, got 'tensor<128x64xf32, #tile.frag<warps = 8>>'}}
  %x = arith.constant dense<0.0> : tensor<128x64xf32, #tile.frag<warps = 8>>
  tile.return
}

// -----

tile.kernel @F1_loop_carried_without_layout(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'builtin.unrealized_conversion_cast' op register tile: expected a layout, got 'tensor<64xf32>'}}
  %w = builtin.unrealized_conversion_cast to tensor<64xf32>
  %y = scf.for %k = %i to %c1 step %c1 iter_args(%z = %w) -> tensor<64xf32> {
    scf.yield %z : tensor<64xf32>
  }
  tile.return
}

// -----

tile.kernel @F1_memref_without_space(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{memref: expected the space #tile.smem or a view of an argument of the kernel, got 'memref<64xf32>'}}
  %x = builtin.unrealized_conversion_cast to memref<64xf32>
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_no_instruction(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : !a
  %b = tile.alloc : !b
  // expected-error @below {{'tile.dot' op instr: expected mma_m16n8k16, got none}}
  %d = tile.dot %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_wgmma_is_started(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : !a
  %b = tile.alloc : !b
  // expected-error @below {{'tile.dot' op instr: expected mma_m16n8k16, got wgmma_rs}}
  %d = tile.dot instr(wgmma_rs) %a, %b {contract = array<i64: 1, 1>} : !a, !b -> !d
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_mma_is_not_started(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : !a
  %b = tile.alloc : !b
  // expected-error @below {{'tile.dot_start' op instr: expected wgmma_rs or wgmma_ss, got mma_m16n8k16}}
  %d = tile.dot_start mma_m16n8k16 %a, %b {contract = array<i64: 1, 1>} : !a, !b -> <!d>
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_b_in_registers(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : !a
  // expected-error @below {{'tile.dot' op b: expected a swizzled buffer in #tile.smem, got 'tensor<64x64xbf16, #tile.frag<warps = 4>>'}}
  %d = tile.dot instr(mma_m16n8k16) %a, %a {contract = array<i64: 1, 1>} : !a, !a -> !d
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_b_without_swizzle(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : !a
  %b = tile.alloc : memref<64x64xbf16, #tile.smem<0>>
  // expected-error @below {{'tile.dot' op b: expected a swizzled buffer in #tile.smem, got 'memref<64x64xbf16, #tile.smem<0>>'}}
  %d = tile.dot instr(mma_m16n8k16) %a, %b {contract = array<i64: 1, 1>} : !a, memref<64x64xbf16, #tile.smem<0>> -> !d
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_a_in_memory(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : !b
  // expected-error @below {{'tile.dot' op a: expected a tile in #tile.frag, got 'memref<64x64xbf16, #tile.smem<128>>'}}
  %d = tile.dot instr(mma_m16n8k16) %b, %b {contract = array<i64: 1, 1>} : !b, !b -> !d
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_a_contracted_along_rows(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : !a
  %b = tile.alloc : !b
  // expected-error @below {{'tile.dot' op contract: expected axis 1 of a, which is in registers, got axis 0}}
  %d = tile.dot instr(mma_m16n8k16) %a, %b {contract = array<i64: 0, 0>} : !a, !b -> !d
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_contracted_extent(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : tensor<64x8xbf16, #tile.frag<warps = 4>>
  %b = tile.alloc : memref<8x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.dot' op k: expected multiples of 16, got [0, 8)}}
  %d = tile.dot instr(mma_m16n8k16) %a, %b {contract = array<i64: 1, 0>} : tensor<64x8xbf16, #tile.frag<warps = 4>>, memref<8x64xbf16, #tile.smem<128>> -> !d
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_too_many_columns(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = arith.constant dense<0.0> : !a
  %b = tile.alloc : memref<64x512xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.dot' op result: expected a multiple of 8 of at most 256 columns, got 512}}
  %d = tile.dot instr(mma_m16n8k16) %a, %b {contract = array<i64: 1, 0>} : !a, memref<64x512xbf16, #tile.smem<128>> -> tensor<64x512xf32, #tile.frag<warps = 4>>
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @V2_copy_without_bound(%i: index, %x: memref<?x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : !b
  // expected-error @below {{'tile.copy' op bound: expected one, as tile axis 0 runs along dynamic axis 0 of 'memref<?x64xbf16>', got none}}
  %f = tile.copy cp_async %x[%i, %i], %b {dims = array<i64: 0, 1>} : memref<?x64xbf16>, !b
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

tile.kernel @V5_memref_load(%i: index, %x: memref<?xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'memref.load' op expected global memory to be accessed by}}
  %v = memref.load %x[%i] : memref<?xf32>
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F3_no_consumer(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : !b
  // expected-error @below {{'tile.copy' op inflight: expected one consumer, await, commit or release, got 0}}
  %f = tile.copy cp_async %x[%i, %i], %b {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F3_two_consumers(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : !b
  // expected-error @below {{'tile.copy' op inflight: expected one consumer, await, commit or release, got 2}}
  %f = tile.copy cp_async %x[%i, %i], %b {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.await %f : !tile.async<none>
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F4_await_in_a_loop(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : !b
  %c1 = arith.constant 1 : index
  %f = tile.copy cp_async %x[%i, %i], %b {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  scf.for %k = %i to %c1 step %c1 {
    // expected-error @below {{'tile.await' op value in flight: expected it to stay in the block that issued it, got it across a region's boundary}}
    tile.await %f : !tile.async<none>
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F4_carried_by_a_loop(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %b = tile.alloc : !b
  %c1 = arith.constant 1 : index
  %f = tile.copy cp_async %x[%i, %i], %b {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  // expected-error @below {{'scf.for' op value in flight: expected it to stay in the block that issued it, got it across a region's boundary}}
  %g = scf.for %k = %i to %c1 step %c1 iter_args(%h = %f) -> !tile.async<none> {
    scf.yield %h : !tile.async<none>
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F5_use_after_release(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  %f = tile.copy cp_async %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.commit %w, %f
  %s, %P = tile.peek %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  // expected-note @below {{it is closed here}}
  tile.release %s
  // expected-error @below {{'tile.read' op buffer of a slot: expected a use while the slot is open}}
  %r = tile.read %P : !b -> !a
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F5_use_of_a_view_after_release(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  %f = tile.copy cp_async %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.commit %w, %f
  %s, %P = tile.peek %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  %v = memref.subview %P[0, 0] [64, 64] [1, 1] : !b to memref<64x64xbf16, strided<[64, 1]>, #tile.smem<128>>
  // expected-note @below {{it is closed here}}
  tile.release %s
  // expected-error @below {{'tile.read' op buffer of a slot: expected a use while the slot is open}}
  %r = tile.read %v : memref<64x64xbf16, strided<[64, 1]>, #tile.smem<128>> -> !a
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F5_slot_left_open(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  %f = tile.copy cp_async %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.commit %w, %f
  // expected-error @below {{'tile.peek' op slot: expected one release in the same block}}
  %s, %P = tile.peek %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F5_released_by_the_producer(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  // expected-error @below {{'tile.acquire' op slot: expected one commit in the same block}}
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.release %w
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F6_copy_is_not_committed(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  // expected-error @below {{'tile.copy' op buffer of a slot: expected an await of this copy before the slot is closed}}
  %f = tile.copy cp_async %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  // expected-note @below {{it is closed here}}
  tile.commit %w
  tile.await %f : !tile.async<none>
  %s, %P = tile.peek %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.release %s
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_no_consumer(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.ring_create' op ring "in": expected one consumer role, got none}}
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  %f = tile.copy cp_async %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.commit %w, %f
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_protocol_within_a_role(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.ring_create' op ring "in": protocol: expected cp_async_group between the ends of one role, got mbarrier}}
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  %f = tile.copy cp_async %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.commit %w, %f
  %s, %P = tile.peek %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.release %s
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_two_slots_an_iteration(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %w, %K = tile.acquire %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  %f = tile.copy cp_async %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.commit %w, %f
  %s, %P = tile.peek %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.release %s
  // expected-error @below {{'tile.peek' op ring "in": expected one slot an iteration, got two}}
  %s1, %P1 = tile.peek %ring[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.release %s1
  tile.return
}

// -----

tile.kernel @F8_target_without_roles(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.roles' op expected a target that has setmaxnreg, got sm_80}}
  tile.roles [#tile.role<name = "all", warps = 4, registers = 240>] {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op shared memory: expected at most 166912 bytes on sm_80, got 183296}}
tile.kernel @F9_too_much(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : memref<512x128xbf16, #tile.smem<128>>
  %r = tile.ring_create "in" cp_async_group : <3, [memref<64x128xbf16, #tile.smem<128>>, memref<3x64xf32, #tile.smem<0>>]>
  %w, %b:2 = tile.acquire %r[%i] : <3, [memref<64x128xbf16, #tile.smem<128>>, memref<3x64xf32, #tile.smem<0>>]> -> memref<64x128xbf16, #tile.smem<128>>, memref<3x64xf32, #tile.smem<0>>
  tile.commit %w
  %s, %c:2 = tile.peek %r[%i] : <3, [memref<64x128xbf16, #tile.smem<128>>, memref<3x64xf32, #tile.smem<0>>]> -> memref<64x128xbf16, #tile.smem<128>>, memref<3x64xf32, #tile.smem<0>>
  tile.release %s
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F9_overlap(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-note @below {{bytes [1024, 9216) are in use here}}
  %a = tile.alloc {offset = 1024 : i64} : !b
  // expected-error @below {{'tile.alloc' op offset: expected bytes [8192, 16384) to be free while the buffer is in use}}
  %b = tile.alloc {offset = 8192 : i64} : !b
  %x = arith.constant dense<0.0> : !a
  tile.write %x, %a : !a, !b
  tile.write %x, %b : !a, !b
  %y = tile.read %a : !b -> !a
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F9_overlap_round_a_loop(%i: index, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-note @below {{bytes [0, 8192) are in use here}}
  %a = tile.alloc {offset = 0 : i64} : !b
  // expected-error @below {{'tile.alloc' op offset: expected bytes [0, 8192) to be free while the buffer is in use}}
  %b = tile.alloc {offset = 0 : i64} : !b
  %x = arith.constant dense<0.0> : !a
  scf.for %k = %i to %n step %i {
    // Reads a value from the previous iteration.
    %y = tile.read %a : !b -> !a
    tile.write %x, %a : !a, !b
    tile.write %y, %b : !a, !b
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F9_accepted_one_after_the_other(%i: index, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !b
  %b = tile.alloc {offset = 0 : i64} : !b
  %x = arith.constant dense<0.0> : !a
  scf.for %k = %i to %n step %i {
    tile.write %x, %a : !a, !b
    tile.barrier
    %y = tile.read %a : !b -> !a
    tile.barrier
    tile.write %y, %b : !a, !b
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F9_overlap_of_a_ring(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-note @below {{bytes [0, 16384) are in use here}}
  %r = tile.ring_create "in" cp_async_group {offset = 0 : i64} : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  // expected-error @below {{'tile.alloc' op offset: expected bytes [8192, 16384) to be free while the buffer is in use}}
  %a = tile.alloc {offset = 8192 : i64} : !b
  %x = arith.constant dense<0.0> : !a
  %w, %k = tile.acquire %r[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.commit %w
  %s, %p = tile.peek %r[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.release %s
  // A copy without a peek may land at any time.
  tile.write %x, %a : !a, !b
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F9_accepted_in_front_of_a_ring(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %r = tile.ring_create "in" cp_async_group {offset = 0 : i64} : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  %a = tile.alloc {offset = 8192 : i64} : !b
  %x = arith.constant dense<0.0> : !a
  tile.write %x, %a : !a, !b
  tile.barrier
  %y = tile.read %a : !b -> !a
  tile.barrier
  %w, %k = tile.acquire %r[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.commit %w
  %s, %p = tile.peek %r[%i] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
  tile.release %s
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F9_overlap_of_a_ring_round_a_loop(%i: index, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-note @below {{bytes [0, 16384) are in use here}}
  %r = tile.ring_create "in" cp_async_group {offset = 0 : i64} : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  // expected-error @below {{'tile.alloc' op offset: expected bytes [0, 8192) to be free while the buffer is in use}}
  %a = tile.alloc {offset = 0 : i64} : !b
  %x = arith.constant dense<0.0> : !a
  scf.for %c = %i to %n step %n {
    tile.write %x, %a : !a, !b
    tile.barrier
    %w, %k = tile.acquire %r[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    tile.commit %w
    %s, %p = tile.peek %r[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    tile.release %s
  }
  tile.return
}

// -----

tile.kernel @F10_outside_roles(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.barrier' op id: expected 0 outside roles, got 3}}
  tile.barrier {id = 3 : i64}
  tile.return
}

// -----

tile.kernel @F5_passed_on(%i: index, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %r = tile.ring_create "in" cp_async_group : <2, [memref<64xf32, #tile.smem<0>>]>
  %w, %k = tile.acquire %r[%i] : <2, [memref<64xf32, #tile.smem<0>>]> -> memref<64xf32, #tile.smem<0>>
  tile.commit %w
  %s, %p = tile.peek %r[%i] : <2, [memref<64xf32, #tile.smem<0>>]> -> memref<64xf32, #tile.smem<0>>
  // One element may be read by any op that reads memory.
  %e = memref.load %p[%i] : memref<64xf32, #tile.smem<0>>
  // expected-error @below {{'scf.for' op buffer of a slot: expected a view or an op that reads or writes it}}
  %q = scf.for %j = %i to %n step %n iter_args(%m = %p) -> memref<64xf32, #tile.smem<0>> {
    scf.yield %m : memref<64xf32, #tile.smem<0>>
  }
  tile.release %s
  tile.return
}

// -----

tile.kernel @F2_engine(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
  // expected-error @below {{'tile.copy' op engine: expected one of sm_80, got tma}}
  %f = tile.copy tma %x[%i, %i], %a {dims = array<i64: 0, 1>} : memref<64x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

!s = tensor<128x128xf32, #tile.frag<warps = 8>>
tile.kernel @F2_solve(%i: index, %x: memref<128x128xf32>) attributes {plan = #plan.kernel<machine = <"sm_80">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %f = tile.alloc : memref<128xf32, #tile.smem<0>>
  %q = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
  %P = tile.load %x[%i, %i] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> !s
  // expected-error @below {{'tile.tri_solve' op expected a target that has wgmma, got sm_80}}
  %G = tile.tri_solve %P, %f scratch(%q : memref<128x128xbf16, #tile.smem<128>>) : !s, memref<128xf32, #tile.smem<0>>
  tile.return
}
