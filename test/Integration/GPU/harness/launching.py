# ===- launching.py - how a launch behaves --------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Checks of launches: repeated, one after another, with the state in place, captured in
a graph, from several threads on several streams, and returning at once.
"""

import threading
import time

import torch

from .device import Launch, bits, same_bits
from .numerics import draw_on_device
from .report import Failure, Measurement, holds

REPEATS = 1000
IN_A_ROW, ATTEMPTS = 6, 5
THREADS, LAUNCHES_PER_THREAD = 4, 50
SLEEP_CYCLES = 400_000_000  # about 0.2 s


def make_launch(context, case, seed=None):
    arguments = draw_on_device(context, case, seed)
    return Launch(
        context.artefact(case.recurrence), case.batch, case.length, arguments
    )


def expect_same(expected, results):
    return [holds(name, same_bits(expected[name], results[name])) for name in expected]


def check_repeatability(context, case):
    """A thousand runs of the same operands, every result poisoned before."""
    first = make_launch(context, case).run()
    again = make_launch(context, case)
    different = {name: torch.zeros((), dtype=torch.int64, device="cuda") for name in first}
    for _ in range(REPEATS):
        again.poison()
        again.start()
        for name, result in again.results.items():
            different[name] += (bits(result) != bits(first[name])).any()
    again.finish()
    return [
        Measurement(name, f"{int(count)} of {REPEATS} differ", "exact", int(count) == 0)
        for name, count in different.items()
    ]


def check_back_to_back(context, case):
    """Launches on one stream with one workspace between them, each from the state of
    the previous one. A launch that begins before the previous one has ended must not
    read or overwrite anything too early. Compared with the same launches with waits
    between them."""
    recurrence = case.recurrence
    if not (recurrence.initial and recurrence.final):
        raise Failure("needs an initial and a final state")
    launches = [make_launch(context, case, case.data.seed + i) for i in range(IN_A_ROW)]
    for last, launch in zip(launches, launches[1:]):
        launch.workspace = launches[0].workspace
        launch.arguments = {
            name: tensor for name, tensor in launch.arguments.items() if name != "s0"
        }
        launch.arrays["s0"] = last.arrays["s"]
        launch.args.s0 = last.arrays["s"].address

    def run(wait):
        for launch in launches:
            launch.poison()
        torch.cuda.synchronize()
        for launch in launches:
            launch.start()
            if wait:
                torch.cuda.synchronize()
        for launch in launches:
            launch.finish()
        return [{k: v.clone() for k, v in launch.results.items()} for launch in launches]

    waited = run(True)
    lines = []
    for attempt in range(ATTEMPTS):
        for index, (expected, results) in enumerate(zip(waited, run(False))):
            for name, result in results.items():
                what = f"{name} of launch {index}, attempt {attempt}"
                lines.append(holds(what, same_bits(expected[name], result)))
    return lines


def check_in_place(context, case):
    """The new state over the old one: `s` and `s0` are one array."""
    recurrence = case.recurrence
    if not (recurrence.initial and recurrence.final):
        raise Failure("needs an initial and a final state")
    expected = make_launch(context, case).run()
    launch = make_launch(context, case)
    launch.args.s0 = launch.arrays["s"].address
    launch.poison()
    launch.arrays["s"].tensor.copy_(launch.arguments["s0"])
    return expect_same(expected, launch.run())


def check_graph(context, case):
    """A captured launch, replayed on operands that it was not captured with."""
    launch = make_launch(context, case)
    launch.run()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch.start()
    others = draw_on_device(context, case, seed=case.data.seed + 1)
    launch.set_arguments(others)
    launch.poison()
    graph.replay()
    launch.finish()
    direct = Launch(
        context.artefact(case.recurrence), case.batch, case.length, others
    )
    return expect_same(direct.run(), launch.results)


def check_streams(context, case):
    """Threads that launch at the same time, each with its own stream and arrays, all
    get the result of a single launch."""
    expected = make_launch(context, case).run()
    launches = [make_launch(context, case) for _ in range(THREADS)]
    failures = []
    start = threading.Barrier(THREADS)

    def work(launch):
        stream = torch.cuda.Stream()
        start.wait()
        try:
            for _ in range(LAUNCHES_PER_THREAD):
                launch.start(stream)
        except Failure as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(launch,)) for launch in launches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    lines = []
    for launch in launches:
        launch.finish()
        lines += expect_same(expected, launch.results)
    return lines


def check_asynchrony(context, case):
    """A launch after a long kernel returns while that kernel still runs."""
    expected = make_launch(context, case).run()
    launch = make_launch(context, case)
    done = torch.cuda.Event()
    torch.cuda._sleep(SLEEP_CYCLES)
    begin = time.perf_counter()
    launch.start()
    seconds = time.perf_counter() - begin
    done.record()
    waited = done.query()
    launch.finish()
    line = Measurement(
        "return", f"{1e6 * seconds:.0f} us", "before the work", not waited
    )
    return [line, *expect_same(expected, launch.results)]
