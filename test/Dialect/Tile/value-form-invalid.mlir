// RUN: delta-opt %s --split-input-file --verify-diagnostics

// Violations that the verifier of one op reports. docs/tile-dialect.md explains the V
// labels.

func.func @V1_contracted_extents(%a: tensor<64x128xbf16>, %b: tensor<64x64xbf16>) {
  // expected-error @below {{'tile.dot' op b: expected 128 elements along axis 1, got 64}}
  %d = tile.dot %a, %b {contract = array<i64: 1, 1>}
      : tensor<64x128xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @V7_index(%x: memref<?xf32>, %b: index) {
  // expected-error @below {{'tile.load_index' op source: expected a global vector of i64, got 'memref<?xf32>'}}
  %n = tile.load_index %x[%b] : memref<?xf32>
  return
}

// -----

func.func @V1_contracted_axes(%a: tensor<64x64xbf16>) {
  // expected-error @below {{'tile.dot' op contract: expected an axis (0 or 1) of a and one of b, got [1, 2]}}
  %d = tile.dot %a, %a {contract = array<i64: 1, 2>}
      : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @V1_operand_types(%a: tensor<64x64xbf16>, %b: tensor<64x64xf16>) {
  // expected-error @below {{'tile.dot' op b: expected elements of 'bf16', got 'f16'}}
  %d = tile.dot %a, %b {contract = array<i64: 1, 1>}
      : tensor<64x64xbf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @V1_result_type(%a: tensor<64x64xbf16>) {
  // expected-error @below {{'tile.dot' op result: expected elements of 'f32', got 'bf16'}}
  %d = tile.dot %a, %a {contract = array<i64: 1, 1>}
      : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xbf16>
  return
}

// -----

func.func @V1_result_shape(%a: tensor<32x64xbf16>, %b: tensor<64x128xbf16>) {
  // expected-error @below {{'tile.dot' op result: expected shape [32, 128], got [128, 32]}}
  %d = tile.dot %a, %b {contract = array<i64: 1, 0>}
      : tensor<32x64xbf16>, tensor<64x128xbf16> -> tensor<128x32xf32>
  return
}

// -----

func.func @V3_vector_operand(%a: tensor<64x64xbf16>, %b: tensor<64xbf16>) {
  // expected-error @below {{'tile.dot' op b: expected rank 2, got 1}}
  %d = tile.dot %a, %b b_part(lower) {contract = array<i64: 1, 0>}
      : tensor<64x64xbf16>, tensor<64xbf16> -> tensor<64x64xf32>
  return
}

// -----

func.func @V3_mask_of_a_vector(%a: tensor<64xf32>) {
  // expected-error @below {{'tile.mask' op input: expected rank 2, got 1}}
  %d = tile.mask lower %a : tensor<64xf32>
  return
}

// -----

func.func @V4_doubling(%a: tensor<8x8xf32>) {
  // expected-error @below {{'tile.tri_inverse' op method: doubling: expected row_stochastic or at most 4 rows, got 8}}
  %d = tile.tri_inverse method(doubling) %a : tensor<8x8xf32>
  return
}

// -----

func.func @V4_doubling_with_a_bound(%a: tensor<8x8xf32>, %b: tensor<16x16xf32>) {
  %c = tile.tri_inverse method(doubling) %a {entry_bound = 1.0 : f32} : tensor<8x8xf32>
  // expected-error @below {{'tile.tri_inverse' op method: doubling: expected row_stochastic or at most 8 rows, got 16}}
  %d = tile.tri_inverse method(doubling) %b {entry_bound = 1.0 : f32} : tensor<16x16xf32>
  return
}

// -----

func.func @V4_doubling_in_tf32(%a: tensor<4x4xf32>) {
  // expected-error @below {{'tile.tri_inverse' op precision: expected f32 with doubling, got tf32}}
  %d = tile.tri_inverse method(doubling) precision(tf32) %a : tensor<4x4xf32>
  return
}

// -----

func.func @tri_inverse_square(%a: tensor<8x16xf32>) {
  // expected-error @below {{'tile.tri_inverse' op input: expected shape [8, 8], got [8, 16]}}
  %d = tile.tri_inverse %a : tensor<8x16xf32>
  return
}

// -----

func.func @tri_solve_square(%a: tensor<8x16xf32>, %f: tensor<8xf32>) {
  // expected-error @below {{'tile.tri_solve' op input: expected shape [8, 8], got [8, 16]}}
  %d = tile.tri_solve %a, %f : tensor<8x16xf32>, tensor<8xf32>
  return
}

// -----

func.func @tri_solve_factors(%a: tensor<8x8xf32>, %f: tensor<4xf32>) {
  // expected-error @below {{'tile.tri_solve' op factors: expected shape [8], got [4]}}
  %d = tile.tri_solve %a, %f : tensor<8x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @tri_solve_factor(%a: tensor<8x8xf32>, %f: f32) {
  // expected-error @below {{'tile.tri_solve' op factors: expected a tensor or a memref, got 'f32'}}
  %d = tile.tri_solve %a, %f : tensor<8x8xf32>, f32
  return
}

// -----

func.func @load_indices(%k: memref<4x64xf32>, %i: index) {
  // expected-error @below {{'tile.load' op indices: expected one for each of the 2 axes of source, got 1}}
  %x = tile.load %k[%i] {dims = array<i64: 1>} : memref<4x64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @load_dims(%k: memref<4x64xf32>, %i: index) {
  // expected-error @below {{'tile.load' op dims: expected one axis for each of the 2 axes of the tile, got 1}}
  %x = tile.load %k[%i, %i] {dims = array<i64: 1>} : memref<4x64xf32> -> tensor<4x64xf32>
  return
}

// -----

func.func @load_dims_twice(%k: memref<64x64xf32>, %i: index) {
  // expected-error @below {{'tile.load' op dims: expected distinct axes of source below 2, got [1, 1]}}
  %x = tile.load %k[%i, %i] {dims = array<i64: 1, 1>} : memref<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @load_too_large(%k: memref<4x64xf32>, %i: index) {
  // expected-error @below {{'tile.load' op tile: expected at most the 4 elements of axis 0 of source, got 8}}
  %x = tile.load %k[%i, %i] {dims = array<i64: 0, 1>} : memref<4x64xf32> -> tensor<8x64xf32>
  return
}

// -----

// A bound holds along its own axis alone.
func.func @load_too_large_beside_the_bound(%k: memref<4x64xf32>, %i: index) {
  // expected-error @below {{'tile.load' op tile: expected at most the 64 elements of axis 1 of source, got 128}}
  %x = tile.load %k[%i, %i] bound(%i) {dims = array<i64: 0, 1>} : memref<4x64xf32> -> tensor<8x128xf32>
  return
}

// -----

func.func @load_steps_of_a_matrix(%k: memref<4x64xf32>, %i: index) {
  // expected-error @below {{'tile.load' op steps: expected 1 for a matrix, got 2}}
  %x = tile.load %k[%i, %i] {dims = array<i64: 0, 1>, steps = 2} : memref<4x64xf32> -> tensor<4x64xf32>
  return
}

// -----

func.func @load_bound_axis(%k: memref<?xf32>, %i: index) {
  // expected-error @below {{'tile.load' op bound_axis: expected an axis of the tile below 1, got 1}}
  %x = tile.load %k[%i] bound(%i) {bound_axis = 1, dims = array<i64: 0>} : memref<?xf32> -> tensor<4xf32>
  return
}

// -----

func.func @store_rounds_nothing(%k: memref<?xbf16>, %x: tensor<64xf32>, %i: index) {
  // expected-error @below {{'tile.store' op tile: expected elements of 'bf16', got 'f32'}}
  tile.store %x, %k[%i] bound(%i) {dims = array<i64: 0>} : tensor<64xf32>, memref<?xbf16>
  return
}

// -----

func.func @reduce_shape(%x: tensor<32x64xf32>) {
  // expected-error @below {{'tile.reduce' op result: expected shape [32], got [64]}}
  %r = tile.reduce add %x {axis = 1} : tensor<32x64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @diagonal_square(%x: tensor<32x64xf32>) {
  // expected-error @below {{'tile.diagonal' op input: expected shape [32, 32], got [32, 64]}}
  %r = tile.diagonal %x : tensor<32x64xf32> -> tensor<32xf32>
  return
}

// -----

func.func @diagonal_shape(%x: tensor<64x64xf32>) {
  // expected-error @below {{'tile.diagonal' op result: expected shape [64], got [32]}}
  %r = tile.diagonal %x : tensor<64x64xf32> -> tensor<32xf32>
  return
}

// -----

func.func @scan_rank(%x: tensor<32x64xf32>) {
  // expected-error @below {{'tile.scan' op input: expected rank 1, got 2}}
  %r = tile.scan %x : tensor<32x64xf32>
  return
}

// -----

func.func @spread_shape(%x: tensor<32xf32>) {
  // expected-error @below {{'tile.spread' op input: expected shape [64], got [32]}}
  %r = tile.spread %x {axis = 1} : tensor<32xf32> -> tensor<32x64xf32>
  return
}

// -----

func.func @transpose_shape(%x: tensor<32x64xf32>) {
  // expected-error @below {{'tile.transpose' op result: expected shape [64, 32], got [32, 64]}}
  %r = tile.transpose %x : tensor<32x64xf32> -> tensor<32x64xf32>
  return
}

// -----

func.func @ticket_counter(%x: memref<2x2xi32>, %y: memref<1xi64>) {
  // expected-error @below {{'tile.ticket' op indices: expected one for each of the 2 axes of counter, got 1}}
  %r = tile.ticket %x : memref<2x2xi32>
  return
}

// -----

func.func @ticket_scratch(%x: memref<1xi32>, %y: memref<4xf32>) {
  // expected-error @below {{'tile.ticket' op scratch: expected a buffer in #tile.smem, got 'memref<4xf32>'}}
  %r = tile.ticket %x scratch(%y : memref<4xf32>) : memref<1xi32>
  return
}

// -----

tile.kernel @clear_in_a_kernel(%i: index, %x: memref<1xi32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.clear' op expected in a host function, got in a kernel}}
  tile.clear %x : memref<1xi32>
  tile.return
}

// -----

func.func @flags_element(%x: memref<1xi64>, %i: index, %e: i32) {
  // expected-error @below {{'tile.signal' op flags: expected elements of 'i32', got 'i64'}}
  tile.signal %x[%i], %e : memref<1xi64>
  return
}

// -----

// expected-error @below {{'tile.kernel' op grid: expected 1 to 3 indices, got 4}}
tile.kernel @kernel_grid(%i: index) attributes {grid = 4 : i64, warps = 4 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op warps: expected 1 to 32, got 0}}
tile.kernel @kernel_warps(%i: index) attributes {grid = 1 : i64, warps = 0 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op argument 0: expected a grid index of type index, got 'i32'}}
tile.kernel @kernel_grid_index(%i: i32) attributes {grid = 1 : i64, warps = 4 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op argument 1: expected a memref of global memory, index or i32, got 'tensor<4xf32>'}}
tile.kernel @kernel_argument(%i: index, %x: tensor<4xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op results: expected none, got 1}}
tile.kernel @kernel_result(%i: index) -> index attributes {grid = 1 : i64, warps = 4 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op body: expected one block, got 0}}
tile.kernel private @kernel_without_body(index) attributes {grid = 1 : i64, warps = 4 : i64}

// -----

func.func @launch_of_nothing(%n: index) {
  // expected-error @below {{'tile.launch' op kernel: no tile.kernel named @launch_of_nothing}}
  tile.launch @launch_of_nothing grid(%n) args()
  return
}

// -----

// expected-note @below {{the kernel is here}}
tile.kernel @k(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  tile.return
}
func.func @launch_grid(%n: index) {
  // expected-error @below {{'tile.launch' op grid: expected 1 extents, got 2}}
  tile.launch @k grid(%n, %n) args()
  return
}

// -----

// expected-note @below {{the kernel is here}}
tile.kernel @k(%i: index, %x: memref<?xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  tile.return
}
func.func @launch_argument_type(%n: index, %x: memref<4xf32>) {
  // expected-error @below {{'tile.launch' op args 0: expected 'memref<?xf32>', got 'memref<4xf32>'}}
  tile.launch @k grid(%n) args(%x : memref<4xf32>)
  return
}

// -----

// expected-note @below {{the kernel is here}}
tile.kernel @k(%i: index, %x: memref<?xf32>) attributes {grid = 1 : i64, warps = 4 : i64} {
  tile.return
}
func.func @launch_argument_count(%n: index) {
  // expected-error @below {{'tile.launch' op args: expected 1, got 0}}
  tile.launch @k grid(%n) args()
  return
}

// -----

tile.kernel @launch_in_a_kernel(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.launch' op expected in a host function, got in a kernel}}
  tile.launch @launch_in_a_kernel grid(%i) args()
  tile.return
}

// -----

tile.kernel @multiprocessors_in_a_kernel(%i: index) attributes {grid = 1 : i64, warps = 4 : i64} {
  // expected-error @below {{'tile.multiprocessors' op expected in a host function, got a kernel}}
  %n = tile.multiprocessors
  tile.return
}

// -----

func.func @identity_rank(%i: index) {
  // expected-error @below {{'tile.identity' op result: expected rank 2, got 1}}
  %r = tile.identity %i : tensor<64xf32>
  return
}

// -----

func.func @identity_type(%i: index) {
  // expected-error @below {{'tile.identity' op result: expected elements of 'f32', got 'bf16'}}
  %r = tile.identity %i : tensor<64x64xbf16>
  return
}
