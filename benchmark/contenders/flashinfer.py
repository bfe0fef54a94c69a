# ===- flashinfer.py - FlashInfer's prefill kernel ------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""FlashInfer's gated delta rule for prefill, its CUTLASS kernel for Hopper.

The bundle carries the kernel compiled from the library's sources with the library's
flags (benchmark/gather_peers.py) and calls the entry point that its Python function
calls. It takes normalised queries and keys, exp(g), and beta in f32.
"""

import functools
import pathlib

import torch

from .fla import normalise

NAME = "flashinfer"
COMPUTES_OUTPUT = True
LIBRARY = pathlib.Path(__file__).resolve().parents[2] / "peers" / "gdn_prefill_sm90.so"
VERSION = LIBRARY.with_suffix(".version")


@functools.cache
def module():
    import tvm_ffi

    return tvm_ffi.load_module(str(LIBRARY))


def load():
    if not LIBRARY.exists():
        raise ImportError(f"no {LIBRARY.name} in the bundle")
    module()
    return VERSION.read_text().strip()


def kernels_of(recurrence):
    return "flat.*[Dd]elta"


def make_call(context, recurrence, batch, length, operands):
    r = recurrence
    if not (r.has_state and r.gate and r.steps == 1 and r.dtype == "bf16"):
        return None
    if r.key_dim != 128 or r.value_dim != 128:
        return None
    tokens = batch * length
    offsets = torch.arange(batch + 1, dtype=torch.int64, device="cuda") * length
    output = torch.empty(
        (tokens, r.value_heads, r.value_dim), dtype=torch.bfloat16, device="cuda")
    state = torch.empty(
        (batch, r.value_heads, r.value_dim, r.key_dim), dtype=torch.float32, device="cuda")
    # FlashInfer gives the kernel 128 bytes per SM.
    processors = torch.cuda.get_device_properties(0).multi_processor_count
    workspace = torch.empty(128 * processors, dtype=torch.uint8, device="cuda")

    def call():
        x = {name: tensor.flatten(0, 1) for name, tensor in operands.items()}
        q, k = normalise(x["q"]), normalise(x["k"])
        beta = r.sigmoid * torch.sigmoid(x["beta"].float())
        module().gdn_prefill(
            output, state, q, k, x["v"], offsets, None, torch.exp(x["g"]), beta,
            r.scale_value, workspace, None, None, 0)
        return output.unflatten(0, (batch, length))

    return call
