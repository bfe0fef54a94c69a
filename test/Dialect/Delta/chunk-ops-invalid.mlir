// RUN: delta-opt %s -split-input-file -verify-diagnostics

// N1 to N23 of docs/delta-dialect.md: one rejected op for each way.

func.func @n1_element(%x: memref<?x64xf64>, %i: index) {
  // expected-error@+1 {{source: expected elements of bf16, f16 or f32, got 'f64'}}
  %0 = delta.load %x[%i, %i] dims [0, 1] : memref<?x64xf64> -> tensor<16x64xf32>
  return
}

// -----

func.func @n2_indices(%x: memref<?x64xf32>, %i: index) {
  // expected-error@+1 {{indices: expected one for each of the 2 axes of source, got 1}}
  %0 = delta.load %x[%i] dims [0, 1] : memref<?x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @n3_dims(%x: memref<?x64xf32>, %i: index) {
  // expected-error@+1 {{dims: expected one axis for each of the 2 axes of the tile, got 1}}
  %0 = delta.load %x[%i, %i] dims [0] : memref<?x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @n3_order(%x: memref<?x64xf32>, %t: tensor<16x64xf32>, %i: index) {
  // expected-error@+1 {{dims: expected increasing axes of dest below 2, got [1, 0]}}
  delta.store %t, %x[%i, %i] dims [1, 0] : tensor<16x64xf32>, memref<?x64xf32>
  return
}

// -----

func.func @n3_range(%x: memref<?x64xf32>, %t: tensor<16x64xf32>, %i: index) {
  // expected-error@+1 {{dims: expected increasing axes of dest below 2, got [0, 2]}}
  delta.store %t, %x[%i, %i] dims [0, 2] : tensor<16x64xf32>, memref<?x64xf32>
  return
}

// -----

func.func @n4_columns(%x: memref<?x32xf32>, %i: index) {
  // expected-error@+1 {{tile: expected an extent that axis 1 of source holds, got 64 for 'memref<?x32xf32>'}}
  %0 = delta.load %x[%i, %i] dims [0, 1] : memref<?x32xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @n4_dynamic(%x: memref<?x?xf32>, %i: index) {
  // expected-error@+1 {{tile: expected an extent that axis 1 of source holds}}
  %0 = delta.load %x[%i, %i] dims [0, 1] : memref<?x?xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @n5_triangle(%q: tensor<16x64xf32>, %k: tensor<64x64xf32>) {
  // expected-error@+1 {{lhs: expected at least 22 rows for 64 columns at 3 steps, got 16}}
  %0 = delta.gram %q, %k part<lower> {steps = 3 : i64} : tensor<16x64xf32>, tensor<64x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @n5_full(%q: tensor<64x64xf32>, %k: tensor<64x64xf32>) {
  // expected-error@+1 {{steps: expected 1 with part full, got 3}}
  %0 = delta.gram %q, %k part<full> {steps = 3 : i64} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n6_prefix(%g: tensor<64x4xf32>) {
  // expected-error@+1 {{decay: expected rank 1, got 2}}
  %0 = delta.gate_prefix %g : tensor<64x4xf32>
  return
}

// -----

func.func @n7_part(%x: tensor<64x64xf32>, %g: tensor<64xf32>) {
  // expected-error@+1 {{part: expected lower or strict_lower, got full}}
  %0 = delta.decay %x, %g, %g part<full> : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  return
}

// -----

func.func @n7_rows(%x: tensor<64x64xf32>, %g: tensor<64xf32>, %t: tensor<32xf32>) {
  // expected-error@+1 {{rows: expected shape [64], got [32]}}
  %0 = delta.decay %x, %t, %g part<lower> : tensor<64x64xf32>, tensor<32xf32>, tensor<64xf32>
  return
}

// -----

func.func @n7_columns(%x: tensor<64x64xf32>, %g: tensor<64xf32>, %t: tensor<32xf32>) {
  // expected-error@+1 {{columns: expected shape [64], got [32]}}
  %0 = delta.decay %x, %g, %t part<lower> : tensor<64x64xf32>, tensor<64xf32>, tensor<32xf32>
  return
}

// -----

func.func @n8_contraction(%q: tensor<64x64xf32>, %k: tensor<64x128xf32>) {
  // expected-error@+1 {{rhs: expected shape [64, 64], got [64, 128]}}
  %0 = delta.gram %q, %k part<lower> : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n8_result(%q: tensor<64x64xf32>, %k: tensor<64x64xf32>) {
  // expected-error@+1 {{result: expected shape [64, 64], got [64, 32]}}
  %0 = delta.gram %q, %k part<lower> : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x32xf32>
  return
}

// -----

func.func @n9_kernel(%q: tensor<64x64xf32>) {
  // expected-error@+1 {{kernel: expected linear, exp, relu or round, got softmax}}
  %0 = delta.gram %q, %q part<lower> kernel<softmax> : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n9_scale(%q: tensor<64x64xf32>) {
  // expected-error@+1 {{scale: expected a finite number, got}}
  %0 = delta.gram %q, %q part<lower> {scale = 0x7F800000 : f32} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n10_factors(%x: tensor<32x64xf32>, %v: tensor<64xf32>) {
  // expected-error@+1 {{factors: expected shape [32], got [64]}}
  %0 = delta.scale %x, %v {axis = 0 : i64} : tensor<32x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @n10_axis(%x: tensor<32x64xf32>, %v: tensor<64xf32>) {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint}}
  %0 = delta.scale %x, %v {axis = 2 : i64} : tensor<32x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @n11_square(%x: tensor<32x64xf32>) {
  // expected-error@+1 {{input: expected shape [32, 32], got [32, 64]}}
  %0 = delta.tri_inverse %x : tensor<32x64xf32>
  return
}

// -----

func.func @n11_bound(%x: tensor<32x32xf32>) {
  // expected-error@+1 {{entry_bound: expected a positive finite number, got}}
  %0 = delta.tri_inverse %x {entry_bound = -1.0 : f32} : tensor<32x32xf32>
  return
}

// -----

func.func @n12_input(%l: tensor<32x64xf32>, %x: tensor<32x128xf32>) {
  // expected-error@+1 {{input: expected shape [64, 128], got [32, 128]}}
  %0 = delta.apply %l, %x part<full> : tensor<32x64xf32>, tensor<32x128xf32> -> tensor<32x128xf32>
  return
}

// -----

func.func @n12_transpose(%l: tensor<32x64xf32>, %x: tensor<32x128xf32>) {
  // expected-error@+1 {{result: expected shape [64, 128], got [32, 128]}}
  %0 = delta.apply %l, %x part<full> {transpose} : tensor<32x64xf32>, tensor<32x128xf32> -> tensor<32x128xf32>
  return
}

// -----

func.func @n12_accumulator(%l: tensor<64x64xf32>, %x: tensor<64x128xf32>, %a: tensor<32x128xf32>) {
  // expected-error@+1 {{accumulator: expected shape [64, 128], got [32, 128]}}
  %0 = delta.apply %l, %x acc(%a : tensor<32x128xf32>) part<lower> : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  return
}

// -----

func.func @n13_result(%x: tensor<64x32xf32>) {
  // expected-error@+1 {{result: expected shape [64], got [32]}}
  %0 = delta.rowsum %x : tensor<64x32xf32> -> tensor<32xf32>
  return
}

// -----

func.func @n14_input(%x: tensor<64x64xf32>, %s: tensor<128x64xf32>) {
  // expected-error@+1 {{input: expected shape [64, 128], got [64, 64]}}
  %0 = delta.read %x, %s : tensor<64x64xf32>, tensor<128x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n14_decay(%x: tensor<64x128xf32>, %s: tensor<128x64xf32>, %g: tensor<32xf32>) {
  // expected-error@+1 {{decay: expected shape [64], got [32]}}
  %0 = delta.read %x, %s decay(%g : tensor<32xf32>) : tensor<64x128xf32>, tensor<128x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n15_key(%s: tensor<128x64xf32>, %k: tensor<64x64xf32>, %u: tensor<64x64xf32>) {
  // expected-error@+1 {{key: expected shape [64, 128], got [64, 64]}}
  %0 = delta.update %s, %k, %u : tensor<128x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

func.func @n15_value(%s: tensor<128x64xf32>, %k: tensor<64x128xf32>, %u: tensor<32x64xf32>) {
  // expected-error@+1 {{value: expected shape [64, 64], got [32, 64]}}
  %0 = delta.update %s, %k, %u : tensor<128x64xf32>, tensor<64x128xf32>, tensor<32x64xf32>
  return
}

// -----

func.func @n16_values(%m: tensor<64xf32>, %a: tensor<64x32xf32>, %s: tensor<64x64xf32>, %u: tensor<32x32xf32>) {
  // expected-error@+1 {{values: expected shape [64, 32], got [32, 32]}}
  %0:3 = delta.online %m, %m, %a, %s values(%u : tensor<32x32xf32>) part<full> : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  return
}

// -----

func.func @n16_sum(%m: tensor<64xf32>, %l: tensor<32xf32>, %a: tensor<64x32xf32>, %s: tensor<64x64xf32>) {
  // expected-error@+1 {{sum: expected shape [64], got [32]}}
  %0:3 = delta.online %m, %l, %a, %s part<full> : tensor<64xf32>, tensor<32xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  return
}

// -----

func.func @n17_max(%m: tensor<32xf32>, %l: tensor<64xf32>, %s: tensor<64x64xf32>) {
  // expected-error@+1 {{max: expected shape [64], got [32]}}
  %0 = delta.weights %s, %m, %l part<lower> : tensor<64x64xf32>, tensor<32xf32>, tensor<64xf32>
  return
}

// -----

func.func @n18_row_dot_rank(%x: tensor<32xf32>) {
  // expected-error@+1 {{lhs: expected rank 2, got 1}}
  %0 = delta.row_dot %x, %x : tensor<32xf32> -> tensor<32xf32>
  return
}

// -----

func.func @n18_row_dot_result(%x: tensor<32x64xf32>) {
  // expected-error@+1 {{result: expected shape [32], got [64]}}
  %0 = delta.row_dot %x, %x : tensor<32x64xf32> -> tensor<64xf32>
  return
}

// -----

func.func @n18_row_dot_scale(%x: tensor<32x64xf32>) {
  // expected-error@+1 {{scale: expected a finite number, got}}
  %0 = delta.row_dot %x, %x {scale = 0x7F800000 : f32}
         : tensor<32x64xf32> -> tensor<32xf32>
  return
}

// -----

func.func @n19_normalize_rank(%x: tensor<32xf32>) {
  // expected-error@+1 {{acc: expected rank 2, got 1}}
  %0 = delta.normalize %x, %x : tensor<32xf32>, tensor<32xf32>
  return
}

// -----

func.func @n19_normalize_sum(%x: tensor<32x64xf32>, %l: tensor<64xf32>) {
  // expected-error@+1 {{sum: expected shape [32], got [64]}}
  %0 = delta.normalize %x, %l : tensor<32x64xf32>, tensor<64xf32>
  return
}

// -----

func.func @n20_identity_rank(%i: index) {
  // expected-error@+1 {{result: expected rank 2, got 1}}
  %0 = delta.identity %i : tensor<32xf32>
  return
}

// -----

func.func @n21(%n: memref<?xi32>, %b: index) {
  // expected-error@+1 {{source: expected a vector of i64, got 'memref<?xi32>'}}
  %0 = delta.load_index %n[%b] : memref<?xi32>
  return
}

// -----

func.func @n22_matrix(%p: tensor<64x64xf32>) {
  // expected-error@+1 {{split_matrix: expected a `prec`, got a product that does not round}}
  %0 = delta.apply %p, %p part<full> {split_matrix} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n22_input(%p: tensor<64x64xf32>) {
  // expected-error@+1 {{split_input: expected a `prec`, got a product that does not round}}
  %0 = delta.apply %p, %p part<full> {split_input} : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  return
}

// -----

func.func @n22_weights(%m: tensor<64xf32>, %a: tensor<64x32xf32>, %s: tensor<64x64xf32>, %u: tensor<64x32xf32>) {
  // expected-error@+1 {{split_weights: expected a `prec`, got a product that does not round}}
  %0:3 = delta.online %m, %m, %a, %s values(%u : tensor<64x32xf32>) part<full> {split_weights} : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  return
}

// -----

func.func @n22_no_values(%m: tensor<64xf32>, %a: tensor<64x32xf32>, %s: tensor<64x64xf32>) {
  // expected-error@+1 {{split_values: expected values, got none}}
  %0:3 = delta.online %m, %m, %a, %s part<full> {prec = #delta.prec<bf16>, split_values} : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  return
}

// -----

func.func @n23_wide(%x: memref<?x64xf32>, %r: memref<?x64xf32>, %i: index) {
  // expected-error@+1 {{rest: expected none of source in f32, got 'memref<?x64xf32>'}}
  %0 = delta.load %x[%i, %i] rows(%i) rest(%r : memref<?x64xf32>) dims [0, 1] : memref<?x64xf32> -> tensor<16x64xf32>
  return
}

// -----

func.func @n23_type(%t: tensor<16x64xf32>, %x: memref<?x64xbf16>, %r: memref<?x64xf16>, %i: index) {
  // expected-error@+1 {{rest: expected the type of dest, 'memref<?x64xbf16>', got 'memref<?x64xf16>'}}
  delta.store %t, %x[%i, %i] rows(%i) rest(%r : memref<?x64xf16>) dims [0, 1] : tensor<16x64xf32>, memref<?x64xbf16>
  return
}
