# ===- cases.py - the table of cases --------------------------*- python -*-===#
#
# Part of delta, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ===-----------------------------------------------------------------------===#
"""Reads cases.toml: the recurrences and the checks on them.

    [recurrence.NAME]   see recurrence.py
    [[case]]
    check       the check's name in the runner's table
    recurrence  a name, or a list of names
    sizes       a list of [batch, length]
    keys, beta, decay, seed   how operands are drawn, see draw.py
    quick       also run by --quick
    other       check "plans": a recurrence with other plans; check "decode":
                the one that computes prompts
    task        check "task" only: the script of examples/tasks, then arguments

One row gives a case for every recurrence and every size.
"""

import dataclasses
import tomllib

from . import recurrence
from .draw import Data


@dataclasses.dataclass(frozen=True)
class Case:
    check: str
    recurrence: recurrence.Recurrence
    batch: int
    length: int
    data: Data = Data()
    quick: bool = False
    task: tuple = ()
    other: recurrence.Recurrence | None = None

    @property
    def recurrences(self):
        """The recurrences whose artefacts the case runs."""
        return [self.recurrence] + ([self.other] if self.other else [])

    @property
    def name(self):
        """A name that is unique in a table; used for files and matched by filters."""
        parts = [self.check, self.recurrence.name, f"b{self.batch}_t{self.length}"]
        if self.other:
            parts.append(self.other.name)
        for field in dataclasses.fields(Data):
            value = getattr(self.data, field.name)
            if value != field.default:
                parts.append(f"{field.name}_{value}")
        return "-".join(parts)


def read_recurrences(path):
    with open(path, "rb") as file:
        table = tomllib.load(file)
    return {
        name: recurrence.parse(name, row)
        for name, row in table.get("recurrence", {}).items()
    }


def read_cases(path):
    """All cases of a table, in order. Raises ValueError if the table is wrong."""
    recurrences = read_recurrences(path)
    with open(path, "rb") as file:
        rows = tomllib.load(file)["case"]
    cases = []
    for row in rows:
        row = dict(row)
        names = row.pop("recurrence")
        check, sizes = row.pop("check"), row.pop("sizes")
        quick, task = row.pop("quick", False), tuple(row.pop("task", ()))
        names, other = [names] if isinstance(names, str) else names, row.pop("other", None)
        data = Data(**row)
        for name in names if other is None else [*names, other]:
            if name not in recurrences:
                raise ValueError(f"case {check}: there is no recurrence {name!r}")
        other = recurrences.get(other)
        for name in names:
            for batch, length in sizes:
                cases.append(
                    Case(check, recurrences[name], batch, length, data, quick, task, other)
                )
    names = [case.name for case in cases]
    if repeated := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"case {sorted(repeated)[0]} is there twice")
    return cases


def runnable(cases, targets):
    """All cases that run on the targets: without those with a plan for warpgroups if
    there are other targets than sm_90a."""
    return [
        case
        for case in cases
        if targets == ["sm_90a"]
        or not any('wgmma' in row.plans for row in case.recurrences)
    ]
