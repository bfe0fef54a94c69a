# ===- residency.py - launches with room for one CTA ----------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Kernels whose CTAs wait for each other end, however few of the CTAs run at a time."""

import ctypes
import time

import torch

from .launching import expect_same, make_launch
from .report import Failure, holds

SECONDS = 2.0  # occupy.cu leaves after 5
HELD, LEAVE = 0, 1  # of its State


def shared_bytes(kernels):
    """The shared memory of the CTA that needs most; kernels run one after another."""

    def of(kernel):
        on_targets = kernel["resources"].values()
        static = max(resources["static_shared_bytes"] for resources in on_targets)
        return kernel["dynamic_shared_bytes"] + static

    return -(-max(map(of, kernels)) // 1024) * 1024


def wait_until(condition, what):
    deadline = time.monotonic() + SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise Failure(what)
        time.sleep(0.001)


def check_residency(context, case):
    """A GPU with room for one CTA at a time gives the same bits as an idle GPU."""
    launch = make_launch(context, case)
    expected = {name: result.clone() for name, result in launch.run().items()}
    launch.poison()
    torch.cuda.synchronize()

    occupy = ctypes.CDLL(str(context.folder / "liboccupy.so")).occupy
    state = torch.zeros(2, dtype=torch.int32).pin_memory()
    first, second, stream = (torch.cuda.Stream() for _ in range(3))
    count = occupy(
        ctypes.c_void_p(state.data_ptr()),
        shared_bytes(launch.artefact.kernels(torch.cuda.get_device_capability())),
        ctypes.c_void_p(first.cuda_stream),
        ctypes.c_void_p(second.cuda_stream),
    )
    if count < 0:
        raise Failure(f"CUDA error {-count} where the GPU is to be occupied")
    try:
        wait_until(lambda: int(state[HELD]) == count, "the GPU is not occupied")
        launch.start(stream)
        done = stream.record_event()
        wait_until(done.query, "does not end with room for one CTA")
        held = int(state[HELD]) == count
    finally:
        state[LEAVE] = 1
        torch.cuda.synchronize()
    launch.finish()
    return [holds("one CTA at a time", held, "more"), *expect_same(expected, launch.results)]
