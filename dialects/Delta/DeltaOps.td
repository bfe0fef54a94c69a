//===- DeltaOps.td - ops of the recurrent phase ------------*- tablegen -*-===//
//
// Part of delta, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user writes. Constraint labels (C1, C2, ...) are those of docs/spec.md.
//
//===----------------------------------------------------------------------===//

#ifndef DELTA_OPS_TD
#define DELTA_OPS_TD

include "Delta/DeltaAttrs.td"
include "Delta/DeltaInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Delta_L2NormOp : Delta_Op<"l2norm", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "Scale each row of the last axis to norm 1";
  let description = [{
    `y = x * rsqrt(sum(x * x) + eps)`, the sum over the last axis, in f32. The
    result's element type decides the rounding, in every phase: to bf16 it rounds
    to bf16; to f32 it does not.

    The same op stands on whole arrays in the recurrent phase and on tiles in the
    chunked phase. Constraints: C17 to C20.

    ```mlir
    %kn = delta.l2norm %k : tensor<?x?x16x128xbf16> -> tensor<?x?x16x128xbf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DefaultValuedAttr<Delta_F32Attr, "1e-6f">:$eps);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Delta_SigmoidOp : Delta_Op<"sigmoid", [Pure,
    DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "range * sigmoid(x), elementwise";
  let description = [{
    `y = range / (1 + exp(-x))` in f32, then rounded to the result's element type.
    `range` is 1 or 2: with 2 a Householder step may reflect (negative eigenvalues).
    Constraints: C17, C18, C21.

    ```mlir
    %b = delta.sigmoid %beta {range = 2.0 : f32} : tensor<?x?x16xbf16> -> tensor<?x?x16xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input,
                       DefaultValuedAttr<Delta_F32Attr, "1.0f">:$range);
  let results = (outs AnyRankedTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Delta_RecurrenceOp : Delta_Op<"recurrence", [Pure,
    AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let summary = "A delta-rule recurrence over a sequence";
  let description = [{
    **With a state** (`kernel = #delta.kernel<linear>`), one sequence and value head:

    ```
    for t:   S <- exp(g_t) S                              once a token
             for j < steps:  S <- S + k_tj^T beta_tj (v_tj - k_tj S)
             o_t = scale * q_t S
    ```
    DeltaNet is `steps = 1` without decay (Yang et al. 2406.06484), Gated DeltaNet
    with a scalar decay (2412.06464), (Gated) DeltaProduct has `steps = n`
    Householder steps a token (2502.10297).

    **Without** (`#delta.kernel<write = .., read = ..>`), DeltaFormer (2505.19488):

    ```
    u_t = alpha_t v_t - beta_t sum_{i<t}  kappa_write(scale * <w_t, k_i>) u_i
    o_t =                      sum_{i<=t} kappa_read (scale * <q_t, k_i>) u_i
    ```
    `softmax` is normalised over i < t when writing, over i <= t when reading.
    Without `write(%w)` the write query is `query`.

    Besides, where asked for, what a backward pass saves: the u, what the write query
    reads (ubar_t, the sum that u_t subtracts beta_t times), and of a softmax the
    natural logarithm of the sum that normalises a row:

    ```
    ubar_t      = sum_{i<t} kappa_write(scale * <w_t, k_i>) u_i
    write_lse_t = log sum_{i<t}  exp(scale * <w_t, k_i>)      -inf for t = 0
    read_lse_t  = log sum_{i<=t} exp(scale * <q_t, k_i>)
    ```

    With `cache(%kc, %uc) cached(%p)` (decoding) a sequence's first `p_b` tokens are
    already there, as keys and u in the first `p_b` of the C rows of the caches; the
    operands are the T tokens behind them. The results `cache` are the caches with the
    new keys and u in the rows from `p_b` on; tokens that no longer fit are not kept.

    Shapes (B batch, T tokens, n steps, H key heads, HV value heads, K, V):

    | operand | shape | dtype |
    |---|---|---|
    | query | [B, T, H, K] | bf16, f16 or f32 |
    | key | [B, T, n, H, K]; without the n axis for steps = 1 | as query |
    | value | [B, T, n, HV, V]; the same | bf16, f16 |
    | beta | [B, T, n, HV]; the same | bf16, f16, f32 |
    | decay | [B, T, HV] or [B, T, HV, K], natural logarithms <= 0 | f32 |
    | initial | [B, HV, K, V]; [B, HV, V, K] for state_layout vk | f32 |
    | write | as query | as query |
    | alpha | [B, T, HV] | bf16, f16, f32 |
    | lengths | [N + 1] token offsets of packed sequences; B = 1, N states | i64 |
    | pool | [B] rows of a pool of states | i64 |
    | cache | keys [B, C, H, K] and u [B, C, HV, V] of earlier tokens | as value |
    | cached | [B] tokens in the cache, 0 to C | i64 |
    | output | [B, T, HV, V] | bf16, f16 |
    | state | as initial | f32 |
    | u, ubar | [B, T, HV, V] | bf16, f16 |
    | write_lse, read_lse | [B, T, HV] | f32 |
    | cache | as the operands | as the operands |

    HV is a multiple of H: value head h reads key head h / (HV / H). `scale`
    multiplies q only (with a state) or both scores; it is K^-0.5 when absent.
    `chunk` counts micro-step rows and holds whole tokens; given, it is binding.
    `plans` names kernels (`chain`, `prepare`, `combine`; `write`, `read`, `normalise`;
    `attend`, `attend_read`, `append`) and gives each a `#plan.kernel`, or an array of
    alternatives; what is given is binding (`delta-plan`). Constraint: C23.
    Constraints: C1 to C16, C28 to C31; what can be compiled is less (R1 to R15).

    ```mlir
    %o, %s = delta.recurrence query(%q : tensor<?x?x2x64xbf16>) key(%k : tensor<?x?x2x64xbf16>)
               value(%v : tensor<?x?x4x64xbf16>) beta(%b : tensor<?x?x4xf32>)
               decay(%g : tensor<?x?x4xf32>) initial(%s0 : tensor<?x4x64x64xf32>)
               {kernel = #delta.kernel<linear>, chunk = 64}
               -> tensor<?x?x4x64xbf16>, state(tensor<?x4x64x64xf32>)
    ```
  }];
  let arguments = (ins AnyRankedTensor:$query, AnyRankedTensor:$key,
      AnyRankedTensor:$value, AnyRankedTensor:$beta,
      Optional<AnyRankedTensor>:$decay, Optional<AnyRankedTensor>:$initial,
      Optional<AnyRankedTensor>:$write, Optional<AnyRankedTensor>:$alpha,
      Optional<AnyRankedTensor>:$lengths, Optional<AnyRankedTensor>:$pool,
      Optional<AnyRankedTensor>:$key_cache, Optional<AnyRankedTensor>:$u_cache,
      Optional<AnyRankedTensor>:$cached,
      Delta_KernelAttr:$kernel,
      DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$steps,
      OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$chunk,
      OptionalAttr<Delta_F32Attr>:$scale,
      DefaultValuedAttr<Delta_StateLayout, "::delta::StateLayout::KV">:$state_layout,
      OptionalAttr<DictionaryAttr>:$plans);
  let results = (outs AnyRankedTensor:$output,
      Optional<AnyRankedTensor>:$state, Optional<AnyRankedTensor>:$u,
      Optional<AnyRankedTensor>:$ubar, Optional<AnyRankedTensor>:$write_lse,
      Optional<AnyRankedTensor>:$read_lse,
      Optional<AnyRankedTensor>:$new_key_cache,
      Optional<AnyRankedTensor>:$new_u_cache);
  let assemblyFormat = [{
    `query` `(` $query `:` type($query) `)` `key` `(` $key `:` type($key) `)`
    `value` `(` $value `:` type($value) `)` `beta` `(` $beta `:` type($beta) `)`
    (`decay` `(` $decay^ `:` type($decay) `)`)?
    (`initial` `(` $initial^ `:` type($initial) `)`)?
    (`write` `(` $write^ `:` type($write) `)`)?
    (`alpha` `(` $alpha^ `:` type($alpha) `)`)?
    (`lengths` `(` $lengths^ `:` type($lengths) `)`)?
    (`pool` `(` $pool^ `:` type($pool) `)`)?
    (`cache` `(` $key_cache^ `,` $u_cache `:` type($key_cache) `,` type($u_cache) `)`)?
    (`cached` `(` $cached^ `:` type($cached) `)`)?
    attr-dict
    custom<ResultTypes>(ref(attr-dict), type($output), type($state), type($u),
                        type($ubar), type($write_lse), type($read_lse),
                        type($new_key_cache), type($new_u_cache))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Static sizes of the recurrence, read off the operand types.
    int64_t getKeyHeads();
    int64_t getValueHeads();
    int64_t getKeyDim();
    int64_t getValueDim();
    /// Value heads that share one key head.
    int64_t getGroup() { return getValueHeads() / getKeyHeads(); }
    /// The `scale` attribute, or K^-0.5.
    float getScaleValue();
    /// Write and read query are one and so are the kernels: the second attention
    /// is redundant (for softmax: o = rho ubar + (1 - rho) u).
    bool isTied();
    /// The operands are new tokens behind those of a cache.
    bool isDecode() { return getKeyCache() != nullptr; }
    /// The operand that `result` is with rows written to it, or null.
    ::mlir::Value getUpdatedOperand(::mlir::Value result);
    /// The decay has a channel axis: [B, T, HV, K].
    bool hasChannelDecay();
  }];
}

#endif // DELTA_OPS_TD
