// RUN: delta-opt %s -split-input-file -verify-diagnostics

// C11 to C16 and C28 to C31 of docs/spec.md: one rejected recurrence for each way.

// C11: a kernel with a state has no write query
func.func @c11(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
               %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
               %w: tensor<2x8x2x4xbf16>) {
  // expected-error@+1 {{write: belongs to a kernel without a state, got kernel #delta.kernel<linear>}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) write(%w : tensor<2x8x2x4xbf16>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C11_alpha: no alpha
func.func @c11_alpha(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                     %a: tensor<2x8x4xf32>) {
  // expected-error@+1 {{alpha: belongs to a kernel without a state, got kernel #delta.kernel<linear>}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) alpha(%a : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C11_u: and no u
func.func @c11_u(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                 %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{u: belongs to a kernel without a state, got kernel #delta.kernel<linear>}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>}
      -> tensor<2x8x4x6xbf16>, u(tensor<2x8x4x6xbf16>)
  return
}

// -----

// C12: a kernel without a state has no decay
func.func @c12(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
               %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
               %g: tensor<2x8x4xf32>) {
  // expected-error@+1 {{decay: belongs to a kernel with a state, got kernel #delta.kernel<write = softmax, read = softmax>}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) decay(%g : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C12_initial: no initial state
func.func @c12_initial(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                       %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                       %s0: tensor<2x4x4x6xf32>) {
  // expected-error@+1 {{initial: belongs to a kernel with a state}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) initial(%s0 : tensor<2x4x4x6xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C12_state: no final state
func.func @c12_state(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{state: belongs to a kernel with a state}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, state(tensor<2x4x4x6xf32>)
  return
}

// -----

// C12_pool: no pool
func.func @c12_pool(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                    %p: tensor<2xi64>) {
  // expected-error@+1 {{pool: belongs to a kernel with a state}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) pool(%p : tensor<2xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C12_layout: no layout of a state
func.func @c12_layout(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                      %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{state_layout: belongs to a kernel with a state}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>,
       state_layout = #delta.state_layout<vk>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C12_steps: and one step
func.func @c12_steps(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x2x4xbf16>,
                     %v: tensor<2x8x2x4x6xbf16>, %b: tensor<2x8x2x4xf32>) {
  // expected-error@+1 {{steps: expected 1 for a kernel without a state, got 2}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x2x4xbf16>) value(%v : tensor<2x8x2x4x6xbf16>)
      beta(%b : tensor<2x8x2x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>, steps = 2}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C13: a chunk holds a token
func.func @c13(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x3x2x4xbf16>,
               %v: tensor<2x8x3x4x6xbf16>, %b: tensor<2x8x3x4xf32>) {
  // expected-error@+1 {{chunk: expected at least the 3 micro-steps of one token, got 2}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x3x2x4xbf16>) value(%v : tensor<2x8x3x4x6xbf16>)
      beta(%b : tensor<2x8x3x4xf32>)
      {kernel = #delta.kernel<linear>, steps = 3, chunk = 2}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C13_positive: a chunk has rows
func.func @c13_positive(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                        %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      // expected-error@+1 {{attribute 'chunk' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
      {kernel = #delta.kernel<linear>, chunk = 0} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C14: scale is positive
func.func @c14(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
               %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{scale: expected a number from 1e-30 to 1e30, got 0.000000e+00 : f32}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, scale = 0.0 : f32}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C14_negative: not negative
func.func @c14_negative(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                        %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{scale: expected a number from 1e-30 to 1e30, got -1.000000e+00 : f32}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, scale = -1.0 : f32}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C14_infinite: and finite
func.func @c14_infinite(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                        %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{scale: expected a number from 1e-30 to 1e30, got 0x7F800000 : f32}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, scale = 0x7F800000 : f32}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C14: no smaller than 1e-30
func.func @c14_tiny(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                  %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{scale: expected a number from 1e-30 to 1e30, got 9.99999979E-32 : f32}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, scale = 1.0e-31 : f32}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C14: and a number
func.func @c14_nan(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                  %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{scale: expected a number from 1e-30 to 1e30, got 0x7FC00000 : f32}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, scale = 0x7FC00000 : f32}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C15: packed sequences have batch 1
func.func @c15(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
               %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
               %l: tensor<?xi64>) {
  // expected-error@+1 {{lengths: expected a query with batch 1, got 'tensor<2x8x2x4xbf16>'}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) lengths(%l : tensor<?xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C15_shape: lengths is [N + 1]
func.func @c15_shape(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                     %l: tensor<3x2xi64>) {
  // expected-error@+1 {{lengths: expected shape [N + 1], got [3, 2]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) lengths(%l : tensor<3x2xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C15_count: one state a sequence
func.func @c15_count(%q: tensor<1x8x2x4xbf16>, %k: tensor<1x8x2x4xbf16>,
                     %v: tensor<1x8x4x6xbf16>, %b: tensor<1x8x4xf32>,
                     %s0: tensor<3x4x4x6xf32>, %l: tensor<3xi64>) {
  // expected-error@+1 {{lengths: expected 4 offsets for 3 states, got 3}}
  %r = delta.recurrence query(%q : tensor<1x8x2x4xbf16>)
      key(%k : tensor<1x8x2x4xbf16>) value(%v : tensor<1x8x4x6xbf16>)
      beta(%b : tensor<1x8x4xf32>) initial(%s0 : tensor<3x4x4x6xf32>)
      lengths(%l : tensor<3xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<1x8x4x6xbf16>
  return
}

// -----

// C16: pool is [B]
func.func @c16(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
               %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
               %s0: tensor<9x4x4x6xf32>, %p: tensor<3xi64>) {
  // expected-error@+1 {{pool: expected shape [B] = [2], got [3]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) initial(%s0 : tensor<9x4x4x6xf32>)
      pool(%p : tensor<3xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C16_initial: pool indexes the initial states
func.func @c16_initial(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                       %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                       %p: tensor<2xi64>) {
  // expected-error@+1 {{pool: expected an initial state to index}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) pool(%p : tensor<2xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C16_packed: with lengths pool is [N]
func.func @c16_packed(%q: tensor<1x8x2x4xbf16>, %k: tensor<1x8x2x4xbf16>,
                      %v: tensor<1x8x4x6xbf16>, %b: tensor<1x8x4xf32>,
                      %s0: tensor<9x4x4x6xf32>, %l: tensor<3xi64>,
                      %p: tensor<2x2xi64>) {
  // expected-error@+1 {{pool: expected shape [N], got [2, 2]}}
  %r = delta.recurrence query(%q : tensor<1x8x2x4xbf16>)
      key(%k : tensor<1x8x2x4xbf16>) value(%v : tensor<1x8x4x6xbf16>)
      beta(%b : tensor<1x8x4xf32>) initial(%s0 : tensor<9x4x4x6xf32>)
      lengths(%l : tensor<3xi64>) pool(%p : tensor<2x2xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<1x8x4x6xbf16>
  return
}

// -----

// C11_cache: nor a cache
func.func @c11_cache(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>,
                     %kc: tensor<2x8x2x4xbf16>, %n: tensor<2xi64>) {
  // expected-error@+1 {{cache: belongs to a kernel without a state, got kernel #delta.kernel<linear>}}
  %r:3 = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      cache(%kc, %kc : tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
      cached(%n : tensor<2xi64>) {kernel = #delta.kernel<linear>}
      -> tensor<2x1x2x4xbf16>, cache(tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
  return
}

// -----

// C28: a cache is an operand and a result
func.func @c28(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>,
               %kc: tensor<2x8x2x4xbf16>, %n: tensor<2xi64>) {
  // expected-error@+1 {{cache: expected operand cache, operand cached and result cache together, got cache given, cached given, result absent}}
  %r = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      cache(%kc, %kc : tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
      cached(%n : tensor<2xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x1x2x4xbf16>
  return
}

// -----

// C28_cached: with the number of its tokens
func.func @c28_cached(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>,
                      %kc: tensor<2x8x2x4xbf16>) {
  // expected-error@+1 {{got cache given, cached absent, result given}}
  %r:3 = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      cache(%kc, %kc : tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x1x2x4xbf16>, cache(tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
  return
}

// -----

// C28_result: which is nothing without it
func.func @c28_result(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>) {
  // expected-error@+1 {{got cache absent, cached absent, result given}}
  %r:3 = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x1x2x4xbf16>, cache(tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
  return
}

// -----

// C28_lengths: sequences behind a cache are not packed
func.func @c28_lengths(%q: tensor<1x8x2x4xbf16>, %b: tensor<1x8x2xf32>,
                       %kc: tensor<1x8x2x4xbf16>, %n: tensor<1xi64>,
                       %l: tensor<3xi64>) {
  // expected-error@+1 {{cache: belongs to a batch of sequences, got lengths}}
  %r:3 = delta.recurrence query(%q : tensor<1x8x2x4xbf16>)
      key(%q : tensor<1x8x2x4xbf16>) value(%q : tensor<1x8x2x4xbf16>)
      beta(%b : tensor<1x8x2xf32>) lengths(%l : tensor<3xi64>)
      cache(%kc, %kc : tensor<1x8x2x4xbf16>, tensor<1x8x2x4xbf16>)
      cached(%n : tensor<1xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<1x8x2x4xbf16>, cache(tensor<1x8x2x4xbf16>, tensor<1x8x2x4xbf16>)
  return
}

// -----

// C29: keys have the key's heads and size
func.func @c29(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>,
               %kc: tensor<2x8x2x6xbf16>, %uc: tensor<2x8x2x4xbf16>,
               %n: tensor<2xi64>) {
  // expected-error@+1 {{key_cache: expected shape [B, C, H, K] = [2, 8, 2, 4], got [2, 8, 2, 6]}}
  %r:3 = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      cache(%kc, %uc : tensor<2x8x2x6xbf16>, tensor<2x8x2x4xbf16>)
      cached(%n : tensor<2xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x1x2x4xbf16>, cache(tensor<2x8x2x6xbf16>, tensor<2x8x2x4xbf16>)
  return
}

// -----

// C29_u: there are as many u as keys
func.func @c29_u(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>,
                 %kc: tensor<2x8x2x4xbf16>, %uc: tensor<2x9x2x4xbf16>,
                 %n: tensor<2xi64>) {
  // expected-error@+1 {{u_cache: expected shape [B, C, HV, V] = [2, 8, 2, 4], got [2, 9, 2, 4]}}
  %r:3 = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      cache(%kc, %uc : tensor<2x8x2x4xbf16>, tensor<2x9x2x4xbf16>)
      cached(%n : tensor<2xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x1x2x4xbf16>, cache(tensor<2x8x2x4xbf16>, tensor<2x9x2x4xbf16>)
  return
}

// -----

// C29_cached: a number for each sequence
func.func @c29_cached(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>,
                      %kc: tensor<2x8x2x4xbf16>, %n: tensor<3xi64>) {
  // expected-error@+1 {{cached: expected shape [B] = [2], got [3]}}
  %r:3 = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      cache(%kc, %kc : tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
      cached(%n : tensor<3xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x1x2x4xbf16>, cache(tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
  return
}

// -----

// C30: a cache does not change its type
func.func @c30(%q: tensor<2x1x2x4xbf16>, %b: tensor<2x1x2xf32>,
               %kc: tensor<2x8x2x4xbf16>, %n: tensor<2xi64>) {
  // expected-error@+1 {{cache: expected results of the operands' types, got 'tensor<2x9x2x4xbf16>' for 'tensor<2x8x2x4xbf16>'}}
  %r:3 = delta.recurrence query(%q : tensor<2x1x2x4xbf16>)
      key(%q : tensor<2x1x2x4xbf16>) value(%q : tensor<2x1x2x4xbf16>)
      beta(%b : tensor<2x1x2xf32>)
      cache(%kc, %kc : tensor<2x8x2x4xbf16>, tensor<2x8x2x4xbf16>)
      cached(%n : tensor<2xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x1x2x4xbf16>, cache(tensor<2x8x2x4xbf16>, tensor<2x9x2x4xbf16>)
  return
}

// -----

// C11_ubar: a kernel with a state has no ubar
func.func @c11_ubar(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{ubar: belongs to a kernel without a state, got kernel #delta.kernel<linear>}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>}
      -> tensor<2x8x4x6xbf16>, ubar(tensor<2x8x4x6xbf16>)
  return
}

// -----

// C11_write_lse: and no row statistics
func.func @c11_write_lse(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                         %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{write_lse: belongs to a kernel without a state, got kernel #delta.kernel<linear>}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>}
      -> tensor<2x8x4x6xbf16>, write_lse(tensor<2x8x4xf32>)
  return
}

// -----

// C11_read_lse: of either kind
func.func @c11_read_lse(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                        %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{read_lse: belongs to a kernel without a state, got kernel #delta.kernel<linear>}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>}
      -> tensor<2x8x4x6xbf16>, read_lse(tensor<2x8x4xf32>)
  return
}

// -----

// C31_write: what is not a softmax has no sum to take the logarithm of
func.func @c31_write(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{write_lse: belongs to a softmax that writes, got kernel #delta.kernel<write = relu, read = softmax>}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = relu, read = softmax>}
      -> tensor<2x8x4x6xbf16>, write_lse(tensor<2x8x4xf32>)
  return
}

// -----

// C31_read: the same for the read
func.func @c31_read(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{read_lse: belongs to a softmax that reads, got kernel #delta.kernel<write = softmax, read = exp>}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = exp>}
      -> tensor<2x8x4x6xbf16>, read_lse(tensor<2x8x4xf32>)
  return
}
