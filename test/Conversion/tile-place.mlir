// RUN: delta-opt %s --tile-place --split-input-file --verify-diagnostics | FileCheck %s

// A right operand stays in shared memory; contract follows the order in which the
// tile is stored, which is that of global memory.

// CHECK-LABEL: tile.kernel @operands
// CHECK: %[[V:.*]] = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
// CHECK: %[[K:.*]] = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
// CHECK: %[[F:.*]] = tile.copy cp_async %{{.*}}, %[[K]] bound(%{{.*}}) {dims = array<i64: 1, 3>}
// CHECK: %[[G:.*]] = tile.copy cp_async %{{.*}}, %[[V]] bound(%{{.*}}) {dims = array<i64: 1, 3>}
// CHECK: tile.await %[[F]]
// CHECK: %[[A:.*]] = tile.read %[[K]] : memref<64x128xbf16, #tile.smem<128>> -> tensor<64x128xbf16>
// CHECK: tile.dot instr(mma_m16n8k16) %[[A]], %[[K]] {contract = array<i64: 1, 1>}
// CHECK: tile.await %[[G]]
// CHECK: tile.dot instr(mma_m16n8k16) %[[A]], %[[V]] acc(%{{.*}}) b_part(upper) {b_col_steps = 2 : i64, contract = array<i64: 1, 1>}
tile.kernel @operands(%b: index, %k: memref<?x?x2x128xbf16>, %v: memref<?x?x2x128xbf16>, %s: memref<64x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %K = tile.load %k[%b, %c0, %c0, %c0] bound(%n) {dims = array<i64: 1, 3>} : memref<?x?x2x128xbf16> -> tensor<64x128xbf16>
  %KK = tile.dot %K, %K {contract = array<i64: 1, 1>} : tensor<64x128xbf16>, tensor<64x128xbf16> -> tensor<64x64xf32>
  %V = tile.load %v[%b, %c0, %c0, %c0] bound(%n) {dims = array<i64: 3, 1>, bound_axis = 1} : memref<?x?x2x128xbf16> -> tensor<128x64xbf16>
  %D = tile.dot %K, %V acc(%KK) b_part(lower) {contract = array<i64: 1, 0>, b_row_steps = 2} : tensor<64x128xbf16>, tensor<128x64xbf16> -> tensor<64x64xf32>
  tile.store %D, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

// Register uses of a load whose dims transpose read its buffer transposed; a result is
// copied out of a buffer in rows; a state uses no buffer.

// CHECK-LABEL: tile.kernel @registers
// CHECK: %[[O:.*]] = tile.alloc : memref<32x64xbf16, #tile.smem<128>>
// CHECK: %[[V:.*]] = tile.alloc : memref<32x64xbf16, #tile.smem<128>>
// CHECK: tile.load %{{.*}} {dims = array<i64: 1, 0>} : memref<64x64xf32> -> tensor<64x64xf32>
// CHECK: %[[R:.*]] = tile.read %[[V]] {transpose} : memref<32x64xbf16, #tile.smem<128>> -> tensor<64x32xbf16>
// CHECK: tile.write %{{.*}}, %[[O]] {transpose} : tensor<64x32xbf16>, memref<32x64xbf16, #tile.smem<128>>
// CHECK: %[[F:.*]] = tile.copy simt %{{.*}}, %[[O]] bound(%{{.*}}) {dims = array<i64: 1, 3>, to_global}
// CHECK: tile.await %[[F]]
tile.kernel @registers(%b: index, %v: memref<?x?x2x128xbf16>, %o: memref<?x?x2x128xbf16>, %s: memref<64x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v0 = arith.muli %b, %c64 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 1, 0>} : memref<64x64xf32> -> tensor<64x64xf32>
  %V = tile.load %v[%b, %c0, %c0, %v0] bound(%n) {dims = array<i64: 3, 1>, bound_axis = 1} : memref<?x?x2x128xbf16> -> tensor<64x32xbf16>
  %Vf = arith.extf %V : tensor<64x32xbf16> to tensor<64x32xf32>
  %X = arith.addf %Vf, %Vf : tensor<64x32xf32>
  %Xa = arith.truncf %X : tensor<64x32xf32> to tensor<64x32xbf16>
  tile.store %Xa, %o[%b, %c0, %c0, %v0] bound(%n) {dims = array<i64: 3, 1>, bound_axis = 1} : tensor<64x32xbf16>, memref<?x?x2x128xbf16>
  tile.store %S, %s[%c0, %c0] {dims = array<i64: 1, 0>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

// A computed right operand is written to a buffer after its definition, and goes to global
// memory from there.

// CHECK-LABEL: tile.kernel @computed
// CHECK: %[[Y:.*]] = arith.truncf
// CHECK-NEXT: tile.write %[[Y]], %[[YS:.*]] : tensor<64x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
// CHECK: tile.dot instr(mma_m16n8k16) %[[Y]], %[[YS]] {contract = array<i64: 1, 0>}
// CHECK-NOT: tile.write
// CHECK: tile.copy simt %{{.*}}, %[[YS]] {dims = array<i64: 0, 1>, to_global}
tile.kernel @computed(%b: index, %s: memref<64x64xf32>, %o: memref<64x64xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  %Y = arith.truncf %S : tensor<64x64xf32> to tensor<64x64xbf16>
  %D = tile.dot %Y, %Y {contract = array<i64: 1, 0>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %Y, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xbf16>, memref<64x64xbf16>
  tile.store %D, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

// A contiguous vector passes through shared memory, and its elements are read there; a
// strided one is gathered to registers. Ops with partial results get scratch space.

// CHECK-LABEL: tile.kernel @vectors
// CHECK: tile.alloc : memref<64x64xf32, #tile.smem<0>>
// CHECK: %[[SCRATCH:.*]] = tile.alloc : memref<4xf32, #tile.smem<0>>
// CHECK: %[[G:.*]] = tile.alloc : memref<64xf32, #tile.smem<0>>
// CHECK: tile.copy cp_async %{{.*}}, %[[G]] {dims = array<i64: 2>}
// CHECK: tile.load %{{.*}} bound(%{{.*}}) {dims = array<i64: 1>} : memref<?x?x2xf32> -> tensor<64xf32>
// CHECK: tile.scan %{{.*}} scratch(%[[SCRATCH]] : memref<4xf32, #tile.smem<0>>)
// CHECK: memref.load %[[G]][%{{.*}}] : memref<64xf32, #tile.smem<0>>
// CHECK: tile.tri_inverse %{{.*}} scratch(%{{.*}} : memref<64x64xf32, #tile.smem<0>>)
tile.kernel @vectors(%b: index, %g: memref<?x?x2xf32>, %w: memref<?x8x64xf32>, %s: memref<64x64xf32>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %x = tile.load %g[%b, %c0, %c0] bound(%n) {dims = array<i64: 1>} : memref<?x?x2xf32> -> tensor<64xf32>
  %y = tile.scan %x : tensor<64xf32>
  %G = tile.load %w[%b, %c0, %c0] {dims = array<i64: 2>} : memref<?x8x64xf32> -> tensor<64xf32>
  %last = tensor.extract %G[%c63] : tensor<64xf32>
  %total = tensor.splat %last : tensor<64xf32>
  %r = arith.subf %total, %y : tensor<64xf32>
  %R = tile.spread %r {axis = 0} : tensor<64xf32> -> tensor<64x64xf32>
  %M = tile.tri_inverse %R : tensor<64x64xf32>
  tile.store %M, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

tile.kernel @not_contiguous(%b: index, %k: memref<4x64x64x8xbf16>, %s: memref<64x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{box is not contiguous: expected axis 3 of the array among dims}}
  %K = tile.load %k[%b, %c0, %c0, %c0] {dims = array<i64: 1, 2>} : memref<4x64x64x8xbf16> -> tensor<64x64xbf16>
  tile.return
}

// -----

tile.kernel @not_aligned(%b: index, %k: memref<4x64x128xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{box does not start on a 16-byte boundary in all cases}}
  %K = tile.load %k[%c0, %c0, %b] {dims = array<i64: 1, 2>} : memref<4x64x128xbf16> -> tensor<64x64xbf16>
  tile.return
}

// -----

tile.kernel @bounded_columns(%b: index, %k: memref<4x64x128xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{bound: expected it along rows of the array, axis 1, got axis 2}}
  %K = tile.load %k[%c0, %c0, %c0] bound(%b) {dims = array<i64: 1, 2>, bound_axis = 1} : memref<4x64x128xbf16> -> tensor<64x64xbf16>
  tile.return
}

// -----

tile.kernel @narrow(%b: index, %k: memref<4x64x8xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{no shared memory layout for a tile of 64 x 8; accepted: rows in eights, 16, 32 or a multiple of 64 columns}}
  %K = tile.load %k[%c0, %c0, %c0] {dims = array<i64: 1, 2>} : memref<4x64x8xbf16> -> tensor<64x8xbf16>
  tile.return
}

// -----

tile.kernel @wide_operand(%b: index, %s: memref<64x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  // expected-error @below {{operands: expected 16-bit tiles, got 'tensor<64x64xf32>' and 'tensor<64x64xf32>'}}
  %D = tile.dot %S, %S {contract = array<i64: 1, 1>} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  tile.return
}
