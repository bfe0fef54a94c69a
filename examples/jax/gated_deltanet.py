#!/usr/bin/env python3
# ===- gated_deltanet.py - an artefact as a call of JAX ---------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Calls gated_deltanet from JAX, under jit, and compares it with the recurrence in
# float64. CMakeLists.txt beside this file says how the library is built.
#
# Needs JAX with CUDA (written for 0.10), numpy and a GPU. Without one the call is
# registered and lowered for CUDA, and not run.
#
# ===-----------------------------------------------------------------------===#

import argparse
import ctypes
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).absolute().parents[1]))
import gated_deltanet_reference as reference


def load(path):
    """Makes the handler of the library known to XLA, and returns its call.

    The call gives o and s of the recurrence. Forward only: JAX refuses to
    differentiate it; jax.custom_vjp gives it a backward pass of the caller's.
    """
    library = ctypes.CDLL(path)
    jax.ffi.register_ffi_target(
        "gated_deltanet", jax.ffi.pycapsule(library.gated_deltanet_ffi),
        platform="CUDA")
    workspace_size = library.gated_deltanet_ffi_workspace
    workspace_size.restype = ctypes.c_size_t
    workspace_size.argtypes = [ctypes.c_int64, ctypes.c_int64]

    @jax.jit
    def gated_deltanet(q, k, v, beta, g, s0):
        # Its size follows from sizes that are known while JAX traces.
        workspace = (workspace_size(*q.shape[:2]),)
        results = (jax.ShapeDtypeStruct(v.shape, v.dtype),
                   jax.ShapeDtypeStruct(s0.shape, s0.dtype),
                   jax.ShapeDtypeStruct(workspace, jnp.uint8))
        return jax.ffi.ffi_call("gated_deltanet", results)(q, k, v, beta, g, s0)[:2]

    return gated_deltanet


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("library", help="libgated_deltanet_ffi.so")
    reference.add_arguments(parser)
    options = parser.parse_args()
    gated_deltanet = load(options.library)

    inputs = reference.make_inputs(options.batch, options.length)
    arguments = [jnp.asarray(x, jnp.float32 if name in ("g", "s0") else jnp.bfloat16)
                 for name, x in inputs.items()]
    if jax.default_backend() != "gpu":
        lowered = gated_deltanet.trace(*arguments).lower(lowering_platforms=("cuda",))
        assert "@gated_deltanet" in lowered.as_text()
        print("no GPU here: the call was lowered and not run")
        return 77
    right = True
    results = gated_deltanet(*arguments)
    for name, got, expected in zip("os", results, reference.compute(**inputs)):
        right &= reference.check(name, np.asarray(got, np.float32), expected)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
