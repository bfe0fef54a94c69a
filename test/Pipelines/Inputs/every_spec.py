#!/usr/bin/env python3
# ===- every_spec.py - the linear family, one spec after another ----------===//
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Writes the specs of every head size and number of steps, with operands and
# without, to standard output, separated for --split-input-file. Arguments are
# passed on to make_spec.py; `column_tiles` follows from the value's size.
#
# ===----------------------------------------------------------------------===//
"""Print every spec of the linear family."""

import itertools
import pathlib
import subprocess
import sys

OPERANDS = [
    [],
    ["--dtype=f16", "--group=1"],
    ["--no-decay", "--no-norm", "--no-sigmoid", "--no-state"],
    ["--batch=3", "--length=200"],
]


def main():
    make_spec = pathlib.Path(__file__).with_name("make_spec.py")
    specs = []
    sizes = itertools.product((64, 128), (64, 128), (1, 2, 3, 4), OPERANDS)
    for key, value, steps, operands in sizes:
        for tiles in range(1, value // 64 + 1):
            spec = subprocess.run(
                [sys.executable, make_spec, f"--key={key}", f"--value={value}",
                 f"--steps={steps}", f"--chains={tiles}", *operands, *sys.argv[1:]],
                check=True, capture_output=True, text=True)
            specs.append(spec.stdout)
    print("// -----\n".join(specs))


if __name__ == "__main__":
    main()
