// RUN: delta-opt %s --convert-tile-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

// Tickets, flags, counts, fills and functions of the attention form.

!wide = tensor<64x64xf32, #tile.frag<warps = 4>>
!scratch = memref<4xf32, #tile.smem<0>>

// CHECK-LABEL: cuda.kernel @flags
// CHECK-SAME: !cuda.pointer<i32> {cuda.name = "progress"}
// CHECK: %[[ITEM:.*]] = cuda.call "draw_ticket"(%progress, %[[SCRATCH:.*]]) {name = "item"} : {{.*}} -> index

// The last value of a flag is kept from before the loop on: only larger epochs read the
// flag again.
// CHECK: %[[NONE:.*]] = cuda.literal 0 : i32
// CHECK: %[[SEEN:.*]] = cuda.declare init(%[[NONE]]) {name = "seen"}
// CHECK: cuda.for
// CHECK: %[[EPOCH:.*]] = cuda.cast {{.*}} : index to i32
// CHECK: %[[FLAG:.*]] = cuda.binary add %progress, %[[ITEM]]
// CHECK: %[[BEFORE:.*]] = cuda.read %[[SEEN]]
// CHECK: %[[NOW:.*]] = cuda.call "await_flag"(%[[FLAG]], %[[EPOCH]], %[[BEFORE]])
// CHECK: cuda.assign %[[SEEN]], %[[NOW]]
// A flag that differs from iteration to iteration is read each time.
// CHECK: cuda.call "await_flag"(%{{[^,]*}}, %{{[^,]*}}) : {{.*}}
// CHECK: cuda.read %[[SEEN]]
// CHECK: cuda.call "await_flag"(
// CHECK: cuda.call "raise_flag"(%{{.*}}, %{{.*}})
tile.kernel @flags(%cta: index, %progress: memref<?xi32> {delta.name = "progress"}, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, shared_bytes = 16 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %epoch = arith.constant 7 : i32
  %scratch = tile.alloc {offset = 0 : i64} : !scratch
  %item = tile.ticket %progress scratch(%scratch : !scratch) : memref<?xi32> loc("item")
  scf.for %j = %c0 to %n step %c1 {
    %e = arith.index_cast %j : index to i32
    tile.expect %progress[%item], %e : memref<?xi32>
    tile.expect %progress[%j], %e : memref<?xi32>
  }
  tile.expect %progress[%item], %epoch : memref<?xi32>
  tile.signal %progress[%item], %epoch : memref<?xi32>
  tile.return
}

// -----

// CHECK-LABEL: cuda.kernel @scores
// CHECK: %[[LEAST:.*]] = cuda.literal -1.000000e+30 : f32
// CHECK: cuda.call "mask"<["Part::StrictLower"]>(%{{.*}}, %[[LEAST]])
// CHECK: cuda.call "round_even"(
tile.kernel @scores(%cta: index, %x: memref<64x64xf32>, %y: memref<64x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %s = tile.load %x[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32, #tile.frag<warps = 4>>
  %m = tile.mask strict_lower %s {fill = -1.0e30 : f32} : tensor<64x64xf32, #tile.frag<warps = 4>>
  %r = math.roundeven %m : tensor<64x64xf32, #tile.frag<warps = 4>>
  tile.store %r, %y[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32, #tile.frag<warps = 4>>, memref<64x64xf32>
  tile.return
}

// -----

// A number of tokens read from memory, and a ragged block of scores.
// CHECK-LABEL: cuda.kernel @ragged
// CHECK: %[[COUNT:.*]] = cuda.index %cached[%{{.*}}]{{.*}} : !cuda.pointer<i64, const>, index -> i64
// CHECK: %[[N:.*]] = cuda.cast %[[COUNT]] {name = "n"} : i64 to index
// CHECK: %[[LEAST:.*]] = cuda.literal -1.000000e+30 : f32
// CHECK: %[[S:.*]] = cuda.call "mask_columns"(%{{.*}}, %[[N]], %[[LEAST]])
// CHECK: %[[LOWER:.*]] = cuda.call "mask"<["Part::Lower"]>(%[[S]])
// CHECK: cuda.call "mask_columns"(%[[LOWER]], %[[N]]) {
tile.kernel @ragged(%cta: index, %cached: memref<?xi64> {delta.name = "cached"}, %x: memref<64x64xf32>, %y: memref<64x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %n = tile.load_index %cached[%cta] : memref<?xi64> loc("n")
  %s = tile.load %x[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32, #tile.frag<warps = 4>>
  %m = tile.mask full %s columns(%n) {fill = -1.0e30 : f32} : tensor<64x64xf32, #tile.frag<warps = 4>>
  %r = tile.mask lower %m columns(%n) : tensor<64x64xf32, #tile.frag<warps = 4>>
  tile.store %r, %y[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32, #tile.frag<warps = 4>>, memref<64x64xf32>
  tile.return
}

// -----

tile.kernel @unplaced(%cta: index, %progress: memref<?xi32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{expected a scratch buffer: run tile-place first}}
  %item = tile.ticket %progress : memref<?xi32>
  tile.return
}
