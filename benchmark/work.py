# ===- work.py - bytes and operations of a forward pass -------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""The work that a forward pass cannot avoid, for comparison with times. A kernel does
more: workspace, masked halves that are computed, and padding are left out."""

import math

BYTES = {"bf16": 2, "f16": 2, "f32": 4}


def array_bytes(recurrence, batch, length):
    """Every operand read once, every result written once."""
    return sum(
        math.prod(array.sizes(batch, length)) * BYTES[array.dtype]
        for array in recurrence.arrays()
    )


def flops(recurrence, batch, length):
    """Operations of a pass, in the form in which its kernels compute it."""
    if recurrence.has_state:
        return chunk_flops(recurrence, batch, length)
    return attention_flops(recurrence, batch, length)


def attention_flops(recurrence, batch, length):
    """The causal half of the products W K^T and P U; and, if another query or another
    kernel reads, of Q K^T and its product. The solves of blocks are left out."""
    r = recurrence
    tied = not r.own_write and r.write == r.read
    passes = 1 if tied else 2
    return passes * batch * r.value_heads * length**2 * (r.key_dim + r.value_dim)


def chunk_flops(recurrence, batch, length):
    """Multiplications and additions of the chunked form with chunks of C rows.

    A row (one micro-step of one value head): K K^T and the product of the inverse
    with the residual, C K and C V, as triangles; the inverse, 2/3 C^2; K S and
    the update of S, 4 K V. A token: Q S, 2 K V, and Q K^T and P U, C K and C V as
    triangles.
    """
    r = recurrence
    rows = batch * length * r.steps * r.value_heads
    tokens = batch * length * r.value_heads
    key, value, chunk = r.key_dim, r.value_dim, r.chunk
    by_row = chunk * (key + value) + 2 * chunk * chunk / 3 + 4 * key * value
    by_token = chunk * (key + value) + 2 * key * value
    return rows * by_row + tokens * by_token
