// RUN: delta-opt %s -split-input-file -verify-diagnostics

// C1 to C9 of docs/spec.md: one rejected recurrence for each way.

// C1: query is [B, T, H, K]
func.func @c1(%q: tensor<2x8x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{query: expected shape [B, T, H, K] for steps = 1, got [2, 8, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C1_static: query has a static head count and size
func.func @c1_static(%q: tensor<2x8x?x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{query: expected static positive head count and size, got [2, 8, ?, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x?x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C1_empty: and neither is 0
func.func @c1_empty(%q: tensor<2x8x2x0xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{query: expected static positive head count and size, got [2, 8, 2, 0]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x0xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C2: key has the heads and size of the query
func.func @c2(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x5xbf16>,
              %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{key: expected shape [B, T, H, K] = [2, 8, 2, 4], got [2, 8, 2, 5]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x5xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C2_batch: a dynamic size equals only a dynamic size
func.func @c2_batch(%q: tensor<2x8x2x4xbf16>, %k: tensor<?x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{key: expected shape [B, T, H, K] = [2, 8, 2, 4], got [?, 8, 2, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<?x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C2_steps: several steps have an axis
func.func @c2_steps(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{key: expected shape [B, T, n, H, K] = [2, 8, 3, 2, 4], got [2, 8, 2, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, steps = 3} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C2_one_step: one step has none
func.func @c2_one_step(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x1x2x4xbf16>,
                       %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{key: expected shape [B, T, H, K] = [2, 8, 2, 4], got [2, 8, 1, 2, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x1x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C2_zero_steps: there is a step
func.func @c2_zero_steps(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                         %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      // expected-error@+1 {{attribute 'steps' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
      {kernel = #delta.kernel<linear>, steps = 0} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C3: value has the batch and length of the query
func.func @c3(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x7x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{value: expected shape [B, T, HV, V] = [2, 8, 4, 6], got [2, 7, 4, 6]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x7x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C3_steps: value has as many steps as the key
func.func @c3_steps(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x3x2x4xbf16>,
                    %v: tensor<2x8x2x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{value: expected shape [B, T, n, HV, V] = [2, 8, 3, 4, 6], got [2, 8, 2, 4, 6]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x3x2x4xbf16>) value(%v : tensor<2x8x2x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, steps = 3} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C3_static: value has a static head count and size
func.func @c3_static(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x?xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{value: expected static positive head count and size, got [2, 8, 4, ?]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x?xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C4: value heads are a multiple of key heads
func.func @c4(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x8x3x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{value: expected its heads to be a multiple of the query's 2, got 3}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x3x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C5: beta is [B, T, HV]
func.func @c5(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x2xf32>) {
  // expected-error@+1 {{beta: expected shape [B, T, HV] = [2, 8, 4], got [2, 8, 2]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x2xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C5_steps: with steps beta is [B, T, n, HV]
func.func @c5_steps(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x3x2x4xbf16>,
                    %v: tensor<2x8x3x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{beta: expected shape [B, T, n, HV] = [2, 8, 3, 4], got [2, 8, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x3x2x4xbf16>) value(%v : tensor<2x8x3x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>, steps = 3} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C6: decay is [B, T, HV]
func.func @c6(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
              %g: tensor<2x8x2xf32>) {
  // expected-error@+1 {{decay: expected shape [B, T, HV] = [2, 8, 4], got [2, 8, 2]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) decay(%g : tensor<2x8x2xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C6_channel: or [B, T, HV, K]
func.func @c6_channel(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                      %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                      %g: tensor<2x8x4x6xf32>) {
  // expected-error@+1 {{decay: expected shape [B, T, HV, K] = [2, 8, 4, 4], got [2, 8, 4, 6]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) decay(%g : tensor<2x8x4x6xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C7: initial is [B, HV, K, V]
func.func @c7(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
              %s0: tensor<2x4x6x4xf32>) {
  // expected-error@+1 {{initial: expected shape [B, HV, K, V] = [2, 4, 4, 6], got [2, 4, 6, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) initial(%s0 : tensor<2x4x6x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C7_layout: with state_layout vk initial is [B, HV, V, K]
func.func @c7_layout(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                     %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                     %s0: tensor<2x4x4x6xf32>) {
  // expected-error@+1 {{initial: expected shape [B, HV, V, K] = [2, 4, 6, 4], got [2, 4, 4, 6]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) initial(%s0 : tensor<2x4x4x6xf32>)
      {kernel = #delta.kernel<linear>, state_layout = #delta.state_layout<vk>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C7_state: state has the shape of initial
func.func @c7_state(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{state: expected shape [B, HV, K, V] = [2, 4, 4, 6], got [2, 2, 4, 6]}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>}
      -> tensor<2x8x4x6xbf16>, state(tensor<2x2x4x6xf32>)
  return
}

// -----

// C8: output is [B, T, HV, V]
func.func @c8(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{output: expected shape [B, T, HV, V] = [2, 8, 4, 6], got [2, 8, 4, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x8x4x4xbf16>
  return
}

// -----

// C8_u: and so is u
func.func @c8_u(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{u: expected shape [B, T, HV, V] = [2, 8, 4, 6], got [2, 8, 2, 6]}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, u(tensor<2x8x2x6xbf16>)
  return
}

// -----

// C9: write has the shape of the query
func.func @c9(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
              %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
              %w: tensor<2x8x4x4xbf16>) {
  // expected-error@+1 {{write: expected shape [B, T, H, K] = [2, 8, 2, 4], got [2, 8, 4, 4]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) write(%w : tensor<2x8x4x4xbf16>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C9_alpha: alpha is [B, T, HV]
func.func @c9_alpha(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                    %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>,
                    %a: tensor<2x8x2xf32>) {
  // expected-error@+1 {{alpha: expected shape [B, T, HV] = [2, 8, 4], got [2, 8, 2]}}
  %r = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>) alpha(%a : tensor<2x8x2xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>
  return
}

// -----

// C8_ubar: what the write query reads is like u
func.func @c8_ubar(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                   %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{ubar: expected shape [B, T, HV, V] = [2, 8, 4, 6], got [2, 8, 2, 6]}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, ubar(tensor<2x8x2x6xbf16>)
  return
}

// -----

// C8_write_lse: row statistics are a number a token and value head
func.func @c8_write_lse(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                        %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{write_lse: expected shape [B, T, HV] = [2, 8, 4], got [2, 8, 2]}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, write_lse(tensor<2x8x2xf32>)
  return
}

// -----

// C8_read_lse: of the read too
func.func @c8_read_lse(%q: tensor<2x8x2x4xbf16>, %k: tensor<2x8x2x4xbf16>,
                       %v: tensor<2x8x4x6xbf16>, %b: tensor<2x8x4xf32>) {
  // expected-error@+1 {{read_lse: expected shape [B, T, HV] = [2, 8, 4], got [2, 8, 4, 1]}}
  %r:2 = delta.recurrence query(%q : tensor<2x8x2x4xbf16>)
      key(%k : tensor<2x8x2x4xbf16>) value(%v : tensor<2x8x4x6xbf16>)
      beta(%b : tensor<2x8x4xf32>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<2x8x4x6xbf16>, read_lse(tensor<2x8x4x1xf32>)
  return
}
