// RUN: delta-opt %s --tile-place-barriers | FileCheck %s

!tile = tensor<64x64xbf16, #tile.frag<warps = 4>>
!buffer = memref<64x64xbf16, #tile.smem<128>>

// Read after write, write after read, and one barrier for both of two reads.

// CHECK-LABEL: tile.kernel @straight
// CHECK: tile.write
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.return
tile.kernel @straight(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : !buffer
  %b = tile.alloc : !buffer
  %x = arith.constant dense<1.0> : !tile
  tile.write %x, %a : !tile, !buffer
  tile.write %x, %b : !tile, !buffer
  %y = tile.read %a : !buffer -> !tile
  %z = tile.read %b {transpose} : !buffer -> !tile
  tile.write %y, %a : !tile, !buffer
  tile.return
}

// Conflicts across the back edge: the write of the next iteration follows the read of this
// one. After the loop the last write may still be unread.

// CHECK-LABEL: tile.kernel @loop
// CHECK: scf.for
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.read
// CHECK: tile.return
tile.kernel @loop(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %x = arith.constant dense<1.0> : !tile
  scf.for %c = %c0 to %n step %c1 {
    tile.write %x, %a : !tile, !buffer
    %y = tile.read %a : !buffer -> !tile
  }
  tile.return
}

// A copy is complete for the thread that waits, and for the others after a barrier; the
// wait itself needs none.

