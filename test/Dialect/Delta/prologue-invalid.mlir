// RUN: delta-opt %s -split-input-file -verify-diagnostics

// C17 to C21 of docs/spec.md: one rejected prologue op for each way.

// C17: the result has the input's shape
func.func @c17(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{output: expected the input's shape [?, 4], got [?, 8]}}
  %y = delta.l2norm %x : tensor<?x4xbf16> -> tensor<?x8xbf16>
  return
}

// -----

// C17_sigmoid: also of delta.sigmoid
func.func @c17_sigmoid(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{output: expected the input's shape [?, 4], got [2, 4]}}
  %y = delta.sigmoid %x : tensor<?x4xbf16> -> tensor<2x4xbf16>
  return
}

// -----

// C18: the input's element type
func.func @c18(%x: tensor<?x4xi32>) {
  // expected-error@+1 {{input: expected element type 'bf16' or 'f16' or 'f32', got 'i32'}}
  %y = delta.l2norm %x : tensor<?x4xi32> -> tensor<?x4xbf16>
  return
}

// -----

// C18_output: the result's element type
func.func @c18_output(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{output: expected element type 'bf16' or 'f16' or 'f32', got 'f64'}}
  %y = delta.sigmoid %x : tensor<?x4xbf16> -> tensor<?x4xf64>
  return
}

// -----

// C19: a norm is over an axis of static size
func.func @c19(%x: tensor<4x?xbf16>) {
  // expected-error@+1 {{input: expected a last axis of static size, got [4, ?]}}
  %y = delta.l2norm %x : tensor<4x?xbf16> -> tensor<4x?xbf16>
  return
}

// -----

// C19_scalar: and there is an axis
func.func @c19_scalar(%x: tensor<bf16>) {
  // expected-error@+1 {{input: expected a last axis of static size, got []}}
  %y = delta.l2norm %x : tensor<bf16> -> tensor<bf16>
  return
}

// -----

// C20: eps keeps a row of zeros finite
func.func @c20(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{eps: expected a positive finite number, got 0.000000e+00 : f32}}
  %y = delta.l2norm %x {eps = 0.0 : f32} : tensor<?x4xbf16> -> tensor<?x4xbf16>
  return
}

// -----

// C20_nan: a NaN is not positive
func.func @c20_nan(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{eps: expected a positive finite number, got 0x7FC00000 : f32}}
  %y = delta.l2norm %x {eps = 0x7FC00000 : f32}
      : tensor<?x4xbf16> -> tensor<?x4xbf16>
  return
}

// -----

// C21: beyond 2 a Householder step grows without bound
func.func @c21(%x: tensor<?x4xbf16>) {
  // expected-error@+1 {{range: expected 1.0 or 2.0, got 3.000000e+00 : f32}}
  %y = delta.sigmoid %x {range = 3.0 : f32}
      : tensor<?x4xbf16> -> tensor<?x4xf32>
  return
}
