# ===- compare.py - errors of a result and their limits -------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""The error measure of results, and its limits (those of Runtime/Compare.h).

The limit follows from the recurrence and the data, never from a case.
"""

import math

# RMS(reference - result) / RMS(reference), for matrix operands in bf16 and f16.
LIMITS = {
    "beta up to 1": {"bf16": 5e-3, "f16": 1.5e-3},
    "beta up to 2": {"bf16": 8e-3, "f16": 2.5e-3},
    "correlated keys": {"bf16": 1.2e-2, "f16": 4e-3},
}


def limit_of(recurrence, data):
    if recurrence.sigmoid == 2:
        kind = "beta up to 2"
    elif data.keys == "correlated":
        kind = "correlated keys"
    else:
        kind = "beta up to 1"
    return LIMITS[kind][recurrence.dtype]


def rms_ratio(reference, result):
    """RMS(reference - result) / RMS(reference) of two float64 arrays of one
    shape; infinite if an element is not finite or only the reference is 0. Elements
    that are the same infinity in both (the logarithm of an empty sum) agree."""
    if reference.shape != result.shape:
        return math.inf
    judged = (reference != result) | (abs(reference) < math.inf)
    reference, result = reference[judged], result[judged]
    error = float(((reference - result) ** 2).sum())
    norm = float((reference**2).sum())
    if not math.isfinite(error) or not math.isfinite(norm):
        return math.inf
    if error == 0:
        return 0.0
    return math.sqrt(error / norm) if norm else math.inf
