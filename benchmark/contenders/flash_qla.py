# ===- flash_qla.py - FlashQLA's TileLang kernels -------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""FlashQLA's gated delta rule, TileLang kernels for Hopper.

Long sequences of few heads are split by its own rule, which drops history whose
decay is below exp(-10). The l2 norm is fla's kernel: its own is one of torch.compile.
The sigmoid of beta is one elementwise operation.
"""

import torch

from .fla import normalise

NAME = "flash_qla"
COMPUTES_OUTPUT = True


def load():
    from importlib import metadata

    import flash_qla  # noqa: F401

    return metadata.version("flash_qla")


def kernels_of(recurrence):
    return "tilelang_fused_chunk_gdr_fwd|fused_chunk_gdr_fwd"


def make_call(context, recurrence, batch, length, operands):
    r, x = recurrence, operands
    if not (r.has_state and r.gate and r.steps == 1):
        return None
    from flash_qla.ops.gated_delta_rule import chunk_gated_delta_rule

    return lambda: chunk_gated_delta_rule(
        normalise(x["q"]), normalise(x["k"]), x["v"], x["g"],
        r.sigmoid * torch.sigmoid(x["beta"].float()), scale=r.scale_value,
    )[0]
