#!/usr/bin/env python3
# ===- left_out.py - which tests this machine could not run ----*- python -*-===#
#
# Part of the delta project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
#
# Reads lit's JSON results and counts the unsupported tests per absent feature.
# Exits with 0 where every test was run, with 77 (CTest: skipped) otherwise.
# Judges no test: a failure is reported by the suite that it belongs to.
#
# ===-----------------------------------------------------------------------===#

import argparse
import collections
import json
import pathlib
import sys

EXIT_SKIPPED = 77
# How lit words its reason; what follows is a comma-separated list.
ABSENT = "unavailable features: "


def reasons(output):
    """Why lit left one test out: absent features, else its own words."""
    text = output.strip()
    if ABSENT in text:
        return [f.strip() for f in text.split(ABSENT, 1)[1].split(",")]
    return [text or "no reason given"]


def main():
    parser = argparse.ArgumentParser(description="Counts the tests that lit left out.")
    parser.add_argument("--write", type=pathlib.Path, help="also write the text here")
    parser.add_argument("results", nargs="*", type=pathlib.Path)
    args = parser.parse_args()

    lines = []
    count = collections.Counter()
    for path in args.results:
        if not path.exists():
            lines.append(f"{path.name.split('.')[0]}: no results, the suite did not run")
            continue
        for test in json.loads(path.read_text())["tests"]:
            if test["code"] == "UNSUPPORTED":
                count.update(reasons(test["output"]))
    lines += [f"no {feature}: {n} test(s) not run" for feature, n in count.most_common()]

    text = "".join(line + "\n" for line in lines)
    sys.stdout.write(text or "every lit test was run\n")
    if args.write:
        args.write.write_text(text)
    return EXIT_SKIPPED if lines else 0


if __name__ == "__main__":
    sys.exit(main())
