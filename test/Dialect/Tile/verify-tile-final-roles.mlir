// RUN: delta-opt %s --verify-tile-final --split-input-file --verify-diagnostics

// Kernels with roles that violate one rule each, on sm_90a.

!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!d = tensor<64x64xf32, #tile.frag<warps = 4>>
!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @accepted(%i: index, %n: index, %x: memref<64x64xbf16>)
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
tile.kernel @F2_warpgroup(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 2>,
              #tile.role<name = "math", warps = 4, registers = 232, instances = 1>] {
  ^bb0(%k: index):
    %a = arith.constant dense<0.0> : tensor<32x64xbf16, #tile.frag<warps = 2>>
    %q = tile.alloc : !b
    // expected-error @below {{'tile.dot_start' op instr: wgmma_rs: expected a multiple of 4 warps, got 2}}
    %p = tile.dot_start wgmma_rs %a, %q {contract = array<i64: 1, 1>} : tensor<32x64xbf16, #tile.frag<warps = 2>>, !b -> <tensor<32x64xf32, #tile.frag<warps = 2>>>
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
tile.kernel @F2_wgmma_ss_from_registers(%i: index, %n: index, %x: memref<64x64xbf16>)
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
    %q = tile.alloc : !b
    // expected-error @below {{'tile.dot_start' op a: expected a swizzled buffer in #tile.smem, got}}
    %p = tile.dot_start wgmma_ss %a, %q {contract = array<i64: 1, 1>} : !a, !b -> <!d>
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
tile.kernel @F2_part_of_the_contraction(%i: index, %n: index, %x: memref<64x64xbf16>)
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
    %q = tile.alloc : !b
    // expected-error @below {{'tile.dot_start' op k: expected multiples of 16, got [0, 24)}}
    %p = tile.dot_start wgmma_rs %a, %q {contract = array<i64: 1, 1>, k = array<i64: 0, 24>} : !a, !b -> <!d>
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
tile.kernel @F3_product_without_consumer(%i: index, %n: index, %x: memref<64x64xbf16>)
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
    %q = tile.alloc : !b
    // expected-error @below {{'tile.dot_start' op inflight: expected one consumer, await or the acc of a dot_start, got 0}}
    %p = tile.dot_start wgmma_rs %a, %q {contract = array<i64: 1, 1>} : !a, !b -> <!d>
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
tile.kernel @F8_warps(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  // expected-error @below {{'tile.roles' op warps: expected the kernel's 8 in sum, got 12}}
  tile.roles [#tile.role<name = "load", warps = 8, registers = 40, instances = 1>,
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
tile.kernel @F8_instances(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  // expected-error @below {{'tile.roles' op role "load": expected a multiple of its 3 instances as warps, got 4}}
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 3>,
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
tile.kernel @F8_caps_of_a_warpgroup(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  // expected-error @below {{'tile.roles' op role "math": expected 40 registers as role "load" has in the same warpgroup, got 232}}
  tile.roles [#tile.role<name = "load", warps = 2, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 6, registers = 232, instances = 1>] {
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
tile.kernel @F8_registers_of_a_cta(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  // expected-error @below {{'tile.roles' op registers: expected at most 65536 in a CTA, got 92160}}
  tile.roles [#tile.role<name = "load", warps = 4, registers = 240, instances = 1>,
              #tile.role<name = "math", warps = 8, registers = 240, instances = 2>] {
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
tile.kernel @F10_shared_with_another_role(%i: index, %n: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier {consumers = 2 : i64} : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40, instances = 1>,
              #tile.role<name = "math", warps = 8, registers = 208, instances = 2>] {
  ^bb0(%k: index):
    // expected-note @below {{another role meets here}}
    tile.barrier {id = 2 : i64}
    scf.for %c = %i to %n step %c1 {
      %w, %K = tile.acquire %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %f = tile.copy tma %x[%i, %i], %K {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
      tile.commit %w, %f
    }
  }, {
  ^bb0(%k: index):
    // expected-error @below {{'tile.barrier' op id: expected one that no other role meets at, got 2}}
    tile.barrier {id = 1 : i64}
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
tile.kernel @F10_the_ctas_own_barrier(%i: index, %n: index, %x: memref<64x64xbf16>)
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
    // expected-error @below {{'tile.barrier' op id: expected 1 to 15 in a role of 1 instances, got 0}}
    tile.barrier
    scf.for %c = %i to %n step %c1 {
      %s, %P = tile.peek %ring[%c] : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !b
      %r = tile.read %P : !b -> !a
      tile.release %s
    }
  }
  tile.return
}

// -----

tile.kernel @F8_two_splits(%i: index)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  tile.roles [#tile.role<name = "all", warps = 4, registers = 240>] {
  ^bb0(%k: index):
  }
  // expected-error @below {{'tile.roles' op expected one in a kernel, got 2}}
  tile.roles [#tile.role<name = "all", warps = 4, registers = 240>] {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op plan copies: expected roles with tma, got none}}
tile.kernel @F8_not_split(%i: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_tma_awaited(%i: index, %x: memref<64x64xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : !b
  // expected-error @below {{'tile.copy' op engine: tma: expected a commit or a release to take the copy, got tile.await}}
  %f = tile.copy tma %x[%i, %i], %a {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !b
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_tma_across(%i: index, %x: memref<64x64x8xbf16>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : !b
  // expected-error @below {{'tile.copy' op engine: tma: expected a box that is contiguous along its last axis, got axis 1 of 'memref<64x64x8xbf16>'}}
  %f = tile.copy tma %x[%i, %i, %i], %a {dims = array<i64: 0, 1>} : memref<64x64x8xbf16>, !b
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

tile.kernel @F2_tma_plain(%i: index, %x: memref<64x64xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  // expected-error @below {{'tile.copy' op engine: tma: expected a swizzled buffer and an array of rank at most 5, got 'memref<64x64xf32, #tile.smem<0>>' and 'memref<64x64xf32>'}}
  %f = tile.copy tma %x[%i, %i], %a {dims = array<i64: 0, 1>} : memref<64x64xf32>, memref<64x64xf32, #tile.smem<0>>
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

tile.kernel @F2_bulk_pieces(%i: index, %x: memref<6xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : memref<6xf32, #tile.smem<0>>
  // expected-error @below {{'tile.copy' op engine: bulk: expected a whole vector of a multiple of 16 bytes, got 'memref<6xf32, #tile.smem<0>>'}}
  %f = tile.copy bulk %x[%i], %a {dims = array<i64: 0>} : memref<6xf32>, memref<6xf32, #tile.smem<0>>
  tile.await %f : !tile.async<none>
  tile.return
}

// -----

!s = tensor<128x128xf32, #tile.frag<warps = 8>>
!v = memref<128xf32, #tile.smem<0>>
!q = memref<128x128xbf16, #tile.smem<128>>
tile.kernel @F1_wide_tile_behind_another_role(%i: index, %x: memref<128x128xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %f = tile.alloc : !v
  %q = tile.alloc : !q
  tile.roles [#tile.role<name = "load", warps = 4, registers = 40>, #tile.role<name = "math", warps = 8, registers = 128>] {
  ^bb0(%k: index):
  }, {
  ^bb0(%k: index):
    // expected-error @below {{'tile.load' op register tile: expected a layout of at most 4 warps in a role that is not the first, got 'tensor<128x128xf32, #tile.frag<warps = 8>>'}}
    %P = tile.load %x[%i, %i] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> !s
  }
  tile.return
}

// -----

!s = tensor<128x128xf32, #tile.frag<warps = 8>>
!v = memref<128xf32, #tile.smem<0>>
!q = memref<128x128xbf16, #tile.smem<128>>
tile.kernel @F2_solve(%i: index, %x: memref<128x128xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 16 : i64} {
  %f = tile.alloc : !v
  %q = tile.alloc : !q
  tile.roles [#tile.role<name = "math", warps = 12, registers = 128>, #tile.role<name = "load", warps = 4, registers = 40>] {
  ^bb0(%k: index):
    %P = tile.load %x[%i, %i] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> !s
    // expected-error @below {{'tile.tri_solve' op expected 128 rows in a role of 8 warps, got 128 rows in 12 warps}}
    %G = tile.tri_solve %P, %f scratch(%q : !q) : !s, !v
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

!s = tensor<128x128xf32, #tile.frag<warps = 8>>
!v = memref<128xf32, #tile.smem<0>>
!q = memref<128x128xbf16, #tile.smem<128>>
tile.kernel @F2_solve_without_scratch(%i: index, %x: memref<128x128xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %f = tile.alloc : !v
  %q = tile.alloc : !q
  tile.roles [#tile.role<name = "math", warps = 8, registers = 128>, #tile.role<name = "load", warps = 4, registers = 40>] {
  ^bb0(%k: index):
    %P = tile.load %x[%i, %i] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> !s
    // expected-error @below {{'tile.tri_solve' op scratch: expected a buffer, got none}}
    %G = tile.tri_solve %P, %f : !s, !v
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

!s = tensor<128x128xf32, #tile.frag<warps = 8>>
!v = memref<128xf32, #tile.smem<0>>
!q = memref<128x128xbf16, #tile.smem<128>>
tile.kernel @F10_solve_and_another_role(%i: index, %x: memref<128x128xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %f = tile.alloc : !v
  %q = tile.alloc : !q
  tile.roles [#tile.role<name = "math", warps = 8, registers = 128>, #tile.role<name = "load", warps = 4, registers = 40>] {
  ^bb0(%k: index):
    %P = tile.load %x[%i, %i] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> !s
    // expected-note @below {{another role meets here}}
    %G = tile.tri_solve %P, %f scratch(%q : !q) : !s, !v
  }, {
  ^bb0(%k: index):
    // expected-error @below {{'tile.barrier' op id: expected one that no other role meets at, got 1}}
    tile.barrier {id = 1 : i64}
  }
  tile.return
}

// -----

!s = tensor<128x128xf32, #tile.frag<warps = 8>>
tile.kernel @F10_inverse_in_a_role(%i: index, %x: memref<128x128xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %q = tile.alloc : memref<128x128xf32, #tile.smem<0>>
  tile.roles [#tile.role<name = "math", warps = 8, registers = 128>, #tile.role<name = "load", warps = 4, registers = 40>] {
  ^bb0(%k: index):
    %A = tile.load %x[%i, %i] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> !s
    // expected-error @below {{'tile.tri_inverse' op expected outside of roles, as all warps of the CTA meet inside; roles have tile.tri_solve}}
    %M = tile.tri_inverse %A scratch(%q : memref<128x128xf32, #tile.smem<0>>) : !s
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

!b = memref<64x64xbf16, #tile.smem<128>>
tile.kernel @F2_layout(%i: index, %x: memref<64x64xbf16>) attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 8 : i64} {
  %q = tile.alloc : !b
  tile.roles [#tile.role<name = "math", warps = 4, registers = 232>, #tile.role<name = "load", warps = 4, registers = 40>] {
  ^bb0(%k: index):
    %a = arith.constant dense<0.0> : tensor<32x64xbf16, #tile.frag<warps = 2>>
    // expected-error @below {{'tile.dot_start' op result: expected a layout of a multiple of 4 warps, got 'tensor<32x64xf32, #tile.frag<warps = 2>>'}}
    %p = tile.dot_start wgmma_rs %a, %q {contract = array<i64: 1, 1>} : tensor<32x64xbf16, #tile.frag<warps = 2>>, !b -> <tensor<32x64xf32, #tile.frag<warps = 2>>>
    %d = tile.await %p : !tile.async<tensor<32x64xf32, #tile.frag<warps = 2>>> -> tensor<32x64xf32, #tile.frag<warps = 2>>
  }, {
  ^bb0(%k: index):
  }
  tile.return
}

// -----

!s = tensor<128x128xf32, #tile.frag<warps = 8>>
!q = memref<128x128xbf16, #tile.smem<128>>
tile.kernel @F2_solve_factors(%i: index, %x: memref<128x128xf32>, %y: memref<128xf32>)
    attributes {plan = #plan.kernel<machine = <"sm_90a">, products = mma_sync, copies = cp_async, stages = 2, columns = 64>, grid = 1 : i64, warps = 12 : i64} {
  %q = tile.alloc : !q
  tile.roles [#tile.role<name = "math", warps = 8, registers = 232>, #tile.role<name = "load", warps = 4, registers = 40>] {
  ^bb0(%k: index):
    %P = tile.load %x[%i, %i] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> !s
    %f = tile.load %y[%i] {dims = array<i64: 0>} : memref<128xf32> -> tensor<128xf32, #tile.flat<warps = 8>>
    // expected-error @below {{'tile.tri_solve' op factors: expected a buffer in #tile.smem, got 'tensor<128xf32, #tile.flat<warps = 8>>'}}
    %G = tile.tri_solve %P, %f scratch(%q : !q) : !s, tensor<128xf32, #tile.flat<warps = 8>>
  }, {
  ^bb0(%k: index):
  }
  tile.return
}
