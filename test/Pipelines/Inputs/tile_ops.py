#!/usr/bin/env python3
# ===- tile_ops.py - the ops of a module that touch tiles -----------------===//
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===----------------------------------------------------------------------===//
#
# Prints, one a line and in order, the names of the ops of the tile dialect, of loops,
# and of ops on tensors other than constants; without operands, so that renumbered
# values and merged index arithmetic make no difference.
#
# ===----------------------------------------------------------------------===//
"""Print the sequence of ops on tiles."""

import re
import sys


def main():
    for line in open(sys.argv[1], encoding="utf-8"):
        found = re.match(r"\s*(?:%[^=]*= )?([a-z_]+\.[a-z_0-9]+)", line)
        if not found or found[1] == "arith.constant":
            continue
        if found[1].startswith(("tile.", "scf.")) or "tensor<" in line:
            print(found[1])


if __name__ == "__main__":
    main()
