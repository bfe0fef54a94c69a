# ===- fla.py - flash-linear-attention ------------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""flash-linear-attention, Triton kernels of the same recurrences.

The l2 norm runs in its kernels, and so does the sigmoid of beta if fla offers that,
else it is one elementwise operation. fla's DeltaFormer reads with the flash-attn
package; if that is not installed, PyTorch's attention, which is as fast, replaces it.
"""

import os
import sys
import types

import torch

NAME = "fla"
COMPUTES_OUTPUT = True


def load():
    # If FlashQLA can be imported, fla would use it for the gated delta rule.
    os.environ["FLA_FLASH_QLA"] = "0"
    import fla

    return fla.__version__


def kernels_of(recurrence):
    if not recurrence.has_state:
        return "parallel_deltaformer_fwd_kernel"
    return "chunk_gated_delta_rule_fwd_kernel_h|chunk_gated_delta_product.*kernel_h"


def normalise(x):
    """The l2 norm over the last axis by fla's kernel."""
    from fla.modules.norm.l2norm import l2norm_fwd

    return l2norm_fwd(x)[0]


def sigmoid(recurrence, beta):
    beta = torch.sigmoid(beta)
    return beta * recurrence.sigmoid if recurrence.sigmoid != 1 else beta


def register_layers():
    """Defines a package `fla.layers` that imports no layer. DeltaFormer takes helpers
    for padding from `fla.layers`, which would import every layer and with them packages
    that are not installed."""
    import fla

    layers = types.ModuleType("fla.layers")
    layers.__path__ = [f"{folder}/layers" for folder in fla.__path__]
    sys.modules.setdefault("fla.layers", layers)


def deltaformer(recurrence, x):
    register_layers()
    from fla.ops.deltaformer import parallel

    if parallel.flash_attn_func is None:
        from .attention import causal_attention

        parallel.flash_attn_func = lambda q, k, u, **_: causal_attention(q, k, u)
    return parallel.deltaformer_attn(x["q"], x["k"], x["v"], sigmoid(recurrence, x["beta"]))


def delta_product(recurrence, x):
    from fla.ops.gated_delta_product import chunk_gated_delta_product

    def by_row(tensor):
        """[B, T, n, H, ..] to [B, T * n, H, ..], a view."""
        return tensor.flatten(1, 2)

    return chunk_gated_delta_product(
        x["q"], by_row(x["k"]), by_row(x["v"]), x.get("g"),
        sigmoid(recurrence, by_row(x["beta"])), num_householder=recurrence.steps,
        scale=recurrence.scale_value, use_qk_l2norm_in_kernel=True,
    )[0]


def gated_delta_rule(recurrence, x):
    from fla.ops.gated_delta_rule import chunk_gated_delta_rule

    return chunk_gated_delta_rule(
        x["q"], x["k"], x["v"], x["g"], x["beta"], scale=recurrence.scale_value,
        use_qk_l2norm_in_kernel=True, use_beta_sigmoid_in_kernel=True,
        allow_neg_eigval=recurrence.sigmoid == 2,
    )[0]


def delta_rule(recurrence, x):
    from fla.ops.delta_rule import chunk_delta_rule

    return chunk_delta_rule(
        x["q"], x["k"], x["v"], sigmoid(recurrence, x["beta"]),
        scale=recurrence.scale_value, use_qk_l2norm_in_kernel=True,
    )[0]


def make_call(context, recurrence, batch, length, operands):
    if not recurrence.has_state:
        if (recurrence.write, recurrence.read) != ("softmax", "softmax"):
            return None
        function = deltaformer
    elif recurrence.steps > 1:
        function = delta_product
    else:
        function = gated_delta_rule if recurrence.gate else delta_rule
    return lambda: function(recurrence, operands)
