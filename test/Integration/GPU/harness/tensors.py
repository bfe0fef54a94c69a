# ===- tensors.py - arrays of numpy, and files of them --------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Arrays on the host, and .safetensors files. Needs numpy only.

numpy has no bf16. A bf16 array is held as float32 with values that bf16 can represent,
so converting it is always exact.
"""

import json
import os
import pathlib
import struct

import numpy as np

FILE_DTYPES = {"bf16": "BF16", "f16": "F16", "f32": "F32"}
HOST_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}


def round_to(array, dtype):
    """Rounds to the nearest values of a dtype, ties to even; finite numbers only."""
    array = np.ascontiguousarray(array, np.float32)
    if dtype == "f32":
        return array
    if dtype == "f16":
        return array.astype(np.float16).astype(np.float32)
    bits = array.view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(np.float32)


def write(path, arrays):
    """Writes {name: (float32 array, dtype)}; the values must fit their dtypes."""
    header, payload, offset = {}, [], 0
    # The widest first, so that every tensor is aligned to its elements.
    for name, (array, dtype) in sorted(
        arrays.items(), key=lambda item: (item[1][1] != "f32", item[0])
    ):
        array = np.ascontiguousarray(array, np.float32)
        if dtype == "bf16":
            data = (array.view(np.uint32) >> 16).astype("<u2").tobytes()
        else:
            data = array.astype(HOST_DTYPES[FILE_DTYPES[dtype]]).tobytes()
        header[name] = {
            "dtype": FILE_DTYPES[dtype],
            "shape": list(array.shape),
            "data_offsets": [offset, offset + len(data)],
        }
        payload.append(data)
        offset += len(data)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    temporary = f"{path}.tmp.{os.getpid()}"
    with open(temporary, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.writelines(payload)
    os.replace(temporary, path)


def read(path):
    """{name: array}: float64 for F64, else float32 with the same values."""
    data = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + size])
    arrays = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        raw = bytearray(data[begin:end])  # so that the arrays can be written
        if entry["dtype"] == "BF16":
            array = (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
        else:
            array = np.frombuffer(raw, HOST_DTYPES[entry["dtype"]])
            if entry["dtype"] == "F16":
                array = array.astype(np.float32)
        arrays[name] = array.reshape(entry["shape"])
    return arrays
