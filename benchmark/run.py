#!/usr/bin/env python3
# ===- run.py - time delta's kernels beside the peers' ----------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Times the kernels of a bundle on one GPU, beside flash-linear-attention.

Every contender gets the same operands and is held to the float64 reference in
the same run; docs/performance.md describes the method. Prints a table and writes
JSON. Exits with 1 where a result of delta's is beyond its limit.
"""

import argparse
import json
import pathlib
import platform
import subprocess
import sys
import tomllib

# A bundle has the harness of the GPU tests beside this folder.
BUNDLE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(BUNDLE))

import peers  # noqa: E402
import timing  # noqa: E402
import torch  # noqa: E402
import work  # noqa: E402
from harness import cases, compare, device, draw, reference  # noqa: E402
from harness.bundle import Bundle  # noqa: E402

L2_BYTES = 60 * 2**20


def query_gpu(fields):
    """What nvidia-smi says; an empty string where it says nothing."""
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def describe_machine(peer_version):
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
        "flash_linear_attention": peer_version,
        "copy_tb_per_s": timing.copy_bandwidth(),
    }


def draw_sets(artefact, recurrence, shape):
    """Sets of operands, together well beyond the L2 cache, at least two."""
    size = work.array_bytes(recurrence, shape["batch"], shape["length"])
    count = max(2, -(-4 * L2_BYTES // size))
    sets = []
    for seed in range(count):
        data = draw.Data(seed=seed)
        host = draw.draw(recurrence, shape["batch"], shape["length"], data)
        sets.append(device.to_device(artefact, host))
    return sets


def judge(recurrence, expected, output):
    return {
        "rms_ratio": compare.rms_ratio(expected["o"], output.double()),
        "limit": compare.limit_of(recurrence, draw.Data()),
    }


def run_shape(bundle, recurrence, shape, with_peers):
    batch, length = shape["batch"], shape["length"]
    artefact = bundle.artefact(recurrence)
    sets = draw_sets(artefact, recurrence, shape)
    launches = [device.Launch(artefact, batch, length, operands) for operands in sets]
    expected = reference.evaluate(
        recurrence, {name: tensor.double() for name, tensor in sets[0].items()}, torch
    )
    calls = {"delta": [launch.start for launch in launches]}
    errors = {"delta": judge(recurrence, expected, launches[0].run()["o"])}
    if with_peers:
        call = peers.make_call(recurrence)
        calls["fla"] = [lambda operands=operands: call(operands) for operands in sets]
        errors["fla"] = judge(recurrence, expected, calls["fla"][0]())
    del expected

    graphs = {name: [timing.capture(c) for c in each] for name, each in calls.items()}
    times = timing.time_in_turns(graphs)
    bytes_moved = work.array_bytes(recurrence, batch, length)
    flops = work.chunk_flops(recurrence, batch, length)
    contenders = {
        name: {
            **times[name],
            **errors[name],
            "tb_per_s": bytes_moved / times[name]["median_ms"] / 1e9,
            "tflop_per_s": flops / times[name]["median_ms"] / 1e9,
            "kernels": timing.kernel_times(calls[name][0]),
        }
        for name in calls
    }
    return {
        **shape,
        "workspace_bytes": artefact.workspace_size(launches[0].args),
        "array_bytes": bytes_moved,
        "flops": flops,
        "contenders": contenders,
    }


def print_shape(result):
    print(f"\n{result['title']}: B {result['batch']}, T {result['length']}")
    for name, c in result["contenders"].items():
        low, high = c["quartiles_ms"]
        verdict = "" if c["rms_ratio"] <= c["limit"] else "  BEYOND ITS LIMIT"
        print(f"  {name:6} {c['median_ms']:8.3f} ms  ({low:.3f} to {high:.3f})"
              f"  {c['tb_per_s']:5.2f} TB/s  {c['tflop_per_s']:6.1f} TFLOP/s"
              f"  error {c['rms_ratio']:.2e}{verdict}")
        for kernel in c["kernels"]:
            print(f"           {kernel['us']:9.1f} us  {kernel['launches']:4.1f} x"
                  f"  {kernel['kernel'][:70]}")
    sys.stdout.flush()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--filter", default="",
                        help="only shapes whose recurrence's name has this text")
    parser.add_argument("--no-peers", action="store_true", help="time delta alone")
    parser.add_argument("--json", type=pathlib.Path, help="also write the results here")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if not torch.cuda.is_available():
        sys.exit("benchmark: error: PyTorch sees no GPU")
    bundle = Bundle(BUNDLE)
    table = BUNDLE / "benchmark" / "shapes.toml"
    recurrences = cases.read_recurrences(table)
    shapes = tomllib.loads(table.read_text())["shape"]
    shapes = [shape for shape in shapes if options.filter in shape["recurrence"]]
    if not shapes:
        sys.exit("benchmark: error: no shape is selected")
    peer_version = None if options.no_peers else peers.load(BUNDLE / "peers")

    machine = describe_machine(peer_version)
    print("\n".join(f"{key}: {value}" for key, value in machine.items()))
    results, beyond = [], 0
    with torch.no_grad():
        for shape in shapes:
            recurrence = recurrences[shape["recurrence"]]
            result = run_shape(bundle, recurrence, shape, peer_version is not None)
            print_shape(result)
            results.append(result)
            ours = result["contenders"]["delta"]
            beyond += not ours["rms_ratio"] <= ours["limit"]
            torch.cuda.empty_cache()
            if options.json:
                text = json.dumps({"machine": machine, "shapes": results}, indent=1)
                options.json.write_text(text + "\n")
    print(f"\n{len(results)} shapes timed, {beyond} beyond the limit of its error")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
