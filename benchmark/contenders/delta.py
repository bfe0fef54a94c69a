# ===- delta.py - the kernels of a bundle ---------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""delta through its C interface, on PyTorch's arrays."""

import re

import torch

NAME = "delta"
COMPUTES_OUTPUT = True
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}


def load():
    return "of this bundle"


def kernels_of(recurrence):
    return re.escape(recurrence.name)


class Call:
    """Arrays of one call; launches on the current stream."""

    def __init__(self, artefact, batch, length, operands):
        self.artefact, self.operands = artefact, operands
        self.results = {
            array.name: torch.empty(
                array.sizes(batch, length), dtype=DTYPES[array.dtype], device="cuda")
            for array in artefact.arrays
            if array.is_result
        }
        addresses = {
            name: tensor.data_ptr() for name, tensor in (operands | self.results).items()
        }
        self.args = artefact.make_args(batch, length, addresses)
        self.workspace = torch.empty(
            artefact.workspace_size(self.args), dtype=torch.uint8, device="cuda")

    def __call__(self):
        status = self.artefact.launch(
            self.args, self.workspace.data_ptr(), torch.cuda.current_stream().cuda_stream)
        if status != self.artefact.values["success"]:
            raise RuntimeError(f"delta: {self.artefact.status_string(status)}")
        return self.results["o"]


def make_call(context, recurrence, batch, length, operands):
    return Call(context.artefact(recurrence), batch, length, operands)
