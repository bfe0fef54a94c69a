#!/usr/bin/env python3
# ===- run.py - time delta's kernels beside the peers' --------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Times the kernels of a bundle on one GPU, and those of other libraries.

Every contender gets the same operands, is held to the float64 reference in the same
run, and must have run the kernels that it is timed for; docs/performance.md
describes the method. Prints a table and writes JSON. Exits with 1 where a contender
failed or a result of delta's is beyond its limit.
"""

import argparse
import json
import pathlib
import platform
import re
import subprocess
import sys
import time
import tomllib
import traceback

# A bundle has the harness of the GPU tests next to this folder.
BUNDLE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BUNDLE))

import accuracy  # noqa: E402
import contenders  # noqa: E402
import operands  # noqa: E402
import peer_archives  # noqa: E402
import timing  # noqa: E402
import torch  # noqa: E402
import work  # noqa: E402
from harness import cases  # noqa: E402
from harness.bundle import Bundle  # noqa: E402

L2_BYTES = 60 * 2**20
# One set of larger operands is enough: at the end of a call, the data that it read
# first has long left L2.
ONE_SET_BYTES = 8 * 2**30


def query_gpu(fields):
    """The output of nvidia-smi; an empty string if there is none."""
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def load_contenders(names):
    """({name: module}, {name: version or why it is absent}). Named contenders must be
    installed; by default all installed ones take part."""
    modules, versions = {}, {}
    for name in names or contenders.ALL:
        module = contenders.ALL[name]
        try:
            versions[name] = module.load()
            modules[name] = module
        except Exception as error:  # an import may fail in any way
            if names:
                raise
            versions[name] = f"absent: {type(error).__name__}: {error}"
    return modules, versions


def describe_machine(versions):
    import triton

    record = json.loads((BUNDLE / "bundle.json").read_text())
    return {
        **record,
        "gpu": torch.cuda.get_device_name(),
        "driver": query_gpu("driver_version"),
        "max_sm_clock": query_gpu("clocks.max.sm"),
        "power_limit": query_gpu("power.limit"),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "contenders": versions,
        "copy_tb_per_s": timing.copy_bandwidth(),
    }


def draw_sets(recurrence, batch, length):
    """Sets of operands, together well beyond the L2 cache."""
    size = work.array_bytes(recurrence, batch, length)
    count = 1 if size > ONE_SET_BYTES else max(2, -(-4 * L2_BYTES // size))
    return [operands.draw(recurrence, batch, length, seed) for seed in range(count)]


def check_kernels(module, recurrence, kernels):
    """Checks the kernels that ran: a library may dispatch to another implementation."""
    wanted = module.kernels_of(recurrence)
    if not any(re.search(wanted, row["kernel"]) for row in kernels):
        names = ", ".join(row["kernel"][:60] for row in kernels)
        raise RuntimeError(f"none of the kernels that ran is {wanted!r}: {names}")


def prepare(module, bundle, recurrence, shape, sets, judge):
    """(calls, facts known before timing), or None if the contender has no such call."""
    sizes = (shape["batch"], shape["length"])
    calls = [module.make_call(bundle, recurrence, *sizes, each) for each in sets]
    if calls[0] is None:
        return None
    facts = judge(calls[0]()) if module.COMPUTES_OUTPUT else {}
    facts["kernels"] = timing.kernel_times(calls[0])
    check_kernels(module, recurrence, facts["kernels"])
    return [timing.capture(call) for call in calls], facts


class Stopwatch:
    """The costs of a shape as {part: seconds}, for parts that end one after another."""

    def __init__(self):
        self.seconds, self.last = {}, time.monotonic()

    def lap(self, part):
        torch.cuda.synchronize()
        now = time.monotonic()
        self.seconds[part], self.last = now - self.last, now


def run_shape(bundle, recurrence, shape, modules):
    batch, length = shape["batch"], shape["length"]
    watch = Stopwatch()
    sets = draw_sets(recurrence, batch, length)
    judge = accuracy.Judge(recurrence, length, sets[0])
    watch.lap("reference")
    graphs, results = {}, {}
    for name, module in modules.items():
        if name not in shape.get("contenders", modules):
            continue
        try:
            prepared = prepare(module, bundle, recurrence, shape, sets, judge)
        except Exception as error:  # a library may fail in any way; the others go on
            traceback.print_exc()
            results[name] = {"failure": f"{type(error).__name__}: {error}"}
            continue
        if prepared:
            graphs[name], results[name] = prepared
            watch.lap(f"{name} ready")
    bytes_moved = work.array_bytes(recurrence, batch, length)
    flops = work.flops(recurrence, batch, length)
    for name, times in timing.time_in_turns(graphs).items():
        results[name] |= {
            **times,
            "tb_per_s": bytes_moved / times["median_ms"] / 1e9,
            "tflop_per_s": flops / times["median_ms"] / 1e9,
        }
    watch.lap("timing")
    return {**shape, "array_bytes": bytes_moved, "flops": flops,
            "seconds": watch.seconds, "contenders": results}


def label_of(shape):
    return f"{shape['title']}, B{shape['batch']} T{shape['length']}"


def print_shape(result):
    spent = ", ".join(f"{part} {s:.1f} s" for part, s in result["seconds"].items())
    print(f"\n{label_of(result)}  ({spent})")
    for name, c in result["contenders"].items():
        if "failure" in c:
            print(f"  {name:10} FAILED: {c['failure']}")
            continue
        low, high = c["quartiles_ms"]
        error = f"error {c['rms_ratio']:.2e}" if "rms_ratio" in c else ""
        verdict = "  BEYOND ITS LIMIT" if is_beyond(c) else ""
        print(f"  {name:10} {c['median_ms']:9.4f} ms  ({low:.4f} to {high:.4f})"
              f"  {c['tb_per_s']:5.2f} TB/s  {c['tflop_per_s']:6.1f} TFLOP/s"
              f"  {error}{verdict}")
        for kernel in c["kernels"]:
            print(f"             {kernel['us']:9.1f} us  {kernel['launches']:4.1f} x"
                  f"  {kernel['kernel'][:70]}")
    sys.stdout.flush()


def is_beyond(contender):
    return "rms_ratio" in contender and not contender["rms_ratio"] <= contender["limit"]


def is_bad(result):
    ours = result["contenders"].get("delta", {})
    failed = any("failure" in c for c in result["contenders"].values())
    return failed or is_beyond(ours)


def parse_arguments(groups):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", metavar="GROUP",
                        help=f"which shapes: {', '.join(groups)} (all)")
    parser.add_argument("--filter", action="append", metavar="TEXT",
                        help="only shapes with this text in their printed line, "
                             "as \"16 heads, B1 T8192\"; several are alternatives")
    parser.add_argument("--contenders", metavar="NAMES",
                        help=f"a comma list of {', '.join(contenders.ALL)}, all of which "
                             "must be installed (all installed ones)")
    parser.add_argument("--json", type=pathlib.Path, help="also write the results here")
    options = parser.parse_args()
    for group in options.groups:
        if group not in groups:
            parser.error(f"unknown group {group!r}, expected {', '.join(groups)}")
    options.contenders = options.contenders.split(",") if options.contenders else []
    for name in options.contenders:
        if name not in contenders.ALL:
            parser.error(f"unknown contender {name!r}, expected {', '.join(contenders.ALL)}")
    return options


def main():
    table = BUNDLE / "benchmark" / "shapes.toml"
    recurrences = cases.read_recurrences(table)
    shapes = tomllib.loads(table.read_text())["shape"]
    options = parse_arguments(list(dict.fromkeys(shape["group"] for shape in shapes)))
    shapes = [
        shape for shape in shapes
        if any(text in label_of(shape) for text in options.filter or [""])
        and (not options.groups or shape["group"] in options.groups)
    ]
    if not shapes:
        sys.exit("benchmark: error: no shape is selected")
    if not torch.cuda.is_available():
        sys.exit("benchmark: error: PyTorch sees no GPU")

    begin = time.monotonic()
    bundle = Bundle(BUNDLE)
    peer_archives.unpack(BUNDLE / "peers")
    modules, versions = load_contenders(options.contenders)
    machine = describe_machine(versions)
    print("\n".join(f"{key}: {value}" for key, value in machine.items()))
    results = []
    with torch.no_grad():
        for shape in shapes:
            recurrence = recurrences[shape["recurrence"]]
            results.append(run_shape(bundle, recurrence, shape, modules))
            print_shape(results[-1])
            torch.cuda.empty_cache()
            if options.json:
                text = json.dumps({"machine": machine, "shapes": results}, indent=1)
                options.json.write_text(text + "\n")
    bad = sum(is_bad(result) for result in results)
    seconds = time.monotonic() - begin
    print(f"\n{len(results)} shapes timed in {seconds:.0f} s, {bad} with a failure")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
