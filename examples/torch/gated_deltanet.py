#!/usr/bin/env python3
# ===- gated_deltanet.py - an artefact as a PyTorch operator --*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Builds gated_deltanet_torch.cpp and gated_deltanet.cu into the PyTorch operator
# torch.ops.delta.gated_deltanet and compares it with the recurrence in float64.
# The operator is forward only: a gradient through it is an error, not zero. From the
# top of the checkout (sm_90a: Hopper; else the GPU's own):
#
#   build/bin/delta-opt examples/specs/gated_deltanet.mlir --emit=torch \
#       --target=sm_90a --amalgamate -o build/artefact
#   examples/torch/gated_deltanet.py build/artefact
#
# Needs PyTorch with CUDA (run with 2.11), nvcc, numpy and a GPU; nothing of delta but
# the text.
#
# ===-----------------------------------------------------------------------===#

import argparse
import pathlib
import sys

import torch
import torch.utils.cpp_extension

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1]))
import gated_deltanet_reference as reference


def build(folder):
    """Compiles the operator for the GPU at hand and loads it."""
    major, minor = torch.cuda.get_device_capability()
    # Hopper's own instructions are those of sm_90a, not of sm_90.
    target = "90a" if (major, minor) == (9, 0) else "%d%d" % (major, minor)
    torch.utils.cpp_extension.load(
        name="delta_gated_deltanet",
        sources=[
            str(folder / "gated_deltanet_torch.cpp"),
            str(folder / "gated_deltanet.cu"),
        ],
        extra_include_paths=[str(folder)],
        extra_cuda_cflags=[
            "-std=c++17",
            "-O3",
            "-gencode=arch=compute_%s,code=sm_%s" % (target, target),
            # PyTorch takes the operators of 16-bit numbers away.
            "-U__CUDA_NO_BFLOAT16_CONVERSIONS__",
            "-U__CUDA_NO_HALF_CONVERSIONS__",
            "-U__CUDA_NO_HALF_OPERATORS__",
        ],
        is_python_module=False,
    )
    return torch.ops.delta.gated_deltanet


def refuses_gradient(run, arguments):
    """Whether a backward pass through the operator is an error."""
    o, _ = run(arguments[0].clone().requires_grad_(), *arguments[1:])
    try:
        o.float().sum().backward()
    except RuntimeError as error:
        return "not implemented" in str(error)
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, help="what delta-opt -o wrote")
    reference.add_arguments(parser)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU here: nothing was launched")
        return 77

    run = build(options.folder)
    inputs = reference.make_inputs(options.batch, options.length)
    arguments = [
        torch.from_numpy(x).to(
            "cuda", torch.float32 if name in ("g", "s0") else torch.bfloat16)
        for name, x in inputs.items()]
    o, s = run(*arguments)
    expected_o, expected_s = reference.compute(**inputs)
    right = reference.check("o", o.float().cpu().numpy(), expected_o)
    right &= reference.check("s", s.cpu().numpy(), expected_s)

    # The same launch out of a CUDA graph: the same bits.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        replayed, _ = run(*arguments)
    graph.replay()
    torch.cuda.synchronize()
    same = torch.equal(replayed, o)
    print("graph replay: %s" % ("same bits" if same else "WRONG"))

    refused = refuses_gradient(run, arguments)
    print("gradient: %s" % ("refused" if refused else "WRONG"))
    return 0 if right and same and refused else 1


if __name__ == "__main__":
    sys.exit(main())
