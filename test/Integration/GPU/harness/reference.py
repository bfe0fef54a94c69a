# ===- reference.py - the recurrence token by token in float64 *- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""The meaning of a recurrence, evaluated in float64 without chunks.

Uses only operations that numpy and PyTorch share, so that the same code is compared
with the C++ oracle on a CPU and judges full-size runs on a GPU. All heads of all
sequences advance together; the tokens are a plain loop. implicit_reference.py has
recurrences that keep every u instead of a state.
"""

from . import implicit_reference

SIGNIFICAND_BITS = {"bf16": 8, "f16": 11, "f32": 24}


def round_to_bits(x, bits):
    """x rounded to the nearest number with `bits` significand bits (Veltkamp's split).

    Halves may go either way; exponents are not limited.
    """
    scaled = x * (2.0 ** (53 - bits) + 1)
    return scaled - (scaled - x)


def l2norm(x, dtype):
    """x rsqrt(sum x^2 + 1e-6) over the last axis, rounded to the dtype."""
    squares = (x * x).sum(-1)[..., None]
    return round_to_bits(x / (squares + 1e-6) ** 0.5, SIGNIFICAND_BITS[dtype])


def sigmoid(x, limit, xp):
    return round_to_bits(limit / (1 + xp.exp(-x)), SIGNIFICAND_BITS["f32"])


def zeros(shape, like, xp):
    """Zeros in float64, on the device of `like`."""
    return like.new_zeros(shape) if hasattr(like, "new_zeros") else xp.zeros(shape)


def evaluate(recurrence, arguments, xp):
    """{"o": [B, T, HV, V], "s": [B, HV, K, V]}, or without a state the results of
    implicit_reference.py; in float64, not rounded.

    `arguments` are float64 arrays of the module `xp` (numpy or torch) with the
    values that the kernels get; they are not changed.
    """
    r = recurrence
    q, k, v, beta = (arguments[name] for name in ("q", "k", "v", "beta"))
    batch, length = q.shape[:2]
    rows = batch * r.value_heads
    if r.norm:
        q, k = l2norm(q, r.normalised_dtype), l2norm(k, r.normalised_dtype)
    if r.sigmoid:
        beta = sigmoid(beta, r.sigmoid, xp)
    # Value head h uses key head h // (HV / H).
    key_head = [h // (r.value_heads // r.key_heads) for h in range(r.value_heads)]
    q, k = q[..., key_head, :], k[..., key_head, :]
    if not r.has_state:
        write = arguments["w"][..., key_head, :] if r.own_write else q
        return implicit_reference.evaluate(
            r, {"q": q, "w": write, "k": k, "v": v, "beta": beta,
                "alpha": arguments.get("alpha")}, xp,
        )

    def by_token(x, steps, *row):
        """[B, T, n, HV, ..] to [T, n, B * HV, *row], every token contiguous."""
        x = xp.moveaxis(x.reshape(batch, length, steps, r.value_heads, *row), 0, 2)
        x = x.contiguous() if hasattr(x, "contiguous") else x.copy()
        return x.reshape(length, steps, rows, *row)

    q = by_token(q, 1, 1, r.key_dim)
    k = by_token(k, r.steps, r.key_dim, 1)
    v = by_token(v, r.steps, 1, r.value_dim)
    beta = by_token(beta, r.steps, 1, 1)
    decay = by_token(xp.exp(arguments["g"]), 1, 1, 1) if r.gate else None

    state = zeros((rows, r.key_dim, r.value_dim), v, xp)
    if r.initial:
        state += arguments["s0"].reshape(state.shape)
    output = zeros((length, rows, 1, r.value_dim), v, xp)
    for t in range(length):
        if r.gate:
            state *= decay[t, 0]
        for j in range(r.steps):
            key = k[t, j]
            missing = v[t, j] - xp.matmul(key.swapaxes(1, 2), state)
            state += key * (beta[t, j] * missing)
        output[t] = xp.matmul(q[t, 0], state)
    output = r.scale_value * output.reshape(length, batch, r.value_heads, r.value_dim)
    return {
        "o": xp.moveaxis(output, 0, 1),
        "s": state.reshape(batch, r.value_heads, r.key_dim, r.value_dim),
    }
