# ===- device.py - arrays on the GPU, and one launch ----------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Runs an artefact on arrays that show its accesses.

Every array and the workspace lie between guard bands. Bands, results and
workspace start as bytes 0xFF, a NaN in every dtype: a value that a kernel reads before
writing it shows up in its results, an element that it does not write stays NaN, and a
write outside of an array changes a band.
"""

import numpy as np
import torch

from .report import Failure

GUARD_BYTES = 4096
# Arrays have the alignment that the ABI requires, and no larger one.
ARRAY_OFFSET = 16
DTYPES = {
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
    "float32": torch.float32,
    "int64": torch.int64,
}


def bits(tensor):
    """The tensor as integers, so that NaNs compare equal to themselves."""
    integer = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    return tensor.contiguous().view(integer[tensor.element_size()])


def same_bits(a, b):
    return a.shape == b.shape and torch.equal(bits(a), bits(b))


class GuardedArray:
    """An array of poison between two guard bands, `offset` bytes after a multiple of
    512."""

    def __init__(self, shape, dtype, offset):
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        self.begin = GUARD_BYTES + offset
        self.end = self.begin + size
        self.bytes = torch.full(
            (self.end + GUARD_BYTES,), 0xFF, dtype=torch.uint8, device="cuda"
        )
        self.tensor = self.bytes[self.begin : self.end].view(dtype).view(shape)

    @property
    def address(self):
        return self.bytes.data_ptr() + self.begin

    def poison(self):
        self.bytes.fill_(0xFF)

    def guards_are_intact(self):
        bands = (self.bytes[: self.begin], self.bytes[self.end :])
        return all(bool((band == 0xFF).all()) for band in bands)


class Launch:
    """Arrays of one call, and the call itself.

    `arguments` {name: tensor on the GPU, in the dtype of the ABI} are copied. A tensor
    of batch 1 stands for a batch of equal sequences. Arrays start `offset` bytes after
    a multiple of 512.
    """

    def __init__(self, artefact, batch, length, arguments, offset=ARRAY_OFFSET):
        self.artefact = artefact
        self.arguments = arguments
        self.arrays = {}
        for info in artefact.arrays:
            sizes = info.sizes(batch, length)
            array = GuardedArray(sizes, DTYPES[info.dtype], offset)
            if not info.is_result:
                array.tensor.copy_(arguments[info.name])
            self.arrays[info.name] = array
        addresses = {name: array.address for name, array in self.arrays.items()}
        self.args = artefact.make_args(batch, length, addresses)
        size = artefact.workspace_size(self.args)
        self.workspace = GuardedArray((size,), torch.uint8, offset=0)
        torch.cuda.synchronize()

    @property
    def results(self):
        """{name: tensor}, which later launches overwrite."""
        return {
            info.name: self.arrays[info.name].tensor
            for info in self.artefact.arrays
            if info.is_result
        }

    def set_arguments(self, arguments):
        for name, tensor in arguments.items():
            self.arrays[name].tensor.copy_(tensor)
        self.arguments = arguments

    def poison(self):
        """Fills results and workspace with poison again, on the current stream."""
        self.workspace.poison()
        for info in self.artefact.arrays:
            if info.is_result:
                self.arrays[info.name].poison()

    def start(self, stream=None):
        """Launches on a stream (the current one) and does not wait."""
        stream = stream or torch.cuda.current_stream()
        status = self.artefact.launch(
            self.args, self.workspace.address, stream.cuda_stream
        )
        if status != self.artefact.values["success"]:
            raise Failure(f"status {status}: {self.artefact.status_string(status)}")

    def finish(self):
        """Waits, and checks that only results, workspace and arrays that are updated in
        place changed."""
        torch.cuda.synchronize()
        guarded = {**self.arrays, "workspace": self.workspace}
        for name, array in guarded.items():
            if not array.guards_are_intact():
                raise Failure(f"wrote outside of {name}")
        updated = {info.name for info in self.artefact.arrays if info.role == "updated"}
        for name, tensor in self.arguments.items():
            if name in updated:
                continue
            array = self.arrays[name].tensor
            if not same_bits(array, tensor.expand_as(array)):
                raise Failure(f"changed its argument {name}")

    def run(self):
        """Launches, waits, checks memory; returns the results."""
        self.start()
        self.finish()
        return self.results


def to_device(artefact, host_arrays):
    """{name: float32 numpy array} as arguments in the dtypes of the ABI."""
    return {
        info.name: torch.from_numpy(np.ascontiguousarray(host_arrays[info.name]))
        .cuda()
        .to(DTYPES[info.dtype])
        for info in artefact.arrays
        if not info.is_result
    }
