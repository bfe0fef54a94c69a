// RUN: delta-opt %s --convert-tile-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

!k = memref<64x64xbf16, #tile.smem<128>>

// Copies of fewer rows than the buffer has: the map's box and the expected bytes are those
// of the copied rows, and the slots are zeroed before the first copy.

// CHECK-LABEL: cuda.kernel @rows
// CHECK-SAME: cuda.tensor_map = #cuda.tensor_map<input = 0, box = [64, 63, 1]>
// CHECK: %[[RING:[a-z0-9_]+]] = cuda.call "Ring<2, 1, 4>"
// CHECK: %[[FIRST:[a-z0-9_]+]] = cuda.literal 0 : ui32
// CHECK: %[[BYTES:[a-z0-9_]+]] = cuda.literal 16384 : ui32
// CHECK: cuda.call "zero_shared"<[160]>(%{{.*}}, %[[FIRST]], %[[BYTES]])
// CHECK: cuda.call "ring_init"(%[[RING]])
// CHECK: cuda.call "cta_sync"()
// CHECK: cuda.call "ring_acquire"(%[[RING]], %[[USE:[a-z0-9_]+]])
// CHECK: %[[EXPECTED:[a-z0-9_]+]] = cuda.literal 8064 : ui32
// CHECK-NEXT: cuda.call "ring_expect"(%[[RING]], %[[USE]], %[[EXPECTED]])
tile.kernel @rows(%b: index {delta.name = "b"}, %x: memref<?x?x64xbf16> {delta.name = "x"}, %n: index {delta.name = "n"})
    attributes {grid = 1 : i64, warps = 5 : i64, shared_bytes = 16416 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %ring = tile.ring_create "in" mbarrier {offset = 0 : i64, zeroed, tile.buffers = ["X"]} : <2, [memref<64x64xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "math", warps = 4, registers = 240>, #tile.role<name = "load", warps = 1, registers = 240>] {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.peek %ring[%c] {tile.buffers = ["X"]} : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !k
      %X = tile.read %K : !k -> tensor<64x64xbf16, #tile.frag<warps = 4>> loc("X")
      tile.release %slot
    }
  }, {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %t0 = arith.muli %c, %c63 : index
      %slot, %K = tile.acquire %ring[%c] {tile.buffers = ["X"]} : <2, [memref<64x64xbf16, #tile.smem<128>>]> -> !k
      %f = tile.copy tma %x[%b, %t0, %c0], %K {dims = array<i64: 1, 2>, rows = 63 : i64} : memref<?x?x64xbf16>, !k
      tile.commit %slot, %f
    }
  }
  tile.return
}

// -----

// Instances that only copy run on one warp each.

tile.kernel @idle(%b: index) attributes {grid = 1 : i64, warps = 8 : i64} {
  // expected-error @below {{role "copy": expected one warp for each instance that only copies, got 4}}
  tile.roles [#tile.role<name = "copy", warps = 8, registers = 168, instances = 2>] {
  ^bb0(%i: index):
  }
  tile.return
}

// -----

// Half a panel is refused.

!k = memref<64x128xbf16, #tile.smem<128>>
tile.kernel @half(%b: index, %n: index) attributes {grid = 1 : i64, warps = 5 : i64, shared_bytes = 16400 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %ring = tile.ring_create "in" mbarrier {offset = 0 : i64} : <1, [memref<64x128xbf16, #tile.smem<128>>]>
  tile.roles [#tile.role<name = "math", warps = 4, registers = 240>, #tile.role<name = "load", warps = 1, registers = 240>] {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.peek %ring[%c] : <1, [memref<64x128xbf16, #tile.smem<128>>]> -> !k
      // expected-error @below {{expected whole panels of a slot's buffer, got}}
      %H = memref.subview %K[0, 0] [64, 32] [1, 1] : !k to memref<64x32xbf16, strided<[128, 1]>, #tile.smem<128>>
      tile.release %slot
    }
  }, {
  ^bb0(%i: index):
    scf.for %c = %c0 to %n step %c1 {
      %slot, %K = tile.acquire %ring[%c] : <1, [memref<64x128xbf16, #tile.smem<128>>]> -> !k
      tile.commit %slot
    }
  }
  tile.return
}
