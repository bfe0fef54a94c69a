#!/usr/bin/env python3
# ===- random_cases.py - a table of cases by a seed -------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Prints a table like cases.toml: random recurrences among those that have kernels, and
# random lengths. Only the rules are the same as in cases.toml.
#
#   random_cases.py SEED COUNT > table.toml
#   scripts/gpu-bundle --cases table.toml --only tests -o build/random
#   random_cases.py SEED COUNT --specs DIR     the specs alone, a file each
#
# With write kernels other than a softmax, u grows with the length, until no limit can
# be given (docs/numerics.md), unless scores are small. So exp, relu and linear write
# here with a small scale, and round does not write at all.
#
# ===-----------------------------------------------------------------------===#

import argparse
import pathlib
import random
import tomllib

from harness import recurrence


def with_a_state(draw):
    row = {
        "steps": draw.choice([1, 1, 2, 3, 4]),
        "gate": draw.random() < 0.6,
        "norm": draw.random() < 0.7,
        "sigmoid": draw.choice([0, 1, 2]),
        "initial": draw.random() < 0.6,
        "final": draw.random() < 0.6,
        "chunk": draw.choice([32, 64, 64, 64]),
    }
    if draw.random() < 0.3:
        row["scale"] = draw.choice([0.5, 1.0])
    return row


def without_a_state(draw):
    read = draw.choice(["softmax"] * 4 + ["exp", "relu", "round", "linear"])
    write = draw.choice(["softmax"] * 3 + ["exp", "relu", "linear"])
    row = {
        "write": write,
        "read": draw.choice([read, write]),
        "norm": write != "softmax" or draw.random() < 0.3,
        "sigmoid": draw.choice([0, 1]),
        "own_write": draw.random() < 0.5,
        "alpha": draw.random() < 0.3,
        "chunk": draw.choice([0, 0, 0, 64]),
    }
    # Write queries from an array of their own are not normalised.
    if write != "softmax":
        row["scale"] = 0.02 if row["own_write"] else 0.2
    sums_of = {"write_lse": write, "read_lse": row["read"]}
    for name in recurrence.SAVED:
        row[name] = draw.random() < 0.3 and sums_of.get(name, "softmax") == "softmax"
    return row


def recurrence_row(draw, index):
    heads = draw.choice([1, 2, 3, 5])
    row = {
        "heads": [heads, heads * draw.choice([1, 1, 1, 2, 3, 4, 5])],
        "dim": draw.choice([[64, 64], [128, 128], [64, 128], [128, 64]]),
        "dtype": draw.choice(recurrence.DTYPES[:2]),
        **(without_a_state if index % 2 else with_a_state)(draw),
    }
    # A write query is not normalised, and has the type of q after its prologue.
    if row["norm"] and not row.get("own_write") and draw.random() < 0.4:
        row["norm_dtype"] = "f32"
    return row


def sizes(draw):
    around_a_chunk = draw.choice([0, 1, 2, 17, 63, 64, 65, 127, 128, 129, 191])
    return [
        [draw.choice([1, 2, 3]), around_a_chunk],
        [draw.choice([1, 3]), draw.randint(1, 700)],
        [2, draw.randint(200, 1500)],
        [1, draw.randint(1000, 3000)],
    ]


def as_toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def make_table(seed, count):
    draw = random.Random(seed)
    lines = []
    for index in range(count):
        name = f"random_{seed}_{index}"
        lines.append(f"[recurrence.{name}]")
        row = recurrence_row(draw, index)
        lines += [f"{key} = {as_toml(value)}" for key, value in row.items()]
        lines += ["[[case]]", 'check = "numbers"', f'recurrence = "{name}"']
        lines.append(f"sizes = {sizes(draw)}")
        if index % 4 == 1:
            lines += ["[[case]]", 'check = "repeatability"', f'recurrence = "{name}"']
            lines.append(f"sizes = [[2, {draw.randint(100, 900)}]]")
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int, help="of recurrences")
    parser.add_argument("--specs", type=pathlib.Path, metavar="DIR")
    options = parser.parse_args()
    table = make_table(options.seed, options.count)
    if not options.specs:
        print(table)
        return
    options.specs.mkdir(parents=True, exist_ok=True)
    for name, row in tomllib.loads(table)["recurrence"].items():
        spec = recurrence.parse(name, row).spec()
        (options.specs / f"{name}.mlir").write_text(spec)


if __name__ == "__main__":
    main()
