# ===- flashinfer_cute.py - FlashInfer's later prefill kernels -*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""FlashInfer's gated delta rule for prefill, its CuTe kernels for Hopper.

The bundle carries these kernels' sources and the CuTe compiler, which compiles them
at first use. Where a GPU has more multiprocessors than there are sequences and heads
to fill them, FlashInfer cuts the sequences, by a rule of its own. The calls are those
that its Python function makes: they take normalised queries and keys, exp(g), and
beta in f32.
"""

import torch

from .fla import normalise

NAME = "flashinfer_cute"
COMPUTES_OUTPUT = True


def load():
    from flashinfer.gdn_kernels import delta_rule_dsl
    from flashinfer.version import __version__

    # The package leaves out what cannot be imported.
    if None in (delta_rule_dsl.chunk_gated_delta_rule_sm90,
                delta_rule_dsl.cp_delta_rule_dsl_sm90):
        raise ImportError("the kernels for sm_90a cannot be imported")
    return __version__


def kernels_of(recurrence):
    return "(?i)delta_?rule"


def cuts_sequences(chains):
    from flashinfer.gdn_kernels.delta_rule_dsl.varlen_helper import should_use_cp_host

    gpu = torch.cuda.get_device_properties(0)
    return should_use_cp_host(chains, gpu.multi_processor_count, gpu.name,
                              device_capability=(gpu.major, gpu.minor))


def make_call(context, recurrence, batch, length, operands):
    r = recurrence
    if not (r.has_state and r.gate and r.steps == 1 and r.dtype == "bf16"):
        return None
    if r.key_dim != 128 or r.value_dim != 128:
        return None
    from flashinfer.gdn_kernels.delta_rule_dsl import (
        chunk_gated_delta_rule_sm90, cp_delta_rule_dsl_sm90)

    offsets = torch.arange(batch + 1, dtype=torch.int64, device="cuda") * length
    output = torch.empty(
        (batch * length, r.value_heads, r.value_dim), dtype=torch.bfloat16, device="cuda")
    state = torch.empty(
        (batch, r.value_heads, r.value_dim, r.key_dim), dtype=torch.float32, device="cuda")
    cuts = cuts_sequences(batch * r.value_heads)

    def call():
        x = {name: tensor.flatten(0, 1) for name, tensor in operands.items()}
        q, k = normalise(x["q"]), normalise(x["k"])
        alpha = torch.exp(x["g"])
        beta = r.sigmoid * torch.sigmoid(x["beta"].float())
        if cuts:
            cp_delta_rule_dsl_sm90(
                output, None, q, k, x["v"], alpha, beta, offsets, r.scale_value,
                max_seqlen=length)
        else:
            chunk_gated_delta_rule_sm90(
                output, state, q, k, x["v"], None, alpha, beta, offsets, r.scale_value)
        return output.unflatten(0, (batch, length))

    return call
