// RUN: delta-opt %s -split-input-file -verify-diagnostics \
// RUN:   --delta-verify-recurrent

// R1 to R15 of docs/spec.md: one rejected function for each way.

// R1: a spec holds functions
// expected-error@+1 {{cannot stand in a spec: expected func.func}}
memref.global "private" @r1 : memref<4xf32>

// -----

// R1_empty: at least one
// expected-error@+1 {{expected a function}}
module @r1_empty {
}

// -----

// R1_hidden: each becomes an artefact
// expected-error@+1 {{expected a public function with a body, as every function of a spec becomes one artefact}}
func.func private @r1_hidden(%q: tensor<?x?x2x64xbf16>,
                             %k: tensor<?x?x2x64xbf16>,
                             %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R1_declaration: and so has a body
// expected-error@+1 {{expected a public function with a body}}
func.func private @r1_declaration()

// -----

// R1_name: and a name that C can use
// expected-error@+1 {{expected a name that is a C identifier, got 'r1-name', which has other characters than letters, digits and underscores}}
func.func @"r1-name"(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                     %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R1_keyword: no keyword
// expected-error@+1 {{expected a name that is a C identifier, got 'float', which is a keyword of C or C++}}
func.func @float(%q: tensor<?x?x2x64xbf16>) {
  return
}

// -----

// R1_header: math.h is read by others
// expected-error@+1 {{expected a name that is a C identifier, got 'math', which would name a header like one of C or CUDA}}
func.func @math(%q: tensor<?x?x2x64xbf16>) {
  return
}

// -----

// R1_blocks: a function has no control flow
// expected-error@+1 {{expected a body of one block, got 2}}
func.func @r1_blocks(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                     %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
^bb1:
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R1_long: files are named after the function
// expected-error@+1 {{expected a name of at most 190 characters, got 191}}
func.func @nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
              %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R2: a function has one recurrence
func.func @r2(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
              %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-note@+1 {{the first one is here}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  // expected-error@+1 {{expected one recurrence a function}}
  %o2 = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R2_none: and not none
// expected-error@+1 {{expected a delta.recurrence}}
func.func @r2_none(%v: tensor<?x?x4x64xbf16>) -> tensor<?x?x4x64xbf16> {
  return %v : tensor<?x?x4x64xbf16>
}

// -----

// R3: nothing else is computed
func.func @r3(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
              %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{cannot be compiled in the recurrent phase: expected delta.l2norm, delta.sigmoid or delta.recurrence}}
  %v2 = arith.addf %v, %v : tensor<?x?x4x64xbf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v2 : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R4: beta has no norm
func.func @r4(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
              %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-note@+1 {{computed here}}
  %n = delta.l2norm %b : tensor<?x?x4xf32> -> tensor<?x?x4xf32>
  // expected-error@+1 {{beta: expected an argument or delta.sigmoid of one, got delta.l2norm}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%n : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R4_key: a key no sigmoid
func.func @r4_key(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                  %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-note@+1 {{computed here}}
  %n = delta.sigmoid %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  // expected-error@+1 {{key: expected an argument or delta.l2norm of one, got delta.sigmoid}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%n : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R4_value: a value neither
func.func @r4_value(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                    %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-note@+1 {{computed here}}
  %n = delta.l2norm %v : tensor<?x?x4x64xbf16> -> tensor<?x?x4x64xbf16>
  // expected-error@+1 {{value: expected an argument, got delta.l2norm}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%n : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R4_two: one prologue op, not two
func.func @r4_two(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                  %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %n = delta.l2norm %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  // expected-error@+1 {{expected an argument as the input of the key's prologue, got delta.l2norm}}
  %m = delta.l2norm %n : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%m : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R5: an argument has one role
func.func @r5(%q: tensor<?x?x2x64xbf16>, %v: tensor<?x?x4x64xbf16>,
              %b: tensor<?x?x4xf32>) -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{key: expected an argument of its own, got the query's}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%q : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R5_unused: and not none
func.func @r5_unused(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                     %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>,
                     // expected-error@+1 {{argument 4: expected an operand of the recurrence}}
                     %x: tensor<4xf32>) -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R5_dead: a prologue op is used
func.func @r5_dead(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                   %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{expected a use of its result}}
  %n = delta.l2norm %k : tensor<?x?x2x64xbf16> -> tensor<?x?x2x64xbf16>
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R6: every result is returned
func.func @r6(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
              %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %o, %s = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>}
      -> tensor<?x?x4x64xbf16>, state(tensor<?x4x64x64xf32>)
  // expected-error@+1 {{expected every result of the recurrence, in its order}}
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R6_other: and nothing else
func.func @r6_other(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                    %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  // expected-error@+1 {{expected every result of the recurrence, in its order}}
  return %v : tensor<?x?x4x64xbf16>
}

// -----

// R7: a given name differs from the default ones
// expected-error@+1 {{argument 2: expected a name of its own, got "v" like argument 0}}
func.func @r7(%q: tensor<?x?x2x64xbf16> {delta.name = "v"},
              %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x4x64xbf16>,
              %b: tensor<?x?x4xf32>) -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R7_result: those of results too
// expected-error@+1 {{result 0: expected a name of its own, got "o" like argument 0}}
func.func @r7_result(%q: tensor<?x?x2x64xbf16> {delta.name = "o"},
                     %k: tensor<?x?x2x64xbf16>, %v: tensor<?x?x4x64xbf16>,
                     %b: tensor<?x?x4xf32>) -> tensor<?x?x4x64xbf16> {
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R8: one decay a value head
func.func @r8(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
              %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>,
              %g: tensor<?x?x4x64xf32>) -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{per-channel decay is not lowered yet; accepted: one decay per value head}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>) decay(%g : tensor<?x?x4x64xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R9: states are K x V
func.func @r9(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
              %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{state_layout vk is not lowered yet; accepted: kv}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>, state_layout = #delta.state_layout<vk>}
      -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R10: sequences of a batch have one length
func.func @r10(%q: tensor<1x?x2x64xbf16>, %k: tensor<1x?x2x64xbf16>,
               %v: tensor<1x?x4x64xbf16>, %b: tensor<1x?x4xf32>,
               %l: tensor<?xi64>) -> tensor<1x?x4x64xbf16> {
  // expected-error@+1 {{lengths are not lowered yet; accepted: a batch of sequences of one length}}
  %o = delta.recurrence query(%q : tensor<1x?x2x64xbf16>)
      key(%k : tensor<1x?x2x64xbf16>) value(%v : tensor<1x?x4x64xbf16>)
      beta(%b : tensor<1x?x4xf32>)
      lengths(%l : tensor<?xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<1x?x4x64xbf16>
  return %o : tensor<1x?x4x64xbf16>
}

// -----

// R10_pool: and a state each
func.func @r10_pool(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                    %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>,
                    %s0: tensor<9x4x64x64xf32>, %p: tensor<?xi64>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{pool is not lowered yet; accepted: one initial state per batch entry}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      initial(%s0 : tensor<9x4x64x64xf32>) pool(%p : tensor<?xi64>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R11: chunks have 32 or 64 rows
func.func @r11(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
               %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{chunk 48 is not lowered yet; accepted: 32 or 64}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>, chunk = 48} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R11_steps: which hold a token
func.func @r11_steps(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x65x2x64xbf16>,
                     %v: tensor<?x?x65x4x64xbf16>, %b: tensor<?x?x65x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{steps 65 is not lowered yet; accepted: at most 64, as a chunk holds whole tokens}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x65x2x64xbf16>) value(%v : tensor<?x?x65x4x64xbf16>)
      beta(%b : tensor<?x?x65x4xf32>)
      {kernel = #delta.kernel<linear>, steps = 65} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R12: query and value have one 16-bit type
func.func @r12(%q: tensor<?x?x2x64xf16>, %k: tensor<?x?x2x64xf16>,
               %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{query 'f16' with value 'bf16' is not lowered yet; accepted: the value's element type or f32}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xf16>)
      key(%k : tensor<?x?x2x64xf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R13: a misspelt attribute is not dropped
func.func @r13(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
               %v: tensor<?x?x4x64xbf16>, %b: tensor<?x?x4xf32>)
    -> tensor<?x?x4x64xbf16> {
  // expected-error@+1 {{unknown attribute "chunks", accepted: chunk, kernel, plans, scale, state_layout, steps}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>)
      key(%k : tensor<?x?x2x64xbf16>) value(%v : tensor<?x?x4x64xbf16>)
      beta(%b : tensor<?x?x4xf32>)
      {kernel = #delta.kernel<linear>, chunks = 32} -> tensor<?x?x4x64xbf16>
  return %o : tensor<?x?x4x64xbf16>
}

// -----

// R14: how many tokens are new is in the text
func.func @r14(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                  %v: tensor<?x?x2x64xbf16>, %b: tensor<?x?x2xf32>,
                  %kc: tensor<?x?x2x64xbf16>, %uc: tensor<?x?x2x64xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) {
  // expected-error@+1 {{a dynamic number of new tokens behind a cache are not lowered yet; accepted: a static number, 1 to 16}}
  %o:3 = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
      value(%v : tensor<?x?x2x64xbf16>) beta(%b : tensor<?x?x2xf32>)
      cache(%kc, %uc : tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x?x2x64xbf16>, cache(tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>
}

// -----

// R14_many: and at most what one fragment has rows for
func.func @r14_many(%q: tensor<?x17x2x64xbf16>, %k: tensor<?x17x2x64xbf16>,
                  %v: tensor<?x17x2x64xbf16>, %b: tensor<?x17x2xf32>,
                  %kc: tensor<?x?x2x64xbf16>, %uc: tensor<?x?x2x64xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x17x2x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) {
  // expected-error@+1 {{17 new tokens behind a cache are not lowered yet; accepted: a static number, 1 to 16}}
  %o:3 = delta.recurrence query(%q : tensor<?x17x2x64xbf16>) key(%k : tensor<?x17x2x64xbf16>)
      value(%v : tensor<?x17x2x64xbf16>) beta(%b : tensor<?x17x2xf32>)
      cache(%kc, %uc : tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x17x2x64xbf16>, cache(tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x17x2x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>
}

// -----

// R14_f32: keys are cached as they are given
func.func @r14_f32(%q: tensor<?x1x2x64xf32>, %k: tensor<?x1x2x64xf32>,
                  %v: tensor<?x1x2x64xbf16>, %b: tensor<?x1x2xf32>,
                  %kc: tensor<?x?x2x64xbf16>, %uc: tensor<?x?x2x64xbf16>, %n: tensor<?xi64>)
    -> (tensor<?x1x2x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) {
  // expected-error@+1 {{query 'f32' with a cache is not lowered yet; accepted: the value's element type}}
  %o:3 = delta.recurrence query(%q : tensor<?x1x2x64xf32>) key(%k : tensor<?x1x2x64xf32>)
      value(%v : tensor<?x1x2x64xbf16>) beta(%b : tensor<?x1x2xf32>)
      cache(%kc, %uc : tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>) cached(%n : tensor<?xi64>)
      {kernel = #delta.kernel<write = softmax, read = softmax>}
      -> tensor<?x1x2x64xbf16>, cache(tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>)
  return %o#0, %o#1, %o#2 : tensor<?x1x2x64xbf16>, tensor<?x?x2x64xbf16>, tensor<?x?x2x64xbf16>
}

// -----

// R15: sizes whose product has more than 64 bits
func.func @r15(%q: tensor<2x4294967296x4294967296x64xbf16>, %k: tensor<2x4294967296x4294967296x64xbf16>,
               %v: tensor<2x4294967296x4294967296x64xbf16>, %b: tensor<2x4294967296x4294967296xf32>)
    -> tensor<2x4294967296x4294967296x64xbf16> {
  // expected-error@+1 {{query: expected static sizes of at most 2^40 bytes, got 'tensor<2x4294967296x4294967296x64xbf16>'}}
  %o = delta.recurrence query(%q : tensor<2x4294967296x4294967296x64xbf16>)
      key(%k : tensor<2x4294967296x4294967296x64xbf16>) value(%v : tensor<2x4294967296x4294967296x64xbf16>)
      beta(%b : tensor<2x4294967296x4294967296xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<2x4294967296x4294967296x64xbf16>
  return %o : tensor<2x4294967296x4294967296x64xbf16>
}

// -----

// R15_heads: with sizes that are not in the text
func.func @r15_heads(%q: tensor<?x?x2x64xbf16>, %k: tensor<?x?x2x64xbf16>,
                     %v: tensor<?x?x8589934594x64xbf16>, %b: tensor<?x?x8589934594xf32>)
    -> tensor<?x?x8589934594x64xbf16> {
  // expected-error@+1 {{value: expected static sizes of at most 2^40 bytes, got 'tensor<?x?x8589934594x64xbf16>'}}
  %o = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
      value(%v : tensor<?x?x8589934594x64xbf16>) beta(%b : tensor<?x?x8589934594xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x8589934594x64xbf16>
  return %o : tensor<?x?x8589934594x64xbf16>
}

// -----

// R15_empty: an empty axis makes no stride smaller
func.func @r15_empty(%q: tensor<0x4294967296x2x64xbf16>, %k: tensor<0x4294967296x2x64xbf16>,
                     %v: tensor<0x4294967296x4x64xbf16>, %b: tensor<0x4294967296x4xf32>)
    -> tensor<0x4294967296x4x64xbf16> {
  // expected-error@+1 {{value: expected static sizes of at most 2^40 bytes, got 'tensor<0x4294967296x4x64xbf16>'}}
  %o = delta.recurrence query(%q : tensor<0x4294967296x2x64xbf16>) key(%k : tensor<0x4294967296x2x64xbf16>)
      value(%v : tensor<0x4294967296x4x64xbf16>) beta(%b : tensor<0x4294967296x4xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<0x4294967296x4x64xbf16>
  return %o : tensor<0x4294967296x4x64xbf16>
}

// -----

// R15_state: of keys and values that pass
func.func @r15_state(%q: tensor<?x?x1x1048576xbf16>, %k: tensor<?x?x1x1048576xbf16>,
                     %v: tensor<?x?x1x1048576xbf16>, %b: tensor<?x?x1xf32>)
    -> tensor<?x?x1x1048576xbf16> {
  // expected-error@+1 {{state: expected static sizes of at most 2^40 bytes, got 'tensor<?x1x1048576x1048576xf32>'}}
  %o = delta.recurrence query(%q : tensor<?x?x1x1048576xbf16>) key(%k : tensor<?x?x1x1048576xbf16>)
      value(%v : tensor<?x?x1x1048576xbf16>) beta(%b : tensor<?x?x1xf32>)
      {kernel = #delta.kernel<linear>} -> tensor<?x?x1x1048576xbf16>
  return %o : tensor<?x?x1x1048576xbf16>
}
