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
# From the top of the checkout:
#
#   build/bin/delta-opt examples/specs/gated_deltanet.mlir --emit=torch \
#       --amalgamate -o build/artefact
#   examples/torch/gated_deltanet.py build/artefact
#
# Needs PyTorch with CUDA, nvcc and a GPU; nothing of delta but the text.
#
# ===-----------------------------------------------------------------------===#

import argparse
import pathlib
import sys

import torch
import torch.utils.cpp_extension

# RMS(reference - got) / RMS(reference) of a result that came through bfloat16.
TOLERANCE = 5e-3


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


def reference(q, k, v, beta, g, s0):
    """The recurrence, token by token, in float64."""

    def normalize(x):
        # Not rounded: the result of the spec's norm is float32.
        x = x.double()
        return x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6)

    group = v.shape[2] // k.shape[2]
    q = normalize(q).repeat_interleave(group, 2)
    k = normalize(k).repeat_interleave(group, 2)
    v, s = v.double(), s0.double()
    beta, decay = beta.double().sigmoid(), g.double().exp()
    o = torch.empty_like(v)
    for t in range(v.shape[1]):
        s = s * decay[:, t, :, None, None]
        u = v[:, t] - torch.einsum("bhk,bhkv->bhv", k[:, t], s)
        s = s + torch.einsum("bhk,bhv->bhkv", k[:, t], beta[:, t, :, None] * u)
        o[:, t] = torch.einsum("bhk,bhkv->bhv", q[:, t], s) * q.shape[-1] ** -0.5
    return o, s


def check(name, got, expected):
    error = (got.double() - expected).pow(2).mean().sqrt()
    ratio = (error / expected.pow(2).mean().sqrt()).item() if expected.numel() else 0.0
    right = ratio <= TOLERANCE  # not so for NaN
    print("%s: RMS error %.2e, tolerance %.0e: %s"
          % (name, ratio, TOLERANCE, "ok" if right else "WRONG"))
    return right


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path, help="what delta-opt -o wrote")
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--length", type=int, default=200)
    options = parser.parse_args()
    if not torch.cuda.is_available():
        print("no GPU here: nothing was launched")
        return 77

    run = build(options.folder)
    torch.manual_seed(0)
    size = (options.batch, options.length)

    def normal(*shape, dtype=torch.bfloat16):
        return torch.randn(*shape, device="cuda", dtype=torch.float32).to(dtype)

    q, k = normal(*size, 16, 128), normal(*size, 16, 128)
    v, beta = normal(*size, 32, 128), normal(*size, 32)
    g = torch.nn.functional.logsigmoid(normal(*size, 32, dtype=torch.float32) + 3)
    s0 = 0.1 * normal(options.batch, 32, 128, 128, dtype=torch.float32)
    o, s = run(q, k, v, beta, g, s0)
    expected_o, expected_s = reference(q, k, v, beta, g, s0)
    right = check("o", o, expected_o)
    right &= check("s", s, expected_s)

    # The same launch out of a CUDA graph: the same bits.
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        replayed, _ = run(q, k, v, beta, g, s0)
    graph.replay()
    torch.cuda.synchronize()
    same = torch.equal(replayed, o)
    print("graph replay: %s" % ("same bits" if same else "WRONG"))
    return 0 if right and same else 1


if __name__ == "__main__":
    sys.exit(main())
