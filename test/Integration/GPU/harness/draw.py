# ===- draw.py - random operands of a recurrence --------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Seeded operands, drawn by numpy on the host: the same on every machine.

    q, k, w normal before an l2 norm or a kernel function, else rows of norm 1
    v       normal
    beta    normal before a sigmoid, else uniform in (0, 1)
    g       log(sigmoid(normal))
    s0      0.1 times normal
    alpha   normal

`Data` names the variations that the cases use.
"""

import concurrent.futures
import dataclasses

import numpy as np

from . import tensors

KEYS = ("plain", "correlated", "long")
BETAS = ("plain", "negative")
DECAYS = ("plain", "zero", "half_zero", "small", "block_end", "resets")


@dataclasses.dataclass(frozen=True)
class Data:
    """How operands are drawn.

    keys    correlated: any two keys of a head have an expected cosine of 0.9.
            long: norms uniform in (0, sqrt 2); only without an l2 norm.
    beta    negative: uniform in (-0.02, 0); only without a sigmoid. Tokens then add to
    the value that they read. decay   zero; half_zero: every other value, at random;
    small: of size 0.01;
            block_end: -50 on the last token of every chunk, small elsewhere;
            resets: -200, which forgets everything, on one token in fifty.
    """

    keys: str = "plain"
    beta: str = "plain"
    decay: str = "plain"
    seed: int = 0

    def __post_init__(self):
        if self.keys not in KEYS:
            raise ValueError(f"keys must be one of {', '.join(KEYS)}: {self.keys!r}")
        if self.beta not in BETAS:
            raise ValueError(f"beta must be one of {', '.join(BETAS)}: {self.beta!r}")
        if self.decay not in DECAYS:
            raise ValueError(f"decay must be one of {', '.join(DECAYS)}: {self.decay!r}")


def scale_rows(rows, norm):
    """Scales rows to a norm; no row is zero."""
    rows *= (norm / np.sqrt(np.einsum("...i,...i->...", rows, rows)))[..., None]
    return rows


def draw_keys(rng, shape, recurrence, data):
    rows = rng.standard_normal(shape, dtype=np.float32)
    if data.keys == "correlated":
        # sqrt(0.9) c + sqrt(0.1) z has the product 0.9 with another such row.
        common = rng.standard_normal(shape[-2:], dtype=np.float32)
        rows = scale_rows(rows, 0.1**0.5) + scale_rows(common, 0.9**0.5)
        rows *= recurrence.key_dim**0.5  # the size of plain normals
    if recurrence.has_state and not recurrence.norm:
        norms = 1.0
        if data.keys == "long":
            norms = 2**0.5 * rng.random(shape[:-1], dtype=np.float32)
        scale_rows(rows, norms)
    elif data.keys == "long":
        raise ValueError(f"{recurrence.name}: keys are not given a length")
    return rows


def draw_decay(rng, shape, recurrence, data):
    x = rng.standard_normal(shape, dtype=np.float32)
    g = np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))
    if data.decay == "zero":
        g[...] = 0
    elif data.decay == "half_zero":
        g *= rng.random(shape, dtype=np.float32) < 0.5
    elif data.decay == "small":
        g *= 0.01
    elif data.decay == "block_end":
        g *= 0.01
        g[:, recurrence.chunk_tokens - 1 :: recurrence.chunk_tokens] = -50
    elif data.decay == "resets":
        g[rng.random(shape, dtype=np.float32) < 0.02] = -200
    return g


def draw_one(array, index, recurrence, batch, length, data):
    # Every operand has its own stream, so that adding one changes no other.
    rng = np.random.default_rng([data.seed, index])
    shape = array.sizes(batch, length)
    if array.name == "k":
        drawn = draw_keys(rng, shape, recurrence, data)
    elif array.name == "g":
        drawn = draw_decay(rng, shape, recurrence, data)
    elif array.name == "beta" and not recurrence.sigmoid:
        drawn = rng.random(shape, dtype=np.float32)
        if data.beta == "negative":
            drawn *= -0.02
    elif array.name == "beta" and data.beta == "negative":
        raise ValueError(f"{recurrence.name}: beta has a sigmoid, and is never negative")
    else:
        drawn = rng.standard_normal(shape, dtype=np.float32)
        if array.name == "q" and recurrence.has_state and not recurrence.norm:
            scale_rows(drawn, 1.0)
        if array.name == "s0":
            drawn *= 0.1
    return tensors.round_to(drawn, array.dtype)


def draw(recurrence, batch, length, data):
    """{name: float32 array} for every argument, exact in the argument's dtype."""
    arguments = [array for array in recurrence.arrays() if not array.is_result]
    # numpy draws without the interpreter's lock, and files of cases are large.
    with concurrent.futures.ThreadPoolExecutor(len(arguments)) as pool:
        futures = [
            pool.submit(draw_one, array, index, recurrence, batch, length, data)
            for index, array in enumerate(arguments)
        ]
        return {
            array.name: future.result() for array, future in zip(arguments, futures)
        }
