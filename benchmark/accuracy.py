# ===- accuracy.py - results of a benchmark against float64 ---*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Compares outputs of full size with the float64 reference.

Up to WHOLE tokens the whole output is compared. For longer sequences the token by token
reference would take longer than everything else, so only windows are compared: the
first tokens, which depend on nothing before them, and windows in the middle and at the
end. The reference of a later window starts BURN_IN tokens before it from a state of
zero. That is exact if the decays over those tokens leave nothing of the true state,
which is checked. A recurrence with a state and without a gate has no later windows.
"""

import torch
from harness import compare, draw, reference

WHOLE = 8192
WINDOW, BURN_IN = 2048, 1024
# A state has then decayed to exp(-80) of its size, less than the precision of float64.
FORGOTTEN = -80.0


def choose_windows(recurrence, length):
    """[(begin, end)] of the tokens that are compared."""
    if length <= WHOLE or not recurrence.has_state:
        return [(0, length)]
    if not recurrence.gate or recurrence.initial:
        raise ValueError(f"{recurrence.name}: {length} tokens are too many to check")
    middle = length // 2
    return [(0, WINDOW), (middle, middle + WINDOW), (length - WINDOW, length)]


def evaluate_window(recurrence, operands, begin, end):
    """The reference's output for the tokens [begin, end)."""
    first = max(0, begin - BURN_IN)
    if begin and float(operands["g"][:, first:begin].sum(1).max()) > FORGOTTEN:
        raise ValueError(f"{recurrence.name}: the state before a window matters in it")
    wide = {name: tensor[:, first:end].double() for name, tensor in operands.items()}
    return reference.evaluate(recurrence, wide, torch)["o"][:, begin - first :]


class Judge:
    """Measures outputs for one set of operands."""

    def __init__(self, recurrence, length, operands):
        self.limit = compare.limit_of(recurrence, draw.Data())
        self.windows = choose_windows(recurrence, length)
        self.expected = torch.cat(
            [evaluate_window(recurrence, operands, *window) for window in self.windows], 1)

    def __call__(self, output):
        """{"rms_ratio", "limit", "compared"} of an output."""
        windows = [output[:, begin:end].double() for begin, end in self.windows]
        return {
            "rms_ratio": compare.rms_ratio(self.expected, torch.cat(windows, 1)),
            "limit": self.limit,
            "compared": [list(window) for window in self.windows],
        }
