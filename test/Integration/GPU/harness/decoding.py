# ===- decoding.py - tokens after a cache ---------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Sequences that are computed in two parts: a prompt as a whole, which leaves its keys
and u in a cache, and the tokens after it a few at a time.
"""

import torch

from . import compare, device
from .device import Launch, same_bits
from .numerics import draw_on_device, evaluate_reference
from .report import Measurement, holds, measure

STEPS = 3  # calls of the decoding artefact
RUNS = 11  # of what is timed
LEAST_SHARE = 0.75  # of the bandwidth of a copy


class Whole:
    """The case of whole sequences: as many tokens as the cache has room for."""

    def __init__(self, case):
        self.recurrence, self.data = case.other, case.data
        self.batch, self.length = case.batch, case.length


def check_decode(context, case):
    """Prompts of different lengths, then STEPS calls that continue them: every o, and
    every row of the cache, is that of the whole sequence. The first sequence starts
    with an empty cache, the last one fills the cache and then runs out of room. Rows
    without a token are NaN before and after, and a repeated call changes no bit."""
    whole = Whole(case)
    arguments = draw_on_device(context, whole)
    expected = evaluate_reference(whole, arguments)
    count, room = case.recurrence.new_tokens, case.length
    added = STEPS * count
    # The reference knows `room` tokens: the last sequence ends there.
    starts = torch.linspace(0, room - added, case.batch).long().tolist()

    prompts = Launch(context.artefact(case.other), case.batch, room, arguments).run()
    caches = {
        "k_cache": arguments["k"].clone(),
        "u_cache": prompts["u"].to(arguments["k"].dtype).clone(),
    }
    for b, start in enumerate(starts):
        for cache in caches.values():
            cache[b, start:] = float("nan")

    artefact = context.artefact(case.recurrence)
    own = [info.name for info in artefact.arrays if info.name in arguments]

    def tokens(name, step):
        rows = [
            arguments[name][b, start + step * count : start + (step + 1) * count]
            for b, start in enumerate(starts)
        ]
        return torch.stack(rows)

    outputs, repeats = [], True
    for step in range(STEPS):
        call = {name: tokens(name, step) for name in own} | caches
        call["cached"] = torch.tensor(starts, device="cuda") + step * count
        launch = Launch(artefact, case.batch, room, call)
        outputs.append(launch.run()["o"].clone())
        caches = {name: launch.arrays[name].tensor.clone() for name in caches}
        launch.start()
        launch.finish()
        repeats &= same_bits(launch.results["o"], outputs[-1])
        repeats &= all(same_bits(launch.arrays[n].tensor, c) for n, c in caches.items())

    limit = compare.limit_of(case.recurrence, case.data)

    def added_rows(tensor):
        return torch.stack([tensor[b, s : s + added] for b, s in enumerate(starts)])

    lines = [
        measure("o", added_rows(expected["o"]), torch.cat(outputs, 1).double(), limit),
        measure("u", added_rows(expected["u"]), added_rows(caches["u_cache"]).double(), limit),
        holds("keys", same_bits(added_rows(arguments["k"]), added_rows(caches["k_cache"]))),
        holds("a repeated call", repeats),
    ]
    for name, cache in caches.items():
        clean = all(
            bool(cache[b, start + added :].isnan().all()) for b, start in enumerate(starts)
        )
        lines.append(holds(f"{name} after the tokens", clean))

    # No room: nothing is written, but o is right.
    step = STEPS - 1
    call = {name: tokens(name, step) for name in own} | {
        name: cache[:, : starts[-1] + step * count].contiguous()
        for name, cache in caches.items()
    }
    call["cached"] = torch.tensor(starts, device="cuda") + step * count
    full = Launch(artefact, case.batch, starts[-1] + step * count, call)
    output = full.run()["o"][-1].double()
    begin = starts[-1] + step * count
    reference = expected["o"][-1, begin : begin + count]
    lines.append(measure("o without room", reference, output, limit))
    kept = all(
        same_bits(full.arrays[name].tensor[-1], call[name][-1]) for name in caches
    )
    lines.append(holds("the cache without room", kept))
    return lines


def median_seconds(call):
    """The time of a call, by events around RUNS calls on a busy GPU."""
    times = []
    for _ in range(RUNS + 2):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return sorted(times[2:])[RUNS // 2]


def check_bandwidth(context, case):
    """A cache that is full but for the new tokens: its bytes over the time of a call,
    against the bandwidth of a copy, whose bytes are read and written. Arrays are
    aligned as allocators align them: rows of keys that straddle sectors of 32 bytes
    take a third longer."""
    artefact = context.artefact(case.recurrence)
    torch.manual_seed(case.data.seed)
    call, cached = {}, case.length - case.recurrence.new_tokens
    for info in artefact.arrays:
        if not info.is_result:
            sizes = info.sizes(case.batch, case.length)
            dtype = device.DTYPES[info.dtype]
            call[info.name] = (
                torch.full(sizes, cached, dtype=dtype, device="cuda")
                if info.name == "cached"
                else torch.randn(sizes, dtype=dtype, device="cuda")
            )
    launch = Launch(artefact, case.batch, case.length, call, offset=0)
    size = sum(call[name].nbytes for name in ("k_cache", "u_cache"))
    seconds = median_seconds(launch.start)
    launch.finish()
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    copy = 2 * source.nbytes / median_seconds(lambda: target.copy_(source))
    share = size / seconds / copy
    measured = f"{1e6 * seconds:.0f} us, {size / seconds / 1e12:.2f} of {copy / 1e12:.2f} TB/s"
    return [
        Measurement("a call", measured, f"{LEAST_SHARE:.0%} of a copy", share >= LEAST_SHARE)
    ]
