# ===- inputs.py - operands that delta-run does not draw -------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Operands of the linear family for cases in which something is peculiar: gates
# that are 0 or nearly so, decays that wipe a state, keys longer than 1. All
# other operands are normal; q, k, v, beta are in bf16, g and s0 in f32.
#
# ===-----------------------------------------------------------------------===#

import argparse
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../../examples/tasks"))
import taskfile

parser = argparse.ArgumentParser()
parser.add_argument("out")
parser.add_argument("--batch", type=int, default=1)
parser.add_argument("--length", type=int, required=True)
parser.add_argument("--heads", type=int, default=1)
parser.add_argument("--dim", type=int, default=64)
parser.add_argument("--steps", type=int, default=1)
parser.add_argument("--chunk", type=int, default=64)
parser.add_argument("--key-norm", type=float, default=1.0)
parser.add_argument("--beta-max", type=float, default=1.0)
parser.add_argument("--gate", choices=("zero", "small", "half", "wipe", "huge"))
parser.add_argument("--initial", action="store_true")
args = parser.parse_args()

rng = np.random.default_rng(0)
B, T, H, D = args.batch, args.length, args.heads, args.dim
step = (args.steps,) if args.steps > 1 else ()


def rows(*shape, norm):
    x = rng.standard_normal(shape)
    return x * norm / np.linalg.norm(x, axis=-1, keepdims=True)


def gates():
    """Natural-log decays [B, T, H]."""
    drawn = np.log(1 / (1 + np.exp(-rng.standard_normal((B, T, H)))))
    if args.gate == "zero":
        return drawn * 0
    if args.gate == "small":
        return drawn * 0.01
    if args.gate == "half":
        return np.where(rng.random((B, T, H)) < 0.5, 0, drawn)
    if args.gate == "huge":
        # Nearly the least f32: sums behind it must not lose their digits.
        return np.where(np.arange(T)[None, :, None] == 5, -3.4e38, drawn)
    # exp(-100) on the last token of every chunk and the first of the next one.
    tokens = args.chunk // args.steps
    edge = np.isin(np.arange(T) % tokens, (0, tokens - 1))
    return np.where(edge[None, :, None], -100, drawn)


tensors = {
    "q": rows(B, T, H, D, norm=1.0),
    "k": rows(B, T, *step, H, D, norm=args.key_norm),
    "v": rng.standard_normal((B, T, *step, H, D)),
    "beta": rng.random((B, T, *step, H)) * args.beta_max,
}
if args.gate:
    tensors["g"] = gates()
if args.initial:
    tensors["s0"] = rng.standard_normal((B, H, D, D)) * 0.1
exact = {"g", "s0"}
taskfile.write(
    args.out,
    {n: x if n in exact else taskfile.round_to_bf16(x) for n, x in tensors.items()},
    {},
)
