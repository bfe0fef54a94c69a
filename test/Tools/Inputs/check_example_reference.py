# ===- check_example_reference.py - an example's float64 -------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Gives delta-run the inputs of examples/gated_deltanet_reference.py in a file and
# compares what its oracle writes with the example's own recurrence.
#
#   check_example_reference.py EXAMPLES SPEC DELTA-RUN FOLDER
#
# ===-----------------------------------------------------------------------===#

import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

examples, spec, delta_run, folder = sys.argv[1:]
sys.path.insert(0, examples)
import gated_deltanet_reference as reference

# The oracle rounds norms and sigmoids to the float32 of their types: 3e-8 each.
LIMIT = 2e-7


def write(path, arrays):
    """A .safetensors file by hand: numpy has no bfloat16, its bits are words."""
    header, payload = {}, b""
    for name, array in arrays.items():
        if name in ("g", "s0"):
            dtype, data = "F32", array.tobytes()
        else:
            dtype, data = "BF16", reference.round_to_bfloat16(array).tobytes()
        header[name] = {"dtype": dtype, "shape": array.shape,
                        "data_offsets": [len(payload), len(payload) + len(data)]}
        payload += data
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + payload)


def read(path):
    """Arrays of a file that the reference stage wrote: all are float64."""
    data = path.read_bytes()
    begin = 8 + struct.unpack_from("<Q", data)[0]
    arrays = {}
    for name, entry in json.loads(data[8:begin]).items():
        first, last = (begin + offset for offset in entry["data_offsets"])
        assert entry["dtype"] == "F64", entry
        arrays[name] = np.frombuffer(data[first:last]).reshape(entry["shape"])
    return arrays


inputs = reference.make_inputs(2, 70)
given, written = (pathlib.Path(folder) / name for name in ("in", "out"))
write(given, inputs)
subprocess.run([delta_run, spec, "--stage=reference", "--inputs=%s" % given,
                "--outputs=%s" % written], check=True, stdout=subprocess.DEVNULL)
results = read(written)
failures = 0
for name, expected in zip("os", reference.compute(**inputs)):
    error = np.sqrt(np.mean((results[name] - expected) ** 2) / np.mean(expected**2))
    if not error <= LIMIT:
        failures += 1
        print("%s: expected an error of at most %g, got %g" % (name, LIMIT, error))
sys.exit(failures != 0)
