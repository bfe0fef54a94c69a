#!/usr/bin/env python3
# ===- table.py - results of the benchmark as Markdown --------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Prints tables for docs/notes from the JSON of run.py.

    benchmark/table.py benchmark/results/h200.json
"""

import json
import pathlib
import sys

TITLES = {
    "delta": "delta",
    "fla": "flash-linear-attention",
    "flashinfer": "FlashInfer",
    "flashinfer_cute": "FlashInfer, CuTe",
    "flash_qla": "FlashQLA",
    "attention": "causal attention",
}


def timed(shape, name):
    """The results of a contender, or None if it was not timed."""
    contender = shape["contenders"].get(name)
    return contender if contender and "median_ms" in contender else None


def peers_of(shapes):
    """All other contenders that were timed, in the order of TITLES."""
    return [
        name for name in TITLES
        if name != "delta" and any(timed(shape, name) for shape in shapes)
    ]


def print_machine(machine):
    commit = machine["commit"][:12] + (
        " with changes" if machine["uncommitted_changes"] else ""
    )
    versions = [f"driver {machine['driver']}", f"PyTorch {machine['torch']}"]
    versions.append(f"Triton {machine['triton']}")
    versions += [
        f"{TITLES[name]} {version}"
        for name, version in machine["contenders"].items()
        if name not in ("delta", "attention") and not version.startswith("absent")
    ]
    print(f"{machine['gpu']}, {', '.join(versions)}; delta at {commit}.")
    print(f"A kernel that copies 2 GiB reads and writes {machine['copy_tb_per_s']:.2f} TB/s.\n")


def format_error(contender):
    return f"{contender['rms_ratio']:.1e}" if "rms_ratio" in contender else ""


def print_row(cells):
    print(f"| {' | '.join(cells)} |")


def print_times(shapes):
    peers = peers_of(shapes)
    heads = ["forward pass", "B, T", "ms", "quartiles", "error"]
    for name in peers:
        heads += [f"{TITLES[name]}, ms", "error", "/ delta"]
    print_row(heads)
    print("|" + "---|" * len(heads))
    for shape in shapes:
        ours = timed(shape, "delta")
        if not ours:
            continue
        low, high = ours["quartiles_ms"]
        cells = [
            shape["title"],
            f"{shape['batch']}, {shape['length']}",
            f"{ours['median_ms']:.3f}",
            f"{low:.3f} to {high:.3f}",
            format_error(ours),
        ]
        for name in peers:
            peer = timed(shape, name)
            cells += [
                f"{peer['median_ms']:.3f}",
                format_error(peer),
                f"{peer['median_ms'] / ours['median_ms']:.2f}",
            ] if peer else ["", "", ""]
        print_row(cells)


def print_kernels(shapes):
    print()
    print_row(["forward pass", "B, T", "kernel of delta", "µs", "launches"])
    print("|---|---|---|---|---|")
    for shape in shapes:
        ours = timed(shape, "delta")
        for kernel in ours["kernels"] if ours else []:
            print_row([
                shape["title"],
                f"{shape['batch']}, {shape['length']}",
                f"`{kernel['kernel']}`",
                f"{kernel['us']:.1f}",
                f"{kernel['launches']:g}",
            ])


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: table.py RESULTS.json")
    results = json.loads(pathlib.Path(sys.argv[1]).read_text())
    print_machine(results["machine"])
    print_times(results["shapes"])
    print_kernels(results["shapes"])


if __name__ == "__main__":
    main()
