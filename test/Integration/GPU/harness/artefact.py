# ===- artefact.py - a compiled recurrence through its C ABI --*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Loads libNAME.so and calls it as a C program would: ctypes, no CUDA here.

NAME.json lists the arrays; NAME.h gives the values of the statuses and of the struct's
version, as for a C program.
"""

import ctypes
import dataclasses
import json
import re

from .report import Failure

# Names of dtypes in a manifest and in a spec.
SPEC_DTYPES = {"bfloat16": "bf16", "float16": "f16", "float32": "f32", "int64": "i64"}


@dataclasses.dataclass(frozen=True)
class ArrayInfo:
    """An entry of `arrays` of the manifest."""

    name: str
    field: str
    role: str
    dtype: str
    shape: tuple

    @property
    def is_result(self):
        return self.role == "result"

    def sizes(self, batch, length):
        open_sizes = {"batch": batch, "length": length}
        return tuple(open_sizes.get(size, size) for size in self.shape)


def read_enumerators(header, name):
    """{suffix: value} of every `NAME_suffix = value` in the header's text."""
    pattern = rf"\b{re.escape(name)}_(\w+)\s*=\s*(\d+)"
    return {suffix: int(value) for suffix, value in re.findall(pattern, header)}


class Artefact:
    """The three functions of one artefact, and their description."""

    def __init__(self, folder, name):
        self.name = name
        self.manifest = json.loads((folder / f"{name}.json").read_text())
        self.arrays = [
            ArrayInfo(
                entry["name"],
                entry["field"],
                entry["role"],
                entry["dtype"],
                tuple(entry["shape"]),
            )
            for entry in self.manifest["arrays"]
        ]
        self.values = read_enumerators((folder / f"{name}.h").read_text(), name)
        self.args_type = self._make_struct()
        library = ctypes.CDLL(str(folder / f"lib{name}.so"))
        args = ctypes.POINTER(self.args_type)
        self._workspace_size = library[f"{name}_workspace_size"]
        self._workspace_size.argtypes, self._workspace_size.restype = [args], ctypes.c_size_t
        self._launch = library[f"{name}_launch"]
        self._launch.argtypes = [args, ctypes.c_void_p, ctypes.c_void_p]
        self._launch.restype = ctypes.c_int
        self._status_string = library[f"{name}_status_string"]
        self._status_string.argtypes = [ctypes.c_int]
        self._status_string.restype = ctypes.c_char_p

    def _make_struct(self):
        fields = [
            ("size", ctypes.c_uint32),
            ("version", ctypes.c_uint32),
            ("batch", ctypes.c_int64),
            ("length", ctypes.c_int64),
        ]
        for array in self.arrays:
            fields.append((array.field, ctypes.c_void_p))
            fields.append((f"{array.field}_strides", ctypes.c_int64 * len(array.shape)))
        return type(f"{self.name}_args", (ctypes.Structure,), {"_fields_": fields})

    def plans(self):
        """The plans of all kernel sets, as the manifest says them."""
        return tuple(entry["plans"] for entry in self.manifest["kernel_sets"])

    def kernels(self, capability):
        """The manifest's kernels that a device of capability (major, minor) runs: those
        for the latest target of its generation."""

        def version(target):
            return divmod(int(target.strip("sm_a")), 10), target.endswith("a")

        runnable = [
            (version(target), entry["kernels"])
            for entry in self.manifest["kernel_sets"]
            for target in entry["targets"]
            if version(target)[0][0] == capability[0]
            and version(target)[0] <= tuple(capability)
        ]
        return max(runnable, key=lambda pair: pair[0])[1]

    def check_interface(self, recurrence):
        """Fails unless the arrays are those of the recurrence, in order."""
        expected = [
            (array.name, array.dtype, array.shape, array.role)
            for array in recurrence.arrays()
        ]
        actual = [
            (array.name, SPEC_DTYPES[array.dtype], array.shape, array.role)
            for array in self.arrays
        ]
        if actual != expected:
            raise Failure(f"the manifest lists {actual}, expected {expected}")

    def make_args(self, batch, length, addresses):
        """The argument struct for arrays at {name: address}; absent arrays are null."""
        args = self.args_type(
            size=ctypes.sizeof(self.args_type),
            version=self.values["args_version"],
            batch=batch,
            length=length,
        )
        for array in self.arrays:
            setattr(args, array.field, addresses.get(array.name) or None)
        return args

    def workspace_size(self, args):
        return self._workspace_size(args)

    def launch(self, args, workspace, stream=0):
        """Launches and returns the status. `args` may be None; addresses and streams
        are integers."""
        return self._launch(args, workspace or None, stream or None)

    def status_string(self, status):
        return self._status_string(status).decode()
