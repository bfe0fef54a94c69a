# ===- peers.py - flash-linear-attention on the same operands ---*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""The public Triton kernels of the same recurrences.

A call takes the operands as the model has them: the l2 norm runs in the peer's
kernels, the sigmoid of beta in them where they offer it, else as one elementwise
operation. Both are counted, as they are for delta.
"""

import pathlib
import sys
import tempfile
import zipfile


def load(folder):
    """Makes the wheels in a folder importable. Returns the version, or None
    where there are none. They are unpacked: Triton reads sources from files."""
    wheels = sorted(pathlib.Path(folder).glob("*.whl"))
    if not wheels:
        return None
    target = tempfile.mkdtemp(prefix="peers-")
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)
    sys.path.insert(0, target)
    import fla

    return fla.__version__


def make_call(recurrence):
    """A function from {name: tensor} to the output o of one forward pass."""
    import torch

    r = recurrence
    if not (r.norm and r.sigmoid) or r.initial or r.final:
        raise ValueError(f"{r.name}: no call of the peer is written for it")

    def sigmoid(beta):
        return torch.sigmoid(beta) * r.sigmoid if r.sigmoid != 1 else torch.sigmoid(beta)

    if r.steps > 1:
        from fla.ops.gated_delta_product import chunk_gated_delta_product

        def by_row(x):
            """[B, T, n, H, ..] to [B, T * n, H, ..], a view."""
            return x.flatten(1, 2)

        return lambda x: chunk_gated_delta_product(
            x["q"], by_row(x["k"]), by_row(x["v"]), x.get("g"),
            sigmoid(by_row(x["beta"])), num_householder=r.steps,
            scale=r.scale_value, use_qk_l2norm_in_kernel=True,
        )[0]
    if r.gate:
        from fla.ops.gated_delta_rule import chunk_gated_delta_rule

        return lambda x: chunk_gated_delta_rule(
            x["q"], x["k"], x["v"], x["g"], x["beta"], scale=r.scale_value,
            use_qk_l2norm_in_kernel=True, use_beta_sigmoid_in_kernel=True,
            allow_neg_eigval=r.sigmoid == 2,
        )[0]
    from fla.ops.delta_rule import chunk_delta_rule

    return lambda x: chunk_delta_rule(
        x["q"], x["k"], x["v"], sigmoid(x["beta"]), scale=r.scale_value,
        use_qk_l2norm_in_kernel=True,
    )[0]
