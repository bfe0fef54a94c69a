# ===- check_manifest.py - a manifest against its library ------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Loads a library as examples/ctypes does and compares the workspace that it asks
# for with the manifest's buffers. Without a GPU the launcher counts one
# multiprocessor (Launch.h); with one, as many as it has.
#
#   check_manifest.py FOLDER-OF-ARTEFACT.PY MANIFEST
#
# ===-----------------------------------------------------------------------===#

import subprocess
import sys

sys.path.insert(0, sys.argv[1])
from artefact import Artefact

ITEM_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4, "int32": 4, "int64": 8}


def ceildiv(x, y):
    return -(-x // y)


def select(condition, value, otherwise):
    return value if condition else otherwise


def evaluate(kernel_set, **sizes):
    """Elements of each buffer and whether each kernel is launched, of a kernel set."""
    names = dict(sizes, ceildiv=ceildiv, select=select, min=min, max=max)

    def value(text):
        return eval(text.replace("/", "//"), {"__builtins__": {}}, names)

    for definition in kernel_set["definitions"]:
        names[definition["name"]] = value(definition["value"])
    elements = [value(buffer["elements"]) for buffer in kernel_set["workspace"]]
    launched = {launch["kernel"]: bool(value(launch.get("condition", "1")))
                for launch in kernel_set["launches"]}
    return elements, launched, names


def workspace_size(manifest, **sizes):
    """Bytes for whichever set is launched."""
    alignment = manifest["workspace_alignment"]

    def of(kernel_set):
        elements, _, _ = evaluate(kernel_set, **sizes)
        return sum(
            ceildiv(count * ITEM_BYTES[buffer["dtype"]], alignment) * alignment
            for count, buffer in zip(elements, kernel_set["workspace"]))

    return max(map(of, manifest["kernel_sets"]))


def get_multiprocessors():
    code = ("import ctypes; c = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int(1);"
            "c.cuInit(0) or c.cuDeviceGetAttribute(ctypes.byref(n), 16, 0); print(n.value)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return int(run.stdout) if run.returncode == 0 else 1


artefact = Artefact(sys.argv[2])
manifest = artefact.manifest
multiprocessors = get_multiprocessors()
failures = 0
for batch in (0, 1, 3, 50):
    for length in (0, 1, 64, 65, 1000, 100000):
        expected = workspace_size(
            manifest, batch=batch, length=length, multiprocessors=multiprocessors)
        if batch == 0 or length == 0:
            expected = 0
        got = artefact.workspace_size(batch, length)
        if got != expected:
            failures += 1
            print("%d x %d: the manifest says %d bytes, the library %d"
                  % (batch, length, expected, got))

# On a GPU with many multiprocessors one long sequence is split, many are not, by the
# set that can split them: the last one.
kernel_set = manifest["kernel_sets"][-1]
for batch, length, wanted in ((1, 100000, True), (1000, 1000, False)):
    _, launched, names = evaluate(kernel_set, batch=batch, length=length, multiprocessors=132)
    combine, chain = (next(kernel for kernel in launched if kernel.startswith(name))
                      for name in ("spec_combine", "spec_chain"))
    split = launched[combine]
    if split != wanted or (names["segments"] > 1) != wanted or launched[chain] == wanted:
        failures += 1
        print("%d x %d: expected %s, got %s" % (batch, length, wanted, launched))
sys.exit(failures != 0)
