// Every use of the inverse is rounded to bf16, and it amplifies no rounding.
// RUN: delta-opt %s --tile-select-inverse-precision | FileCheck %s

!m = tensor<64x64xf32>

// CHECK-LABEL: func.func @rounded(
// CHECK: tile.tri_inverse precision(tf32) %{{.*}} {entry_bound = 1.000000e+00 : f32, transposed}
func.func @rounded(%A: !m, %beta: !m) -> (tensor<64x64xbf16>, tensor<64x64xbf16>) {
  %M = tile.tri_inverse %A {entry_bound = 1.0 : f32, transposed} : !m
  %a = arith.truncf %M : !m to tensor<64x64xbf16>
  %T = arith.mulf %beta, %M : !m
  %b = arith.truncf %T : !m to tensor<64x64xbf16>
  return %a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>
}

// Beta beyond 1: roundings add up.
// CHECK-LABEL: func.func @amplified(
// CHECK: tile.tri_inverse %{{.*}} {entry_bound = 2.000000e+00 : f32}
func.func @amplified(%A: !m) -> tensor<64x64xbf16> {
  %M = tile.tri_inverse %A {entry_bound = 2.0 : f32} : !m
  %a = arith.truncf %M : !m to tensor<64x64xbf16>
  return %a : tensor<64x64xbf16>
}

// The entries have no known bound.
// CHECK-LABEL: func.func @unknown(
// CHECK: tile.tri_inverse %{{.*}} {row_stochastic}
func.func @unknown(%A: !m) -> tensor<64x64xbf16> {
  %M = tile.tri_inverse %A {row_stochastic} : !m
  %a = arith.truncf %M : !m to tensor<64x64xbf16>
  return %a : tensor<64x64xbf16>
}

// f16 keeps 11 bits, as many as tf32.
// CHECK-LABEL: func.func @f16(
// CHECK: tile.tri_inverse %{{.*}} {entry_bound
func.func @f16(%A: !m) -> tensor<64x64xf16> {
  %M = tile.tri_inverse %A {entry_bound = 1.0 : f32} : !m
  %a = arith.truncf %M : !m to tensor<64x64xf16>
  return %a : tensor<64x64xf16>
}

// A use by the residual of a rounding counts as unrounded.
// CHECK-LABEL: func.func @remainder(
// CHECK: tile.tri_inverse %{{.*}} {entry_bound
func.func @remainder(%A: !m) -> (tensor<64x64xbf16>, !m) {
  %M = tile.tri_inverse %A {entry_bound = 1.0 : f32} : !m
  %a = arith.truncf %M : !m to tensor<64x64xbf16>
  %f = arith.extf %a : tensor<64x64xbf16> to !m
  %r = arith.subf %M, %f : !m
  return %a, %r : tensor<64x64xbf16>, !m
}

// CHECK-LABEL: func.func @returned(
// CHECK: tile.tri_inverse %{{.*}} {entry_bound
func.func @returned(%A: !m) -> !m {
  %M = tile.tri_inverse %A {entry_bound = 1.0 : f32} : !m
  return %M : !m
}

// Doubling multiplies powers and not blocks: it keeps f32.
// CHECK-LABEL: func.func @doubling(
// CHECK: tile.tri_inverse method(doubling) %{{.*}} {entry_bound
func.func @doubling(%A: tensor<8x8xf32>) -> tensor<8x8xbf16> {
  %M = tile.tri_inverse method(doubling) %A {entry_bound = 1.0 : f32} : tensor<8x8xf32>
  %a = arith.truncf %M : tensor<8x8xf32> to tensor<8x8xbf16>
  return %a : tensor<8x8xbf16>
}