// CHECK-LABEL: tile.kernel @copied
// CHECK: tile.copy
// CHECK-NEXT: tile.await
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.read
tile.kernel @copied(%i: index, %k: memref<64x64xbf16>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc : !buffer
  %f = tile.copy cp_async %k[%c0, %c0], %a {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !buffer
  tile.await %f : !tile.async<none>
  %y = tile.read %a : !buffer -> !tile
  tile.return
}

// Buffers that share bytes conflict; disjoint buffers do not.

// CHECK-LABEL: tile.kernel @overlap
// CHECK: tile.write
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.return
tile.kernel @overlap(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %b = tile.alloc {offset = 8192 : i64} : !buffer
  %c = tile.alloc {offset = 4096 : i64} : !buffer
  %x = arith.constant dense<1.0> : !tile
  tile.write %x, %a : !tile, !buffer
  tile.write %x, %b : !tile, !buffer
  tile.write %x, %c : !tile, !buffer
  tile.return
}

// An inverse contains a barrier, so values written before it need no barrier after it; its
// scratch space must be free before it. A scan over 32 elements stays in one warp and
// orders nothing.

// CHECK-LABEL: tile.kernel @inside
// CHECK: tile.write
// CHECK-NEXT: tile.tri_inverse
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.scan
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.read
tile.kernel @inside(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : !buffer
  %v = tile.alloc : memref<32xf32, #tile.smem<0>>
  %s = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %t = tile.alloc : memref<4xf32, #tile.smem<0>>
  %x = arith.constant dense<1.0> : !tile
  %A = arith.constant dense<0.0> : tensor<64x64xf32, #tile.frag<warps = 4>>
  %g = arith.constant dense<0.0> : tensor<32xf32, #tile.flat<warps = 4>>
  tile.write %x, %a : !tile, !buffer
  %M = tile.tri_inverse %A scratch(%s : memref<64x64xf32, #tile.smem<0>>) : tensor<64x64xf32, #tile.frag<warps = 4>>
  %y = tile.read %a : !buffer -> !tile
  tile.write %g, %v : tensor<32xf32, #tile.flat<warps = 4>>, memref<32xf32, #tile.smem<0>>
  %G = tile.scan %g scratch(%t : memref<4xf32, #tile.smem<0>>) : tensor<32xf32, #tile.flat<warps = 4>>
  %h = tile.read %v : memref<32xf32, #tile.smem<0>> -> tensor<32xf32, #tile.slice<axis = 1, <warps = 2>>>
  tile.return
}

// After its last barrier an op still reads its scratch space: the next writer waits. Other
// buffers are free.

// CHECK-LABEL: tile.kernel @scratch_again
// CHECK: tile.tri_inverse
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.tri_inverse
// CHECK-NEXT: tile.scan
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.scan
tile.kernel @scratch_again(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %a = tile.alloc : !buffer
  %s = tile.alloc : memref<64x64xf32, #tile.smem<0>>
  %t = tile.alloc : memref<4xf32, #tile.smem<0>>
  %x = arith.constant dense<1.0> : !tile
  %A = arith.constant dense<0.0> : tensor<64x64xf32, #tile.frag<warps = 4>>
  %g = arith.constant dense<0.0> : tensor<64xf32, #tile.flat<warps = 4>>
  %M = tile.tri_inverse %A scratch(%s : memref<64x64xf32, #tile.smem<0>>) : tensor<64x64xf32, #tile.frag<warps = 4>>
  tile.write %x, %a : !tile, !buffer
  %N = tile.tri_inverse %A scratch(%s : memref<64x64xf32, #tile.smem<0>>) : tensor<64x64xf32, #tile.frag<warps = 4>>
  %G = tile.scan %g scratch(%t : memref<4xf32, #tile.smem<0>>) : tensor<64xf32, #tile.flat<warps = 4>>
  %H = tile.scan %g scratch(%t : memref<4xf32, #tile.smem<0>>) : tensor<64xf32, #tile.flat<warps = 4>>
  tile.return
}

// The peek of a ring of cp.async groups is a barrier.

// CHECK-LABEL: tile.kernel @ring
// CHECK: scf.for
// CHECK-NEXT: tile.peek
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.release
tile.kernel @ring(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %ring = tile.ring_create "r" cp_async_group : !tile.ring<2, [!buffer]>
  scf.for %c = %c0 to %n step %c1 {
    %slot, %k = tile.peek %ring[%c] : !tile.ring<2, [!buffer]> -> !buffer
    %x = tile.read %k : !buffer -> !tile
    tile.write %x, %a : !tile, !buffer
    %y = tile.read %a : !buffer -> !tile
    tile.release %slot
  }
  tile.return
}

// In a ring of one slot the acquire is a barrier too.

// CHECK-LABEL: tile.kernel @single
// CHECK: scf.for
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.peek
// CHECK-NEXT: tile.read
tile.kernel @single(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %x = arith.constant dense<1.0> : !tile
  %ring = tile.ring_create "r" cp_async_group : !tile.ring<1, [!buffer]>
  scf.for %c = %c0 to %n step %c1 {
    %w, %k = tile.acquire %ring[%c] : !tile.ring<1, [!buffer]> -> !buffer
    tile.write %x, %a : !tile, !buffer
    tile.commit %w
    %slot, %l = tile.peek %ring[%c] : !tile.ring<1, [!buffer]> -> !buffer
    %y = tile.read %a : !buffer -> !tile
    tile.release %slot
  }
  tile.return
}

// All threads have read a buffer in the bytes of a ring before the first slot is filled.

// CHECK-LABEL: tile.kernel @in_front_of_a_ring
// CHECK: tile.write
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.copy
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.peek
// CHECK-NEXT: tile.read
tile.kernel @in_front_of_a_ring(%i: index, %g: memref<64x64xbf16>) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %a = tile.alloc {offset = 0 : i64} : !buffer
  %x = arith.constant dense<1.0> : !tile
  %ring = tile.ring_create "r" cp_async_group {offset = 0 : i64} : !tile.ring<2, [!buffer]>
  tile.write %x, %a : !tile, !buffer
  %y = tile.read %a : !buffer -> !tile
  %w, %k = tile.acquire %ring[%c0] : !tile.ring<2, [!buffer]> -> !buffer
  %f = tile.copy cp_async %g[%c0, %c0], %k {dims = array<i64: 0, 1>} : memref<64x64xbf16>, !buffer
  tile.commit %w, %f
  %slot, %l = tile.peek %ring[%c0] : !tile.ring<2, [!buffer]> -> !buffer
  %z = tile.read %l : !buffer -> !tile
  tile.release %slot
  tile.return
}

// An mbarrier is not a barrier of the role: each warp waits on its own. Slots need no
// barrier at either end.

// CHECK-LABEL: tile.kernel @mbarriers
// CHECK: tile.write
// CHECK-NEXT: scf.for
// CHECK-NEXT: tile.peek
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.acquire
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.commit
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: tile.read
// CHECK-NEXT: tile.release
tile.kernel @mbarriers(%i: index, %n: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tile.alloc : !buffer
  %in = tile.ring_create "in" mbarrier : !tile.ring<1, [!buffer]>
  %out = tile.ring_create "out" mbarrier : !tile.ring<1, [!buffer]>
  %z = arith.constant dense<1.0> : !tile
  tile.write %z, %a : !tile, !buffer
  scf.for %c = %c0 to %n step %c1 {
    %slot, %k = tile.peek %in[%c] : !tile.ring<1, [!buffer]> -> !buffer
    %x = tile.read %k : !buffer -> !tile
    %w, %o = tile.acquire %out[%c] : !tile.ring<1, [!buffer]> -> !buffer
    tile.write %x, %o : !tile, !buffer
    tile.commit %w
    %y = tile.read %a : !buffer -> !tile
    tile.release %slot
  }
  tile.return
}

// Each role meets at its own barrier: the CTA's barrier comes first, then those of the
// instances of each role in turn. A buffer in the bytes of a drained ring is ordered with
// the ring's slots, which a product in flight reads until it is awaited.

!half = memref<64x64xbf16, #tile.smem<128>>
!a = tensor<64x64xbf16, #tile.frag<warps = 4>>
!x = tensor<64x64xf32, #tile.frag<warps = 4>>

// CHECK-LABEL: tile.kernel @in_a_role
// CHECK: tile.peek
// CHECK-NEXT: tile.dot_start
// CHECK-NEXT: tile.await
// CHECK-NEXT: tile.release
// CHECK-NEXT: arith.truncf
// CHECK-NEXT: tile.barrier {id = 2 : i64}
// CHECK-NEXT: tile.write
// CHECK-NEXT: tile.barrier {id = 2 : i64}
// CHECK-NEXT: tile.read
tile.kernel @in_a_role(%i: index) attributes {grid = 1 : i64, warps = 8 : i64} {
  %c0 = arith.constant 0 : index
  %late = tile.alloc {offset = 0 : i64} : !half
  %in = tile.ring_create "in" mbarrier {offset = 0 : i64, barriers = 8192 : i64} : !tile.ring<1, [!half]>
  %z = arith.constant dense<1.0> : !a
  tile.roles [#tile.role<name = "load", warps = 4, registers = 24>,
              #tile.role<name = "math", warps = 4, registers = 240>] {
  ^bb0(%k: index):
    %w, %K = tile.acquire %in[%c0] : !tile.ring<1, [!half]> -> !half
    tile.write %z, %K : !a, !half
    tile.commit %w
  }, {
  ^bb0(%k: index):
    %slot, %K = tile.peek %in[%c0] : !tile.ring<1, [!half]> -> !half
    %p = tile.dot_start wgmma_rs %z, %K {contract = array<i64: 1, 1>} : !a, !half -> !tile.async<!x>
    %S = tile.await %p : !tile.async<!x> -> !x
    tile.release %slot
    %Sa = arith.truncf %S : !x to !a
    tile.write %Sa, %late : !a, !half
    %y = tile.read %late : !half -> !a
  }
  tile.return
}
