# ===- timing.py - times of work on a GPU ---------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Times calls by replaying CUDA graphs, contenders in turns.

The measured time is that of one call with all of its launches. There is a graph for
each set of operands, and the sets together are larger than the L2 cache, so that no
call finds its operands there. The contenders take turns, so that a clock that falls
with temperature affects all of them.
"""

import statistics

import torch

SAMPLE_MS = 8.0
ROUNDS = 21


class Replay:
    """A graph of one call, and the call itself: a graph does not keep arrays alive that
    the call allocated outside of it, and PyTorch unmaps free memory before every
    capture."""

    def __init__(self, graph, call):
        self.graph, self.call = graph, call

    def replay(self):
        self.graph.replay()


def capture(call):
    """The replay of one call, captured after three calls outside of the graph
    (compilation, autotuning, allocation)."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    torch.cuda.synchronize()
    return Replay(graph, call)


class Sampler:
    """Milliseconds per call, from replays of graphs one after the other."""

    def __init__(self, graphs):
        self.graphs = graphs
        self.replays = len(graphs)
        self.replays = max(len(graphs), round(SAMPLE_MS / max(self.sample(), 1e-3)))

    def sample(self):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for i in range(self.replays):
            self.graphs[i % len(self.graphs)].replay()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / self.replays


def summarize(samples):
    quartiles = statistics.quantiles(samples, n=4)
    return {
        "median_ms": statistics.median(samples),
        "quartiles_ms": [quartiles[0], quartiles[2]],
        "min_ms": min(samples),
        "samples": len(samples),
    }


def time_in_turns(graphs):
    """{name: list of graphs} to {name: summary}."""
    samplers = {name: Sampler(list_of) for name, list_of in graphs.items()}
    samples = {name: [] for name in graphs}
    for turn in range(ROUNDS):
        # Every other round runs backwards (A B, B A), so that none is always first.
        order = list(samplers) if turn % 2 == 0 else list(reversed(samplers))
        for name in order:
            samples[name].append(samplers[name].sample())
    return {name: summarize(values) for name, values in samples.items()}


def kernel_times(call, repeats=10):
    """[{kernel, launches a call, us a call}] of the kernels of a call, slowest
    first, as CUPTI sees them."""
    call()
    torch.cuda.synchronize()
    with torch.profiler.profile(acc_events=True) as profile:
        for _ in range(repeats):
            call()
        torch.cuda.synchronize()
    rows = [
        {
            "kernel": event.key,
            "launches": event.count / repeats,
            "us": event.device_time_total / repeats,
        }
        for event in profile.key_averages()
        if event.device_type == torch.autograd.DeviceType.CUDA
    ]
    return sorted(rows, key=lambda row: -row["us"])


def copy_bandwidth():
    """TB/s, read and written, of a kernel that copies 2 GiB and changes a sign: the
    bandwidth that a kernel can reach. (A copy node of a graph may go through a copy
    engine, which is slower.)"""
    source = torch.zeros(2**29, dtype=torch.float32, device="cuda")
    target = torch.empty_like(source)
    times = time_in_turns({"copy": [capture(lambda: torch.neg(source, out=target))]})
    return 2 * 4 * source.numel() / times["copy"]["median_ms"] / 1e9
