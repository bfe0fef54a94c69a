#!/usr/bin/env python3
# ===- check_sass.py - the tensor instructions of a CUDA file -------------===//
#
# Part of the delta project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Compiles a CUDA file for sm_90a (or takes a .cubin) and looks at the warpgroup
# products of every kernel that has some. A product is a batch of HGMMA, one a
# k-step, of which the last one carries the group's mark, gsb0. Fails if a kernel
# has another number of HGMMA than expected, if more instructions than allowed
# stand between two of a batch, where they keep the tensor cores waiting, or if
# the file has no product at all. Prints one line a kernel.
#
# ===----------------------------------------------------------------------===//
"""Hold the products of Hopper kernels to their numbers."""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / "include"


def run(command):
    result = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False)
    if result.returncode:
        sys.exit(f"check_sass: {' '.join(command)}\n{result.stdout}")
    return result.stdout


def kernels_of(sass):
    """Yields (kernel, instructions) from cuobjdump's text."""
    for block in re.split(r"\n\s*Function : ", sass)[1:]:
        name, body = block.split("\n", 1)
        yield name.strip(), re.findall(r"/\*[0-9a-f]{4,}\*/\s+([^;/]+);", body)


def products_of(instructions):
    """Lists the products, each the places of its HGMMA."""
    products, batch = [], []
    for place, text in enumerate(instructions):
        if "HGMMA" in text:
            batch.append(place)
            if "gsb0" in text:
                products.append(batch)
                batch = []
    if batch:
        sys.exit("check_sass: a product without an end")
    return products


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", help="a .cu file or a .cubin")
    parser.add_argument("--hgmma", type=int, required=True, metavar="N",
                        help="HGMMA of every kernel that has some")
    parser.add_argument("--max-between", type=int, required=True, metavar="N",
                        help="instructions between two HGMMA of a product")
    parser.add_argument("--kernel", default="", metavar="TEXT",
                        help="of the kernels whose name has this text alone")
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--cuobjdump", default="cuobjdump")
    parser.add_argument("-I", dest="include", action="append", default=[])
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        cubin = options.file
        if not cubin.endswith(".cubin"):
            cubin = os.path.join(scratch, "out.cubin")
            command = [options.nvcc, "-std=c++17", "-cubin", "-gencode",
                       "arch=compute_90a,code=sm_90a", "-o", cubin]
            for directory in options.include + [str(INCLUDE)]:
                command += ["-I", directory]
            run(command + [options.file])
        sass = run([options.cuobjdump, "-sass", cubin])

    faults, found = [], False
    for name, instructions in kernels_of(sass):
        if options.kernel not in name:
            continue
        products = products_of(instructions)
        if not products:
            continue
        found = True
        count = sum(map(len, products))
        between = max((b - a - 1 for batch in products
                       for a, b in zip(batch, batch[1:])), default=0)
        print(f"  {name}: {len(products)} products of {count} HGMMA, at most "
              f"{between} instructions between two")
        if count != options.hgmma:
            faults.append(f"{name}: {count} HGMMA, expected {options.hgmma}")
        if between > options.max_between:
            faults.append(f"{name}: {between} instructions between two HGMMA "
                          f"of a product, expected at most "
                          f"{options.max_between}")
    if not found:
        faults.append("no kernel has a product")
    for fault in faults:
        print(f"fault: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
