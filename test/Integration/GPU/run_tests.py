#!/usr/bin/env python3
# ===- run_tests.py - the GPU tests of a bundle ---------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Runs the cases of a bundle and prints the measurements.

Needs numpy and, unless --host is given, PyTorch and a GPU. Exits with 0 if every case
passed, 1 if one failed, 2 if the tests could not start.
"""

import argparse
import json
import pathlib
import sys
import time
import traceback

from harness import cases, host
from harness.bundle import Bundle
from harness.report import CaseReport, Failure, print_summary, to_json

# The check that launch_plan runs, and not this script.
ELSEWHERE = "sanitize"


def device_checks():
    """{name: function} of all checks; imports PyTorch."""
    from harness import decoding, isolation, launching, numerics, residency

    checks = {"statuses": host.check_statuses}
    for module in (numerics, decoding, isolation, launching, residency):
        for name, function in vars(module).items():
            if name.startswith("check_"):
                checks[name.removeprefix("check_")] = function
    return checks


def run_case(check, bundle, case):
    begin = time.perf_counter()
    measurements, error = [], ""
    try:
        measurements = check(bundle, case)
    except Failure as failure:
        error = str(failure)
    except Exception:  # any other end of a case is a failed case, with its trace
        error = traceback.format_exc()
    return CaseReport(case.name, time.perf_counter() - begin, measurements, error)


def device_is_usable():
    """False after a fault in a kernel, after which this process can run no other
    one."""
    import torch

    try:
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
    except RuntimeError:
        return False
    return True


def select(options):
    """The cases to run, and the table of checks that they name."""
    checks = host.CHECKS if options.host else device_checks()
    selected = []
    targets = json.loads((options.bundle / "bundle.json").read_text())["targets"]
    table = cases.read_cases(options.bundle / "cases.toml")
    for case in cases.runnable(table, targets):
        if case.check == ELSEWHERE or (options.host and case.check not in checks):
            continue
        if case.check not in checks:
            raise ValueError(f"there is no check {case.check!r}")
        if options.quick and not case.quick:
            continue
        if options.filter in case.name:
            selected.append(case)
    if not selected:
        raise ValueError("no case is selected")
    return selected, checks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--bundle", type=pathlib.Path, default=here,
                        help="the folder that gpu-bundle wrote (%(default)s)")
    parser.add_argument("--filter", default="", help="only cases whose name has this text")
    parser.add_argument("--quick", action="store_true", help="only the quick cases")
    parser.add_argument("--host", action="store_true", help="only what needs no GPU")
    parser.add_argument("--list", action="store_true", help="print the cases, run none")
    parser.add_argument("--json", type=pathlib.Path, help="also write the report here")
    options = parser.parse_args()

    try:
        selected, checks = select(options)
    except (ImportError, OSError, ValueError) as error:
        print(f"run_tests: error: {error}", file=sys.stderr)
        return 2
    if options.list:
        print("\n".join(case.name for case in selected))
        return 0
    if not options.host:
        import torch

        if not torch.cuda.is_available():
            print("run_tests: error: PyTorch sees no GPU", file=sys.stderr)
            return 2

    begin = time.perf_counter()
    bundle, reports = Bundle(options.bundle), []
    for case in selected:
        reports.append(run_case(checks[case.check], bundle, case))
        reports[-1].print()
        sys.stdout.flush()
        if not options.host and not device_is_usable():
            rest = len(selected) - len(reports)
            reports.append(
                CaseReport("the rest", 0.0, [], f"{rest} cases not run: a kernel faulted")
            )
            break
    print_summary(reports, time.perf_counter() - begin)
    if options.json:
        options.json.write_text(json.dumps(to_json(reports), indent=1) + "\n")
    return 0 if all(report.passed for report in reports) else 1


if __name__ == "__main__":
    sys.exit(main())
