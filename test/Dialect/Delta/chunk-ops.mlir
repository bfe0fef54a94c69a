// RUN: delta-opt %s | delta-opt | FileCheck %s
// RUN: delta-opt %s -mlir-print-op-generic | delta-opt | FileCheck %s

// Every named op of the chunked phase, with and without what is optional, prints
// as it was written.

// CHECK-LABEL: func @memory
func.func @memory(%k: memref<?x?x2x64xbf16>, %g: memref<?x?x4xf32>,
                  %s: memref<?x4x64x64xf32>, %r: memref<?x?x2x64xbf16>,
                  %b: index, %t: index, %h: index, %n: index) {
  %c0 = arith.constant 0 : index
  // CHECK: delta.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] rows(%{{.*}}) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  %K = delta.load %k[%b, %t, %h, %c0] rows(%n) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  // CHECK: delta.load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] rows(%{{.*}}) dims [1] {steps = 3 : i64} : memref<?x?x4xf32> -> tensor<64xf32>
  %G = delta.load %g[%b, %t, %h] rows(%n) dims [1] {steps = 3 : i64} : memref<?x?x4xf32> -> tensor<64xf32>
  // CHECK: delta.load %{{.*}} dims [2, 3] {before} : memref<?x4x64x64xf32> -> tensor<64x64xf32>
  %S = delta.load %s[%b, %h, %c0, %c0] dims [2, 3] {before} : memref<?x4x64x64xf32> -> tensor<64x64xf32>
  // CHECK: delta.store %{{.*}}, %{{.*}}[%{{.*}}] rows(%{{.*}}) dims [1, 3] : tensor<64x64xf32>, memref<?x?x2x64xbf16>
  delta.store %K, %k[%b, %t, %h, %c0] rows(%n) dims [1, 3] : tensor<64x64xf32>, memref<?x?x2x64xbf16>
  // CHECK: delta.store %{{.*}}, %{{.*}}[%{{.*}}] dims [2, 3] : tensor<64x64xf32>, memref<?x4x64x64xf32>
  delta.store %S, %s[%b, %h, %c0, %c0] dims [2, 3] : tensor<64x64xf32>, memref<?x4x64x64xf32>
  // CHECK: delta.load %{{.*}}[%{{.*}}] rows(%{{.*}}) rest(%{{.*}} : memref<?x?x2x64xbf16>) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  %U = delta.load %k[%b, %t, %h, %c0] rows(%n) rest(%r : memref<?x?x2x64xbf16>) dims [1, 3] : memref<?x?x2x64xbf16> -> tensor<64x64xf32>
  // CHECK: delta.store %{{.*}}, %{{.*}}[%{{.*}}] rows(%{{.*}}) rest(%{{.*}} : memref<?x?x2x64xbf16>) dims [1, 3] : tensor<64x64xf32>, memref<?x?x2x64xbf16>
  delta.store %U, %k[%b, %t, %h, %c0] rows(%n) rest(%r : memref<?x?x2x64xbf16>) dims [1, 3] : tensor<64x64xf32>, memref<?x?x2x64xbf16>
  return
}

// CHECK-LABEL: func @decay
func.func @decay(%g: tensor<64xf32>, %gt: tensor<32xf32>, %A: tensor<64x64xf32>,
                 %P: tensor<32x64xf32>) {
  // CHECK: delta.gate_prefix %{{.*}} : tensor<64xf32>
  %G = delta.gate_prefix %g : tensor<64xf32>
  // CHECK: delta.decay %{{.*}}, %{{.*}}, %{{.*}} part<strict_lower> : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  %0 = delta.decay %A, %G, %G part<strict_lower> : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  // CHECK: delta.decay %{{.*}}, %{{.*}}, %{{.*}} part<lower> {steps = 2 : i64} : tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>
  %1 = delta.decay %P, %gt, %G part<lower> {steps = 2 : i64} : tensor<32x64xf32>, tensor<32xf32>, tensor<64xf32>
  return
}

