#!/usr/bin/env python3
# ===- launch.py - launch an artefact by its manifest ----------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Launches libgated_deltanet.so as artefact.py loads it, on memory of PyTorch, and
# compares it with the recurrence in float64; then once more with the state updated
# in place. From the top of the checkout (sm_90a: Hopper; else the GPU's own):
#
#   build/bin/delta-opt examples/specs/gated_deltanet.mlir --emit=library \
#       --target=sm_90a -o build/artefact
#   examples/ctypes/launch.py build/artefact/gated_deltanet.json
#
# Needs PyTorch with CUDA, numpy and a GPU. Nothing is compiled here.
#
# ===-----------------------------------------------------------------------===#

import argparse
import pathlib
import sys

import torch

from artefact import Artefact

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1]))
import gated_deltanet_reference as reference


def run(artefact, batch, length, arguments):
    """The results by name, for tensors by name. What `arguments` holds of the
    results is written to; the others are allocated."""
    tensors = dict(arguments)
    for array in artefact.arrays:
        if array["name"] not in tensors:
            tensors[array["name"]] = torch.empty(
                artefact.shape(array, batch, length), device="cuda",
                dtype=getattr(torch, array["dtype"]))
    workspace = torch.empty(artefact.workspace_size(batch, length),
                            device="cuda", dtype=torch.uint8)
    artefact.launch(batch, length,
                    {name: x.data_ptr() for name, x in tensors.items()},
                    workspace.data_ptr(), torch.cuda.current_stream().cuda_stream)
    return {array["name"]: tensors[array["name"]] for array in artefact.arrays
            if array["role"] != "argument"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("manifest", help="gated_deltanet.json")
    reference.add_arguments(parser)
    options = parser.parse_args()
    artefact = Artefact(options.manifest)
    if not torch.cuda.is_available():
        print("no GPU here: nothing was launched")
        return 77
    size = (options.batch, options.length)
    inputs = reference.make_inputs(*size)
    arguments = {
        array["name"]: torch.from_numpy(inputs[array["name"]]).to(
            "cuda", getattr(torch, array["dtype"]))
        for array in artefact.arrays if array["role"] == "argument"}

    results = run(artefact, *size, arguments)
    right = True
    for name, expected in zip("os", reference.compute(**inputs)):
        right &= reference.check(name, results[name].float().cpu().numpy(), expected)

    # The new state over the old one: the same bits.
    state = arguments["s0"].clone()
    again = run(artefact, *size, {**arguments, "s0": state, "s": state})
    same = all(torch.equal(again[name], results[name]) for name in "os")
    print("state in place: %s" % ("same bits" if same else "WRONG"))
    return 0 if right and same else 1


if __name__ == "__main__":
    sys.exit(main())
