// RUN: delta-opt %s --tile-place --split-input-file --verify-diagnostics | FileCheck %s

// In a kernel with roles a single warp copies: matrices by tensor maps, which end where the
// array ends, vectors by bulk copies. Products use wgmma.

// CHECK-LABEL: tile.kernel @chain
// CHECK: %[[O:.*]] = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
// CHECK: %[[V:.*]] = tile.alloc : memref<64x64xbf16, #tile.smem<128>>
// CHECK: %[[G:.*]] = tile.alloc : memref<64xf32, #tile.smem<0>>
// CHECK: %[[K:.*]] = tile.alloc : memref<64x128xbf16, #tile.smem<128>>
// CHECK: %[[S:.*]] = tile.load
// CHECK: scf.for
// CHECK-DAG: tile.copy tma %{{.*}}, %[[K]] {dims = array<i64: 2, 3>} : memref<?x?x64x128xbf16>
// CHECK-DAG: tile.copy tma %{{.*}}, %[[V]] {dims = array<i64: 1, 3>} : memref<?x?x2x128xbf16>
// CHECK-DAG: tile.copy bulk %{{.*}}, %[[G]] {dims = array<i64: 2>} : memref<?x?x64xf32>
// CHECK: tile.dot instr(wgmma_rs) %{{.*}}, %[[K]] {contract = array<i64: 1, 1>}
// CHECK: tile.read %[[V]] {transpose}
// CHECK: tile.write %{{.*}}, %[[O]] {transpose}
// CHECK: tile.copy tma %{{.*}}, %[[O]] {dims = array<i64: 1, 3>, to_global}
// CHECK: tile.dot instr(wgmma_rs) %{{.*}}, %[[K]] acc(%{{.*}}) {contract = array<i64: 1, 0>}
tile.kernel @chain(%j: index, %b: index, %k: memref<?x?x64x128xbf16>, %v: memref<?x?x2x128xbf16>,
                   %g: memref<?x?x64xf32>, %o: memref<?x?x2x128xbf16>, %s: memref<64x128xf32>, %length: index, %chunks: index)
    attributes {grid = 2 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %column = arith.muli %j, %c64 : index
  %S0 = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x128xf32> -> tensor<64x128xf32>
  %S1 = scf.for %c = %c0 to %chunks step %c1 iter_args(%S = %S0) -> tensor<64x128xf32> {
    %t0 = arith.muli %c, %c64 : index
    %left = arith.subi %length, %t0 : index
    %rows = arith.minui %left, %c64 : index
    %Sa = arith.truncf %S : tensor<64x128xf32> to tensor<64x128xbf16>
    %K = tile.load %k[%b, %c, %c0, %c0] {dims = array<i64: 2, 3>} : memref<?x?x64x128xbf16> -> tensor<64x128xbf16>
    %KS = tile.dot %Sa, %K {contract = array<i64: 1, 1>} : tensor<64x128xbf16>, tensor<64x128xbf16> -> tensor<64x64xf32>
    %G = tile.load %g[%b, %c, %c0] {dims = array<i64: 2>} : memref<?x?x64xf32> -> tensor<64xf32>
    %e = tile.spread %G {axis = 1} : tensor<64xf32> -> tensor<64x64xf32>
    %V = tile.load %v[%b, %t0, %c0, %column] bound(%rows) {dims = array<i64: 3, 1>, bound_axis = 1} : memref<?x?x2x128xbf16> -> tensor<64x64xbf16>
    %Vf = arith.extf %V : tensor<64x64xbf16> to tensor<64x64xf32>
    %D = arith.mulf %KS, %e : tensor<64x64xf32>
    %X = arith.subf %Vf, %D : tensor<64x64xf32>
    %Xa = arith.truncf %X : tensor<64x64xf32> to tensor<64x64xbf16>
    tile.store %Xa, %o[%b, %t0, %c0, %column] bound(%rows) {dims = array<i64: 3, 1>, bound_axis = 1} : tensor<64x64xbf16>, memref<?x?x2x128xbf16>
    %Sn = tile.dot %Xa, %K acc(%S) {contract = array<i64: 1, 0>} : tensor<64x64xbf16>, tensor<64x128xbf16> -> tensor<64x128xf32>
    scf.yield %Sn : tensor<64x128xf32>
  }
  tile.store %S1, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x128xf32>, memref<64x128xf32>
  tile.return
}
func.func @host(%k: memref<?x?x64x128xbf16>, %v: memref<?x?x2x128xbf16>, %g: memref<?x?x64xf32>, %o: memref<?x?x2x128xbf16>, %s: memref<64x128xf32>, %chunks: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %length = memref.dim %v, %c1 : memref<?x?x2x128xbf16>
  tile.launch @chain grid(%c2, %c1) args(%k, %v, %g, %o, %s, %length, %chunks : memref<?x?x64x128xbf16>, memref<?x?x2x128xbf16>, memref<?x?x64xf32>, memref<?x?x2x128xbf16>, memref<64x128xf32>, index, index)
  return
}

