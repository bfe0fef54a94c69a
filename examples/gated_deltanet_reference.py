# ===- gated_deltanet_reference.py - inputs and float64 --------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Random inputs of specs/gated_deltanet.mlir and its recurrence in float64.

What the Python examples share. Needs numpy.
"""

import numpy as np

# RMS(reference - got) / RMS(reference) of a result that came through bfloat16.
TOLERANCE = 5e-3

# Shapes behind batch and length; s0 and s have no length.
KEY_HEADS, VALUE_HEADS, DIM = 16, 32, 128


def add_arguments(parser):
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--length", type=int, default=200)


def round_to_bfloat16(x):
    """The bits of the nearest bfloat16 to each float32, halves to even."""
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def make_inputs(batch, length):
    """float32 arrays by name, in the spec's order; all but g and s0 are exact in
    bfloat16."""
    rng = np.random.default_rng(0)

    def normal(*shape):
        return rng.standard_normal(shape, np.float32)

    def half(*shape):
        bits = round_to_bfloat16(normal(*shape)).astype(np.uint32)
        return (bits << 16).view(np.float32)

    size = (batch, length)
    return {
        "q": half(*size, KEY_HEADS, DIM),
        "k": half(*size, KEY_HEADS, DIM),
        "v": half(*size, VALUE_HEADS, DIM),
        "beta": half(*size, VALUE_HEADS),
        # Log decays: the logarithm of a sigmoid is negative.
        "g": -np.log1p(np.exp(-normal(*size, VALUE_HEADS) - 3)),
        "s0": 0.1 * normal(batch, VALUE_HEADS, DIM, DIM),
    }


def compute(q, k, v, beta, g, s0):
    """The recurrence, token by token, in float64: o and s."""

    def normalize(x):
        # Not rounded: the result of the spec's norm is float32.
        x = x.astype(np.float64)
        return x / np.sqrt((x * x).sum(-1, keepdims=True) + 1e-6)

    group = v.shape[2] // k.shape[2]
    q = normalize(q).repeat(group, 2) * q.shape[-1] ** -0.5
    k = normalize(k).repeat(group, 2)
    beta = 1 / (1 + np.exp(-beta.astype(np.float64)))
    decay = np.exp(g.astype(np.float64))
    o, s = np.empty(v.shape), s0.astype(np.float64)
    for t in range(v.shape[1]):
        # Rows of k and q are [B, HV, 1, K], states [B, HV, K, V].
        key, query = k[:, t, :, None], q[:, t, :, None]
        s *= decay[:, t, :, None, None]
        u = beta[:, t, :, None, None] * (v[:, t, :, None] - key @ s)
        s += key.swapaxes(-1, -2) @ u
        o[:, t] = (query @ s)[:, :, 0]
    return o, s


def check(name, got, expected):
    """Prints the error of one result; whether it is within the tolerance."""
    error = np.sqrt(np.mean((got.astype(np.float64) - expected) ** 2))
    ratio = error / np.sqrt(np.mean(expected**2)) if expected.size else 0.0
    right = bool(ratio <= TOLERANCE)  # not so for NaN
    print("%s: RMS error %.2e, tolerance %.0e: %s"
          % (name, ratio, TOLERANCE, "ok" if right else "WRONG"))
    return right
