# ===- attention.py - PyTorch's causal attention --------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Causal softmax attention on the same q, k and v. It is another function, and the
yardstick for recurrences with a softmax over all earlier tokens."""

import torch

NAME = "attention"
COMPUTES_OUTPUT = False


def load():
    return torch.__version__


def kernels_of(recurrence):
    return "flash_fwd|flash_fprop|sdpa|fmha|cudnn_generated"


def causal_attention(q, k, v, scale=None):
    """[B, T, H, D] each, and the result."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    o = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=True, scale=scale)
    return o.transpose(1, 2)


def make_call(context, recurrence, batch, length, operands):
    if recurrence.has_state:
        return None
    return lambda: causal_attention(
        operands["q"], operands["k"], operands["v"], recurrence.scale_value)
