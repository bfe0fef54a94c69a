# ===- numerics.py - results against references ---------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Checks that compare numbers: with the float64 reference, the oracle's files,
or exact answers.

A check is a function of (context, case). It returns measurements, or raises
Failure.
"""

import dataclasses
import subprocess
import sys

import torch

from . import compare, device, draw, host, reference, tensors
from .device import Launch
from .report import Failure, Measurement, holds, measure

def draw_on_device(context, case, seed=None):
    """The case's arguments on the GPU; another `seed` draws others like them."""
    data = case.data
    if seed is not None:
        data = dataclasses.replace(data, seed=seed)
    drawn = draw.draw(case.recurrence, case.batch, case.length, data)
    return device.to_device(context.artefact(case.recurrence), drawn)


def evaluate_reference(case, arguments):
    wide = {name: tensor.double() for name, tensor in arguments.items()}
    return reference.evaluate(case.recurrence, wide, torch)


def measure_all(case, expected, results):
    limit = compare.limit_of(case.recurrence, case.data)
    return [
        measure(name, expected[name], result.double(), limit)
        for name, result in results.items()
    ]


def check_numbers(context, case):
    """Random operands: every result within its limit of the reference."""
    arguments = draw_on_device(context, case)
    launch = Launch(
        context.artefact(case.recurrence), case.batch, case.length, arguments
    )
    results = launch.run()
    return measure_all(case, evaluate_reference(case, arguments), results)


def check_plans(context, case):
    """One recurrence compiled twice: kernels of both plans are within the limit
    of the reference, and of each other."""
    arguments = draw_on_device(context, case)
    expected = evaluate_reference(case, arguments)
    limit = compare.limit_of(case.recurrence, case.data)
    lines, runs, plans = [], {}, {}
    for row in (case.recurrence, case.other):
        artefact = context.artefact(row)
        plans[row.name] = artefact.plans()
        runs[row.name] = Launch(artefact, case.batch, case.length, arguments).run()
        for line in measure_all(case, expected, runs[row.name]):
            lines.append(dataclasses.replace(line, what=f"{line.what} of {row.name}"))
    first, second = runs.values()
    for name, result in first.items():
        one, other = result.double(), second[name].double()
        lines.append(measure(f"{name}, one to the other", one, other, limit))
    differ = len(set(plans.values())) == 2
    lines.append(holds("plans differ", differ, "are the same"))
    return lines


def check_oracle(context, case):
    """The operands that the C++ oracle was run on: the reference must agree with
    it nearly exactly, the kernels within their limit."""
    carried, expected = context.oracle_files(case)
    artefact = context.artefact(case.recurrence)
    arguments = device.to_device(artefact, carried)
    expected = {
        name: torch.from_numpy(array).cuda() for name, array in expected.items()
    }
    own = evaluate_reference(case, arguments)
    lines = [
        measure(f"reference {name}", array, own[name], host.REFERENCE_LIMIT)
        for name, array in expected.items()
    ]
    launch = Launch(artefact, case.batch, case.length, arguments)
    return lines + measure_all(case, expected, launch.run())


def check_task(context, case):
    """A task with exact answers: every bit of every result."""
    path = context.scratch / f"{case.recurrence.name}.safetensors"
    script, *options = case.task
    r = case.recurrence
    sizes = [("length", case.length), ("batch", case.batch), ("heads", r.value_heads)]
    sizes += [("key-dim", r.key_dim), ("value-dim", r.value_dim)]
    command = [sys.executable, str(context.folder / "tasks" / script), *options]
    command += [str(path)] + [f"--{name}={value}" for name, value in sizes]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        raise Failure(f"{script} failed: {made.stderr.strip()}")
    task = tensors.read(path)
    artefact = context.artefact(r)
    launch = Launch(artefact, case.batch, case.length, device.to_device(artefact, task))
    lines = []
    for name, result in launch.run().items():
        # Compared as numbers: the answers have one zero, a kernel may give -0.
        expected = torch.from_numpy(task[f"expected.{name}"]).cuda()
        wrong = int((result.float() != expected).sum())
        lines.append(Measurement(name, f"{wrong} wrong", "exact", wrong == 0))
    return lines


def check_repeated_sequence(context, case):
    """A batch of equal sequences, too large to draw: the first one is compared with the
    reference, the others with the first."""
    single = dataclasses.replace(case, batch=1)
    arguments = draw_on_device(context, single)
    launch = Launch(
        context.artefact(case.recurrence), case.batch, case.length, arguments
    )
    results = launch.run()
    firsts = {name: result[:1] for name, result in results.items()}
    lines = measure_all(case, evaluate_reference(single, arguments), firsts)
    for name, result in results.items():
        same = all(
            device.same_bits(result[b : b + 1], firsts[name]) for b in range(case.batch)
        )
        lines.append(holds(f"{name} of all sequences", same))
    return lines
