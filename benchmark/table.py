#!/usr/bin/env python3
# ===- table.py - results of the benchmark as Markdown ----------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Prints the tables of docs/performance.md from the JSON that run.py wrote.

    benchmark/table.py benchmark/results/h200.json
"""

import json
import pathlib
import sys

NAMES = {"delta": "delta", "fla": "flash-linear-attention"}


def print_machine(machine):
    commit = machine["commit"][:12] + (
        " with changes" if machine["uncommitted_changes"] else ""
    )
    versions = [f"driver {machine['driver']}", f"PyTorch {machine['torch']}"]
    versions.append(f"Triton {machine['triton']}")
    if machine["flash_linear_attention"]:
        versions.append(f"flash-linear-attention {machine['flash_linear_attention']}")
    print(f"{machine['gpu']}, {', '.join(versions)}; delta at {commit}.")
    print(f"A device copy reads and writes {machine['copy_tb_per_s']:.2f} TB/s.\n")


def print_times(shapes):
    print("| forward pass | B, T | ms | quartiles | error | fla, ms | error | fla / delta |")
    print("|---|---|---|---|---|---|---|---|")
    for shape in shapes:
        ours, peer = shape["contenders"]["delta"], shape["contenders"].get("fla")
        low, high = ours["quartiles_ms"]
        cells = [
            shape["title"],
            f"{shape['batch']}, {shape['length']}",
            f"{ours['median_ms']:.3f}",
            f"{low:.3f} to {high:.3f}",
            f"{ours['rms_ratio']:.1e}",
        ]
        if peer:
            cells += [
                f"{peer['median_ms']:.3f}",
                f"{peer['rms_ratio']:.1e}",
                f"{peer['median_ms'] / ours['median_ms']:.2f}",
            ]
        else:
            cells += ["", "", ""]
        print(f"| {' | '.join(cells)} |")


def print_kernels(shapes):
    print("\n| forward pass | kernel of delta | µs | launches |")
    print("|---|---|---|---|")
    for shape in shapes:
        for kernel in shape["contenders"]["delta"]["kernels"]:
            print(
                f"| {shape['title']} | `{kernel['kernel']}` | {kernel['us']:.1f} "
                f"| {kernel['launches']:g} |"
            )


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: table.py RESULTS.json")
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    print_machine(results["machine"])
    print_times(results["shapes"])
    print_kernels(results["shapes"])


if __name__ == "__main__":
    main()
