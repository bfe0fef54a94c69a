# ===- host.py - checks that need no GPU ----------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Calls that a launcher must refuse, and the reference against the C++ oracle in numpy.

A launcher refuses wrong arguments before it asks CUDA for anything. The addresses are
made up, so that accessing an array would crash.
"""

import ctypes

import numpy as np

from . import reference
from .report import Measurement, measure

# The reference against the C++ oracle. Both compute in float64; an l2 norm may
# round an element differently where the two differ in the last bit.
REFERENCE_LIMIT = 1e-6

WORKSPACE = 0x7000_0000_0000


def check_oracle(context, case):
    """The oracle's operands and results, carried as files."""
    arguments, expected = context.oracle_files(case)
    wide = {name: array.astype(np.float64) for name, array in arguments.items()}
    own = reference.evaluate(case.recurrence, wide, np)
    return [
        measure(f"reference {name}", array, own[name], REFERENCE_LIMIT)
        for name, array in expected.items()
    ]


def made_up_addresses(artefact):
    """Aligned addresses without memory, far from each other."""
    return {
        array.name: 0x1000_0000_0000 + (index << 40)
        for index, array in enumerate(artefact.arrays)
    }


def contiguous_strides(sizes):
    strides, elements = [], 1
    for size in reversed(sizes):
        strides.insert(0, elements)
        elements *= size
    return strides


class Refusals:
    """Calls a launcher with one thing wrong at a time."""

    def __init__(self, artefact, case):
        self.artefact = artefact
        self.sizes = (case.batch, case.length)
        self.lines = []

    def args(self, **fields):
        """Right arguments, except for these fields."""
        args = self.artefact.make_args(*self.sizes, made_up_addresses(self.artefact))
        for name, value in fields.items():
            setattr(args, name, value)
        return args

    def expect(self, what, expected, args, workspace=WORKSPACE):
        status = self.artefact.launch(args, workspace)
        names = {value: name for name, value in self.artefact.values.items()}
        self.lines.append(
            Measurement(
                what,
                names.get(status, str(status)).removeprefix("error_"),
                expected.removeprefix("error_"),
                status == self.artefact.values[expected],
            )
        )

    def expect_sizes(self, what, expected, **fields):
        """Refused sizes need no workspace either."""
        args = self.args(**fields)
        self.expect(what, expected, args)
        size = self.artefact.workspace_size(args)
        self.lines.append(
            Measurement(f"workspace, {what}", f"{size} bytes", "0 bytes", size == 0)
        )


def check_statuses(context, case):
    """Every reason for a refusal; needs a batch and a length that are not 0."""
    artefact = context.artefact(case.recurrence)
    refusals = Refusals(artefact, case)
    args = refusals.args
    refusals.expect("null args", "error_null_args", None)
    size = ctypes.sizeof(artefact.args_type)
    for wrong in (0, size - 8, size + 8):
        refusals.expect(f"size {wrong} of {size}", "error_version", args(size=wrong))
    refusals.expect("version 0", "error_version", args(version=0))

    refusals.expect_sizes("batch -1", "error_size", batch=-1)
    refusals.expect_sizes("length -1", "error_size", length=-1)
    refusals.expect_sizes("batch 2^62", "error_too_large", batch=1 << 62)
    refusals.expect_sizes("length 2^62", "error_too_large", length=1 << 62)
    refusals.expect_sizes(
        "both 2^32", "error_too_large", batch=1 << 32, length=1 << 32
    )

    addresses = made_up_addresses(artefact)
    for array in artefact.arrays:
        refusals.expect(
            f"{array.name} null", "error_null_pointer", args(**{array.field: None})
        )
        for offset in (2, 8):
            moved = {array.field: addresses[array.name] + offset}
            refusals.expect(f"{array.name} + {offset}", "error_alignment", args(**moved))
        strides = contiguous_strides(array.sizes(*refusals.sizes))
        strides[0] += 64
        field = f"{array.field}_strides"
        padded = {field: (ctypes.c_int64 * len(strides))(*strides)}
        refusals.expect(f"{array.name} padded", "error_strides", args(**padded))

    if artefact.workspace_size(args()):
        refusals.expect("workspace null", "error_workspace", args(), 0)
        refusals.expect("workspace + 16", "error_workspace", args(), WORKSPACE + 16)
        # Given strides are accepted if they are contiguous.
        given = {
            f"{array.field}_strides": (ctypes.c_int64 * len(array.shape))(
                *contiguous_strides(array.sizes(*refusals.sizes))
            )
            for array in artefact.arrays
        }
        refusals.expect("strides given", "error_workspace", args(**given), 0)

    nothing = artefact.make_args(0, case.length, {})
    refusals.expect("empty batch, all null", "success", nothing, 0)
    return refusals.lines + check_status_strings(artefact)


def check_status_strings(artefact):
    """Every status has its own text, and so has an unknown status. error_cuda is
    returned only with a cudaError_t added."""
    known = [
        value
        for name, value in artefact.values.items()
        if name == "success" or (name.startswith("error_") and name != "error_cuda")
    ]
    texts = {artefact.status_string(status) for status in known}
    unknown = artefact.status_string(-1)
    return [
        Measurement(
            "status strings", str(len(texts)), str(len(known)), len(texts) == len(known)
        ),
        Measurement(
            "unknown status", unknown, "a text", bool(unknown) and unknown not in texts
        ),
    ]


CHECKS = {"oracle": check_oracle, "statuses": check_statuses}
