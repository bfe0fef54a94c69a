# ===- isolation.py - what must not influence what ------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Checks that hold bit for bit: a result does not depend on the rest of the
batch, on later tokens, on other heads, or on where a sequence is cut.
"""

import dataclasses

import torch

from .device import Launch, same_bits
from .numerics import draw_on_device, evaluate_reference, measure_all
from .report import Failure, holds


def run(context, case, arguments, batch=None, length=None):
    launch = Launch(
        context.artefact(case.recurrence),
        case.batch if batch is None else batch,
        case.length if length is None else length,
        arguments,
    )
    return {name: result.clone() for name, result in launch.run().items()}


def check_split_sequence(context, case):
    """A sequence in two calls, the second from the state of the first. The bits are the
    same if the cut is between chunks; elsewhere results are within the limit."""
    r = case.recurrence
    if not (r.initial and r.final):
        raise Failure("needs an initial and a final state")
    arguments = draw_on_device(context, case)
    whole = run(context, case, arguments)

    def run_split(cut):
        def part(tokens, state):
            cut_arguments = {
                name: tensor[:, tokens] if name != "s0" else state
                for name, tensor in arguments.items()
            }
            return run(context, case, cut_arguments, length=tokens.stop - tokens.start)

        first = part(slice(0, cut), arguments["s0"])
        second = part(slice(cut, case.length), first["s"])
        return {"o": torch.cat([first["o"], second["o"]], 1), "s": second["s"]}

    at_chunk = run_split(case.length // 2 // r.chunk_tokens * r.chunk_tokens)
    lines = [
        holds(f"{name}, cut between chunks", same_bits(at_chunk[name], whole[name]))
        for name in whole
    ]
    inside = run_split(case.length // 2 // r.chunk_tokens * r.chunk_tokens + 1)
    for line in measure_all(case, evaluate_reference(case, arguments), inside):
        lines.append(dataclasses.replace(line, what=f"{line.what}, cut in a chunk"))
    return lines


def check_batch_invariance(context, case):
    """Every sequence alone gives the same result as in the batch."""
    arguments = draw_on_device(context, case)
    together = run(context, case, arguments)
    same = {name: True for name in together}
    for b in range(case.batch):
        one = {name: tensor[b : b + 1] for name, tensor in arguments.items()}
        alone = run(context, case, one, batch=1)
        for name in same:
            same[name] &= same_bits(alone[name], together[name][b : b + 1])
    return [holds(name, truth) for name, truth in same.items()]


def check_neighbours(context, case):
    """Sequences of NaN before and after a sequence in memory do not change its results:
    values that a kernel loads past the end of a sequence belong to another one and must
    not count."""
    arguments = draw_on_device(context, case)
    clean = run(context, case, arguments)
    lines = []
    for b in range(case.batch):
        poisoned = {
            name: torch.full_like(tensor, float("nan")) for name, tensor in arguments.items()
        }
        for name, tensor in poisoned.items():
            tensor[b] = arguments[name][b]
        results = run(context, case, poisoned)
        for name, result in results.items():
            same = same_bits(result[b], clean[name][b])
            lines.append(holds(f"{name} of sequence {b}", same))
    return lines


def check_causality(context, case):
    """Other operands from a token on, inside a chunk, change nothing before it,
    and do change what comes after."""
    start = case.length // 2 // case.recurrence.chunk_tokens
    start = start * case.recurrence.chunk_tokens + case.recurrence.chunk_tokens // 2
    before = draw_on_device(context, case)
    after = draw_on_device(context, case, seed=case.data.seed + 1)
    mixed = {
        name: tensor
        if name == "s0"
        else torch.cat([tensor[:, :start], after[name][:, start:]], 1)
        for name, tensor in before.items()
    }
    plain, changed = run(context, case, before)["o"], run(context, case, mixed)["o"]
    return [
        holds("o before", same_bits(plain[:, :start], changed[:, :start])),
        holds("o after is another", not same_bits(plain[:, start:], changed[:, start:])),
    ]


def check_containment(context, case):
    """A NaN or an infinity stays in its sequence and head, and is not lost."""
    r = case.recurrence
    group = r.value_heads // r.key_heads
    token = case.length // 2
    clean_arguments = draw_on_device(context, case)
    clean = run(context, case, clean_arguments)
    lines = []
    for poison in (float("nan"), float("inf")):
        for name, heads in (("v", range(1)), ("k", range(group))):
            arguments = {key: tensor.clone() for key, tensor in clean_arguments.items()}
            # Sequence 1, one token, all of its steps, head 0.
            arguments[name][1, token, ..., 0, :] = poison
            results = run(context, case, arguments)
            touched = torch.zeros_like(clean["o"], dtype=torch.bool)
            touched[1, :, list(heads)] = True
            where = f"{poison} in {name}"
            same = torch.equal(results["o"][~touched], clean["o"][~touched])
            lines.append(holds(f"o, {where}", same))
            kept = not results["o"][1, token:, list(heads)].isfinite().any(-1).any()
            lines.append(holds(f"o is poisoned, {where}", kept, "lost"))
            # Nothing flows back across the start of a chunk.
            begin = token // r.chunk_tokens * r.chunk_tokens
            earlier = torch.equal(results["o"][1, :begin], clean["o"][1, :begin])
            lines.append(holds(f"o of earlier chunks, {where}", earlier))
            if r.final:
                other = torch.ones(clean["s"].shape[:2], dtype=torch.bool)
                other[1, list(heads)] = False
                same = torch.equal(results["s"][other], clean["s"][other])
                lines.append(holds(f"s, {where}", same))
    return lines
