# ===- operands.py - what a benchmark's calls read ------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Operands of a model's layer, drawn on the GPU, because the largest would take minutes
on the host. The distributions are those of harness/draw.py, the numbers are not.
"""

import torch

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}


def draw_array(array, batch, length, generator):
    shape, dtype = array.sizes(batch, length), DTYPES[array.dtype]
    x = torch.empty(shape, dtype=dtype, device="cuda").normal_(generator=generator)
    if array.name == "g":
        return torch.nn.functional.logsigmoid(x)
    return 0.1 * x if array.name == "s0" else x


def draw(recurrence, batch, length, seed):
    """{name: tensor} for every argument. Without an l2 norm of the keys, a recurrence
    with a state would not be stable."""
    if recurrence.has_state and not (recurrence.norm and recurrence.sigmoid):
        raise ValueError(f"{recurrence.name}: needs an l2 norm and a sigmoid")
    generator = torch.Generator("cuda").manual_seed(seed)
    return {
        array.name: draw_array(array, batch, length, generator)
        for array in recurrence.arrays()
        if not array.is_result
    }
