// RUN: delta-opt %s --verify-tile-final --split-input-file --verify-diagnostics

// Kernels whose rings, slots, or buffers in the bytes of slots violate one rule each (F6,
// F7, F9), on sm_90a.

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F6_product_awaited_after_release(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    %a = arith.constant dense<0.0> : !a
    scf.for %c = %i to %n step %c1 {
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      // expected-error @below {{'tile.dot_start' op buffer of a slot: expected an await of this product before the slot is closed}}
      %p = tile.dot_start wgmma_rs %a, %P {contract = array<i64: 1, 1>} : !a, !b -> <!d>
      // expected-note @below {{it is closed here}}
      tile.release %s
      %d = tile.await %p : !tile.async<!d> -> !d
    }
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F6_end_of_a_chain_awaited_after_release(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    %a = arith.constant dense<0.0> : !a
    scf.for %c = %i to %n step %c1 {
      %q = tile.alloc : !b
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      // expected-error @below {{'tile.dot_start' op buffer of a slot: expected an await of this product before the slot is closed}}
      %p = tile.dot_start wgmma_rs %a, %P {contract = array<i64: 1, 1>} : !a, !b -> <!d>
      %p1 = tile.dot_start wgmma_rs %a, %q acc(%p : !tile.async<!d>) {contract = array<i64: 1, 1>} : !a, !b -> <!d>
      // expected-note @below {{it is closed here}}
      tile.release %s
      %d = tile.await %p1 : !tile.async<!d> -> !d
    }
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_protocol_between_roles(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tile.ring_create' op ring "in": protocol: expected mbarrier between two roles, got cp_async_group}}
  %ring = tile.ring_create "in" cp_async_group : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r = tile.read %P : !b -> !a
      tile.release %s
    }
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_two_producer_roles(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      // expected-note @below {{the first one is here}}
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r = tile.read %P : !b -> !a
      tile.release %s
    }
    scf.for %c = %i to %n step %c1 {
      // expected-error @below {{'tile.acquire' op ring "in": expected one producer role, got a second one}}
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_other_extent(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    // expected-note @below {{the producer's loop is here}}
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    // expected-error @below {{'scf.for' op ring "in": expected the extent of the producer's loop}}
    scf.for %c = %c1 to %n step %c1 {
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r = tile.read %P : !b -> !a
      tile.release %s
    }
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_other_index(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      // expected-error @below {{'tile.peek' op ring "in": expected the slot of the induction variable of one scf.for around it}}
      %s, %P = tile.peek %ring[%n] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r = tile.read %P : !b -> !a
      tile.release %s
    }
  }
  tile.return
}

// -----

// A ring continues after a loop.
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_behind_the_loop(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %w0, %K0 = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f0 = tile.copy tma %x[%i, %i], %K0 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w0, %f0
    }
    %w1, %K1 = tile.acquire %ring[%n] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %f1 = tile.copy tma %x[%i, %i], %K1 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
    tile.commit %w1, %f1
  }, {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %s0, %P0 = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r0 = tile.read %P0 : !b -> !a
      tile.release %s0
    }
    %s1, %P1 = tile.peek %ring[%n] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %r1 = tile.read %P1 : !b -> !a
    tile.release %s1
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_out_of_order(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %w0, %K0 = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f0 = tile.copy tma %x[%i, %i], %K0 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w0, %f0
    }
    // expected-error @below {{'tile.acquire' op ring "in": expected its slots in order, from 0 in steps of 1}}
    %w1, %K1 = tile.acquire %ring[%c0] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %f1 = tile.copy tma %x[%i, %i], %K1 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
    tile.commit %w1, %f1
  }, {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %s0, %P0 = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r0 = tile.read %P0 : !b -> !a
      tile.release %s0
    }
    %s1, %P1 = tile.peek %ring[%c0] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %r1 = tile.read %P1 : !b -> !a
    tile.release %s1
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_not_from_0(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    // expected-error @below {{'tile.acquire' op ring "in": expected its slots in order, from 0 in steps of 1}}
    %w1, %K1 = tile.acquire %ring[%c1] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %f1 = tile.copy tma %x[%i, %i], %K1 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
    tile.commit %w1, %f1
  }, {
  ^bb0(%k: index):
    %s1, %P1 = tile.peek %ring[%c1] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %r1 = tile.read %P1 : !b -> !a
    tile.release %s1
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_fewer_uses(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tile.ring_create' op ring "in": expected as many uses of the consumer as of the producer, 2, got 1}}
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %w0, %K0 = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f0 = tile.copy tma %x[%i, %i], %K0 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w0, %f0
    }
    %w1, %K1 = tile.acquire %ring[%n] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %f1 = tile.copy tma %x[%i, %i], %K1 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
    tile.commit %w1, %f1
  }, {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %s0, %P0 = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r0 = tile.read %P0 : !b -> !a
      tile.release %s0
    }
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_other_slot(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    // expected-note @below {{the producer fills it here}}
    %w0, %K0 = tile.acquire %ring[%c0] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %f0 = tile.copy tma %x[%i, %i], %K0 {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
    tile.commit %w0, %f0
  }, {
  ^bb0(%k: index):
    // expected-error @below {{'tile.peek' op ring "in": expected the producer's slot}}
    %s0, %P0 = tile.peek %ring[%c1] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
    %r0 = tile.read %P0 : !b -> !a
    tile.release %s0
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_consumers(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tile.ring_create' op ring "in": consumers: expected 2, got 1}}
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 8, registers = 208, instances = 2>] {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r = tile.read %P : !b -> !a
      tile.release %s
    }
  }
  tile.return
}

