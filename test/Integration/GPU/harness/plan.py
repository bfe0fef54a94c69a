# ===- plan.py - launches as lines of text --------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Writes the input of launch_plan.cpp, which then needs no JSON parser.

    case NAME LIBRARY FUNCTION VERSION BATCH LENGTH
    argument FIELD DTYPE ELEMENTS RANK LOW HIGH     drawn uniformly in [LOW, HIGH]
    result FIELD DTYPE ELEMENTS RANK
    end

Arrays are in the order of the argument struct.
"""

import math


def value_range(recurrence, name, length):
    """A range of values that keeps the recurrence stable without being constant."""
    row = 1 / math.sqrt(recurrence.key_dim)  # keys of norm at most 1
    return {
        "q": (-row, row),
        "k": (-row, row),
        "v": (-1, 1),
        "beta": (-2, 2) if recurrence.sigmoid else (0, 1),
        "g": (-1, 0),
        "w": (-row, row),
        "alpha": (-1, 1),
        "s0": (-0.1, 0.1),
        "k_cache": (-row, row),
        "u_cache": (-1, 1),
        "cached": (0, length),
    }[name]


def write_plan(path, cases, bundle):
    """Paths of libraries are relative to the bundle's folder."""
    lines = []
    for case in cases:
        artefact = bundle.artefact(case.recurrence)
        name = case.recurrence.name
        lines.append(
            f"case {case.name} artefacts/{name}/lib{name}.so {name} "
            f"{artefact.values['args_version']} {case.batch} {case.length}"
        )
        for array in artefact.arrays:
            sizes = array.sizes(case.batch, case.length)
            line = f"{array.field} {array.dtype} {math.prod(sizes)} {len(sizes)}"
            if array.is_result:
                lines.append(f"result {line}")
            else:
                low, high = value_range(case.recurrence, array.name, case.length)
                lines.append(f"argument {line} {low} {high}")
        lines.append("end")
    path.write_text("\n".join(lines) + "\n")