// -----

// 21 tokens of three steps are 63 rows; the 64th row in memory belongs to the next chunk.
// In the kernel tokens and steps are one axis of rows. Outputs of tokens are 21 rows of 32.

// CHECK-LABEL: tile.kernel @steps
// CHECK: tile.copy tma {{.*}} {dims = array<i64: 1, 2>, rows = 63 : i64} : memref<?x?x64xbf16>, memref<64x64xbf16, #tile.smem<128>>
// CHECK: tile.copy tma {{.*}} {dims = array<i64: 1, 2>, rows = 21 : i64, to_global} : memref<?x?x64xbf16>, memref<32x64xbf16, #tile.smem<128>>
tile.kernel @steps(%b: index, %c: index, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>, %length: index)
    attributes {grid = 2 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c21 = arith.constant 21 : index
  %c63 = arith.constant 63 : index
  %x = arith.constant dense<1.0> : tensor<32x64xbf16>
  %t0 = arith.muli %c, %c21 : index
  %left = arith.subi %length, %t0 : index
  %tokens = arith.minui %left, %c21 : index
  %r0 = arith.muli %c, %c63 : index
  %rows = arith.muli %tokens, %c3 : index
  %V = tile.load %v[%b, %r0, %c0] bound(%rows) {dims = array<i64: 1, 2>} : memref<?x?x64xbf16> -> tensor<64x64xbf16>
  %Vf = arith.extf %V : tensor<64x64xbf16> to tensor<64x64xf32>
  tile.store %x, %o[%b, %t0, %c0] bound(%tokens) {dims = array<i64: 1, 2>} : tensor<32x64xbf16>, memref<?x?x64xbf16>
  tile.return
}
func.func @host_of_steps(%q: memref<?x?x64xbf16>, %v: memref<?x?x3x64xbf16>, %o: memref<?x?x64xbf16>) {
  %c1 = arith.constant 1 : index
  %length = memref.dim %q, %c1 : memref<?x?x64xbf16>
  %rows = memref.collapse_shape %v [[0], [1, 2], [3]] : memref<?x?x3x64xbf16> into memref<?x?x64xbf16>
  tile.launch @steps grid(%c1, %c1) args(%rows, %o, %length : memref<?x?x64xbf16>, memref<?x?x64xbf16>, index)
  return
}

// -----

// A static extent, and one that the kernel itself takes from the array.

// CHECK-LABEL: tile.kernel @extents
// CHECK: tile.copy tma {{.*}} {dims = array<i64: 0, 1>} : memref<100x64xbf16>
// CHECK: tile.copy tma {{.*}} {dims = array<i64: 0, 1>} : memref<?x64xbf16>
tile.kernel @extents(%c: index, %v: memref<100x64xbf16>, %w: memref<?x64xbf16>, %s: memref<64x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %t0 = arith.muli %c, %c64 : index
  %left = arith.subi %c100, %t0 : index
  %V = tile.load %v[%t0, %c0] bound(%left) {dims = array<i64: 0, 1>} : memref<100x64xbf16> -> tensor<64x64xbf16>
  %n = memref.dim %w, %c0 : memref<?x64xbf16>
  %behind = arith.subi %n, %t0 : index
  %rows = arith.minui %behind, %c64 : index
  %W = tile.load %w[%t0, %c0] bound(%rows) {dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<64x64xbf16>
  %D = tile.dot %V, %W {contract = array<i64: 1, 1>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.store %D, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<64x64xf32>, memref<64x64xf32>
  tile.return
}

// -----

// No launch of the kernel shows that %n is the extent.

tile.kernel @not_launched(%c: index, %v: memref<?x64xbf16>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{bound: expected the extent of axis 0 of the array less the start of the box, or the minimum of that and a constant, for a tensor map ends where the array does}}
  %V = tile.load %v[%c0, %c0] bound(%n) {dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<64x64xbf16>
  tile.return
}

// -----

// One of the two launches passes another value.

tile.kernel @other_size(%c: index, %v: memref<?x?x64xbf16>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{bound: expected the extent of axis 1 of the array less the start of the box}}
  %V = tile.load %v[%c, %c0, %c0] bound(%n) {dims = array<i64: 1, 2>} : memref<?x?x64xbf16> -> tensor<64x64xbf16>
  tile.return
}
func.func @host_of_two(%v: memref<?x?x64xbf16>, %n: index) {
  %c1 = arith.constant 1 : index
  %length = memref.dim %v, %c1 : memref<?x?x64xbf16>
  tile.launch @other_size grid(%c1) args(%v, %length : memref<?x?x64xbf16>, index)
  tile.launch @other_size grid(%c1) args(%v, %n : memref<?x?x64xbf16>, index)
  return
}

// -----

// A chunk that ends before the end of the array, at a distance that is not a constant.

tile.kernel @ends_early(%c: index, %v: memref<128x64xbf16>, %n: index)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{bound: expected the extent of axis 0 of the array less the start of the box}}
  %V = tile.load %v[%c0, %c0] bound(%n) {dims = array<i64: 0, 1>} : memref<128x64xbf16> -> tensor<64x64xbf16>
  tile.return
}

