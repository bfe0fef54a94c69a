# ===- implicit_reference.py - recurrences that keep every u --*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""DeltaFormer (2505.19488, eqs. 8 and 9) in float64:

    u_t = alpha_t v_t - beta_t sum_{i<t} kappa_1(scale w_t k_i) u_i
    o_t =                      sum_{i<=t} kappa_2(scale q_t k_i) u_i

and the values that a backward pass needs: ubar_t, the sum in u_t, and the logarithms of
the sums by which a softmax is divided.

T tokens cost T^2 products, so tokens are computed in blocks: the contribution of
earlier blocks is a product, that of the block itself is a triangular system. The second
attention is always computed, even if a kernel derives it from the first.
"""

import math

BLOCK = 128


def weights(function, scores, mask, xp):
    """kappa(scores) where the mask is true, else 0, and the logarithm of the sum by
    which a softmax is divided, or None. A softmax row without an entry is 0."""
    if function != "softmax":
        apply = {"linear": lambda x: x, "exp": xp.exp, "round": xp.round,
                 "relu": lambda x: x * (x > 0)}[function]
        return apply(scores * mask) * mask, None
    # Masked scores become the least of the row, so that the maximum is that of the
    # others, if there are others.
    largest = (scores * mask + (mask - 1.0) * 1e300).max(-1)
    largest = (largest.values if hasattr(largest, "values") else largest)[..., None]
    powers = xp.exp((scores - largest) * mask) * mask
    total = powers.sum(-1)[..., None]
    present = total + (total == 0)
    lse = xp.where(total == 0, -math.inf, largest + xp.log(present))
    return powers / present, lse[..., 0]


def evaluate(recurrence, arguments, xp):
    """{"o", "u", "ubar"} [B, T, HV, V] and, of a softmax, {"write_lse", "read_lse"}
    [B, T, HV] of float64 arrays [B, T, HV, ..] of the module `xp`
    (numpy or torch): "q", "w", "k", "v", "beta", and "alpha" or None. Keys and
    queries are already those of their value head, prologues already done."""
    r = recurrence
    batch, length = arguments["v"].shape[:2]
    rows = batch * r.value_heads

    def by_head(x):
        """[B, T, HV, D] to [B * HV, T, D]."""
        return xp.moveaxis(x, 2, 1).reshape(rows, length, x.shape[-1])

    q, w, k, v = (by_head(arguments[name]) for name in ("q", "w", "k", "v"))
    beta = by_head(arguments["beta"][..., None])
    if arguments["alpha"] is not None:
        v = v * by_head(arguments["alpha"][..., None])
    u, ubar, o = xp.zeros_like(v), xp.zeros_like(v), xp.zeros_like(v)
    sums = {"write_lse": beta[..., 0] * 0.0, "read_lse": beta[..., 0] * 0.0}

    def by_token(x):
        return xp.moveaxis(x.reshape(batch, r.value_heads, length, *x.shape[2:]), 1, 2)

    def results():
        all_of = {"o": o, "u": u, "ubar": ubar, **sums}
        return {name: by_token(x) for name, x in all_of.items()}

    if not rows or not length:
        return results()
    square = xp.ones_like(v[0, :BLOCK] @ v[0, :BLOCK].T)
    lower = xp.tril(square)
    identity = lower * lower.T

    def masked_weights(function, query, begin, end, mask_of_block):
        scores = r.scale_value * query[:, begin:end] @ xp.moveaxis(k[:, :end], 1, 2)
        mask = xp.ones_like(scores[0])
        mask[:, begin:] = mask_of_block[: end - begin, : end - begin]
        return weights(function, scores, mask, xp)

    for begin in range(0, length, BLOCK):
        end = min(begin + BLOCK, length)
        size = end - begin
        p, write_lse = masked_weights(r.write, w, begin, end, lower - identity)
        earlier = p[..., :begin] @ u[:, :begin]
        system = identity[:size, :size] + beta[:, begin:end] * p[..., begin:]
        missing = v[:, begin:end] - beta[:, begin:end] * earlier
        u[:, begin:end] = xp.linalg.solve(system, missing)
        ubar[:, begin:end] = p @ u[:, :end]
        read, read_lse = masked_weights(r.read, q, begin, end, lower)
        o[:, begin:end] = read @ u[:, :end]
        for name, lse in (("write_lse", write_lse), ("read_lse", read_lse)):
            if lse is not None:
                sums[name][:, begin:end] = lse

    return results()
