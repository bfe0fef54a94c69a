# ===- report.py - results of checks --------------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Measurements, and their forms for a reader and for a program."""

import dataclasses

from . import compare


# With more measurements than this, only the failed ones are printed.
LONG = 6


class Failure(Exception):
    """The reason why a check could not be completed, in words."""


@dataclasses.dataclass(frozen=True)
class Measurement:
    """One line of the report."""

    what: str
    measured: str
    limit: str
    passed: bool

    def print(self):
        verdict = "ok" if self.passed else "FAILED"
        print(f"          {self.what:40} {self.measured:>16} {self.limit:>16}  {verdict}")


def measure(what, expected, actual, limit):
    """Compares two float64 arrays."""
    ratio = compare.rms_ratio(expected, actual)
    return Measurement(what, f"{ratio:.2e}", f"{limit:.1e}", ratio <= limit)


def holds(what, truth, otherwise="differs"):
    """A measurement that is either true or false."""
    return Measurement(what, "holds" if truth else otherwise, "exact", bool(truth))


@dataclasses.dataclass(frozen=True)
class CaseReport:
    """A case that was run: what was measured, or the error that ended it."""

    name: str
    seconds: float
    measurements: list
    error: str = ""

    @property
    def passed(self):
        """A case that measured nothing did not pass."""
        return (
            not self.error
            and bool(self.measurements)
            and all(line.passed for line in self.measurements)
        )

    def print(self):
        """Prints one row per measurement; of long lists, those that passed are only
        counted (the JSON has them all)."""
        print(f"{'ok' if self.passed else 'FAILED':7} {self.name}  ({self.seconds:.2f} s)")
        rows = self.measurements
        if len(rows) > LONG:
            rows = [line for line in rows if not line.passed]
            print(f"          {len(self.measurements) - len(rows)} measurements passed")
        for line in rows:
            line.print()
        for text in self.error.splitlines():
            print(f"          {text}")


def to_json(reports):
    return [
        {**dataclasses.asdict(report), "passed": report.passed} for report in reports
    ]


def print_summary(reports, seconds):
    """Prints the failed cases once more, then the closing line."""
    failed = [report for report in reports if not report.passed]
    if failed:
        print("\nfailed:")
        for report in failed:
            report.print()
    lines = sum(len(report.measurements) for report in reports)
    print(
        f"\n{len(reports) - len(failed)} of {len(reports)} cases passed, "
        f"{lines} measurements, {seconds:.0f} s"
    )