// -----

tile.kernel @computed(%c: index, %s: memref<64x64xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  %Sa = arith.truncf %S : tensor<64x64xf32> to tensor<64x64xbf16>
  // expected-error @below {{operand in shared memory: expected a tile that a copy brings there in a kernel with several chains, got a computed one: 'tensor<64x64xbf16>'}}
  %D = tile.dot %Sa, %Sa {contract = array<i64: 1, 1>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @rows(%c: index, %k: memref<64x64xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xbf16> -> tensor<64x64xbf16>
  %A = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xbf16> -> tensor<32x64xbf16>
  // expected-error @below {{a: expected 64 rows in a kernel with wgmma of 4 warps, got 32}}
  %D = tile.dot %A, %K {contract = array<i64: 1, 1>} : tensor<32x64xbf16>, tensor<64x64xbf16> -> tensor<32x64xf32>
  tile.return
}

// -----

tile.kernel @warps(%c: index, %k: memref<64x64xbf16>)
    attributes {grid = 1 : i64, warps = 6 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xbf16> -> tensor<64x64xbf16>
  // expected-error @below {{expected a multiple of 4 warps in a kernel with wgmma, got 6}}
  %D = tile.dot %K, %K {contract = array<i64: 1, 1>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @warps_of_two(%c: index, %k: memref<64x64xbf16>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, chains = 2, split = chains>} {
  %c0 = arith.constant 0 : index
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xbf16> -> tensor<64x64xbf16>
  // expected-error @below {{expected 4 warps in a kernel with wgmma, got 8}}
  %D = tile.dot %K, %K {contract = array<i64: 1, 1>} : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @contraction(%c: index, %k: memref<64x64xbf16>, %s: memref<64x8xf32>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x8xf32> -> tensor<64x8xf32>
  %Sa = arith.truncf %S : tensor<64x8xf32> to tensor<64x8xbf16>
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<64x64xbf16> -> tensor<8x64xbf16>
  // expected-error @below {{a: expected a multiple of 16 columns, got 8}}
  %D = tile.dot %Sa, %K {contract = array<i64: 1, 0>} : tensor<64x8xbf16>, tensor<8x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.kernel @columns(%c: index, %k: memref<512x64xbf16>)
    attributes {grid = 1 : i64, warps = 4 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64, split = chains>} {
  %c0 = arith.constant 0 : index
  %A = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<512x64xbf16> -> tensor<64x64xbf16>
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<512x64xbf16> -> tensor<512x64xbf16>
  // expected-error @below {{result: expected a multiple of 8 of at most 256 columns, got 512}}
  %D = tile.dot %A, %K {contract = array<i64: 1, 1>} : tensor<64x64xbf16>, tensor<512x64xbf16> -> tensor<64x512xf32>
  tile.return
}

// -----

// Two warpgroups share the rows of a block. A left operand that a copy brings stays in
// shared memory. A box with a false condition lies before the array, where a tensor map
// reads zeros. A bound past the end of the box has no effect.

// CHECK-LABEL: tile.kernel @row_block
// CHECK: %[[U:.*]] = tile.alloc : memref<128x64xbf16, #tile.smem<128>>
// CHECK: %[[K:.*]] = tile.alloc : memref<128x64xbf16, #tile.smem<128>>
// CHECK: %[[Q:.*]] = tile.alloc : memref<128x64xbf16, #tile.smem<128>>
// CHECK: tile.copy tma %arg1[%c0, %c0], %[[Q]] {
// CHECK: tile.copy tma %arg2[%{{.*}}, %c0], %[[K]] {
// CHECK: %[[S:.*]] = tile.dot instr(wgmma_ss) %[[Q]], %[[K]]
// CHECK: %[[HERE:.*]] = arith.cmpi
// CHECK: %[[ROW:.*]] = arith.select %[[HERE]], %{{.*}}, %c-128
// CHECK: tile.copy tma %arg3[%[[ROW]], %c0], %[[U]] {
// CHECK: tile.dot instr(wgmma_rs) %{{.*}}, %[[U]]
tile.kernel @row_block(%i: index, %q: memref<128x64xbf16>, %k: memref<?x64xbf16>, %u: memref<?x64xbf16>, %o: memref<128x64xf32>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %t0 = arith.muli %i, %c128 : index
  %Q = tile.load %q[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x64xbf16> -> tensor<128x64xbf16>
  %K = tile.load %k[%t0, %c0] bound(%c128) {dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<128x64xbf16>
  %S = tile.dot %Q, %K {contract = array<i64: 1, 1>} : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  %P = arith.truncf %S : tensor<128x128xf32> to tensor<128x128xbf16>
  %here = arith.cmpi sgt, %i, %c0 : index
  %rows = arith.select %here, %c128, %c0 : index
  %U = tile.load %u[%t0, %c0] bound(%rows) {dims = array<i64: 0, 1>} : memref<?x64xbf16> -> tensor<128x64xbf16>
  %N = tile.dot %P, %U {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  tile.store %N, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x64xf32>, memref<128x64xf32>
  tile.return
}

// -----

// A solve takes its factors and its scratch from shared memory. The registers of a later
// product of 64 columns fit next to the solution; with 128 columns the left operand is
// spilled to shared memory, after the last product before the solve.

// CHECK-LABEL: tile.kernel @narrow_solution
// CHECK: %[[SCRATCH:.*]] = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
// CHECK: %[[F:.*]] = tile.alloc : memref<128xf32, #tile.smem<0>>
// CHECK: tile.write %{{.*}}, %[[F]] : tensor<128xf32>
// CHECK: tile.tri_solve %{{.*}}, %[[F]] scratch(%[[SCRATCH]] : memref<128x128xbf16, #tile.smem<128>>)
// CHECK: tile.dot instr(wgmma_rs)
// CHECK: tile.dot instr(wgmma_rs)
tile.kernel @narrow_solution(%i: index, %k: memref<128x64xbf16>, %beta: memref<2x128xf32>, %s: memref<128x128xf32>, %o: memref<128x64xf32>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %f = tile.load %beta[%c0, %c0] {dims = array<i64: 1>} : memref<2x128xf32> -> tensor<128xf32>
  %g = arith.negf %f : tensor<128xf32>
  %P = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> tensor<128x128xf32>
  %E = arith.truncf %P : tensor<128x128xf32> to tensor<128x128xbf16>
  %N = tile.load %o[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x64xf32> -> tensor<128x64xf32>
  %G = tile.tri_solve %P, %g : tensor<128x128xf32>, tensor<128xf32>
  %Ga = arith.truncf %G : tensor<128x128xf32> to tensor<128x128xbf16>
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x64xbf16> -> tensor<128x64xbf16>
  %N1 = tile.dot %E, %K acc(%N) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  %N2 = tile.dot %Ga, %K acc(%N1) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  tile.store %N2, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x64xf32>, memref<128x64xf32>
  tile.return
}

// -----

// CHECK-LABEL: tile.kernel @wide_solution
// CHECK: tile.alloc : memref<128x128xbf16, #tile.smem<128>>
// CHECK-NEXT: %[[PARKED:.*]] = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
// CHECK: %[[E:.*]] = arith.truncf
// CHECK: tile.dot
// CHECK-NEXT: tile.write %[[E]], %[[PARKED]]
// CHECK: tile.tri_solve
// CHECK: tile.dot instr(wgmma_ss) %[[PARKED]], %{{.*}} acc(
// CHECK: tile.dot instr(wgmma_rs)
tile.kernel @wide_solution(%i: index, %k: memref<128x128xbf16>, %beta: memref<2x128xf32>, %s: memref<128x128xf32>, %o: memref<128x128xf32>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %f = tile.load %beta[%c0, %c0] {dims = array<i64: 1>} : memref<2x128xf32> -> tensor<128xf32>
  %g = arith.negf %f : tensor<128xf32>
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xbf16> -> tensor<128x128xbf16>
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> tensor<128x128xf32>
  %E = arith.truncf %S : tensor<128x128xf32> to tensor<128x128xbf16>
  %N = tile.load %o[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> tensor<128x128xf32>
  %P = tile.dot %K, %K {contract = array<i64: 1, 1>} : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
  %G = tile.tri_solve %P, %g : tensor<128x128xf32>, tensor<128xf32>
  %Ga = arith.truncf %G : tensor<128x128xf32> to tensor<128x128xbf16>
  %N1 = tile.dot %E, %K acc(%N) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
  %N2 = tile.dot %Ga, %K acc(%N1) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x128xbf16> -> tensor<128x128xf32>
  tile.store %N2, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x128xf32>, memref<128x128xf32>
  tile.return
}

// -----

// Row sums, and a diagonal, that are needed only after the solve are spilled to shared
// memory.

// CHECK-LABEL: tile.kernel @waiting_sums
// CHECK: %[[BUFFER:.*]] = tile.alloc : memref<128xf32, #tile.smem<0>>
// CHECK: %[[SUMS:.*]] = tile.reduce add
// CHECK-NEXT: tile.write %[[SUMS]], %[[BUFFER]] : tensor<128xf32>
// CHECK: tile.tri_solve
// CHECK: %[[AGAIN:.*]] = tile.read %[[BUFFER]]
// CHECK: tile.spread %[[AGAIN]]
tile.kernel @waiting_sums(%i: index, %beta: memref<128x2xf32>, %s: memref<128x128xf32>, %o: memref<128x128xbf16>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %f = tile.load %beta[%c0, %c0] {dims = array<i64: 0>} : memref<128x2xf32> -> tensor<128xf32>
  %P = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> tensor<128x128xf32>
  %sums = tile.reduce add %P {axis = 1 : i64} : tensor<128x128xf32> -> tensor<128xf32>
  %G = tile.tri_solve %P, %f : tensor<128x128xf32>, tensor<128xf32>
  %rows = tile.spread %sums {axis = 0 : i64} : tensor<128xf32> -> tensor<128x128xf32>
  %H = arith.mulf %G, %rows : tensor<128x128xf32>
  %Ga = arith.truncf %G : tensor<128x128xf32> to tensor<128x128xbf16>
  %Ha = arith.truncf %H : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %Ga, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x128xbf16>, memref<128x128xbf16>
  tile.store %Ha, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x128xbf16>, memref<128x128xbf16>
  tile.return
}

// -----

// If the residual of a solution is used, the solve has scratch for residuals. Of two left
// operands that are live across the solve, only as many are spilled as registers cannot
// hold.

// CHECK-LABEL: tile.kernel @solution_with_rest
// CHECK: %[[SCRATCH:.*]] = tile.alloc : memref<256x128xbf16, #tile.smem<128>>
// CHECK: %[[PARKED:.*]] = tile.alloc : memref<128x128xbf16, #tile.smem<128>>
// CHECK: %[[E:.*]] = arith.truncf
// CHECK: %[[F:.*]] = arith.truncf
// CHECK: tile.write %[[E]], %[[PARKED]]
// CHECK-NOT: tile.write %[[F]]
// CHECK: tile.tri_solve %{{.*}} scratch(%[[SCRATCH]] : memref<256x128xbf16, #tile.smem<128>>)
// CHECK: tile.dot instr(wgmma_ss) %[[PARKED]], %{{.*}} acc(
// CHECK: tile.dot instr(wgmma_rs) %[[F]], %{{.*}} acc(
// CHECK: tile.dot instr(wgmma_ss) %[[PARKED]], %{{.*}} acc(
tile.kernel @solution_with_rest(%i: index, %k: memref<128x64xbf16>, %beta: memref<2x128xf32>, %s: memref<128x128xf32>, %o: memref<128x64xf32>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %f = tile.load %beta[%c0, %c0] {dims = array<i64: 1>} : memref<2x128xf32> -> tensor<128xf32>
  %g = arith.negf %f : tensor<128xf32>
  %K = tile.load %k[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x64xbf16> -> tensor<128x64xbf16>
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> tensor<128x128xf32>
  %E = arith.truncf %S : tensor<128x128xf32> to tensor<128x128xbf16>
  %T = arith.negf %S : tensor<128x128xf32>
  %F = arith.truncf %T : tensor<128x128xf32> to tensor<128x128xbf16>
  %N = tile.load %o[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x64xf32> -> tensor<128x64xf32>
  %G = tile.tri_solve %S, %g : tensor<128x128xf32>, tensor<128xf32>
  %Ga = arith.truncf %G : tensor<128x128xf32> to tensor<128x128xbf16>
  %back = arith.extf %Ga : tensor<128x128xbf16> to tensor<128x128xf32>
  %lost = arith.subf %G, %back : tensor<128x128xf32>
  %Gr = arith.truncf %lost : tensor<128x128xf32> to tensor<128x128xbf16>
  %N0 = tile.dot %E, %K acc(%N) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  %N1 = tile.dot %F, %K acc(%N0) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  %N2 = tile.dot %E, %K acc(%N1) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  %N3 = tile.dot %Gr, %K acc(%N2) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  %N4 = tile.dot %Ga, %K acc(%N3) {contract = array<i64: 1, 0>} : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  tile.store %N4, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x64xf32>, memref<128x64xf32>
  tile.return
}

// -----

// No use rounds the solution, so the products inside have no type.

tile.kernel @wide_type(%i: index, %beta: memref<2x128xf32>, %s: memref<128x128xf32>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %f = tile.load %beta[%c0, %c0] {dims = array<i64: 1>} : memref<2x128xf32> -> tensor<128xf32>
  %P = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> tensor<128x128xf32>
  // expected-error @below {{expected a use that rounds the solution, whose type products inside take}}
  %G = tile.tri_solve %P, %f : tensor<128x128xf32>, tensor<128xf32>
  tile.store %G, %s[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x128xf32>, memref<128x128xf32>
  tile.return
}

// -----

// A condition on a vector's copy, which has no tensor map, and on a store.

tile.kernel @conditional_store(%i: index, %o: memref<?x64xbf16>, %s: memref<128x64xf32>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %here = arith.cmpi sgt, %i, %c0 : index
  %rows = arith.select %here, %c128, %c0 : index
  %S = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x64xf32> -> tensor<128x64xf32>
  %Sa = arith.truncf %S : tensor<128x64xf32> to tensor<128x64xbf16>
  // expected-error @below {{bound: expected one that does not depend on a condition, for a copy that has none}}
  tile.store %Sa, %o[%c0, %c0] bound(%rows) {dims = array<i64: 0, 1>} : tensor<128x64xbf16>, memref<?x64xbf16>
  tile.return
}

// -----

// Factors that a load brings to registers unchanged are written to shared memory after the
// load.

// CHECK-LABEL: tile.kernel @loaded_factors
// CHECK: %[[F:.*]] = tile.alloc : memref<128xf32, #tile.smem<0>>
// CHECK: %[[BETA:.*]] = tile.load %arg1
// CHECK-NEXT: tile.write %[[BETA]], %[[F]] : tensor<128xf32>
// CHECK: tile.tri_solve %{{.*}}, %[[F]]
tile.kernel @loaded_factors(%i: index, %beta: memref<128x2xf32>, %s: memref<128x128xf32>, %o: memref<128x128xbf16>)
    attributes {grid = 1 : i64, warps = 8 : i64, plan = #plan.kernel<machine = <"sm_90a">, products = wgmma, copies = tma, stages = 3, columns = 64>} {
  %c0 = arith.constant 0 : index
  %f = tile.load %beta[%c0, %c0] {dims = array<i64: 0>} : memref<128x2xf32> -> tensor<128xf32>
  %P = tile.load %s[%c0, %c0] {dims = array<i64: 0, 1>} : memref<128x128xf32> -> tensor<128x128xf32>
  %G = tile.tri_solve %P, %f : tensor<128x128xf32>, tensor<128xf32>
  %Ga = arith.truncf %G : tensor<128x128xf32> to tensor<128x128xbf16>
  tile.store %Ga, %o[%c0, %c0] {dims = array<i64: 0, 1>} : tensor<128x128xbf16>, memref<128x128xbf16>
  tile.return
}
