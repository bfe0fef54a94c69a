// RUN: delta-opt %s -split-input-file -verify-diagnostics

// C10 of docs/spec.md: one rejected recurrence for each operand and result.

// C10_query: query
func.func @c10_query(%q: tensor<2x8x2x4xf64>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{query: expected element type 'bf16' or 'f16' or 'f32', got 'f64'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xf64>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_key: key
func.func @c10_key(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xf32>,
                   %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{key: expected element type 'bf16', got 'f32'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xf32>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_value: value
func.func @c10_value(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xf32>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{value: expected element type 'bf16' or 'f16', got 'f32'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xf32>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_beta: beta
func.func @c10_beta(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xi32>) {
  // expected-error@+1 {{beta: expected element type 'bf16' or 'f16' or 'f32', got 'i32'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xi32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_decay: decay
func.func @c10_decay(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                     %g: tensor<2x8x4xbf16>) {
  // expected-error@+1 {{decay: expected element type 'f32', got 'bf16'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) decay(%g : tensor<2x8x4xbf16>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_initial: initial
func.func @c10_initial(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                       %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                       %s0: tensor<2x4x4x6xbf16>) {
  // expected-error@+1 {{initial: expected element type 'f32', got 'bf16'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) initial(%s0 : tensor<2x4x4x6xbf16>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_write: write
func.func @c10_write(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                     %w: tensor<2x8x2x4xf16>) {
  // expected-error@+1 {{write: expected element type 'bf16', got 'f16'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) write(%w : tensor<2x8x2x4xf16>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_alpha: alpha
func.func @c10_alpha(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                     %a: tensor<2x8x4xf64>) {
  // expected-error@+1 {{alpha: expected element type 'bf16' or 'f16' or 'f32', got 'f64'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) alpha(%a : tensor<2x8x4xf64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_lengths: lengths
func.func @c10_lengths(%q: tensor<1x8x2x4xbf16>, %k: tensor<1x8x2x4xbf16>,
                       %v: tensor<1x8x4x6xbf16>, %b: tensor<1x8x4xf32>,
                       %l: tensor<?xi32>) {
  // expected-error@+1 {{lengths: expected element type 'i64', got 'i32'}}
  %r = delta.recurrence query(%q : tensor<1x8x2x4xbf16>)
      key(%k : tensor<1x8x2x4xbf16>) value(%v : tensor<1x8x4x6xbf16>)
      beta(%b : tensor<1x8x4xf32>) lengths(%l : tensor<?xi32>)
      {kernel = #delta.kernel<linear>} -> tensor<1x8x4x6xbf16>
  return
}

// -----

// C10_pool: pool
func.func @c10_pool(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                    %s0: tensor<9x4x4x6xf32>, %p: tensor<2xi32>) {
  // expected-error@+1 {{pool: expected element type 'i64', got 'i32'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) initial(%s0 : tensor<9x4x4x6xf32>)
      pool(%p : tensor<2xi32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C10_output: output
func.func @c10_output(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                      %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{output: expected element type 'bf16', got 'f32'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xf32>
  return
}

// -----

// C10_state: state
func.func @c10_state(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{state: expected element type 'f32', got 'bf16'}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>}
      -> tensor<2x8x4x6xbf16>, state(tensor<2x4x4x6xbf16>)
  return
}

// -----

// C10_u: u
func.func @c10_u(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                 %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{u: expected element type 'bf16', got 'f32'}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, u(tensor<2x8x4x6xf32>)
  return
}

// -----

// C10_ubar: ubar
func.func @c10_ubar(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{ubar: expected element type 'bf16', got 'f32'}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, ubar(tensor<2x8x4x6xf32>)
  return
}

// -----

// C10_write_lse: row statistics are in f32
func.func @c10_write_lse(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                         %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{write_lse: expected element type 'f32', got 'bf16'}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, write_lse(tensor<2x8x4xbf16>)
  return
}

// -----

// C10_read_lse: of the read too
func.func @c10_read_lse(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                        %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{read_lse: expected element type 'f32', got 'bf16'}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, read_lse(tensor<2x8x4xbf16>)
  return
}
