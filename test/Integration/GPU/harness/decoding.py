# ===- decoding.py - tokens behind a cache ---------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Sequences that are computed in two ways at once: prompts as a whole, which leave
their keys and u in a cache, and the tokens behind them a few at a time.
"""

import torch

from . import compare
from .device import Launch, same_bits
from .numerics import draw_on_device, evaluate_reference
from .report import holds, measure

STEPS = 3  # calls of the decoding artefact


class Whole:
    """The case of whole sequences: as many tokens as the cache has room for."""

    def __init__(self, case):
        self.recurrence, self.data = case.other, case.data
        self.batch, self.length = case.batch, case.length


def check_decode(context, case):
    """Prompts of different lengths, then STEPS calls that continue them: every o, and
    every row of the cache, is that of the whole sequence. The first sequence starts
    from nothing, the last one fills the cache and then runs out of room. Rows that no
    token has are NaN before and after, and a call that is repeated changes no bit."""
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
        lines.append(holds(f"{name} behind the tokens", clean))

    # No room: nothing is written, o is right all the same.
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