// CHECK-LABEL: func @products
func.func @products(%Q: tensor<32x128xf32>, %K: tensor<64x128xf32>,
                    %v: tensor<64xf32>, %U: tensor<64x128xf32>,
                    %acc: tensor<32x128xf32>) {
  // CHECK: delta.gram %{{.*}}, %{{.*}} part<lower> {prec = #delta.prec<bf16>, scale = 5.000000e-01 : f32, steps = 2 : i64} : tensor<32x128xf32>, tensor<64x128xf32> -> tensor<32x64xf32>
  %P = delta.gram %Q, %K part<lower> {prec = #delta.prec<bf16>, scale = 0.5 : f32, steps = 2 : i64} : tensor<32x128xf32>, tensor<64x128xf32> -> tensor<32x64xf32>
  // CHECK: delta.gram %{{.*}}, %{{.*}} part<full> kernel<relu> : tensor<64x128xf32>, tensor<64x128xf32> -> tensor<64x64xf32>
  %A = delta.gram %K, %K part<full> kernel<relu> : tensor<64x128xf32>, tensor<64x128xf32> -> tensor<64x64xf32>
  // CHECK: delta.scale %{{.*}}, %{{.*}} {axis = 1 : i64} : tensor<64x64xf32>, tensor<64xf32>
  %B = delta.scale %A, %v {axis = 1 : i64} : tensor<64x64xf32>, tensor<64xf32>
  // CHECK: delta.tri_inverse %{{.*}} {entry_bound = 2.000000e+00 : f32, row_stochastic} : tensor<64x64xf32>
  %M = delta.tri_inverse %B {entry_bound = 2.0 : f32, row_stochastic} : tensor<64x64xf32>
  // CHECK: delta.apply %{{.*}}, %{{.*}} acc(%{{.*}} : tensor<32x128xf32>) part<lower> {steps = 2 : i64} : tensor<32x64xf32>, tensor<64x128xf32> -> tensor<32x128xf32>
  %O = delta.apply %P, %U acc(%acc : tensor<32x128xf32>) part<lower> {steps = 2 : i64} : tensor<32x64xf32>, tensor<64x128xf32> -> tensor<32x128xf32>
  // CHECK: delta.apply %{{.*}}, %{{.*}} part<lower> {steps = 2 : i64, transpose} : tensor<32x64xf32>, tensor<32x128xf32> -> tensor<64x128xf32>
  %T = delta.apply %P, %O part<lower> {steps = 2 : i64, transpose} : tensor<32x64xf32>, tensor<32x128xf32> -> tensor<64x128xf32>
  // CHECK: delta.apply %{{.*}}, %{{.*}} part<lower> {prec = #delta.prec<bf16>, split_input, split_matrix} : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  %X = delta.apply %M, %T part<lower> {prec = #delta.prec<bf16>, split_matrix, split_input} : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  // CHECK: delta.rowsum %{{.*}} : tensor<64x128xf32> -> tensor<64xf32>
  %r = delta.rowsum %T : tensor<64x128xf32> -> tensor<64xf32>
  return
}

// CHECK-LABEL: func @state
func.func @state(%S: tensor<128x64xf32>, %K: tensor<64x128xf32>,
                 %U: tensor<64x64xf32>, %G: tensor<64xf32>) {
  // CHECK: delta.read %{{.*}}, %{{.*}} decay(%{{.*}} : tensor<64xf32>) role<write> {scale = 2.000000e+00 : f32} : tensor<64x128xf32>, tensor<128x64xf32> -> tensor<64x64xf32>
  %0 = delta.read %K, %S decay(%G : tensor<64xf32>) role<write> {scale = 2.0 : f32} : tensor<64x128xf32>, tensor<128x64xf32> -> tensor<64x64xf32>
  // CHECK: delta.read %{{.*}}, %{{.*}} {transpose} : tensor<64x64xf32>, tensor<128x64xf32> -> tensor<64x128xf32>
  %1 = delta.read %U, %S {transpose} : tensor<64x64xf32>, tensor<128x64xf32> -> tensor<64x128xf32>
  // CHECK: delta.update %{{.*}}, %{{.*}}, %{{.*}} decay(%{{.*}} : tensor<64xf32>) role<read> : tensor<128x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>
  %2 = delta.update %S, %K, %U decay(%G : tensor<64xf32>) role<read> : tensor<128x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>
  // CHECK: delta.update %{{.*}}, %{{.*}}, %{{.*}} {prec = #delta.prec<f16>} : tensor<128x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>
  %3 = delta.update %S, %K, %U {prec = #delta.prec<f16>} : tensor<128x64xf32>, tensor<64x128xf32>, tensor<64x64xf32>
  return
}

// CHECK-LABEL: func @implicit
func.func @implicit(%m: tensor<64xf32>, %l: tensor<64xf32>, %a: tensor<64x32xf32>,
                    %s: tensor<64x64xf32>, %u: tensor<64x32xf32>) {
  // CHECK: delta.online %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} values(%{{.*}} : tensor<64x32xf32>) part<full> : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  %0:3 = delta.online %m, %l, %a, %s values(%u : tensor<64x32xf32>) part<full> : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  // CHECK: delta.online %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} part<strict_lower> : tensor<64xf32>
  %1:3 = delta.online %0#0, %0#1, %0#2, %s part<strict_lower> : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  // CHECK: delta.online {{.*}} part<full> {prec = #delta.prec<bf16>, split_values, split_weights} :
  %split:3 = delta.online %m, %l, %a, %s values(%u : tensor<64x32xf32>) part<full> {prec = #delta.prec<bf16>, split_weights, split_values} : tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>, tensor<64x64xf32> -> tensor<64xf32>, tensor<64xf32>, tensor<64x32xf32>
  // CHECK: delta.weights %{{.*}}, %{{.*}}, %{{.*}} part<strict_lower> : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  %2 = delta.weights %s, %1#0, %1#1 part<strict_lower> : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
  // CHECK: delta.normalize %{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<64xf32>
  %3 = delta.normalize %1#2, %1#1 : tensor<64x32xf32>, tensor<64xf32>
  // CHECK: delta.identity %{{.*}} : tensor<64x32xf32>
  %diagonal = arith.constant -32 : index
  %I = delta.identity %diagonal : tensor<64x32xf32>
  // CHECK: delta.row_dot %{{.*}}, %{{.*}} : tensor<64x32xf32> -> tensor<64xf32>
  %4 = delta.row_dot %a, %u : tensor<64x32xf32> -> tensor<64xf32>
  // CHECK: delta.row_dot %{{.*}}, %{{.*}} {scale = 1.250000e-01 : f32} : tensor<64x32xf32> -> tensor<64xf32>
  %5 = delta.row_dot %a, %u {scale = 0.125 : f32} : tensor<64x32xf32> -> tensor<64xf32>
  return
}

// What is behind a cache: a count of tokens, and a block of them that is ragged.
// CHECK-LABEL: func.func @cache
func.func @cache(%cached: memref<?xi64>, %b: index, %m: tensor<16xf32>, %a: tensor<16x32xf32>, %s: tensor<16x64xf32>, %u: tensor<64x32xf32>) {
  // CHECK: %[[N:.+]] = delta.load_index %{{.*}}[%{{.*}}] : memref<?xi64>
  %n = delta.load_index %cached[%b] : memref<?xi64>
  // CHECK: delta.online %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} values(%{{.*}} : tensor<64x32xf32>) columns(%[[N]]) part<full> : tensor<16xf32>
  %0:3 = delta.online %m, %m, %a, %s values(%u : tensor<64x32xf32>) columns(%n) part<full> : tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<16x64xf32> -> tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>
  return
}
