# ===- artefact.py - call an artefact by its manifest ----------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Loads libNAME.so by what NAME.json says of it: no header, no compiler.

Any program that can read JSON and call C can do the same. docs/output.md has the
C interface and the manifest. Needs Python alone; memory and streams are the
caller's.
"""

import ctypes
import json
import pathlib


class Artefact:
    """A function that delta compiled, by the path of its manifest."""

    # Of the argument struct that make_struct builds.
    VERSION = 1

    def __init__(self, path):
        path = pathlib.Path(path)
        self.manifest = json.loads(path.read_text())
        self.arrays = self.manifest["arrays"]
        name = self.manifest["name"]
        if self.manifest["args_version"] != self.VERSION:
            raise ValueError("%s: expected version %d of the arguments, got %s"
                             % (path, self.VERSION, self.manifest["args_version"]))
        self.Args = make_struct(name, self.arrays)
        library = ctypes.CDLL(str(path.with_name("lib%s.so" % name).absolute()))
        self._workspace_size = getattr(library, name + "_workspace_size")
        self._workspace_size.argtypes = [ctypes.POINTER(self.Args)]
        self._workspace_size.restype = ctypes.c_size_t
        self._launch = getattr(library, name + "_launch")
        self._launch.argtypes = [
            ctypes.POINTER(self.Args), ctypes.c_void_p, ctypes.c_void_p]
        self._status_string = getattr(library, name + "_status_string")
        self._status_string.restype = ctypes.c_char_p

    def shape(self, array, batch, length):
        """The extents of an entry of `arrays`, for one call."""
        sizes = {"batch": batch, "length": length}
        return tuple(sizes.get(extent, extent) for extent in array["shape"])

    def make_args(self, batch, length, pointers=None):
        """The argument struct; `pointers` are device addresses by an array's name."""
        args = self.Args(size=ctypes.sizeof(self.Args), version=self.VERSION,
                         batch=batch, length=length)
        for array in self.arrays if pointers else []:
            setattr(args, array["field"], pointers[array["name"]])
        return args  # Strides stay 0: contiguous.

    def workspace_size(self, batch, length):
        """Bytes of workspace on the current device; 0 for sizes that are refused."""
        return self._workspace_size(self.make_args(batch, length))

    def launch(self, batch, length, pointers, workspace, stream=None):
        """Starts the kernels on `stream` of the current device, and returns.

        Raises RuntimeError with the status's text where nothing was launched.
        """
        args = self.make_args(batch, length, pointers)
        status = self._launch(args, workspace, stream)
        if status:
            text = self._status_string(status).decode()
            raise RuntimeError("%s: %s" % (self.manifest["name"], text))


def make_struct(name, arrays):
    """NAME_args: a header, then for each array its pointer and its strides."""
    fields = [("size", ctypes.c_uint32), ("version", ctypes.c_uint32),
              ("batch", ctypes.c_int64), ("length", ctypes.c_int64)]
    for array in arrays:
        fields.append((array["field"], ctypes.c_void_p))
        if array["shape"]:
            strides = ctypes.c_int64 * len(array["shape"])
            fields.append((array["field"] + "_strides", strides))
    return type(name + "_args", (ctypes.Structure,), {"_fields_": fields})