// -----

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F7_instances(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tile.ring_create' op ring "in": expected 2 instances of the consumer as of the producer, got 1}}
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 2>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    scf.for %c = %i to %n step %c1 {
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r = tile.read %P : !b -> !a
      tile.release %s
    }
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>

// Later buffers of the consumer's role may use the slots of a ring that it has drained.

tile.kernel @F9_accepted_behind_a_ring(%i: index, %x: memref<64x64xbf16>, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %late = tile.alloc {offset = 0 : i64} : !b
  %in = tile.ring_create "in" mbarrier {offset = 0 : i64, barriers = 8192 : i64} : !tile.ring<1, [!b]>
  %z = arith.constant dense<0.0> : !a
  tile.roles [#tile.role<name = "math", warps = 4, registers = 240>,
              #tile.role<name = "load", warps = 4, registers = 24>] {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.peek %in[%c] : !tile.ring<1, [!b]> -> !b
      tile.release %slot
    }
    tile.write %z, %late : !a, !b
  }, {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %w, %K = tile.acquire %in[%c] : !tile.ring<1, [!b]> -> !b
      %f = tile.copy tma %x[%c0, %c0], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>

tile.kernel @F9_in_front_of_the_last_release(%i: index, %x: memref<64x64xbf16>, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{bytes [0, 8192) are in use here}}
  %early = tile.alloc {offset = 0 : i64} : !b
  // expected-error @below {{'tile.ring_create' op offset: expected bytes [0, 8192) to be free while the buffer is in use}}
  %in = tile.ring_create "in" mbarrier {offset = 0 : i64, barriers = 8192 : i64} : !tile.ring<1, [!b]>
  %z = arith.constant dense<0.0> : !a
  tile.roles [#tile.role<name = "math", warps = 4, registers = 240>,
              #tile.role<name = "load", warps = 4, registers = 24>] {
  ^bb0(%k: index):
    tile.write %z, %early : !a, !b
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.peek %in[%c] : !tile.ring<1, [!b]> -> !b
      tile.release %slot
    }
  }, {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %w, %K = tile.acquire %in[%c] : !tile.ring<1, [!b]> -> !b
      %f = tile.copy tma %x[%c0, %c0], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>

tile.kernel @F9_mbarriers_stay(%i: index, %x: memref<64x64xbf16>, %n: index)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{bytes [8192, 16384) are in use here}}
  %late = tile.alloc {offset = 8192 : i64} : !b
  // expected-error @below {{'tile.ring_create' op offset: expected bytes [8192, 8208) to be free while the buffer is in use}}
  %in = tile.ring_create "in" mbarrier {offset = 0 : i64, barriers = 8192 : i64} : !tile.ring<1, [!b]>
  %z = arith.constant dense<0.0> : !a
  tile.roles [#tile.role<name = "math", warps = 4, registers = 240>,
              #tile.role<name = "load", warps = 4, registers = 24>] {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.peek %in[%c] : !tile.ring<1, [!b]> -> !b
      tile.release %slot
    }
    tile.write %z, %late : !a, !b
  }, {
  ^bb0(%k: index):
    scf.for %c = %c0 to %n step %c1 {
      %w, %K = tile.acquire %in[%c] : !tile.ring<1, [!b]> -> !b
      %f = tile.copy tma %x[%c0, %c0], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }
  tile.return
}
